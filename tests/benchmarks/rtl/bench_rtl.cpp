// How well the RTL uses its array and its bus, by its own counters, and how fast the Verilated core
// runs. `cycles/s`: simulated cycles in a second of one processor. `array`: GEMM micro-ops a cycle.
// `bus`: payload in each direction over what one beat a cycle carries. Memory: simple, 16 cycles.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <random>
#include <vector>

#include "isa/encoding.h"
#include "sim/rtl/rtl_simulator.h"

namespace vta::bench {
namespace {

constexpr uint64_t kMemoryBytes = 4 << 20;
constexpr uint64_t kStreamAddress = 0x1000;
constexpr uint64_t kDataAddress = 0x40000;

/// All of memory is one buffer.
class FlatDram final : public sim::Dram {
 public:
  FlatDram() : data_(kMemoryBytes) {
    std::mt19937 rng(1);
    for (std::byte& byte : data_) byte = static_cast<std::byte>(rng());
  }
  std::optional<sim::DramRange> findRange(uint64_t address) const override {
    if (address >= kMemoryBytes) return std::nullopt;
    return sim::DramRange{0, kMemoryBytes, const_cast<std::byte*>(data_.data())};
  }
  void write(uint64_t address, std::span<const std::byte> bytes) {
    std::memcpy(data_.data() + address, bytes.data(), bytes.size());
  }

 private:
  std::vector<std::byte> data_;
};

HwConfig config(const std::string& name) {
  return loadHwConfig(fmt::format("{}/configs/hw/{}.yaml", VTA_SOURCE_DIR, name)).value();
}

MemInsn block(MemoryType type, uint32_t rows, uint32_t columns, uint32_t stride) {
  MemInsn mem;
  mem.memory_type = type;
  mem.y_size = rows;
  mem.x_size = columns;
  mem.x_stride = stride;
  return mem;
}

/// Micro-ops are whatever lies at the data address, so indexes come from the loops alone.
std::vector<Instruction> uopsOfZeros() {
  return {Instruction::load(block(MemoryType::kUop, 1, 8, 8))};
}

// Every instruction walks 8 x 14 accumulators; neighbours are 1 apart, as in a convolution.
std::vector<Instruction> gemmStream() {
  std::vector<Instruction> program = uopsOfZeros();
  GemmInsn gemm;
  gemm.uop_end = 4;
  gemm.iter_out = 8;
  gemm.iter_in = 14;
  gemm.dst_factor_out = 14;
  gemm.dst_factor_in = 1;
  gemm.src_factor_out = 16;
  gemm.src_factor_in = 1;
  for (int i = 0; i < 300; ++i) program.push_back(Instruction::gemm(gemm));
  return program;
}

std::vector<Instruction> aluStream() {
  std::vector<Instruction> program = uopsOfZeros();
  AluInsn alu;
  alu.alu_opcode = AluOpcode::kAdd;
  alu.use_imm = true;
  alu.imm = 3;
  alu.uop_end = 1;
  alu.iter_out = 14;
  alu.iter_in = 14;
  alu.dst_factor_out = 14;
  alu.dst_factor_in = 1;
  for (int i = 0; i < 300; ++i) program.push_back(Instruction::alu(alu));
  return program;
}

std::vector<Instruction> loadStream(MemoryType type, uint32_t rows, uint32_t columns) {
  return std::vector<Instruction>(100, Instruction::load(block(type, rows, columns, 2 * columns)));
}

std::vector<Instruction> storeStream() {
  return std::vector<Instruction>(100, Instruction::store(block(MemoryType::kOut, 14, 14, 28)));
}

/// Weights stream in, INP too, while GEMM runs: double buffering without tokens, for load only.
std::vector<Instruction> mixedStream() {
  std::vector<Instruction> program;
  const std::vector<Instruction> gemms = gemmStream();
  for (size_t i = 0; i < gemms.size(); ++i) {
    program.push_back(gemms[i]);
    program.push_back(Instruction::load(block(MemoryType::kInp, 14, 14, 28)));
    program.push_back(Instruction::store(block(MemoryType::kOut, 7, 14, 28)));
  }
  return program;
}

std::vector<Instruction> streamOf(const std::string& kernel) {
  if (kernel == "gemm") return gemmStream();
  if (kernel == "alu") return aluStream();
  if (kernel == "load_inp") return loadStream(MemoryType::kInp, 14, 14);
  if (kernel == "load_wgt") return loadStream(MemoryType::kWgt, 9, 8);
  if (kernel == "load_acc") return loadStream(MemoryType::kAcc, 14, 14);
  if (kernel == "load_uop") return loadStream(MemoryType::kUop, 1, 256);
  if (kernel == "store") return storeStream();
  return mixedStream();
}

void report(benchmark::State& state, const sim::RtlOutcome& outcome, int bus_bytes,
            uint64_t cycles) {
  const auto launch = static_cast<double>(outcome.cycles);
  const auto unit = [&](int u, reg::UnitCounter counter) {
    return static_cast<double>(outcome.units[static_cast<size_t>(u)][static_cast<size_t>(counter)]);
  };
  double read = 0;
  for (int u = 0; u < 3; ++u) read += unit(u, reg::UnitCounter::kReadBytes);
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["cycles"] = launch;
  state.counters["array"] = static_cast<double>(outcome.gemm_uops) / launch;
  state.counters["alu"] = static_cast<double>(outcome.alu_uops) / launch;
  state.counters["bus_read"] = read / bus_bytes / launch;
  state.counters["bus_write"] = unit(3, reg::UnitCounter::kWriteBytes) / bus_bytes / launch;
}

void runKernel(benchmark::State& state, const std::string& config_name, const std::string& kernel) {
  const HwConfig hw = config(config_name);
  FlatDram dram;
  std::vector<std::byte> stream;
  std::vector<Instruction> program = streamOf(kernel);
  program.push_back(Instruction::finish());
  for (const Instruction& insn : program) {
    if (!encodeInstruction(insn, hw, stream).ok()) return state.SkipWithError("encoding");
  }
  dram.write(kStreamAddress, stream);
  dram.write(kDataAddress, std::vector<std::byte>(4096));
  auto simulator = sim::RtlSimulator::create(hw, dram, sim::ModelCache::standard(), {});
  if (!simulator.ok()) return state.SkipWithError(simulator.status().message().c_str());
  const sim::RtlLaunch launch = {
      kStreamAddress,
      static_cast<uint32_t>(program.size()),
      {kDataAddress, kDataAddress, kDataAddress, kDataAddress, kDataAddress + 0x200000}};
  sim::RtlOutcome outcome;
  const uint64_t before = (*simulator)->totalCycles();
  for (auto _ : state) {
    Result<sim::RtlOutcome> result = (*simulator)->run(launch);
    if (!result.ok()) return state.SkipWithError(result.status().message().c_str());
    if (result->fault != reg::FaultCode::kNone) return state.SkipWithError("fault");
    outcome = *result;
  }
  report(state, outcome, hw.params().axi_data_width_bits / 8, (*simulator)->totalCycles() - before);
}

const int kRegistered = [] {
  for (const char* kernel :
       {"gemm", "alu", "load_inp", "load_wgt", "load_acc", "load_uop", "store", "mixed"}) {
    benchmark::RegisterBenchmark(
        fmt::format("default/{}", kernel).c_str(),
        [kernel](benchmark::State& state) { runKernel(state, "default", kernel); })
        ->Unit(benchmark::kMillisecond);
  }
  for (const char* name :
       {"small-1x8x8", "tiny-buffers", "vta-0.0.2", "wide", "batched-4x16x16", "large-1x32x32"}) {
    benchmark::RegisterBenchmark(
        fmt::format("{}/gemm", name).c_str(),
        [name](benchmark::State& state) { runKernel(state, name, "gemm"); })
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace
}  // namespace vta::bench

BENCHMARK_MAIN();
