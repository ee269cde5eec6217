#include "tests/compiler/kernel/cycles/network_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/launch/overlap.h"

namespace vta::kernel::testing {

double Bound::cycles(const HwConfig& hw) const {
  const double bus_cycles = std::max(read_cycles, write_cycles);
  if (hw.params().concurrent_compute) return std::max({gemm_cycles, alu_cycles, bus_cycles});
  return std::max(gemm_cycles + reset_cycles + alu_cycles, bus_cycles);
}

namespace {

// ALU operations of maximum pooling: along the rows that one more output needs, then down them.
double maximaPerOutput(int64_t kernel_height, int64_t kernel_width, int64_t stride_y) {
  return static_cast<double>((kernel_width - 1) * std::min(kernel_height, stride_y) +
                             kernel_height - 1);
}

}  // namespace

Bound boundOf(const KernelDesc& desc, const HwConfig& hw) {
  const Geometry& g = desc.geometry;
  const auto planes = static_cast<double>(g.batch_blocks * g.out_channel_blocks);
  const auto vectors = planes * static_cast<double>(desc.outHeight() * desc.outWidth());
  const auto accumulators = planes * static_cast<double>(g.out_height * g.out_width);
  const auto taps = static_cast<double>(g.weightElems() * g.inBlocksPerGroup());
  const bool contraction = desc.kind == KernelKind::kContraction;
  Bound bound;
  if (contraction || desc.kind == KernelKind::kSumPool) {
    bound.gemm_cycles = accumulators * taps;
    bound.reset_cycles = desc.bias_exceeds_results ? 0 : accumulators;
  } else if (desc.kind == KernelKind::kMaxPool) {
    bound.alu_cycles = vectors * maximaPerOutput(g.kernel_height, g.kernel_width, g.stride_y);
  }
  if (desc.pool) {
    bound.alu_cycles += vectors * maximaPerOutput(desc.pool->kernel_height, desc.pool->kernel_width,
                                                  desc.pool->stride_y);
  }
  auto steps = static_cast<double>(desc.epilogue.size());
  if (desc.residual) steps += static_cast<double>(desc.residual->steps.size());
  bound.alu_cycles += steps * vectors;
  bound.alu_cycles *= hw.params().alu_passes;
  const MemoryType in_type = contraction ? MemoryType::kInp : MemoryType::kOut;
  double bytes = static_cast<double>(g.batch_blocks * g.in_channel_blocks * g.in_height *
                                     g.in_width * hw.elemBytes(in_type));
  if (contraction) {
    bytes += static_cast<double>(g.out_channel_blocks * g.inBlocksPerGroup() * g.weightElems() *
                                 hw.elemBytes(MemoryType::kWgt));
  }
  if (desc.residual.has_value()) bytes += vectors * hw.elemBytes(MemoryType::kOut);
  const double bus_bytes = hw.params().axi_data_width_bits / 8.0;
  bound.read_cycles = bytes / bus_bytes;
  bound.write_cycles = vectors * hw.elemBytes(MemoryType::kOut) / bus_bytes;
  return bound;
}

Result<LaunchCounters> runNetwork(const NetworkProgram& network, sim::ProgramTimer& timer) {
  LaunchCounters sum;
  for (const NetworkLaunch& launch : network.launches) {
    VTA_ASSIGN_OR_RETURN(const LaunchCounters counters,
                         timer.run(launch.program, launch.addresses));
    sum += counters;
  }
  return sum;
}

namespace {

/// Makes `buffer` of `program` the activation `tensor`, or its place in what it is a part of.
void bindActivation(std::span<const NetworkLayer> layers, int tensor, const HwConfig& hw,
                    Program& program, BufferDecl& buffer) {
  buffer.kind = BufferKind::kScratch;
  const bool is_layers = tensor > 0 && tensor <= static_cast<int>(layers.size());
  const NetworkLayer* maker = is_layers ? &layers[tensor - 1] : nullptr;
  if (maker != nullptr && maker->joined >= 0) {
    const int64_t elems = maker->joined_block * maker->desc.outHeight() * maker->desc.outWidth();
    const auto index = static_cast<uint32_t>(&buffer - program.buffers.data());
    for (const Relocation& relocation : program.relocations) {
      if (relocation.buffer != index) continue;
      program.instructions[relocation.instruction].mem().dram_base += static_cast<uint32_t>(elems);
    }
    buffer.size_bytes += static_cast<uint64_t>(elems) * hw.elemBytes(MemoryType::kOut);
    tensor = maker->joined;
  }
  buffer.name = fmt::format("tensor{}", tensor);
}

}  // namespace

Result<NetworkProgram> lowerNetwork(std::span<const NetworkLayer> layers,
                                    std::span<const Schedule> schedules, const HwConfig& hw) {
  NetworkProgram network;
  for (size_t i = 0; i < layers.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(Program program,
                         lower(layers[i].desc, schedules[i], hw, {.from_top = i % 2 == 1}));
    // Activations are known by their tensors' numbers, constants by the layer.
    for (BufferDecl& buffer : program.buffers) {
      int tensor = -1;
      if (buffer.name == kInputBuffer) tensor = layers[i].input;
      if (buffer.name == kResidualBuffer) tensor = layers[i].residual;
      if (buffer.name == kOutputBuffer) tensor = static_cast<int>(i) + 1;
      if (tensor >= 0) {
        bindActivation(layers, tensor, hw, program, buffer);
      } else {
        buffer.name = fmt::format("layer{}.{}", i, buffer.name);
      }
    }
    network.layers.push_back(std::move(program));
  }
  for (size_t begin = 0; begin < layers.size();) {
    size_t end = begin + 1;
    while (end < layers.size() && !layers[end].after_host) ++end;
    const auto programs = std::span(network.layers).subspan(begin, end - begin);
    VTA_ASSIGN_OR_RETURN(LinkedProgram linked, linkPrograms(programs, hw));
    NetworkLaunch& launch = network.launches.emplace_back();
    launch.addresses = sim::ProgramTimer::addressesOf(linked.program, hw);
    launch.program = programs.size() > 1
                         ? compiler::overlapLayers(linked.program, hw, launch.addresses)
                         : std::move(linked.program);
    begin = end;
  }
  return network;
}

Result<std::vector<Schedule>> chooseSchedules(std::span<const NetworkLayer> layers,
                                              const HwConfig& hw, sim::ProgramTimer* timer) {
  MeasureProgram measure;
  if (timer != nullptr) {
    measure = [timer](const Program& program, uint64_t most) {
      return timer->cyclesUpTo(program, most);
    };
  }
  ScheduleChooser chooser(hw, {.measure = measure});
  std::vector<Schedule> schedules;
  for (const NetworkLayer& layer : layers) {
    VTA_ASSIGN_OR_RETURN(const ChosenSchedule chosen, chooser.choose(layer.desc));
    schedules.push_back(chosen.schedule);
  }
  return schedules;
}

}  // namespace vta::kernel::testing
