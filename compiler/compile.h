// The compiler's public entry point: an ONNX file in, a module out. Free of MLIR types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/common/progress.h"
#include "compiler/frontend/model_signature.h"
#include "compiler/frontend/refused_node.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "compiler/module/build_options.h"
#include "compiler/module/module_outline.h"
#include "compiler/placement/wishes.h"
#include "compiler/quantize/common/options.h"
#include "compiler/quantize/common/report.h"
#include "compiler/tile/file/kernel_file.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Where operators may run.
enum class Partition : uint8_t {
  kAuto,          // the VTA where it can, the CPU for the rest
  kVta,           // likewise, but an error where a layer that multiplies cannot be on the VTA
  kCpu,           // everything on the CPU, in float (quantised models: as they are)
  kCpuQuantized,  // everything on the CPU, in the integers that kAuto would use: same bits
  kGpu,           // the GPU where it can, the CPU for the rest; in float, as kCpu
  kGpuQuantized,  // the same in integers, as kCpuQuantized: same bits
};

/// Whether a network of floats becomes one of integers.
constexpr bool quantizes(Partition partition) {
  return partition != Partition::kCpu && partition != Partition::kGpu;
}

struct CompileOptions {
  HwConfig hw = HwConfig::makeDefault();
  Partition partition = Partition::kAuto;
  /// Where layers go. An offered back end gets the operators that take least there. The preferred
  /// one is not to be set: kGpu and kGpuQuantized have theirs. A rule that names a back end offers
  /// it.
  placement::PlacementOptions placement;
  /// An operator that is elsewhere than where the partition or a rule wants it is an error. Without
  /// this, those of rules are warnings.
  bool no_fallback = false;
  std::map<std::string, int64_t> dimensions;  // binds symbolic dimensions by name
  /// Tile kernels for nodes of the domain vta.kernels. A node that none of them fits is computed by
  /// its function, with a warning; with Partition::kVta, that is an error.
  std::vector<tile::TileKernel> kernels;
  QuantizeOptions quantize;
  BuildOptions build;
  std::filesystem::path dump_directory;  // IR after every phase; empty: none
  Progress progress;
};

/// Lets a compilation take code for the CPU that was compiled before from the user's folder
/// (base/folders/user_folder.h), and keep new code there. Without such a folder nothing changes.
void keepCode(CompileOptions& options);

/// `progress` hears of the compilation, from any thread: also of each part of the code for the CPU.
void hearProgress(CompileOptions& options, const Progress& progress);

struct CompileReport {
  double import_seconds = 0, quantize_seconds = 0, compile_seconds = 0;
  QuantizeReport quantized;
  std::vector<kernel::LayerSchedule> schedules;  // of all layers on the VTA, in their order
  std::vector<std::string> warnings;             // what was assumed, too
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
  ///
  /// `input_shapes` are shapes of data by the names of inputs: they give symbolic dimensions a
  /// value that `dimensions` does not have. With `static_ranges`, what the model quantises with
  /// ranges of every run is float, so that `compile` takes the ranges from its samples. With a
  /// `context_length`, modules keep keys and values of a text of so many words, which they read by
  /// up to `prompt_chunk` in a run. With `last_scores`, the first output has the scores behind the
  /// last of these alone, if the model allows it.
  static Result<std::shared_ptr<const Model>> load(
      const std::filesystem::path& file, const std::map<std::string, int64_t>& dimensions,
      const std::map<std::string, std::vector<int64_t>>& input_shapes = {},
      bool static_ranges = false, int64_t context_length = 0, int64_t prompt_chunk = 1,
      bool last_scores = false);
  /// The same for several numbers of words in a run, from the largest to the smallest. Modules have
  /// one network for each, with the same constants, integers and caches. Notes name those that the
  /// model cannot be for. Where a quantised network has other layers for some of them, `compile`
  /// leaves all but the largest out, and says so. Errors: as above; chunks that are no such list.
  static Result<std::shared_ptr<const Model>> loadChunks(
      const std::filesystem::path& file, const std::map<std::string, int64_t>& dimensions,
      const std::map<std::string, std::vector<int64_t>>& input_shapes, bool static_ranges,
      int64_t context_length, const std::vector<int64_t>& prompt_chunks, bool last_scores);
  ~Model();

  /// Inputs and outputs, with symbolic dimensions bound.
  const ModelSignature& signature() const;

  /// What loading assumed, in sentences; the report of `compile` has them, too.
  const std::vector<std::string>& notes() const;

  /// Compiles a copy of the model; `options.dimensions` is not looked at any more. Errors:
  /// calibration data that does not fit the inputs, a layer that cannot run on `options.hw` but has
  /// to (kUnsupported), a schedule that does not fit or whose layer does not exist.
  Result<CompiledModule> compile(const CompileOptions& options) const;

  /// This model in the integers that compile would give it, for `outline`. They depend on the
  /// extensions of `options.hw` and on its widths of operands, and on nothing else of it. Errors:
  /// those of compile up to there.
  Result<std::shared_ptr<const Model>> quantize(const CompileOptions& options) const;

  /// What compile would make of a model from `quantize`, without programs and code. Not for several
  /// threads at once. Errors: a layer that has to run on the VTA but cannot.
  Result<ModuleOutline> outline(const CompileOptions& options) const;

 private:
  struct Imported;
  explicit Model(std::unique_ptr<Imported> imported);
  Result<CompiledModule> compileBuckets(const CompileOptions& options) const;
  Result<CompiledModule> compileWhole(const CompileOptions& options,
                                      const std::string& reason) const;
  std::unique_ptr<Imported> imported_;
};

/// The nodes of an ONNX file that cannot be compiled, each looked at by itself; see
/// compiler/frontend/onnx/importer/survey.h.
Result<std::vector<RefusedNode>> refusedNodes(const std::filesystem::path& file);

/// Model::load and Model::compile.
Result<CompiledModule> compileOnnx(const std::filesystem::path& model,
                                   const CompileOptions& options);

}  // namespace vta::compiler
