// Verilator and a C++ compiler make one model.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::sim {

/// What a model is made of, and how.
struct ModelRecipe {
  std::string package;                         ///< text of vta_pkg.sv, which goes first
  std::vector<std::filesystem::path> rtl;      ///< SystemVerilog, in order
  std::filesystem::path wrapper;               ///< the C++ around the Verilated class
  std::filesystem::path include_root;          ///< where the wrapper's includes begin
  std::vector<std::string> verilator_options;  ///< of the variant
  int jobs = 2;
};

/// The C++ compiler that models are built with; empty when there is none. Clang comes first: it
/// vectorises the multipliers, which GCC leaves scalar, and so simulates a third more cycles a
/// second and compiles in less time.
std::filesystem::path modelCompiler();

/// Builds in the folder `directory`, which is made and removed again, and moves the result to
/// `library`, which appears whole or not at all. What the programs print goes to `log`, which stays
/// after a failure. `tell` hears of each phase. A signal that ends the process stops the build and
/// removes the folder first. Errors: kNotFound without Verilator or a compiler; kInternal when
/// building fails, naming `log`; kIoError.
Status buildModel(const ModelRecipe& recipe, const std::filesystem::path& directory,
                  const std::filesystem::path& log, const std::filesystem::path& library,
                  const std::function<void(std::string_view phase)>& tell);

}  // namespace vta::sim
