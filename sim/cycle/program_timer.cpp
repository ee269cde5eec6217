#include "sim/cycle/program_timer.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/integer_math.h"
#include "isa/config/dram_alignment.h"
#include "sim/memory/memory_config.h"

namespace vta::sim {
namespace {

// Memory that holds a program's micro-ops; the data of all else have no influence on time.
class UopMemory final : public Dram {
 public:
  UopMemory(std::vector<std::byte>& bytes, uint64_t address) : bytes_(bytes), address_(address) {}

  std::optional<DramRange> findRange(uint64_t address) const override {
    if (address >= address_ && address < address_ + bytes_.size()) {
      return DramRange{address_, address_ + bytes_.size(), bytes_.data()};
    }
    return DramRange{0, uint64_t{1} << 31, nullptr};
  }

 private:
  std::vector<std::byte>& bytes_;
  uint64_t address_;
};

}  // namespace

Result<ProgramTimer> ProgramTimer::create(const HwConfig& hw, const MemoryConfig& memory) {
  ProgramTimer timer(hw);
  VTA_ASSIGN_OR_RETURN(timer.model_, CycleModel::create(hw, memory));
  return timer;
}

std::vector<uint64_t> ProgramTimer::addressesOf(const Program& program, const HwConfig& hw) {
  const uint64_t alignment_bytes = dramAlignmentBytes(hw);
  std::vector<uint64_t> addresses;
  uint64_t next = alignment_bytes;
  for (const BufferDecl& buffer : program.buffers) {
    addresses.push_back(next);
    next = roundUp(next + buffer.size_bytes, alignment_bytes);
  }
  addresses.push_back(next);
  return addresses;
}

Result<LaunchCounters> ProgramTimer::run(const Program& program, Recording* recording) {
  return run(program, addressesOf(program, hw_), recording);
}

Result<LaunchCounters> ProgramTimer::run(const Program& program,
                                         std::span<const uint64_t> addresses,
                                         Recording* recording) {
  const auto bound = addresses.first(program.buffers.size());
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> stream,
                       encodeInstructionStream(program, hw_, bound));
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> uops, encodeUopStream(program, hw_));
  uint64_t uop_address = 0;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].kind == BufferKind::kUop) uop_address = addresses[i];
  }
  const UopMemory memory(uops, uop_address);
  const TimingResult result = model_->run(
      stream, roundUp(addresses.back(), dramAlignmentBytes(hw_)), {}, memory, recording);
  if (result.fault) return internalError(result.fault->reason);
  return result.counters;
}

Result<std::optional<uint64_t>> ProgramTimer::cyclesUpTo(const Program& program, uint64_t most) {
  model_->giveUpAfter(most);
  const Result<LaunchCounters> counters = run(program);
  model_->giveUpAfter(~uint64_t{0});
  if (!counters.ok()) return counters.status();
  if (counters->cycles > most) return std::optional<uint64_t>();
  return std::optional(counters->cycles);
}

}  // namespace vta::sim
