#include "tools/vta_run/full/html_memory.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Lifetime {
  bool used = false;
  size_t first = 0;
  size_t last = 0;

  void extend(size_t step) {
    first = used ? std::min(first, step) : step;
    last = used ? std::max(last, step) : step;
    used = true;
  }
};

/// By tensor. Parts count as uses of their whole, and are not used themselves.
std::vector<Lifetime> lifetimes(const ModuleInfo& module) {
  std::vector<Lifetime> result(module.tensors.size());
  const auto use = [&](uint32_t tensor, size_t step) {
    const int32_t whole = module.tensors[tensor].part_of;
    result[whole < 0 ? tensor : static_cast<uint32_t>(whole)].extend(step);
  };
  for (size_t i = 0; i < module.steps.size(); ++i) {
    const StepInfo& step = module.steps[i];
    if (module.isOnCpu(step)) {
      for (const uint32_t tensor : step.arguments) use(tensor, i);
      continue;
    }
    for (const int32_t tensor : module.programs[step.entry].buffers) {
      if (tensor >= 0) use(static_cast<uint32_t>(tensor), i);
    }
  }
  // The caller's data is there before the first step, and fetched after the last.
  const size_t last = module.steps.empty() ? 0 : module.steps.size() - 1;
  for (const PortInfo& port : module.inputs) use(port.tensor, 0);
  for (const PortInfo& port : module.outputs) use(port.tensor, last);
  for (size_t i = 0; i < result.size(); ++i) {
    const bool is_always_there =
        module.spaceOf(module.tensors[i]).contents != SpaceInfo::Contents::kActivations;
    if (is_always_there && result[i].used) result[i] = {true, 0, last};
  }
  return result;
}

uint64_t endElem(const MemInsn& mem) {
  const auto sum = [](uint32_t a, uint32_t b, uint32_t c) { return uint64_t{a} + b + c; };
  return mem.sram_base +
         sum(mem.y_pad_0, mem.y_size, mem.y_pad_1) * sum(mem.x_pad_0, mem.x_size, mem.x_pad_1);
}

/// Percent, by memory type; OUT and ACC_8BIT count as the accumulators that they share, transposed
/// weights as weights.
std::array<double, kMemoryTypeCount> reachOf(const HwConfig& hw, const Program& program) {
  std::array<double, kMemoryTypeCount> percent{};
  for (const Instruction& insn : program.instructions) {
    if (insn.opcode != Opcode::kLoad && insn.opcode != Opcode::kStore) continue;
    const MemInsn& mem = insn.mem();
    const uint64_t depth = hw.depthElems(mem.memory_type);
    double& most = percent[static_cast<size_t>(scratchpadOf(mem.memory_type))];
    const double part = static_cast<double>(std::min(endElem(mem), depth));
    most = std::max(most, 100 * part / static_cast<double>(depth));
  }
  return percent;
}

/// Memories of devices first.
std::vector<uint32_t> areasInOrder(const ModuleInfo& module) {
  std::vector<uint32_t> areas(module.spaces.size());
  std::iota(areas.begin(), areas.end(), 0U);
  std::ranges::stable_partition(areas, [&](uint32_t area) {
    return module.executors[module.spaces[area].executor].kind != kCpuKind;
  });
  return areas;
}

std::string titleOf(const ModuleInfo& module, const SpaceInfo& space) {
  const bool is_host = module.executors[space.executor].kind == kCpuKind;
  return std::string(contentsName(space.contents)) +
         (is_host ? ", host memory" : ", device memory");
}

}  // namespace

Json dramMap(const ModuleInfo& module) {
  const std::vector<Lifetime> lives = lifetimes(module);
  Json areas = Json::array();
  for (const uint32_t area : areasInOrder(module)) {
    Json tensors = Json::array();
    uint64_t bytes = 0;
    for (size_t i = 0; i < lives.size(); ++i) {
      const TensorInfo& tensor = module.tensors[i];
      if (tensor.space != area || !lives[i].used) continue;
      bytes = std::max(bytes, tensor.offset_bytes + tensor.size_bytes);
      tensors.push_back({{"name", tensor.name},
                         {"type", describe(tensor.dtype, tensor.shape)},
                         {"offset", tensor.offset_bytes},
                         {"bytes", tensor.size_bytes},
                         {"first", lives[i].first},
                         {"last", lives[i].last}});
    }
    if (tensors.empty()) continue;
    areas.push_back({{"area", titleOf(module, module.spaces[area])},
                     {"bytes", bytes},
                     {"tensors", std::move(tensors)}});
  }
  return areas;
}

Json sramUse(const HwConfig& hw, const driver::RunResult& result,
             const std::vector<size_t>& table_rows) {
  Json memories = Json::array();
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const Program* program = result.layers[i].alone.program;
    if (program == nullptr) continue;
    const auto percent = reachOf(hw, *program);
    const auto of = [&](MemoryType type) { return percent[static_cast<size_t>(type)]; };
    memories.push_back({{"layer", table_rows[i]},
                        {"uop", of(MemoryType::kUop)},
                        {"inp", of(MemoryType::kInp)},
                        {"wgt", of(MemoryType::kWgt)},
                        {"acc", of(MemoryType::kAcc)}});
  }
  return memories;
}

}  // namespace vta::tools
