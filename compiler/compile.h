// The compiler's public entry point: an ONNX file in, a module out. Free of MLIR types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/hw_config.h"
#include "isa/support/status.h"
#include "isa/support/tensor.h"

namespace vta::compiler {

/// Where operators may run.
enum class Partition : uint8_t {
  kAuto,          // the VTA where it can, the CPU for the rest
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
};

/// Called at the start of each phase and repeatedly within long ones; `done` of `total` steps.
using Progress = std::function<void(const std::string& phase, int64_t done, int64_t total)>;

struct CompileOptions {
  HwConfig hw = HwConfig::makeDefault();
  Partition partition = Partition::kAuto;
  std::map<std::string, int64_t> dimensions;  // binds symbolic dimensions by name
  std::vector<TensorMap> calibration;         // float models on the VTA need at least one
  CalibrationMethod calibration_method = CalibrationMethod::kPercentile;
  std::string target;                    // LLVM triple; empty: this machine
  bool verify_programs = false;          // run the program verifier on every kernel
  std::filesystem::path dump_directory;  // IR after every phase; empty: none
  Progress progress;
};

/// Quantisation of one activation or weight tensor, for the report.
struct QuantizedTensorReport {
  std::string name;
  double scale = 0;
  int64_t zero_point = 0;
  double min = 0, max = 0;  // calibrated range
};

struct CompileReport {
  double import_seconds = 0, quantize_seconds = 0, compile_seconds = 0;
  std::vector<QuantizedTensorReport> tensors;
  std::vector<std::string> warnings;
};

struct CompiledModule {
  std::vector<std::byte> elf;  // the module, ready to be written to a file and loaded
  CompileReport report;
};

/// Inputs and outputs of an ONNX file, with symbolic dimensions bound. Errors as for compileOnnx.
Result<ModelSignature> readSignature(const std::filesystem::path& model,
                                     const std::map<std::string, int64_t>& dimensions);

/// Compiles an ONNX model. Errors: unreadable or corrupt file, cycles, missing initialisers, wrong
/// shapes, unbound symbolic dimensions (with the option that binds them), unsupported operators
/// (all of them at once), calibration data that does not fit the inputs, a layer that cannot run on
/// `hw`.
Result<CompiledModule> compileOnnx(const std::filesystem::path& model,
                                   const CompileOptions& options);

}  // namespace vta::compiler
