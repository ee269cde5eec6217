// Verilated models on disk: those built with the project, and a cache of all others.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta::sim {

struct ModelRecipe;

/// What a model is built for.
enum class ModelVariant : uint8_t {
  kPlain,     // speed
  kWaves,     // writes waveforms
  kChecked,   // the RTL's assertions, and a probe that reads the scratchpads
  kCoverage,  // kChecked that also collects coverage
};
std::string_view modelVariantName(ModelVariant variant);

struct ModelCache {
  std::filesystem::path rtl_directory;  ///< with files.f
  std::filesystem::path source_root;    ///< of the repository or its installed part: the wrapper
  std::filesystem::path prebuilt_directory;  ///< searched first; may be empty
  std::filesystem::path cache_directory;     ///< made on demand, for this user alone
  /// Told what is going on when a model has to be built; may be empty.
  std::function<void(const std::string&)> progress;
  int jobs = 2;

  /// Where the sources lie that were installed with `program`, the path of its file or of a
  /// library: share/vta/rtl of a folder above it. Empty where there are none.
  static std::filesystem::path installedSources(const std::filesystem::path& program);

  /// The RTL that was installed with this library or program, else the one that it was built with,
  /// but for the folder in $VTA_RTL_DIR; the cache
  /// in $VTA_CACHE_DIR, else below $XDG_CACHE_HOME, $HOME/.cache or $XDG_RUNTIME_DIR, else nowhere.
  static ModelCache standard();

  /// The shared library for `hw`, built now if there is none: Verilator and a C++ compiler run for
  /// tens of seconds. Several processes may ask at once: one builds, the others wait for it.
  /// A model is for this processor and the compiler that is here; a damaged one is built again. A
  /// signal that ends the process stops the build. Errors: kNotFound without RTL sources, Verilator
  /// or a folder to put models; kInternal when building fails, with the log's path; kIoError, also
  /// for a folder that others can write to, since a model's code runs with this user's rights.
  Result<std::filesystem::path> find(const HwConfig& hw, ModelVariant variant) const;

 private:
  Status openFolder() const;
  Status build(const HwConfig& hw, ModelVariant variant, ModelRecipe recipe,
               const std::filesystem::path& library) const;
};

}  // namespace vta::sim
