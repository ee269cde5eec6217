// The least that a kind of executor has: copy it to begin one. Its machine runs "code" that is one
// word, on bytes in a SkeletonMemory:
//   sum    the last buffer is the sum of the others, byte by byte
//   fault  the machine reports a fault
// Programs that link this file have executors of kind "skeleton"; nothing else names it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/runtime/executor.h"
#include "tests/driver/skeleton/skeleton_memory.h"

namespace vta::driver::test {
namespace {

constexpr std::string_view kSkeletonKind = "skeleton";
/// Code that this machine runs, the best first; modules may also have code for others.
constexpr std::array<std::string_view, 2> kTargets = {"v2", "v1"};

/// Where one argument lies.
struct Argument {
  uint64_t address = 0;
  uint64_t size_bytes = 0;
};

class SkeletonAction final : public PreparedAction {
 public:
  SkeletonAction(SkeletonMemory& memory, std::string code, std::vector<Argument> arguments,
                 const std::string& layer)
      : memory_(memory), code_(std::move(code)), arguments_(std::move(arguments)), layer_(layer) {}

  Status run(StepProfile& /*profile*/) override {
    const SkeletonMemory::Use use(memory_);
    VTA_RETURN_IF_ERROR(use.status());
    const Status status = code_ == "sum" ? sum() : Status(StatusCode::kDeviceFault, "it stopped");
    return status.ok() ? status : status.withContext(fmt::format("layer '{}'", layer_));
  }

 private:
  Status sum() {
    const Argument& result = arguments_.back();
    VTA_ASSIGN_OR_RETURN(const auto total, memory_.bytesAt(result.address, result.size_bytes));
    std::vector<uint8_t> sums(total.size());
    for (size_t i = 0; i + 1 < arguments_.size(); ++i) {
      VTA_ASSIGN_OR_RETURN(const auto bytes,
                           memory_.bytesAt(arguments_[i].address, result.size_bytes));
      for (size_t k = 0; k < sums.size(); ++k) {
        sums[k] = static_cast<uint8_t>(sums[k] + std::to_integer<uint8_t>(bytes[k]));
      }
    }
    std::ranges::transform(sums, total.begin(), [](uint8_t value) { return std::byte{value}; });
    return {};
  }

  SkeletonMemory& memory_;
  std::string code_;
  std::vector<Argument> arguments_;  // the last one is the result
  const std::string& layer_;         // of the module
};

class SkeletonExecutor final : public Executor {
 public:
  SkeletonExecutor(const ExecutorContext& context, SkeletonMemory& memory)
      : module_(context.module), memory_(memory) {}

  MemoryDevice& memory() const override { return memory_; }

  Result<ActionTensors> tensorsOf(const ActionInfo& action) const override {
    return tensorsOfSteps(module_.info(), action);
  }

  Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action,
                                                  const TensorPlaces& places) override {
    const ModuleInfo& info = module_.info();
    const ProgramInfo& program = info.programs[action.entry];
    const std::string& layer = layerOf(info, action);
    const CodeVariant* code = program.variantFor(kTargets);
    if (code == nullptr) {
      return unsupported(fmt::format("layer '{}': no code for {}", layer, memory_.name()));
    }
    std::vector<Argument> arguments;
    for (const int32_t tensor : program.buffers) {
      if (tensor < 0) continue;
      const auto index = static_cast<uint32_t>(tensor);
      arguments.push_back({places.address(index), info.tensors[index].size_bytes});
    }
    if (arguments.empty()) return invalidArgument(fmt::format("layer '{}': no result", layer));
    const auto bytes = module_.programs().subspan(code->offset_bytes, code->size_bytes);
    std::string word(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::unique_ptr<PreparedAction>(
        new SkeletonAction(memory_, std::move(word), std::move(arguments), layer));
  }

 private:
  const LoadedModule& module_;
  SkeletonMemory& memory_;
};

Result<std::unique_ptr<Executor>> createSkeletonExecutor(const ExecutorContext& context) {
  auto* memory = dynamic_cast<SkeletonMemory*>(context.device);
  if (memory == nullptr) {
    return invalidArgument(
        fmt::format("the module needs a skeleton to run on, for its executor '{}'",
                    context.module.info().executors[context.index].name));
  }
  return std::unique_ptr<Executor>(new SkeletonExecutor(context, *memory));
}

const bool kIsRegistered =
    registerExecutor({.kind = kSkeletonKind, .create = createSkeletonExecutor});

}  // namespace
}  // namespace vta::driver::test
