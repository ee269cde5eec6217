// PtxKernel: PTX that a processor runs, one instruction after the other, so that tests see what it
// computes. It knows what our kernels use; anything else is an error.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::driver::test {

/// Memory that a kernel may use.
struct PtxRange {
  std::byte* data = nullptr;
  uint64_t size_bytes = 0;
};

/// A copy to shared memory that nobody has waited for yet.
struct PtxCopy {
  size_t group = 0;
  std::byte* to = nullptr;
  const std::byte* from = nullptr;  // null: zeros
  size_t size_bytes = 0;
};

/// What an invocation sees.
struct PtxInvocation {
  std::vector<uint64_t> registers{};
  std::array<uint32_t, 9> numbers{};  // %tid, %ctaid, %ntid, each x, y, z
  std::span<const PtxRange> ranges{};
  std::span<std::byte> shared{};
  size_t next = 0;  // instruction
  std::string error{};
  std::vector<PtxCopy> copies{};
  size_t copy_groups = 0;  // committed
  /// What it has written to shared memory, and instructions of four warps need not see yet.
  std::vector<std::span<const std::byte>> unpublished{};
  bool may_multiply = false;                    // behind wgmma.fence
  std::map<size_t, uint64_t> late_registers{};  // results that are there behind a wait
};

inline constexpr size_t kPtxWarp = 32, kPtxGroup = 4 * kPtxWarp;
/// The invocations of a warp, or of a group of four.
using PtxWarp = std::span<PtxInvocation>;

struct PtxInstruction {
  enum class Kind : uint8_t { kPlain, kBranch, kBarrier, kReturn, kWarp, kGroup };
  Kind kind = Kind::kPlain;
  std::function<void(PtxInvocation&)> run{};  // of kPlain
  std::function<void(PtxWarp)> run_warp{};    // of kWarp and kGroup: all invocations together
  size_t target = 0;                          // of kBranch
  int predicate = -1;                         // register; -1: always
  bool is_negated = false;
};

struct PtxKernel {
  std::vector<PtxInstruction> instructions{};
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};
  size_t registers = 0;
  uint64_t shared_bytes = 0;

  /// The entry of `text`. Errors: an instruction that is not known here, with its line.
  static Result<PtxKernel> parse(std::string_view text);

  /// Runs a grid on `ranges`, one for each parameter. Copies to shared memory come as late as waits
  /// allow. Errors: an access outside of them, waits that not all invocations of a workgroup reach,
  /// instructions of a warp that not all of its invocations reach.
  Status run(const std::array<uint32_t, 3>& workgroups, std::span<const PtxRange> ranges) const;
};

/// What operands of an instruction are.
struct PtxOperand {
  enum class Kind : uint8_t { kRegister, kNumber, kSpecial };
  Kind kind = Kind::kNumber;
  size_t index = 0;     // of a register, or in PtxInvocation::numbers
  uint64_t number = 0;  // bits
  uint64_t value(const PtxInvocation& from) const {
    if (kind == Kind::kRegister) return from.registers[index];
    return kind == Kind::kSpecial ? from.numbers[index] : number;
  }
};

/// "mad.lo.s32 %r1, %r2, 3, %r4;" without its predicate, in parts.
struct PtxLine {
  std::vector<std::string> name;                  // "mad", "lo", "s32"
  std::vector<std::vector<PtxOperand>> operands;  // several in one: {%r1, %r2}
  std::vector<int64_t> offsets;                   // of [%rd1+16], by operand
  std::vector<int> parameters;                    // of [p], by operand; else -1

  bool has(std::string_view part) const;
  const std::string& type() const { return name.back(); }
};

/// What the instruction does; empty if it is not known.
std::function<void(PtxInvocation&)> ptxOperation(const PtxLine& line);
/// The part of it that is about memory.
std::function<void(PtxInvocation&)> ptxMemoryOperation(const PtxLine& line);
/// Copies to shared memory that run beside other instructions.
std::function<void(PtxInvocation&)> ptxCopyOperation(const PtxLine& line);
/// What the invocations of a warp do together; empty if `line` is something else.
std::function<void(PtxWarp)> ptxWarpOperation(const PtxLine& line);
/// What those of four warps do together, and what that takes of each one.
std::function<void(PtxWarp)> ptxGroupOperation(const PtxLine& line);
std::function<void(PtxInvocation&)> ptxGroupFence(const PtxLine& line);
/// The part that converts.
std::function<void(PtxInvocation&)> ptxConversion(const PtxLine& line);

/// The bytes of an access; null, with an error, if it is outside of what the kernel may use.
std::byte* ptxBytesAt(PtxInvocation& at, bool is_shared, uint64_t address, uint64_t size_bytes);

/// The number of type T in the low bits, and back.
template <typename T>
T ptxValue(uint64_t bits);
template <typename T>
uint64_t ptxBits(T value);

}  // namespace vta::driver::test
