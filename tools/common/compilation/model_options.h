// Command-line options that the tools with a compiler share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
#include "tools/common/command_line.h"

namespace vta::tools {

/// --calibrate, --calibration-method, --static-ranges, --activations, --float-layers,
/// --wide-activations, --weight-groups, --rescaling, --partition, --shape, --dump-ir, --no-cache.
void addCalibrate(CLI::App& app, std::vector<std::string>& files);
void addCalibrationMethod(CLI::App& app, compiler::CalibrationMethod& method);
void addStaticRanges(CLI::App& app, bool& static_ranges);
void addActivations(CLI::App& app, compiler::CurvePlace& place);
void addFloatLayers(CLI::App& app, std::set<std::string>& layers);
void addWideActivations(CLI::App& app, std::set<std::string>& layers);
/// "auto", "none" or a number, as a number (QuantizeOptions::weight_group_channels).
void addWeightGroups(CLI::App& app, int64_t& channels);
void addRescaling(CLI::App& app, compiler::Rescaling& rescaling);
void addPartition(CLI::App& app, compiler::Partition& partition);
void addShapes(CLI::App& app, std::vector<std::string>& dimensions);
void addDumpIr(CLI::App& app, std::string& folder);
void addNoCache(CLI::App& app, bool& has_no_cache);

/// How a model is to be quantised, as the command line says.
struct QuantizationChoice {
  compiler::CalibrationMethod method = compiler::CalibrationMethod::kAuto;
  bool is_calibrated = false;  // with typical inputs
  const std::set<std::string>& float_layers;
  const std::set<std::string>& wide_activations;
  compiler::CurvePlace curves = compiler::CurvePlace::kAuto;
  bool static_ranges = false;
  int64_t weight_group_channels = compiler::kAutomaticGroup;
  compiler::Rescaling rescaling = compiler::Rescaling::kExact;
};
/// Sets what `choice` has in `options`. Errors: an auto:N that is none; several ways of choosing
/// wide activations.
Status applyQuantization(const QuantizationChoice& choice, compiler::QuantizeOptions& options);

/// Why --static-ranges cannot be: it was given without --calibrate. Empty if it can.
std::string checkStaticRanges(bool static_ranges, bool is_calibrated);

/// "NAME=N" texts as a map. Errors: another form, N below 1.
Status parseDimensions(const std::vector<std::string>& texts,
                       std::map<std::string, int64_t>& dimensions);

}  // namespace vta::tools
