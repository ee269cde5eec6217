#include "isa/program/verify/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "isa/instruction/encoding.h"
#include "isa/instruction/legality.h"
#include "isa/program/verify/compat_check.h"
#include "isa/program/verify/execution_order.h"
#include "isa/program/verify/findings.h"
#include "isa/program/verify/memory_check.h"

namespace vta {
namespace {

using verify::Findings;

// What each instruction and micro-op has wrong by itself.
void checkEach(const Program& program, const HwConfig& hw, Findings& findings) {
  std::vector<std::byte> scratch;
  for (uint32_t i = 0; i < program.instructions.size() && !findings.full(); ++i) {
    const Instruction& insn = program.instructions[i];
    scratch.clear();
    if (const Status fits = encodeInstruction(insn, hw, scratch); !fits.ok()) {
      findings.add(i, fits.message());
    } else if (const Status legal = checkInstruction(insn, hw); !legal.ok()) {
      findings.add(i, legal.message());
    }
    if (insn.opcode == Opcode::kFinish && i + 1 < program.instructions.size()) {
      findings.add(i, "instructions follow FINISH");
    }
    const auto* alu = std::get_if<AluInsn>(&insn.body);
    if (alu != nullptr && alu->reset) findings.add(i, "reset has no meaning in ALU instructions");
  }
}

}  // namespace

std::vector<VerifyFinding> verifyProgram(const Program& program, const HwConfig& hw,
                                         const VerifyOptions& options) {
  if (const Status status = checkProgramStructure(program, hw); !status.ok()) {
    return {{0, status.message()}};
  }
  VerifyOptions effective = options;
  effective.compat_0_0_2 |= hw.params().compat_0_0_2;
  Findings findings(program, options.max_findings);
  if (const Result<std::vector<std::byte>> uops = encodeUopStream(program, hw); !uops.ok()) {
    return {{0, uops.status().message()}};
  }
  checkEach(program, hw, findings);
  // The passes below rely on fields in range.
  if (!findings.empty()) return std::move(findings.list());

  verify::QueueDepths depths{static_cast<uint32_t>(hw.params().command_queue_depth),
                             static_cast<uint32_t>(hw.params().token_queue_depth)};
  if (effective.compat_0_0_2) {
    depths.commands = std::min(depths.commands, verify::kCompatQueueDepth);
    depths.tokens = std::min(depths.tokens, verify::kCompatQueueDepth);
    verify::checkCompatInstructions(program, hw, findings);
  }
  const verify::ExecutionOrder order = verify::findExecutionOrder(program, depths, findings);
  verify::checkMemory(program, hw, order, effective, findings);
  std::sort(findings.list().begin(), findings.list().end(),
            [](const VerifyFinding& a, const VerifyFinding& b) {
              return std::tie(a.instruction, a.message) < std::tie(b.instruction, b.message);
            });
  return std::move(findings.list());
}

Status verifyProgramStatus(const Program& program, const HwConfig& hw,
                           const VerifyOptions& options) {
  const std::vector<VerifyFinding> findings = verifyProgram(program, hw, options);
  if (findings.empty()) return {};
  std::string message = fmt::format("program verifier: {} finding{}", findings.size(),
                                    findings.size() == 1 ? "" : "s");
  for (const VerifyFinding& finding : findings) message += "\n  " + finding.message;
  return invalidArgument(std::move(message));
}

}  // namespace vta
