// Collects what the verifier finds. Internal to the isa library.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "isa/program/program.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"

namespace vta::verify {

class Findings {
 public:
  Findings(const Program& program, int limit) : program_(program), limit_(limit) {}

  /// Records `reason` for `instruction`, unless the limit is reached.
  void add(uint32_t instruction, std::string_view reason) {
    if (full()) return;
    found_.push_back({instruction, fmt::format("{}: {}", describe(instruction), reason)});
  }

  bool full() const { return static_cast<int>(found_.size()) >= limit_; }
  bool empty() const { return found_.empty(); }
  std::vector<VerifyFinding>& list() { return found_; }

  /// "instruction 12 (conv1) `gemm ...`".
  std::string describe(uint32_t instruction) const {
    const std::string_view symbol = program_.symbolAt(instruction);
    const std::string in = symbol.empty() ? std::string() : fmt::format(" ({})", symbol);
    return fmt::format("instruction {}{} `{}`", instruction, in,
                       disassemble(program_.instructions[instruction]));
  }

 private:
  const Program& program_;
  int limit_;
  std::vector<VerifyFinding> found_;
};

}  // namespace vta::verify
