#include "tools/vta_sweep/accuracy_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "driver/runtime/pipeline.h"
#include "explore/sweep/network/outline_key.h"
#include "tools/common/compilation/quantization_options.h"
#include "tools/inputs/calibration.h"
#include "tools/vta_run/classes.h"

namespace vta::tools {
namespace {

using sweep::Accuracy;
using sweep::AccuracyData;

constexpr int kClasses = 5;

/// What an entry names, with the network that it is for.
struct MeterData {
  std::shared_ptr<const compiler::Model> model;
  SampleSet samples;
  Scoreboard integers;
  Scoreboard floats;
};

Result<MeterData> openData(const AccuracyData& data, std::shared_ptr<const compiler::Model> model) {
  const std::vector<InputSpec> inputs = inputsOf(model->signature());
  VTA_ASSIGN_OR_RETURN(const Preprocess preprocess,
                       choosePreprocess(data.preprocess, shapesOf(inputs)));
  VTA_ASSIGN_OR_RETURN(SampleSet samples, SampleSet::open(data.samples, inputs, preprocess));
  std::map<std::string, int64_t> labels;
  if (!data.labels.empty()) {
    VTA_ASSIGN_OR_RETURN(labels, readLabelsCsv(data.labels.string()));
  }
  return MeterData{std::move(model), std::move(samples), Scoreboard(labels), Scoreboard(labels)};
}

/// Each sample has a class, and the network has that class.
Status checkLabels(const AccuracyData& data, const MeterData& opened, int64_t classes) {
  if (data.labels.empty()) return {};
  int64_t labelled = 0;
  std::string missing;
  for (int64_t i = 0; i < opened.samples.size(); ++i) {
    const std::string& name = opened.samples.name(i);
    const auto label = opened.integers.labelOf(name);
    labelled += label.has_value();
    if (!label && missing.empty()) missing = name;
    if (label && *label >= classes) {
      return invalidArgument(fmt::format("'{}' gives '{}' class {}; legal: 0 to {}",
                                         data.labels.string(), name, *label, classes - 1));
    }
  }
  if (missing.empty()) return {};
  return invalidArgument(fmt::format(
      "'{}' has labels for {} of {} samples; it needs a line FILE,CLASS for each, '{}' has none",
      data.labels.string(), labelled, opened.samples.size(), missing));
}

Status checkData(const AccuracyData& data, std::shared_ptr<const compiler::Model> model) {
  const compiler::Port& output = model->signature().outputs.front();
  if (!areClasses(output.shape)) {
    return invalidArgument(
        fmt::format("accuracy is for networks whose first output is one value for each class; '{}' "
                    "is {}: leave the key out",
                    output.name, describe(output.dtype, output.shape)));
  }
  const compiler::ModelSignature& signature = model->signature();
  VTA_ASSIGN_OR_RETURN(const MeterData opened, openData(data, std::move(model)));
  for (int64_t i = 0; i < opened.samples.size(); ++i) {
    VTA_RETURN_IF_ERROR(opened.samples.load(i).status());
  }
  std::vector<std::string> warnings;
  VTA_RETURN_IF_ERROR(
      loadCalibration({data.calibrate, data.preprocess}, signature, opened.samples, warnings)
          .status());
  return checkLabels(data, opened, *std::ranges::max_element(output.shape));
}

/// A network on the CPU.
Result<std::unique_ptr<driver::Pipeline>> makePipeline(const compiler::Model& model,
                                                       compiler::CompileOptions options) {
  compiler::keepCode(options);
  VTA_ASSIGN_OR_RETURN(const compiler::CompiledModule compiled, model.compile(options));
  VTA_ASSIGN_OR_RETURN(auto module, driver::LoadedModule::fromMemory(compiled.elf));
  driver::SessionOptions session;
  session.num_threads = 1;  // other networks run beside this one
  return driver::Pipeline::create(std::move(module), nullptr, session, 1);
}

/// The options of vta-run for integers like those of `hw`.
Result<compiler::CompileOptions> integerOptions(const AccuracyData& data, const MeterData& opened,
                                                const HwConfig& hw) {
  compiler::CompileOptions options;
  options.hw = hw;
  options.partition = compiler::Partition::kCpuQuantized;
  std::vector<std::string> warnings;
  // Wide activations and groups of weights would depend on the geometry, and one accuracy counts
  // for all geometries.
  QuantizationOptions quantization;
  quantization.calibrate = data.calibrate;
  quantization.activations = compiler::CurvePlace::kAlu;
  quantization.wide_activations = {"none"};
  quantization.weight_group_channels = 0;
  VTA_RETURN_IF_ERROR(applyQuantization(quantization, options.quantize));
  VTA_ASSIGN_OR_RETURN(options.quantize.samples,
                       loadCalibration({data.calibrate, data.preprocess}, opened.model->signature(),
                                       opened.samples, warnings));
  return options;
}

Result<std::vector<ClassScore>> classesOf(driver::Pipeline& network, const TensorMap& inputs) {
  std::vector<ClassScore> top;
  const std::string output = network.module().info().outputs.front().name;
  VTA_RETURN_IF_ERROR(network.run(
      1,
      [&](int64_t) -> Result<driver::Pipeline::Input> {
        return driver::Pipeline::Input{"", inputs};
      },
      [&](int64_t, const driver::Pipeline::Input&, driver::RunResult result) -> Status {
        top = topClasses(result.outputs.at(output), kClasses);
        return {};
      }));
  return top;
}

}  // namespace

Status NetworkMeter::check(const sweep::ModelEntry& entry) {
  // A model that cannot be imported is every point's reason, as without samples.
  const auto loaded = library_.load(entry, 1);
  if (!loaded.ok()) return {};
  return checkData(*entry.accuracy, loaded->model).withContext(entry.accuracy->place);
}

Result<Accuracy> NetworkMeter::measure(const sweep::ModelEntry& entry, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const sweep::LoadedModel loaded, library_.load(entry, 1));
  VTA_ASSIGN_OR_RETURN(MeterData data, openData(*entry.accuracy, loaded.model));
  VTA_ASSIGN_OR_RETURN(compiler::CompileOptions options, integerOptions(*entry.accuracy, data, hw));
  VTA_ASSIGN_OR_RETURN(const auto integers, makePipeline(*data.model, std::move(options)));
  compiler::CompileOptions as_float;
  as_float.partition = compiler::Partition::kCpu;
  VTA_ASSIGN_OR_RETURN(const auto floats, makePipeline(*data.model, std::move(as_float)));
  Agreement agreement;
  for (int64_t i = 0; i < data.samples.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(const TensorMap inputs, data.samples.load(i));
    VTA_ASSIGN_OR_RETURN(const std::vector<ClassScore> top, classesOf(*integers, inputs));
    VTA_ASSIGN_OR_RETURN(const std::vector<ClassScore> float_top, classesOf(*floats, inputs));
    agreement.add(top, float_top);
    data.integers.add(data.samples.name(i), top);
    data.floats.add(data.samples.name(i), float_top);
  }
  return Accuracy{agreement.compared(), agreement.agreed(), data.integers.scored(),
                  data.integers.correct(), data.floats.correct()};
}

std::string accuracyText(const sweep::SweepConfig& sweep,
                         const std::vector<sweep::PointResult>& points) {
  std::set<std::string> quantisations;
  std::map<std::string, std::string> unknown;  // by model: why
  for (const sweep::PointResult& result : points) {
    if (result.models.empty()) continue;
    quantisations.insert(sweep::quantizerText(result.point.hw->params()));
    for (size_t i = 0; i < result.models.size(); ++i) {
      const std::string& error = result.models[i].accuracy_error;
      if (!error.empty()) unknown[sweep.models[i].name] = error;
    }
  }
  std::string text;
  for (const sweep::ModelEntry& model : sweep.models) {
    if (const auto found = unknown.find(model.name); found != unknown.end()) {
      text +=
          fmt::format("accuracy of {}: unknown for some points: {}\n", found->first, found->second);
    } else if (!model.accuracy && quantisations.size() > 1) {
      text += fmt::format(
          "accuracy of {}: unknown, though points quantise it in {} ways; samples (key accuracy of "
          "the model) measure it\n",
          model.name, quantisations.size());
    }
  }
  return text;
}

}  // namespace vta::tools
