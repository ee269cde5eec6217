#include "driver/board/four_block_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "isa/instruction/encoding.h"

namespace vta::driver {
namespace {

using Clock = std::chrono::steady_clock;
using four_block::kBlockNames;

/// A block takes an instruction that does nothing within a microsecond.
constexpr std::chrono::milliseconds kClearTime{500};
constexpr uint32_t kRunForever = four_block::kControlStart | four_block::kControlAutoRestart;

struct Argument {
  four_block::Block block;
  uint32_t offset;
};
constexpr Argument kBases[] = {{four_block::Block::kLoad, four_block::kLoadInputs},
                               {four_block::Block::kLoad, four_block::kLoadWeights},
                               {four_block::Block::kCompute, four_block::kComputeUops},
                               {four_block::Block::kCompute, four_block::kComputeBiases},
                               {four_block::Block::kStore, four_block::kStoreOutputs}};

std::string_view nameOf(four_block::Block block) { return kBlockNames[static_cast<size_t>(block)]; }

Status notCompatible(const HwConfig& hw) {
  return unsupported(fmt::format(
      "map=four-block is for bitstreams of VTA 0.0.2, and configuration '{}' is not for them: it "
      "has no 'isa: {{compat: 0.0.2}}'; compile the model with --hw vta-0.0.2, or, for a bitstream "
      "of this project, leave out map=four-block",
      hw.name()));
}

/// A stream without FINISH that takes each of load, compute and store one instruction further, and
/// moves and computes nothing: transfers without rows and columns have no effect. Tokens keep the
/// blocks in step, and none is left over. Errors: those of encodeInstruction.
Result<std::vector<std::byte>> clearingStream(const HwConfig& hw) {
  MemInsn nothing;  // of micro-ops, which compute loads
  MemInsn no_input;
  no_input.memory_type = MemoryType::kInp;
  MemInsn no_output;
  no_output.memory_type = MemoryType::kOut;
  std::vector<std::byte> stream;
  for (const Instruction& insn :
       {Instruction::load(no_input, {.push_next = true}),
        Instruction::load(nothing, {.pop_prev = true, .push_next = true}),
        Instruction::store(no_output, {.pop_prev = true, .push_prev = true}),
        Instruction::load(nothing, {.pop_next = true})}) {
    VTA_RETURN_IF_ERROR(encodeInstruction(insn, hw, stream));
  }
  return stream;
}

}  // namespace

uint32_t FourBlockCore::read(Block block, uint32_t offset) const {
  return windows_[static_cast<size_t>(block)].read(offset);
}

void FourBlockCore::write(Block block, uint32_t offset, uint32_t value) const {
  windows_[static_cast<size_t>(block)].write(offset, value);
}

bool FourBlockCore::isDone() const { return read(Block::kCompute, four_block::kComputeDone) == 1; }

bool FourBlockCore::isIdle(Block block) const {
  return (read(block, four_block::kControl) & four_block::kControlIdle) != 0;
}

Status FourBlockCore::identify(const HwConfig& hw) const {
  if (!hw.params().compat_0_0_2) return notCompatible(hw);
  if (read(Block::kFetch, reg::kId) == reg::kIdValue) {
    return unsupported(
        "a core of this project answers, not the four blocks of VTA 0.0.2; leave out "
        "map=four-block, and compile the model for the bitstream's configuration");
  }
  for (size_t i = 0; i < windows_.size(); ++i) {
    const uint32_t control = windows_[i].read(four_block::kControl);
    // A block is idle or has been started.
    const bool is_block = (control & ~four_block::kControlBits) == 0 &&
                          (control & (four_block::kControlStart | four_block::kControlIdle)) != 0;
    if (is_block) continue;
    return unsupported(fmt::format(
        "no {} block answers in window {}: its control register reads {:#010x}; the FPGA is not "
        "programmed, its clock is off, or the blocks have other addresses; program it with "
        "vta-flash, or give the addresses in the order fetch, load, compute, store",
        kBlockNames[i], i, control));
  }
  return {};
}

Status FourBlockCore::probeArgument(Block block, uint32_t offset) const {
  const uint32_t before = read(block, offset);
  for (const uint32_t pattern : {0x5a5a'a500u, 0xa5a5'5a00u}) {
    write(block, offset, pattern);
    const uint32_t after = read(block, offset);
    if (after == pattern) continue;
    write(block, offset, before);
    return unsupported(fmt::format(
        "window {} is not the {} block of VTA 0.0.2: its register {:#x} reads {:#010x} behind a "
        "write of {:#010x}; give the windows in the order fetch, load, compute, store",
        static_cast<size_t>(block), nameOf(block), offset, after, pattern));
  }
  write(block, offset, before);
  return {};
}

Status FourBlockCore::probeArguments() const {
  VTA_RETURN_IF_ERROR(probeArgument(Block::kFetch, four_block::kFetchInsnCount));
  VTA_RETURN_IF_ERROR(probeArgument(Block::kFetch, four_block::kFetchInsns));
  for (const Argument& base : kBases) VTA_RETURN_IF_ERROR(probeArgument(base.block, base.offset));
  return {};
}

Status FourBlockCore::prepare(const HwConfig& hw, const Keep& keep) {
  VTA_RETURN_IF_ERROR(probeArguments());
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> stream, clearingStream(hw));
  VTA_ASSIGN_OR_RETURN(clearing_address_, keep(stream));
  clearing_count_ =
      static_cast<uint32_t>(stream.size() / static_cast<size_t>(hw.instructionBytes()));
  return {};
}

// Compute waits for instructions from its first start on and is never idle again. So without
// `done`, one that is not idle has a launch before it.
CoreStatus FourBlockCore::status() const {
  CoreStatus status;
  if (isDone()) {
    // Fetch hands out FINISH last, but may need some cycles more to end.
    status.done = isIdle(Block::kFetch);
    status.running = !status.done;
  } else {
    status.running = !isIdle(Block::kCompute) || !isIdle(Block::kFetch);
  }
  return status;
}

void FourBlockCore::startFetch(uint64_t address, uint32_t count) const {
  write(Block::kFetch, four_block::kFetchInsnCount, count);
  write(Block::kFetch, four_block::kFetchInsns, static_cast<uint32_t>(address));
  for (const Block block : {Block::kLoad, Block::kCompute, Block::kStore}) {
    write(block, four_block::kControl, kRunForever);
  }
  write(Block::kFetch, four_block::kControl, four_block::kControlStart);
}

/// Has the compute block clear what the launch before left behind.
Status FourBlockCore::clearDone() const {
  startFetch(clearing_address_, clearing_count_);
  const Clock::time_point deadline = Clock::now() + kClearTime;
  while (isDone() || !isIdle(Block::kFetch)) {
    if (Clock::now() < deadline) continue;
    return {StatusCode::kDeviceFault,
            fmt::format("the compute block did not take an instruction within {} ms, so the end of "
                        "a launch could not be seen; program the FPGA again with vta-flash",
                        kClearTime.count())};
  }
  return {};
}

Status FourBlockCore::start(const Launch& launch) {
  const uint64_t addresses[] = {launch.instruction_address,
                                launch.inp_base,
                                launch.wgt_base,
                                launch.uop_base,
                                launch.acc_base,
                                launch.out_base};
  const uint64_t highest = *std::ranges::max_element(addresses);
  if (highest > UINT32_MAX) {
    return invalidArgument(
        fmt::format("the address {:#x} has more than the 32 bits that VTA 0.0.2 has", highest));
  }
  for (size_t i = 0; i < std::size(kBases); ++i) {
    write(kBases[i].block, kBases[i].offset, static_cast<uint32_t>(addresses[i + 1]));
  }
  if (isDone()) VTA_RETURN_IF_ERROR(clearDone());
  startFetch(launch.instruction_address, launch.instruction_count);
  return {};
}

std::string FourBlockCore::progress() const {
  return fmt::format(
      "fetch has {}handed out all; compute has {} FINISH, and the blocks tell no more",
      isIdle(Block::kFetch) ? "" : "not ", isDone() ? "executed" : "not executed");
}

}  // namespace vta::driver
