// Command-line options that the tools with a compiler share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
#include "host_gpu/backend/options.h"

namespace vta::tools {

/// --partition, --gpu-precision, --shape, --context-length, --prompt-chunk, --last-scores,
/// --kernels,
/// --dump-ir, --no-cache.
void addPartition(CLI::App& app, compiler::Partition& partition);
void addGpuPrecision(CLI::App& app, codegen::GpuPrecision& precision);
void addShapes(CLI::App& app, std::vector<std::string>& dimensions);
/// `usual` is what the help says of the number where the option is not given.
void addContextLength(CLI::App& app, int64_t& context_length, const std::string& usual = "");
void addPromptChunk(CLI::App& app, std::vector<int64_t>& prompt_chunks);
/// For Model::loadChunks: those that are given, and 1, from the largest to the smallest.
std::vector<int64_t> chunksOf(std::vector<int64_t> given);
void addLastScores(CLI::App& app, bool& last_scores);
void addKernels(CLI::App& app, std::vector<std::string>& files);
void addDumpIr(CLI::App& app, std::string& folder);
void addNoCache(CLI::App& app, bool& has_no_cache);

/// The kernels of all files, in their order. Errors: those of tile::readKernels.
Result<std::vector<tile::TileKernel>> readKernelFiles(const std::vector<std::string>& files);

/// Where the user wants layers, as it is written.
struct PlacementChoice {
  std::vector<std::string> places;  // "LAYER=MACHINE"
  bool no_fallback = false;
};
/// --place, --no-fallback
void addPlacement(CLI::App& app, PlacementChoice& choice);
/// Errors: a --place of another form.
Status applyPlacement(const PlacementChoice& choice, compiler::CompileOptions& options);

/// Tells the GPU's back end of the precision.
void applyGpuPrecision(codegen::GpuPrecision precision, compiler::CompileOptions& options);

/// "NAME=N" texts as a map. Errors: another form, N below 1.
Status parseDimensions(const std::vector<std::string>& texts,
                       std::map<std::string, int64_t>& dimensions);

}  // namespace vta::tools
