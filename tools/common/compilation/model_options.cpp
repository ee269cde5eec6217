#include "tools/common/compilation/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "tools/common/command_line.h"
#include "tools/common/compilation/choice_option.h"

namespace vta::tools {

void addPartition(CLI::App& app, compiler::Partition& partition) {
  using compiler::Partition;
  addChoice<Partition>(
      app, "--partition", partition,
      "auto (default): the VTA where it can; vta: likewise, but an error if a layer "
      "that multiplies cannot; cpu: all on the CPU in float; cpu-quantized: all "
      "on the CPU in the VTA's integers; gpu: the GPU where it can, the CPU for the rest, in "
      "float; gpu-quantized: likewise in the VTA's integers",
      {{"auto", Partition::kAuto},
       {"vta", Partition::kVta},
       {"cpu", Partition::kCpu},
       {"cpu-quantized", Partition::kCpuQuantized},
       {"gpu", Partition::kGpu},
       {"gpu-quantized", Partition::kGpuQuantized}});
}

void addGpuPrecision(CLI::App& app, codegen::GpuPrecision& precision) {
  using codegen::GpuPrecision;
  addChoice<GpuPrecision>(
      app, "--gpu-precision", precision,
      "What floats are in a GPU's memory: float32 (default), or float16, which takes half the "
      "memory and tensor cores where there are some; sums have 32 bits either way",
      {{"float32", GpuPrecision::kFloat32}, {"float16", GpuPrecision::kFloat16}});
}

void applyGpuPrecision(codegen::GpuPrecision precision, compiler::CompileOptions& options) {
  codegen::GpuOptions of_gpu = codegen::gpuOptionsOf(options.build.code);
  of_gpu.precision = precision;
  codegen::setGpuOptions(options.build.code, std::move(of_gpu));
}

void addShapes(CLI::App& app, std::vector<std::string>& dimensions) {
  addRepeatable(app, "--shape", dimensions, "Binds a symbolic dimension; may be repeated")
      ->type_name("NAME=N");
}

void addContextLength(CLI::App& app, int64_t& context_length, const std::string& usual) {
  constexpr int64_t kMostWords = 1 << 20;
  const std::string help =
      "Of a language model with caches of keys and values: keep them in the module, for a text of "
      "so many words";
  app.add_option("--context-length", context_length, help + usual)
      ->type_name("WORDS")
      ->check(wholeNumber(2, kMostWords));
}

void addPromptChunk(CLI::App& app, std::vector<int64_t>& prompt_chunks) {
  constexpr int64_t kMostWords = 4096;
  CLI::Option* option = app.add_option(
      "--prompt-chunk", prompt_chunks,
      "With --context-length: read up to so many words in a run; several numbers make "
      "runs of several sizes, and runs of 1 are always there; default: 1");
  makeRepeatable(*option);
  option->type_name("WORDS,...")->delimiter(',')->check(wholeNumber(1, kMostWords));
}

std::vector<int64_t> chunksOf(std::vector<int64_t> given) {
  given.push_back(1);
  std::ranges::sort(given, std::ranges::greater());
  const auto repeated = std::ranges::unique(given);
  given.erase(repeated.begin(), repeated.end());
  return given;
}

void addLastScores(CLI::App& app, bool& last_scores) {
  app.add_flag("--last-scores", last_scores,
               "With --prompt-chunk: compute the scores behind the last word of a run alone");
}

void addKernels(CLI::App& app, std::vector<std::string>& files) {
  addRepeatable(app, "--kernels", files,
                "Tile kernels of vta.tile for the model's nodes of the domain vta.kernels; may be "
                "repeated")
      ->type_name("FILE");
}

void addDumpIr(CLI::App& app, std::string& folder) {
  app.add_option("--dump-ir", folder, "Write the compiler's IR after every phase here")
      ->type_name("DIR");
}

void addNoCache(CLI::App& app, bool& has_no_cache) {
  app.add_flag("--no-cache", has_no_cache,
               "Compile all code, also what the user's folder of caches has");
}

Result<std::vector<tile::TileKernel>> readKernelFiles(const std::vector<std::string>& files) {
  std::vector<tile::TileKernel> kernels;
  for (const std::string& file : files) {
    VTA_ASSIGN_OR_RETURN(std::vector<tile::TileKernel> of_file, tile::readKernels(file));
    for (tile::TileKernel& kernel : of_file) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

void addPlacement(CLI::App& app, PlacementChoice& choice) {
  addRepeatable(app, "--place", choice.places,
                "Runs layers on vta, cpu or gpu, by names as in the profile, in which * stands for "
                "any letters and ? for one; may be repeated, and the last that fits counts")
      ->type_name("LAYER=MACHINE");
  app.add_flag("--no-fallback", choice.no_fallback,
               "An error where a layer does not run where --partition or --place wants it: with "
               "auto, what multiplies and is not on the VTA");
}

Status applyPlacement(const PlacementChoice& choice, compiler::CompileOptions& options) {
  for (const std::string& text : choice.places) {
    auto rule = placement::parsePlaceRule(text);
    if (!rule.ok()) return rule.status().withContext("--place");
    options.placement.rules.push_back(*std::move(rule));
  }
  options.no_fallback = choice.no_fallback;
  return {};
}

Status parseDimensions(const std::vector<std::string>& texts,
                       std::map<std::string, int64_t>& dimensions) {
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    int64_t extent = 0;
    const char* end = text.data() + text.size();
    const bool has_name = equals != std::string::npos && equals > 0;
    const auto [rest, error] = has_name ? std::from_chars(text.data() + equals + 1, end, extent)
                                        : std::from_chars_result{end, std::errc::invalid_argument};
    if (error != std::errc() || rest != end || extent < 1) {
      return invalidArgument(
          fmt::format("--shape {}: write NAME=N with a whole number N of at least 1", text));
    }
    dimensions[text.substr(0, equals)] = extent;
  }
  return {};
}

}  // namespace vta::tools
