// How a model is to be quantised, as the command lines of the tools with a compiler say.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"

namespace vta::tools {

struct QuantizationOptions {
  std::vector<std::string> calibrate;  // typical inputs, "NAME=PATH" or "PATH"
  compiler::CalibrationMethod method = compiler::CalibrationMethod::kAuto;
  bool static_ranges = false;
  compiler::CurvePlace activations = compiler::CurvePlace::kAuto;
  std::set<std::string> float_layers;      // names, or "auto:N"
  std::set<std::string> wide_activations;  // names, or "auto:N", "auto", "few", "none"
  int64_t weight_group_channels = compiler::kAutomaticGroup;
  compiler::Rescaling rescaling = compiler::Rescaling::kExact;

  bool isCalibrated() const { return !calibrate.empty(); }
};

/// --calibrate, --calibration-method, --static-ranges, --activations, --float-layers,
/// --wide-activations, --weight-groups, --rescaling.
void addQuantization(CLI::App& app, QuantizationOptions& options);

/// The first of these options that was given, or "".
std::string givenQuantization(const QuantizationOptions& options);

/// What is wrong with the options, or "".
std::string checkQuantization(const QuantizationOptions& options);

/// Sets in `quantize` what the options say. The samples are not read here (loadCalibration).
/// Errors: an auto:N that is none; several ways of choosing wide activations.
Status applyQuantization(const QuantizationOptions& options, compiler::QuantizeOptions& quantize);

}  // namespace vta::tools
