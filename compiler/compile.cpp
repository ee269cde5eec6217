// The compiler's pipeline: import, optimise, quantise, partition, lower the kernels, build the
// module.
#include "compiler/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/types.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "base/clock.h"
#include "base/folders/user_folder.h"
#include "base/folders/whole_file.h"
#include "compiler/codegen/backend.h"
#include "compiler/common/current_node.h"
#include "compiler/common/diagnostics.h"
#include "compiler/dialects/graph/text/kept_text.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/frontend/onnx/importer/survey.h"
#include "compiler/graph_passes/passes.h"
#include "compiler/module/join_buckets.h"
#include "compiler/module/module_builder.h"
#include "compiler/quantize/common/warnings.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/check_finite.h"
#include "compiler/quantize/quantize.h"
#include "compiler/quantize/samples/read_text.h"
#include "compiler/registration.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/lower/kernel_program.h"
#include "compiler/vta/passes.h"
#include "compiler/vta/programs/choose_programs.h"
#include "isa/spec/narrow_weights.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "module/module_info_check.h"

namespace vta::compiler {
namespace {

bool usesVta(Partition partition) {
  return partition == Partition::kAuto || partition == Partition::kVta;
}

/// The back end that gets what it can run, whatever it takes; empty: none.
const char* preferredBackend(Partition partition) {
  const bool is_gpu = partition == Partition::kGpu || partition == Partition::kGpuQuantized;
  return is_gpu ? "gpu" : "";
}

/// Layers of fewer multiply-accumulates take longer to compile well than to run once as a draft:
/// a draft saves some 8 ms of a layer's compilation and loses 90 ms for 10^9 of them.
constexpr int64_t kMaxDraftMacs = 90'000'000;

/// With the back end that the partition prefers, or that a rule names.
placement::PlacementOptions placementOf(const CompileOptions& options) {
  placement::PlacementOptions placement = options.placement;
  placement.preferred = preferredBackend(options.partition);
  for (const placement::PlaceRule& rule : placement.rules) {
    const codegen::Backend* backend = codegen::findBackend(rule.machine);
    if (backend != nullptr && backend->isOptional()) placement.offered = rule.machine;
  }
  return placement;
}

std::string chosenBackend(const placement::PlacementOptions& placement) {
  return placement.preferred.empty() ? placement.offered : placement.preferred;
}

/// How well to compile the float network for one run over random data.
codegen::CodeQuality qualityOfOneRun(mlir::ModuleOp module, codegen::CodeQuality otherwise) {
  int64_t macs = 0;
  int64_t layers = 0;
  module.walk([&](mlir::Operation* op) {
    const int64_t of_op = graph::countMacs(op);
    macs += of_op;
    layers += of_op > 0 ? 1 : 0;
  });
  return macs <= layers * kMaxDraftMacs ? codegen::CodeQuality::kDraft : otherwise;
}

/// What the networks of one module have in common: the first one that is compiled leaves its
/// choices there, and the others take them.
struct SharedQuantization {
  QuantizationChoices choices;
  bool is_known = false;
};

/// One compilation: the module as it is rewritten, and the report.
class Compilation {
 public:
  Compilation(mlir::OwningOpRef<mlir::ModuleOp> module, std::string model_name,
              const CompileOptions& options, SharedQuantization* shared = nullptr)
      : module_(std::move(module)),
        model_name_(std::move(model_name)),
        options_(options),
        shared_(shared),
        placement_(placementOf(options)),
        context_(*module_->getContext()),
        diagnostics_(&context_) {}

  /// Leaves the integers in the module.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> quantized() {
    VTA_RETURN_IF_ERROR(chooseKernels());
    if (quantizes(options_.partition)) {
      VTA_RETURN_IF_ERROR(checkFiniteWeights(module_->lookupSymbol<mlir::func::FuncOp>("main")));
    }
    VTA_RETURN_IF_ERROR(optimise());
    if (quantizes(options_.partition)) VTA_RETURN_IF_ERROR(quantize());
    return std::move(module_);
  }

  Result<ModuleOutline> outline() {
    VTA_RETURN_IF_ERROR(partition());
    return outlineModule(*module_, model_name_, options_.hw);
  }

  Result<CompiledModule> run() {
    VTA_ASSIGN_OR_RETURN(const BuiltModule built, buildNetwork());
    VTA_ASSIGN_OR_RETURN(result_.elf, writeModule(built.info, built.contents));
    return std::move(result_);
  }

  /// What becomes a module, alone or with others.
  Result<BuiltModule> buildNetwork() {
    const std::string chosen = chosenBackend(placement_);
    if (!chosen.empty() && codegen::findBackend(chosen) == nullptr) {
      return unsupported(fmt::format("this program has no back end '{}'", chosen));
    }
    for (const codegen::Backend* backend : codegen::usedBackends(chosen)) {
      VTA_RETURN_IF_ERROR(backend->checkOptions(options_.build.code));
    }
    VTA_RETURN_IF_ERROR(chooseKernels());
    if (quantizes(options_.partition)) {
      VTA_RETURN_IF_ERROR(checkFiniteWeights(module_->lookupSymbol<mlir::func::FuncOp>("main")));
    }
    VTA_RETURN_IF_ERROR(optimise());
    if (quantizes(options_.partition)) VTA_RETURN_IF_ERROR(quantize());
    VTA_RETURN_IF_ERROR(partition());
    VTA_RETURN_IF_ERROR(lower());
    return build();
  }

  /// Behind a failure: the network has other layers than the one whose integers it was to take.
  bool isUnlike() const { return is_unlike_; }
  CompileReport& report() { return result_.report; }

 private:
  void progress(const char* phase) const {
    if (options_.progress) options_.progress(phase, 0, 1);
  }

  /// Kernels of the user's for the VTA; anything else computes their functions.
  Status chooseKernels() {
    if (!usesVta(options_.partition)) {
      inlineKernelNodes(*module_);
      return {};
    }
    return chooseTileKernels(*module_, options_.hw, options_.kernels,
                             options_.partition == Partition::kVta, result_.report.warnings);
  }

  Status optimise() {
    progress("import");
    const Clock::time_point start = Clock::now();
    VTA_RETURN_IF_ERROR(dump("1-imported"));
    const auto pipeline = [this](mlir::OpPassManager& manager) {
      if (quantizes(options_.partition)) {
        manager.addNestedPass<mlir::func::FuncOp>(createGraphInlineBranchesPass());
        // While resizes still look as they were imported.
        const int64_t most = weightRange(options_.hw.params().wgt_width_bits).most;
        manager.addNestedPass<mlir::func::FuncOp>(createGraphRewriteResizePass({most}));
        if (!isQuantized(module_->lookupSymbol<mlir::func::FuncOp>(
                "main"))) {  // what the model rounds is padded as it is
          manager.addNestedPass<mlir::func::FuncOp>(createGraphSplitChannelPadsPass());
        }
        // Corrections by zero points are constants then.
        manager.addNestedPass<mlir::func::FuncOp>(createGraphFoldConstantsPass());
        manager.addNestedPass<mlir::func::FuncOp>(
            createGraphStaticProductsPass({options_.quantize.fills_ranges}));
      }
      buildGraphOptimizationPipeline(manager);
    };
    VTA_RETURN_IF_ERROR(runPasses(pipeline, "optimise the graph"));
    VTA_RETURN_IF_ERROR(dump("2-optimised"));
    result_.report.import_seconds = secondsSince(start);
    return {};
  }

  Status quantize() {
    progress("quantise");
    const Clock::time_point start = Clock::now();
    const QuantizeOptions& given = options_.quantize;
    if (shared_ != nullptr && shared_->is_known) {
      const Status same = quantizeLike(*module_, options_.hw, given, shared_->choices);
      is_unlike_ = !same.ok();
      result_.report.quantize_seconds = secondsSince(start);
      return same.ok() ? dump("3-quantised") : same;
    }
    std::optional<QuantizeOptions> draft;  // many samples are not copied
    if (!given.has_typical_samples && given.samples.size() == 1) {
      draft = given;
      draft->code.quality = qualityOfOneRun(*module_, given.code.quality);
    }
    if (graph::keptTextOf(module_->lookupSymbol<mlir::func::FuncOp>("main"))) {
      if (!draft) draft = given;
      VTA_ASSIGN_OR_RETURN(draft->samples, readText(*module_, std::move(draft->samples),
                                                    given.has_random_samples, draft->code));
    }
    VTA_ASSIGN_OR_RETURN(
        result_.report.quantized,
        quantizeGraph(*module_, options_.hw, draft ? *draft : given, options_.progress,
                      shared_ != nullptr ? &shared_->choices : nullptr));
    if (shared_ != nullptr) shared_->is_known = true;
    for (std::string& warning : warningsOf(result_.report.quantized)) {
      result_.report.warnings.push_back(std::move(warning));
    }
    VTA_RETURN_IF_ERROR(dump("3-quantised"));
    result_.report.quantize_seconds = secondsSince(start);
    return {};
  }

  Status partition() {
    progress("partition");
    compile_start_ = Clock::now();
    VTA_RETURN_IF_ERROR(checkPlaceRules());
    std::vector<placement::Misplaced> misplaced;
    const bool needs_vta = options_.partition == Partition::kVta || options_.no_fallback;
    const auto pipeline = [&](mlir::OpPassManager& manager) {
      if (usesVta(options_.partition)) {
        buildPartitionPipeline(manager, options_.hw, needs_vta, placement_, &misplaced);
      } else {
        manager.addPass(createOutlineHostPass(placement_, &misplaced));
      }
    };
    VTA_RETURN_IF_ERROR(runPasses(pipeline, "partition the graph"));
    VTA_RETURN_IF_ERROR(reportMisplaced(misplaced));
    return dump("4-partitioned");
  }

  Status checkPlaceRules() {
    if (placement_.rules.empty()) return {};
    std::vector<std::string> layers, machines;
    for (mlir::Operation& op : module_->lookupSymbol<mlir::func::FuncOp>("main").front()) {
      if (!op.hasTrait<mlir::OpTrait::ConstantLike>()) layers.push_back(layerName(&op));
    }
    if (usesVta(options_.partition)) machines.emplace_back(placement::kVtaMachine);
    for (const codegen::Backend* backend : codegen::registeredBackends()) {
      machines.emplace_back(backend->name());
    }
    return placement::checkRules(placement_.rules, layers, machines);
  }

  /// What only the partition prefers is told with no_fallback alone: profiles say it, too.
  Status reportMisplaced(const std::vector<placement::Misplaced>& misplaced) {
    std::vector<std::string> texts;
    for (const placement::Misplaced& op : misplaced) {
      const bool is_told =
          options_.no_fallback || !placement::machineFor(placement_.rules, op.layer).empty();
      std::string text = textOf(op);
      if (is_told && std::ranges::find(texts, text) == texts.end()) {
        texts.push_back(std::move(text));
      }
    }
    if (options_.no_fallback && !texts.empty()) {
      return unsupported(fmt::format("--no-fallback: {}", fmt::join(texts, "\n  ")));
    }
    for (std::string& text : texts) result_.report.warnings.push_back(std::move(text));
    return {};
  }

  /// What it leaves differs from the partitioned IR in schedules and programs alone.
  Status lower() {
    VTA_ASSIGN_OR_RETURN(const kernel::ScheduleHints hints, hintsForNetwork());
    const auto pipeline = [&](mlir::OpPassManager& manager) {
      buildLoweringPipeline(
          manager, options_.hw,
          {hints, options_.build.schedules, options_.progress, options_.build.with_chains},
          options_.build.verify_programs);
    };
    VTA_RETURN_IF_ERROR(runPasses(pipeline, "lower the kernels"));
    return dump("5-lowered");
  }

  Result<kernel::ScheduleHints> hintsForNetwork() {
    kernel::ScheduleHints hints = options_.build.schedule_hints;
    const FindForNetwork& find = options_.build.find_for_network;
    const bool has_programs =
        module_->walk([](ProgramOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
    // Outlines have no form for the user's programs.
    if (!find || has_programs || kernelsOf(*module_).empty()) return hints;
    progress("choose schedules");
    VTA_ASSIGN_OR_RETURN(const ModuleOutline outline,
                         outlineModule(*module_, model_name_, options_.hw));
    VTA_ASSIGN_OR_RETURN(NetworkSchedules schedules, find(outline));
    hints.find = std::move(schedules.find);
    if (!schedules.warning.empty()) {
      result_.report.warnings.push_back(std::move(schedules.warning));
    }
    return hints;
  }

  Result<BuiltModule> build() {
    VTA_ASSIGN_OR_RETURN(BuiltModule built, buildModule(*module_, model_name_, options_.hw,
                                                        options_.build, options_.progress));
    result_.report.schedules = std::move(built.schedules);
    progress("link");
    result_.report.compile_seconds = secondsSince(compile_start_);
    return built;
  }

  template <typename BuildPipeline>
  Status runPasses(BuildPipeline build_pipeline, const char* what) {
    mlir::PassManager manager(&context_, mlir::ModuleOp::getOperationName());
    build_pipeline(manager);
    if (mlir::succeeded(manager.run(*module_))) return {};
    return diagnostics_.takeStatus(what);
  }

  /// Writes the IR for people to read; large constants are left out.
  Status dump(const char* phase) {
    if (options_.dump_directory.empty()) return {};
    std::string text;
    llvm::raw_string_ostream stream(text);
    mlir::OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(32);
    flags.elideLargeResourceString(32);
    flags.enableDebugInfo(true, true);
    module_->print(stream, flags);
    const std::filesystem::path path = options_.dump_directory / (std::string(phase) + ".mlir");
    std::error_code error;
    std::filesystem::create_directories(options_.dump_directory, error);
    if (error) {
      return ioError(fmt::format("cannot create folder '{}': {}", options_.dump_directory.string(),
                                 error.message()));
    }
    constexpr mode_t kForAll = 0666;  // but for whom the user's mask excludes
    const int failure = writeWhole(path, std::as_bytes(std::span(stream.str())), kForAll);
    if (failure == 0) return {};
    return ioError(fmt::format("cannot write '{}': {}", path.string(), std::strerror(failure)));
  }

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::string model_name_;
  const CompileOptions& options_;
  SharedQuantization* shared_;  // null: nothing is
  bool is_unlike_ = false;
  placement::PlacementOptions placement_;
  mlir::MLIRContext& context_;
  DiagnosticCollector diagnostics_;
  Clock::time_point compile_start_;
  CompiledModule result_;
};

mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

/// Those of a bucket: schedules are for the extents of the whole.
CompileOptions optionsOfBucket(const CompileOptions& options, size_t number) {
  CompileOptions of_bucket = options;
  of_bucket.build.function_prefix = fmt::format("bucket{}_", number);
  of_bucket.build.schedules.clear();
  if (!options.dump_directory.empty()) {
    of_bucket.dump_directory = options.dump_directory / fmt::format("bucket{}", number);
  }
  return of_bucket;
}

/// Adds what the compilation of one network reports, the largest last.
void addReport(CompileReport& of_network, CompileReport& report) {
  report.import_seconds += of_network.import_seconds;
  report.quantize_seconds += of_network.quantize_seconds;
  report.compile_seconds += of_network.compile_seconds;
  if (!of_network.quantized.activations.empty()) {
    report.quantized = std::move(of_network.quantized);
  }
  report.schedules = std::move(of_network.schedules);
  for (std::string& warning : of_network.warnings) {
    if (std::ranges::find(report.warnings, warning) == report.warnings.end()) {
      report.warnings.push_back(std::move(warning));
    }
  }
}

}  // namespace

struct Model::Imported {
  Imported() : Imported(makeContext()) {}
  explicit Imported(std::shared_ptr<mlir::MLIRContext> shared) : context(std::move(shared)) {}

  static std::shared_ptr<mlir::MLIRContext> makeContext() {
    return std::make_shared<mlir::MLIRContext>(makeRegistry(),
                                               mlir::MLIRContext::Threading::DISABLED);
  }

  std::shared_ptr<mlir::MLIRContext> context;  // that of the model that this one was made from
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string name;
  ModelSignature signature;
  std::vector<std::string> notes;
  double seconds = 0;
  std::vector<std::shared_ptr<const Model>> buckets;  // for fewer words in a run, most first

  mlir::OwningOpRef<mlir::ModuleOp> copy() const {
    return mlir::cast<mlir::ModuleOp>((*module)->clone());
  }
  Status read(const std::filesystem::path& file, const ImportOptions& options);
};

Status Model::Imported::read(const std::filesystem::path& file, const ImportOptions& options) {
  const Clock::time_point start = Clock::now();
  {
    // Nothing is to be printed; errors come back as a Status.
    const DiagnosticCollector diagnostics(context.get());
    VTA_ASSIGN_OR_RETURN(module, guardMemory([&] { return importOnnx(file, options, *context); }));
  }
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  VTA_ASSIGN_OR_RETURN(signature, signatureOf(main));
  signature.quantized = isQuantized(main);
  name = file.filename().string();
  seconds = secondsSince(start);
  return {};
}

Model::Model(std::unique_ptr<Imported> imported) : imported_(std::move(imported)) {}
Model::~Model() = default;

void keepCode(CompileOptions& options) {
  const std::filesystem::path user = userCacheFolder();
  if (user.empty()) return;
  options.build.code.cache_folder = user / "cpu-code";
  options.quantize.code.cache_folder = user / "cpu-code";
}

void hearProgress(CompileOptions& options, const Progress& progress) {
  options.progress = progress;
  if (!progress) return;
  const auto as = [&progress](const char* phase) {
    return [progress, phase](int64_t done, int64_t total) { progress(phase, done, total); };
  };
  options.build.code.progress = as("host code");
  options.quantize.code.progress = as("code for calibration");
}

const ModelSignature& Model::signature() const { return imported_->signature; }
const std::vector<std::string>& Model::notes() const { return imported_->notes; }

namespace {

bool haveEqualInputs(const ModelSignature& a, const ModelSignature& b) {
  return std::ranges::equal(a.inputs, b.inputs, {}, &Port::shape, &Port::shape);
}

}  // namespace

Result<std::shared_ptr<const Model>> Model::load(
    const std::filesystem::path& file, const std::map<std::string, int64_t>& dimensions,
    const std::map<std::string, std::vector<int64_t>>& input_shapes, bool static_ranges,
    int64_t context_length, int64_t prompt_chunk, bool last_scores) {
  return loadChunks(file, dimensions, input_shapes, static_ranges, context_length, {prompt_chunk},
                    last_scores);
}

Result<std::shared_ptr<const Model>> Model::loadChunks(
    const std::filesystem::path& file, const std::map<std::string, int64_t>& dimensions,
    const std::map<std::string, std::vector<int64_t>>& input_shapes, bool static_ranges,
    int64_t context_length, const std::vector<int64_t>& prompt_chunks, bool last_scores) {
  const auto out_of_order = std::ranges::adjacent_find(prompt_chunks, std::ranges::less_equal());
  if (prompt_chunks.empty() || out_of_order != prompt_chunks.end()) {
    return invalidArgument("numbers of words in a run have to become smaller");
  }
  if (prompt_chunks.size() > kMostBuckets) {
    return invalidArgument(fmt::format("there can be runs of {} sizes at most", kMostBuckets));
  }
  if (prompt_chunks.back() < 1) return invalidArgument("a run reads one word at least");
  auto whole = std::make_unique<Imported>();
  ImportOptions options = {dimensions,     input_shapes,          static_ranges,
                           context_length, prompt_chunks.front(), last_scores,
                           &whole->notes};
  VTA_RETURN_IF_ERROR(whole->read(file, options));
  options.notes = nullptr;
  for (const int64_t chunk : std::span(prompt_chunks).subspan(1)) {
    // Equal constants of one context are there once.
    auto bucket = std::make_unique<Imported>(whole->context);
    options.prompt_chunk = chunk;
    const Status read = bucket->read(file, options);
    const bool is_smaller = read.ok() && !haveEqualInputs(bucket->signature, whole->signature);
    if (!is_smaller) {
      whole->notes.push_back(
          fmt::format("there are no runs of {} {}: {}", chunk, chunk == 1 ? "word" : "words",
                      read.ok() ? "the model is for a fixed number of words" : read.message()));
      continue;
    }
    whole->seconds += bucket->seconds;
    whole->buckets.push_back(std::shared_ptr<const Model>(new Model(std::move(bucket))));
  }
  return std::shared_ptr<const Model>(new Model(std::move(whole)));
}

Result<CompiledModule> Model::compile(const CompileOptions& options) const {
  auto result = guardMemory([&] {
    return imported_->buckets.empty()
               ? Compilation(imported_->copy(), imported_->name, options).run()
               : compileBuckets(options);
  });
  if (!result.ok()) return result;
  CompileReport& report = result->report;
  report.import_seconds += imported_->seconds;
  report.warnings.insert(report.warnings.begin(), imported_->notes.begin(), imported_->notes.end());
  return result;
}

/// The smallest bucket is calibrated, and the others take its integers.
Result<CompiledModule> Model::compileBuckets(const CompileOptions& options) const {
  SharedQuantization shared;
  std::vector<BuiltModule> networks(imported_->buckets.size() + 1);
  CompiledModule result;
  for (size_t number = networks.size(); number-- > 0;) {
    const Imported& network = number == 0 ? *imported_ : *imported_->buckets[number - 1]->imported_;
    const CompileOptions of_network = number == 0 ? options : optionsOfBucket(options, number);
    Compilation compilation(network.copy(), imported_->name, of_network, &shared);
    auto built = compilation.buildNetwork();
    if (compilation.isUnlike()) return compileWhole(options, built.status().message());
    VTA_RETURN_IF_ERROR(built.status());
    networks[number] = *std::move(built);
    addReport(compilation.report(), result.report);
  }
  VTA_ASSIGN_OR_RETURN(const BuiltModule joined, joinBuckets(std::move(networks)));
  VTA_ASSIGN_OR_RETURN(result.elf, writeModule(joined.info, joined.contents));
  return result;
}

/// Without buckets, since those would be another model's.
Result<CompiledModule> Model::compileWhole(const CompileOptions& options,
                                           const std::string& reason) const {
  auto result = Compilation(imported_->copy(), imported_->name, options).run();
  if (!result.ok()) return result;
  result->report.warnings.push_back(
      fmt::format("every run takes {} words: {}", imported_->signature.run_words, reason));
  return result;
}

Result<std::shared_ptr<const Model>> Model::quantize(const CompileOptions& options) const {
  VTA_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> integers,
                       Compilation(imported_->copy(), imported_->name, options).quantized());
  auto quantized = std::make_unique<Imported>(imported_->context);
  quantized->module = std::move(integers);
  quantized->name = imported_->name;
  quantized->signature = imported_->signature;
  return std::shared_ptr<const Model>(new Model(std::move(quantized)));
}

Result<ModuleOutline> Model::outline(const CompileOptions& options) const {
  return Compilation(imported_->copy(), imported_->name, options).outline();
}

Result<std::vector<RefusedNode>> refusedNodes(const std::filesystem::path& file) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const DiagnosticCollector diagnostics(&context);
  return guardMemory([&] { return surveyOnnx(file, context); });
}

Result<CompiledModule> compileOnnx(const std::filesystem::path& model,
                                   const CompileOptions& options) {
  VTA_ASSIGN_OR_RETURN(const auto loaded, Model::load(model, options.dimensions));
  return loaded->compile(options);
}

}  // namespace vta::compiler
