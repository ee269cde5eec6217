#include <algorithm>

#include "compiler/kernel/schedule/floor/burst_floor.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "isa/spec/timing.h"

namespace vta::kernel {
namespace {

using timing::gemmDepth;
using timing::kAluDepth;
using timing::leastAccLatency;

uint64_t busBytes(const HwConfig& hw) { return hw.params().axi_data_width_bits / 8; }

uint64_t unsignedOf(int64_t value) { return static_cast<uint64_t>(value); }

enum class Engine : uint8_t { kNone, kGemm, kAlu, kLoad };

// One engine after the other: each begins when the one before has written its last result.
class InOrderCycles {
 public:
  InOrderCycles(const HwConfig& hw, const MemoryTraits& memory)
      : gemm_depth_(gemmDepth(hw.params())),
        acc_latency_(leastAccLatency(hw.params())),
        load_latency_(static_cast<uint64_t>(memory.least_latency_cycles)) {}

  void add(Engine engine, uint64_t cycles) {
    if (cycles == 0) return;
    if (engine != engine_) {
      const uint64_t overheads[] = {0, gemm_depth_, kAluDepth, load_latency_};
      cycles_ += overheads[static_cast<int>(engine)] + acc_latency_;
      engine_ = engine;
    }
    cycles_ += cycles;
  }
  uint64_t cycles() const { return cycles_; }

 private:
  uint64_t gemm_depth_;
  uint64_t acc_latency_;
  uint64_t load_latency_;
  Engine engine_ = Engine::kNone;
  uint64_t cycles_ = 0;
};

/// The stream that a transfer is part of.
Stream& streamOf(Streams& streams, const Instruction& instruction, const MemInsn& mem) {
  if (instruction.opcode == Opcode::kStore) return streams.stores;
  const MemoryType type = scratchpadOf(mem.memory_type);
  if (type == MemoryType::kInp) return streams.inputs;
  return type == MemoryType::kWgt ? streams.weights : streams.compute;
}

}  // namespace

uint64_t leastCycles(const Program& program, const HwConfig& hw, const MemoryTraits& memory) {
  uint64_t gemm = 0;
  uint64_t alu = 0;
  Streams streams;
  InOrderCycles in_order(hw, memory);
  const auto iterations = [](const auto& insn) {
    return uint64_t{insn.uop_end - insn.uop_bgn} * insn.iter_out * insn.iter_in;
  };
  for (const Instruction& instruction : program.instructions) {
    if (instruction.opcode == Opcode::kGemm) {
      const uint64_t operations = iterations(instruction.gemm());
      gemm += operations;
      in_order.add(Engine::kGemm, operations);
    } else if (instruction.opcode == Opcode::kAlu) {
      const uint64_t cycles = iterations(instruction.alu()) * unsignedOf(hw.params().alu_passes);
      alu += cycles;
      in_order.add(Engine::kAlu, cycles);
    } else if (const auto* mem = std::get_if<MemInsn>(&instruction.body)) {
      if (isOnChip(mem->memory_type)) continue;
      const uint64_t row_bytes = mem->x_size * unsignedOf(hw.elemBytes(mem->memory_type));
      Stream& stream = streamOf(streams, instruction, *mem);
      stream.add(streamOfRows(mem->y_size, static_cast<double>(row_bytes), hw));
      if (&stream != &streams.compute) continue;
      const uint64_t bytes = mem->y_size * row_bytes;
      in_order.add(Engine::kLoad, (bytes + busBytes(hw) - 1) / busBytes(hw));
    }
  }
  streams.fetch =
      streamOfBytes(static_cast<double>(program.instructions.size()) * hw.instructionBytes(), hw);
  const BurstFloor bursts(hw, memory);
  // In order, the load of the first micro-ops is one of the engines' turns.
  const double engines = hw.params().concurrent_compute
                             ? bursts.beforeEngines() + static_cast<double>(std::max(gemm, alu))
                             : bursts.beforeData() + static_cast<double>(in_order.cycles());
  const Drain drain = {bursts.afterEngines(), bursts.afterEngines()};
  return static_cast<uint64_t>(
      std::max({engines + bursts.afterEngines(), bursts.endOfReads(streams, drain),
                bursts.beforeEngines() + bursts.storeCycles(streams.stores)}));
}

}  // namespace vta::kernel
