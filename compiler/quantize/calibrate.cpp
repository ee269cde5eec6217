#include "compiler/quantize/calibrate.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "host_cpu/host_compiler.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

struct FreeDeleter {
  void operator()(void* pointer) const { std::free(pointer); }
};
using AlignedBuffer = std::unique_ptr<void, FreeDeleter>;

constexpr size_t kHostAlignment = 64;  // isa/module/host_abi.h

AlignedBuffer allocateAligned(size_t bytes) {
  const size_t rounded = (bytes + kHostAlignment - 1) / kHostAlignment * kHostAlignment;
  return AlignedBuffer(std::aligned_alloc(kHostAlignment, std::max(rounded, kHostAlignment)));
}

// A copy of `module` whose @main also returns every activation of the plan that an op computes.
mlir::OwningOpRef<mlir::ModuleOp> instrument(mlir::ModuleOp module, const QuantPlan& plan) {
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone(mapping)));
  auto main = copy->lookupSymbol<mlir::func::FuncOp>("main");
  mlir::Operation* terminator = main.getBody().front().getTerminator();
  llvm::SmallVector<Value> results;
  llvm::SmallVector<mlir::Type> types;
  for (Value activation : plan.activations) {
    if (!activation.getDefiningOp()) continue;
    results.push_back(mapping.lookup(activation));
    types.push_back(activation.getType());
  }
  terminator->setOperands(results);
  main.removeResAttrsAttr();
  main.setType(mlir::FunctionType::get(main.getContext(), main.getArgumentTypes(), types));
  return copy;
}

std::string inputName(mlir::func::FuncOp main, unsigned index) {
  auto name = main.getArgAttrOfType<mlir::StringAttr>(index, "graph.name");
  return name ? name.str() : fmt::format("input {}", index);
}

std::string describeType(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(type.getShape(), stream, "x");
  stream << ' ' << type.getElementType();
  return text;
}

Status checkSample(mlir::func::FuncOp main, const TensorMap& sample, size_t number) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const std::string name = inputName(main, i);
    const auto type = mlir::cast<RankedTensorType>(main.getArgument(i).getType());
    const auto found = sample.find(name);
    if (found == sample.end()) {
      return invalidArgument(
          fmt::format("calibration sample {} has no tensor for input '{}'", number, name));
    }
    const size_t expected = static_cast<size_t>(type.getNumElements()) *
                            std::max(1U, type.getElementTypeBitWidth() / 8);
    if (found->second.shape != type.getShape().vec() || found->second.sizeBytes() != expected) {
      return invalidArgument(
          fmt::format("calibration sample {}: input '{}' is {}, the model needs {}", number, name,
                      describe(found->second.dtype, found->second.shape), describeType(type)));
    }
  }
  return {};
}

// Holds the compiled graph with buffers for one run's inputs and results.
class CalibrationRun {
 public:
  CalibrationRun(mlir::func::FuncOp main, const QuantPlan& plan) : main_(main), plan_(plan) {
    for (mlir::Type type : main.getArgumentTypes()) addBuffer(type);
    for (Value activation : plan.activations) {
      if (activation.getDefiningOp()) addBuffer(activation.getType());
    }
  }

  Status prepare(mlir::ModuleOp module) {
    auto copy = instrument(module, plan_);
    VTA_ASSIGN_OR_RETURN(executable_, host::HostExecutable::create(*copy, {}));
    return {};
  }

  Status run(const TensorMap& sample) {
    for (unsigned i = 0; i < main_.getNumArguments(); ++i) {
      const Tensor& tensor = sample.at(inputName(main_, i));
      std::memcpy(pointers_[i], tensor.data.data(), tensor.sizeBytes());
    }
    return executable_->call("main", pointers_);
  }

  // The values of activation `index` after a run.
  std::span<const float> values(size_t index) {
    Value activation = plan_.activations[index];
    const auto type = mlir::cast<RankedTensorType>(activation.getType());
    size_t position = 0;
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(activation)) {
      position = argument.getArgNumber();
    } else {
      position = main_.getNumArguments();
      for (size_t i = 0; i < index; ++i)
        position += plan_.activations[i].getDefiningOp() != nullptr;
    }
    return {static_cast<const float*>(pointers_[position]),
            static_cast<size_t>(type.getNumElements())};
  }

 private:
  void addBuffer(mlir::Type type) {
    const auto tensor = mlir::cast<RankedTensorType>(type);
    const size_t bytes = static_cast<size_t>(tensor.getNumElements()) *
                         std::max(1U, tensor.getElementTypeBitWidth() / 8);
    buffers_.push_back(allocateAligned(bytes));
    pointers_.push_back(buffers_.back().get());
  }

  mlir::func::FuncOp main_;
  const QuantPlan& plan_;
  std::vector<AlignedBuffer> buffers_;
  std::vector<void*> pointers_;
  std::unique_ptr<host::HostExecutable> executable_;
};

// Calls `visit(channel, values)` for every image and channel (axis 1) of `values`.
template <typename Visit>
void forEachChannel(Value activation, std::span<const float> values, Visit visit) {
  const auto type = mlir::cast<RankedTensorType>(activation.getType());
  const int64_t outer = type.getRank() > 1 ? type.getDimSize(0) : 1;
  const int64_t channels = type.getRank() > 1 ? type.getDimSize(1) : 1;
  const int64_t inner = type.getNumElements() / (outer * channels);
  for (int64_t i = 0; i < outer * channels; ++i) {
    visit(i % channels, values.subspan(i * inner, inner));
  }
}

// Running extremes and sums of the channels of one activation.
struct ChannelSums {
  std::vector<float> min, max;
  std::vector<double> sum, count;

  void observe(Value activation, std::span<const float> values) {
    forEachChannel(activation, values, [&](size_t channel, std::span<const float> part) {
      if (channel >= sum.size()) {
        min.push_back(part.front());
        max.push_back(part.front());
        sum.push_back(0);
        count.push_back(0);
      }
      for (float value : part) {
        min[channel] = std::min(min[channel], value);
        max[channel] = std::max(max[channel], value);
        sum[channel] += value;
      }
      count[channel] += static_cast<double>(part.size());
    });
  }

  ChannelStats stats() const {
    ChannelStats stats;
    for (size_t c = 0; c < sum.size(); ++c) {
      stats.max_abs.push_back(std::max(std::abs(min[c]), std::abs(max[c])));
      stats.mean.push_back(sum[c] / count[c]);
    }
    return stats;
  }

  // The extremes of all channels, each multiplied by its factor.
  std::vector<float> extremes(const std::vector<float>& factors) const {
    std::vector<float> values;
    for (size_t c = 0; c < sum.size(); ++c) {
      const float factor = factors.empty() ? 1.0F : factors[c];
      values.push_back(min[c] * factor);
      values.push_back(max[c] * factor);
    }
    return values;
  }
};

// `values` with every channel multiplied by its factor; `values` themselves without factors.
std::span<const float> equalized(Value activation, std::span<const float> values,
                                 const std::vector<float>& factors, std::vector<float>& buffer) {
  if (factors.empty()) return values;
  buffer.clear();
  forEachChannel(activation, values, [&](size_t channel, std::span<const float> part) {
    for (float value : part) buffer.push_back(value * factors[channel]);
  });
  return buffer;
}

}  // namespace

Result<CalibrationData> calibrate(mlir::ModuleOp module, const QuantPlan& plan,
                                  const QuantizeOptions& options) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (options.samples == nullptr || options.samples->empty()) {
    return invalidArgument("quantisation needs at least one calibration sample");
  }
  const std::vector<TensorMap>& samples = *options.samples;
  for (size_t i = 0; i < samples.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkSample(main, samples[i], i));
  }

  CalibrationRun run(main, plan);
  VTA_RETURN_IF_ERROR(run.prepare(module));
  const auto total = static_cast<int64_t>(2 * samples.size());
  int64_t done = 0;
  // Runs all samples and gives every activation's values to `observe(index, values)`.
  const auto runAll = [&](auto observe) -> Status {
    for (const TensorMap& sample : samples) {
      VTA_RETURN_IF_ERROR(run.run(sample));
      for (size_t i = 0; i < plan.activations.size(); ++i) observe(i, run.values(i));
      if (options.progress) options.progress(++done, total);
    }
    return {};
  };

  CalibrationData data;
  std::vector<ChannelSums> sums(plan.activations.size());
  VTA_RETURN_IF_ERROR(runAll([&](size_t i, std::span<const float> values) {
    sums[i].observe(plan.activations[i], values);
  }));
  for (const ChannelSums& channels : sums) data.channels.push_back(channels.stats());
  data.factors = equalizeChannels(plan, data.channels);

  data.histograms.resize(plan.activations.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    data.histograms[i].observeRange(sums[i].extremes(data.factors[i]));
  }
  std::vector<float> buffer;
  VTA_RETURN_IF_ERROR(runAll([&](size_t i, std::span<const float> values) {
    data.histograms[i].observeCounts(
        equalized(plan.activations[i], values, data.factors[i], buffer));
  }));
  return data;
}

}  // namespace vta::compiler
