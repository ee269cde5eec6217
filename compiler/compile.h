// The compiler's public entry point: an ONNX file in, a module out. Free of MLIR types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Where operators may run.
enum class Partition : uint8_t {
  kAuto,          // the VTA where it can, the CPU for the rest
  kVta,           // likewise, but an error where a layer that multiplies cannot be on the VTA
  kCpu,           // everything on the CPU, in float (quantised models: as they are)
  kCpuQuantized,  // everything on the CPU, in the integers that kAuto would use: same bits
};

/// How activation ranges come from calibration data.
enum class CalibrationMethod : uint8_t { kMinMax, kPercentile, kKl };

/// An input or output of a model.
struct Port {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
};

struct ModelSignature {
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  bool quantized = false;  // the model prescribes its integers: no calibration is needed
};

/// Called at the start of each phase and repeatedly within long ones; `done` of `total` steps.
using Progress = std::function<void(const std::string& phase, int64_t done, int64_t total)>;

struct CompileOptions {
  HwConfig hw = HwConfig::makeDefault();
  Partition partition = Partition::kAuto;
  std::map<std::string, int64_t> dimensions;  // binds symbolic dimensions by name
  std::vector<TensorMap> calibration;         // float models on the VTA need at least one
  std::set<std::string> float_layers;         // ONNX nodes, by name, that stay in float
  CalibrationMethod calibration_method = CalibrationMethod::kPercentile;
  std::string target;                    // LLVM triple; empty: this machine
  bool verify_programs = false;          // run the program verifier on every kernel
  bool optimize_host_code = true;        // false: tests of many small models take less time
  std::filesystem::path dump_directory;  // IR after every phase; empty: none
  /// Also run float and integers on the calibration data and report how they differ, layer by
  /// layer.
  bool measure_errors = false;
  Progress progress;
  /// Cycles of a program that runs by itself on `hw`, on a simulator for instance: with it, the
  /// schedules that the analytic model ranks best are measured, and the fastest are taken.
  kernel::MeasureProgram measure_program;
  /// Schedules of some layers; their programs are always verified.
  std::vector<kernel::LayerSchedule> schedules;
};

/// How far integers are from what they stand for. Of a float model, that is the float value; of a
/// quantised model, what the model prescribes.
struct QuantizationError {
  double signal_to_noise_db = 0;  // infinite where they are equal
  double mean_steps = 0, max_steps = 0;
};

/// Quantisation of one activation, for the report.
struct QuantizedTensorReport {
  std::string name;
  double scale = 0;
  int64_t zero_point = 0;
  double min = 0, max = 0;                 // calibrated range
  std::optional<QuantizationError> error;  // with CompileOptions::measure_errors
};

/// Weights of a quantised model that had to change: output channels that do not fit int8 without
/// their zero point, or all of them where the hardware cannot multiply.
struct RescaledWeightsReport {
  std::string layer;
  int64_t changed = 0, channels = 0;
};

struct CompileReport {
  double import_seconds = 0, quantize_seconds = 0, compile_seconds = 0;
  std::vector<QuantizedTensorReport> tensors;
  std::vector<RescaledWeightsReport> rescaled_weights;
  std::vector<kernel::LayerSchedule> schedules;  // of all layers on the VTA, in their order
  std::vector<std::string> warnings;
};

struct CompiledModule {
  std::vector<std::byte> elf;  // the module, ready to be written to a file and loaded
  CompileReport report;
};

/// An ONNX model in memory, for any number of compilations.
class Model {
 public:
  /// Reads and imports `file`. Errors: unreadable or corrupt file, cycles, missing initialisers,
  /// wrong shapes, unbound symbolic dimensions (with the option that binds them), unsupported
  /// operators (all of them at once).
  static Result<std::shared_ptr<const Model>> load(
      const std::filesystem::path& file, const std::map<std::string, int64_t>& dimensions);
  ~Model();

  /// Inputs and outputs, with symbolic dimensions bound.
  const ModelSignature& signature() const;

  /// Compiles a copy of the model; `options.dimensions` is not looked at any more. Errors:
  /// calibration data that does not fit the inputs, a layer that cannot run on `options.hw` but has
  /// to, a schedule that does not fit or whose layer does not exist.
  Result<CompiledModule> compile(const CompileOptions& options) const;

 private:
  struct Imported;
  explicit Model(std::unique_ptr<Imported> imported);
  std::unique_ptr<Imported> imported_;
};

/// Model::load and Model::compile.
Result<CompiledModule> compileOnnx(const std::filesystem::path& model,
                                   const CompileOptions& options);

}  // namespace vta::compiler
