#include "sim/rtl/model_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "base/hash.h"
#include "isa/rtl/sv_package.h"

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

// Changes with everything that the build does and that is not in its inputs.
constexpr std::string_view kBuildRecipe = "2";

Result<std::string> readText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.is_open() || file.bad()) return ioError(fmt::format("{}: cannot read", path.string()));
  return text.str();
}

Status writeText(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file.fail()) return ioError(fmt::format("{}: cannot write", path.string()));
  return {};
}

/// For a POSIX shell.
std::string quoted(const fs::path& path) {
  std::string text(1, '\'');
  for (const char c : path.string()) {
    if (c == '\'') text.append("'\\'");
    text.push_back(c);
    if (c == '\'') text.push_back('\'');
  }
  text.push_back('\'');
  return text;
}

std::string_view variantFlags(ModelVariant variant) {
  switch (variant) {
    case ModelVariant::kPlain:
      return "";
    case ModelVariant::kWaves:
      return "--trace-fst --trace-structs";
    case ModelVariant::kChecked:
      return "--assert -CFLAGS -DVTA_MODEL_PROBE";
    case ModelVariant::kCoverage:
      // Without splitting, which moves counters behind assignments to what their conditions read.
      return "--assert --coverage-line --coverage-user -fno-split -CFLAGS -DVTA_MODEL_PROBE";
  }
  return "";
}

bool hasProbe(ModelVariant variant) {
  return variant == ModelVariant::kChecked || variant == ModelVariant::kCoverage;
}

/// Everything that a model is made of.
struct Sources {
  std::string package;
  std::vector<fs::path> rtl;
  std::vector<fs::path> wrapper;
  uint64_t hash = 0;
};

Result<Sources> collectSources(const ModelCache& cache, const HwConfig& hw, ModelVariant variant) {
  Sources sources;
  // Two products in one multiplier are what the FPGA has, and what co-simulation checks; without it
  // the same results take a simulator less time.
  sources.package = svPackage(hw, {.build = {.int8_packing = hasProbe(variant)}});
  const fs::path list = cache.rtl_directory / "files.f";
  const Result<std::string> names = readText(list);
  if (!names.ok()) {
    return notFound(
        fmt::format("the RTL's sources are not in {}; set VTA_RTL_DIR to the folder with files.f",
                    cache.rtl_directory.string()));
  }
  std::istringstream lines(*names);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#' && !line.starts_with("//")) {
      sources.rtl.push_back(cache.rtl_directory / line);
    }
  }
  const fs::path model = cache.source_root / "sim" / "rtl" / "model";
  if (hasProbe(variant)) {
    sources.rtl.push_back(model / "vta_probe.vlt");
    sources.rtl.push_back(model / "vta_start_probe.sv");
  }
  if (variant == ModelVariant::kCoverage) {
    sources.rtl.push_back(cache.source_root / "hw" / "coverage" / "vta_cover.sv");
  }
  sources.wrapper = {model / "vta_model.cpp", model / "vta_model.h"};

  std::string all = fmt::format("{}\n{}\n{}\n{}\n", kBuildRecipe, VTA_VERILATOR_VERSION,
                                modelVariantName(variant), sources.package);
  for (const auto* files : {&sources.rtl, &sources.wrapper}) {
    for (const fs::path& file : *files) {
      VTA_ASSIGN_OR_RETURN(const std::string text, readText(file));
      all += fmt::format("{}\n{}\n", file.filename().string(), text);
    }
  }
  sources.hash = hashText(all);
  return sources;
}

// Held by the process that builds one model. Released when the process ends, however that happens.
class FileLock {
 public:
  explicit FileLock(const fs::path& path)
      : fd_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {}
  ~FileLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool opened() const { return fd_ >= 0; }
  bool tryLock() { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }
  bool lock() { return ::flock(fd_, LOCK_EX) == 0; }

 private:
  int fd_;
};

class ModelBuild {
 public:
  ModelBuild(const ModelCache& cache, const HwConfig& hw, ModelVariant variant,
             const Sources& sources, const fs::path& stem)
      : cache_(cache), hw_(hw), variant_(variant), sources_(sources) {
    log_ = fs::path(stem).concat(".log");
    directory_ = fs::path(stem).concat(fmt::format(".build.{}", ::getpid()));
  }
  ~ModelBuild() {
    std::error_code ec;
    fs::remove_all(directory_, ec);
  }
  ModelBuild(const ModelBuild&) = delete;
  ModelBuild& operator=(const ModelBuild&) = delete;

  /// Builds and moves the result to `library`, which appears whole or not at all.
  Status run(const fs::path& library) {
    std::error_code ec;
    fs::create_directories(directory_, ec);
    if (ec) return ioError(fmt::format("{}: {}", directory_.string(), ec.message()));
    VTA_RETURN_IF_ERROR(writeText(directory_ / "vta_pkg.sv", sources_.package));
    VTA_RETURN_IF_ERROR(writeText(log_, ""));
    if (std::system("command -v verilator > /dev/null 2>&1") != 0) {
      return notFound("verilator is not installed; scripts/setup installs it");
    }
    tell("verilating");
    VTA_RETURN_IF_ERROR(runLogged(verilatorCommand()));
    tell("compiling");
    VTA_RETURN_IF_ERROR(runLogged(makeCommand()));
    fs::rename(directory_ / "model.so", library, ec);
    if (ec) return ioError(fmt::format("{}: {}", library.string(), ec.message()));
    fs::remove(log_, ec);
    return {};
  }

 private:
  void tell(std::string_view what) const {
    if (!cache_.progress) return;
    cache_.progress(fmt::format("{} the RTL of '{}' ({}; once, some tens of seconds)", what,
                                hw_.name(), modelVariantName(variant_)));
  }

  std::string verilatorCommand() const {
    std::string command = fmt::format(
        "verilator --cc --exe --prefix Vvta --top-module vta_core --Mdir {} -o ../model.so "
        "-O3 --x-assign fast --x-initial unique -Wno-fatal -Wno-lint -Wno-style "
        "--output-split 30000 --output-split-cfuncs 3000 "
        "-CFLAGS -fPIC -CFLAGS -fvisibility=hidden -CFLAGS -I{} -LDFLAGS -shared {} {}",
        quoted(directory_ / "obj"), quoted(cache_.source_root), variantFlags(variant_),
        quoted(directory_ / "vta_pkg.sv"));
    for (const fs::path& file : sources_.rtl) command += fmt::format(" {}", quoted(file));
    return fmt::format("{} {}", command, quoted(sources_.wrapper[0]));
  }

  // Clang vectorises the multipliers, which GCC leaves scalar: a third more cycles a second, and
  // less time to compile.
  std::string makeCommand() const {
    return fmt::format(
        "cxx=$(command -v clang++-19 || command -v clang++ || command -v c++) && "
        "OBJCACHE=$(command -v ccache) nice make -C {} -f Vvta.mk -j {} CXX=$cxx LINK=$cxx "
        "OPT_FAST='-O2 -march=native' OPT_SLOW=-O0 OPT_GLOBAL=-O1",
        quoted(directory_ / "obj"), cache_.jobs);
  }

  Status runLogged(const std::string& command) const {
    const int status = std::system(fmt::format("{} >> {} 2>&1", command, quoted(log_)).c_str());
    if (status == 0) return {};
    return internalError(
        fmt::format("building the RTL model of '{}' failed; see {}", hw_.name(), log_.string()));
  }

  const ModelCache& cache_;
  const HwConfig& hw_;
  ModelVariant variant_;
  const Sources& sources_;
  fs::path log_;
  fs::path directory_;
};

fs::path userCacheDirectory() {
  if (const char* set = std::getenv("VTA_CACHE_DIR"); set != nullptr && *set != '\0') return set;
  if (const char* set = std::getenv("XDG_CACHE_HOME"); set != nullptr && *set != '\0') {
    return fs::path(set) / "vta";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".cache" / "vta";
}

}  // namespace

std::string_view modelVariantName(ModelVariant variant) {
  constexpr std::string_view kNames[] = {"plain", "waves", "checked", "coverage"};
  return kNames[static_cast<size_t>(variant)];
}

ModelCache ModelCache::standard() {
  ModelCache cache;
  const char* rtl = std::getenv("VTA_RTL_DIR");
  cache.rtl_directory = rtl != nullptr && *rtl != '\0' ? rtl : VTA_SOURCE_ROOT "/hw/vta_rtl";
  cache.source_root = VTA_SOURCE_ROOT;
  cache.prebuilt_directory = VTA_PREBUILT_MODELS;
  cache.cache_directory = userCacheDirectory() / "rtl";
  cache.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return cache;
}

Result<fs::path> ModelCache::find(const HwConfig& hw, ModelVariant variant) const {
  VTA_ASSIGN_OR_RETURN(const Sources sources, collectSources(*this, hw, variant));
  const std::string name = fmt::format("{:016x}.so", sources.hash);
  std::error_code ec;
  if (!prebuilt_directory.empty() && fs::exists(prebuilt_directory / name, ec)) {
    return prebuilt_directory / name;
  }
  const fs::path library = cache_directory / name;
  if (fs::exists(library, ec)) return library;
  fs::create_directories(cache_directory, ec);
  if (ec) return ioError(fmt::format("{}: {}", cache_directory.string(), ec.message()));

  const fs::path stem = cache_directory / fmt::format("{:016x}", sources.hash);
  FileLock lock(fs::path(stem).concat(".lock"));
  if (!lock.opened()) {
    return ioError(fmt::format("{}: cannot write to it", cache_directory.string()));
  }
  if (!lock.tryLock()) {
    if (progress) progress(fmt::format("waiting for another process that builds '{}'", hw.name()));
    if (!lock.lock()) return ioError(fmt::format("{}.lock: cannot lock", stem.string()));
  }
  if (fs::exists(library, ec)) return library;
  ModelBuild build(*this, hw, variant, sources, stem);
  VTA_RETURN_IF_ERROR(build.run(library));
  return library;
}

}  // namespace vta::sim
