#include "sim/rtl/model_cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "base/folders/sealed_file.h"
#include "base/folders/user_folder.h"
#include "base/hash.h"
#include "base/temporary_folder.h"
#include "isa/config/config_rules.h"
#include "isa/rtl/sv_operations.h"
#include "isa/rtl/sv_package.h"
#include "sim/rtl/model_build.h"
#include "sim/rtl/rtl_files.h"

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

// Of the folder that a model is built in, beside its lock of the same name.
constexpr std::string_view kBuildSuffix = ".build";
// Changes with everything that the build does and that is not in its inputs.
constexpr std::string_view kBuildRecipe = "4";

Result<std::string> readText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.is_open() || file.bad()) return ioError(fmt::format("{}: cannot read", path.string()));
  return text.str();
}

std::vector<std::string> variantOptions(ModelVariant variant) {
  switch (variant) {
    case ModelVariant::kPlain:
      return {};
    case ModelVariant::kWaves:
      return {"--trace-fst", "--trace-structs"};
    case ModelVariant::kChecked:
      return {"--assert", "-CFLAGS", "-DVTA_MODEL_PROBE"};
    case ModelVariant::kCoverage:
      // Without splitting, which moves counters behind assignments to what their conditions read.
      return {"--assert",   "--coverage-line", "--coverage-user",
              "-fno-split", "-CFLAGS",         "-DVTA_MODEL_PROBE"};
  }
  return {};
}

/// Verilator gives up loops of generate blocks after sixteen times this count. The longest go over
/// the lanes of an element of ACC, of which cores may have thousands.
int64_t unrollCount(const HwConfig& hw) {
  constexpr int64_t kVerilatorDefault = 64;
  constexpr int64_t kGenerateFactor = 16;
  const int64_t lanes = int64_t{hw.params().batch} * hw.params().block_out;
  return std::max(kVerilatorDefault, lanes / kGenerateFactor + 1);
}

bool hasProbe(ModelVariant variant) {
  return variant == ModelVariant::kChecked || variant == ModelVariant::kCoverage;
}

/// What code for this processor and from this compiler may differ in: models are compiled for the
/// machine that they are built on, and a folder may be shared by several.
std::string machineText() {
  std::string text;
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line) && !line.empty();) {  // the first processor
    const bool tells = line.starts_with("flags") || line.starts_with("Features") ||
                       line.starts_with("model name") || line.starts_with("CPU part");
    if (tells) text += line + "\n";
  }
  // Another version is another file.
  std::error_code error;
  const fs::path compiler = fs::canonical(modelCompiler(), error);
  struct stat status = {};
  if (!error && stat(compiler.c_str(), &status) == 0) {
    text += fmt::format("{} {} {}\n", compiler.string(), status.st_size, status.st_mtime);
  }
  return text;
}

/// Everything that a model is made of.
struct Sources {
  std::string package;
  std::vector<fs::path> rtl;
  std::vector<fs::path> wrapper;
  uint64_t hash = 0;
};

/// Users' operations have a lane of their own, which goes with the package, in the place of a file.
Status addUserOperations(const HwConfig& hw, Sources& sources) {
  if (hw.params().operations.empty()) return {};
  const auto is_lane = [](const fs::path& file) { return file.filename() == kLaneFile; };
  const auto lane = std::ranges::find_if(sources.rtl, is_lane);
  if (lane == sources.rtl.end()) return notFound(fmt::format("the RTL has no {}", kLaneFile));
  VTA_ASSIGN_OR_RETURN(const std::string own, readText(*lane));
  VTA_ASSIGN_OR_RETURN(const std::string text, laneSource(hw, own));
  sources.package += "\n" + text;
  sources.rtl.erase(lane);
  return {};
}

Result<Sources> collectSources(const ModelCache& cache, const HwConfig& hw, ModelVariant variant) {
  VTA_RETURN_IF_ERROR(checkHasRtl(hw));
  Sources sources;
  // Two products in one multiplier are what the FPGA has, and what co-simulation checks; without it
  // the same results take a simulator less time.
  const bool as_built = hasProbe(variant);
  sources.package =
      svPackage(hw, {.build = {.int8_packing = as_built}, .fast_simulation = !as_built});
  VTA_ASSIGN_OR_RETURN(sources.rtl, rtlFiles(cache.rtl_directory));
  VTA_RETURN_IF_ERROR(addUserOperations(hw, sources));
  const fs::path model = cache.source_root / "sim" / "rtl" / "model";
  if (hasProbe(variant)) {
    sources.rtl.push_back(model / "vta_probe.vlt");
    sources.rtl.push_back(model / "vta_start_probe.sv");
  }
  if (variant == ModelVariant::kCoverage) {
    sources.rtl.push_back(cache.source_root / "hw" / "coverage" / "vta_cover.sv");
  }
  sources.wrapper = {model / "vta_model.cpp", model / "vta_model.h"};

  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", kBuildRecipe, VTA_VERILATOR_VERSION,
                                modelVariantName(variant), machineText(), sources.package);
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

/// Removes what builds of other models left behind when they were killed: nobody holds their locks.
void removeAbandonedBuilds(const fs::path& cache_directory) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(cache_directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != kBuildSuffix) continue;
    FileLock lock(fs::path(entry->path()).replace_extension(".lock"));
    if (lock.opened() && lock.tryLock()) abandoned.push_back(entry->path());
  }
  for (const fs::path& folder : abandoned) fs::remove_all(folder, error);
}

/// `wanted`, or a new folder elsewhere when make could not work in it: make takes no blanks.
Result<fs::path> buildFolder(const fs::path& wanted) {
  if (fs::absolute(wanted).string().find_first_of(" \t\n") == std::string::npos) return wanted;
  VTA_ASSIGN_OR_RETURN(TemporaryFolder elsewhere, TemporaryFolder::create("vta-model", "/tmp"));
  return elsewhere.release();
}

}  // namespace

std::string_view modelVariantName(ModelVariant variant) {
  constexpr std::string_view kNames[] = {"plain", "waves", "checked", "coverage"};
  return kNames[static_cast<size_t>(variant)];
}

fs::path ModelCache::installedSources(const fs::path& program) {
  std::error_code error;
  fs::path prefix = program.parent_path();
  for (; prefix != prefix.root_path(); prefix = prefix.parent_path()) {
    const fs::path sources = prefix / "share" / "vta" / "rtl";
    if (fs::exists(sources / "hw" / "vta_rtl" / "files.f", error)) return sources;
  }
  return {};
}

namespace {

/// The library that this code is in, or the program; empty when the loader knows no full path.
fs::path fileOfThisCode() {
  Dl_info info = {};
  static const char kHere = 0;
  if (dladdr(&kHere, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = info.dli_fname;
  return file.is_absolute() ? fs::canonical(file, error) : fs::path();
}

}  // namespace

ModelCache ModelCache::standard() {
  ModelCache cache;
  std::error_code error;
  // A library may be installed elsewhere than the program that loads it, which is Python.
  fs::path installed = installedSources(fileOfThisCode());
  if (installed.empty()) installed = installedSources(fs::read_symlink("/proc/self/exe", error));
  cache.source_root = installed.empty() ? VTA_SOURCE_ROOT : installed;
  const char* rtl = std::getenv("VTA_RTL_DIR");
  cache.rtl_directory =
      rtl != nullptr && *rtl != '\0' ? fs::path(rtl) : cache.source_root / "hw" / "vta_rtl";
  cache.prebuilt_directory = VTA_PREBUILT_MODELS;
  if (const fs::path user = userCacheFolder(); !user.empty()) {
    cache.cache_directory = user / "rtl";
  }
  cache.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return cache;
}

Status ModelCache::openFolder() const {
  if (cache_directory.empty()) {
    return notFound("no folder for Verilated models: set VTA_CACHE_DIR, XDG_CACHE_HOME or HOME");
  }
  VTA_RETURN_IF_ERROR(makeOwnFolder(cache_directory));
  return requireOwn(cache_directory);
}

Status ModelCache::build(const HwConfig& hw, ModelVariant variant, ModelRecipe recipe,
                         const fs::path& library) const {
  recipe.include_root = source_root;
  recipe.verilator_options = variantOptions(variant);
  if (hasProbe(variant) && hw.params().multipliers == Multipliers::kDoublePumped) {
    recipe.verilator_options.insert(recipe.verilator_options.end(),
                                    {"-CFLAGS", "-DVTA_MODEL_CLOCK_2X"});
  }
  recipe.verilator_options.insert(recipe.verilator_options.end(),
                                  {"--unroll-count", std::to_string(unrollCount(hw))});
  for (const std::string& define :
       {fmt::format("-DVTA_MODEL_AXI_PORTS={}", hw.params().axi_ports),
        fmt::format("-DVTA_MODEL_ADDR_BITS={}", hw.params().axi_addr_width_bits)}) {
    recipe.verilator_options.insert(recipe.verilator_options.end(), {"-CFLAGS", define});
  }
  recipe.jobs = jobs;
  const auto tell = [&](std::string_view phase) {
    if (!progress) return;
    progress(fmt::format("{} the RTL of '{}' ({}; once, some tens of seconds)", phase, hw.name(),
                         modelVariantName(variant)));
  };
  const auto beside = [&](std::string_view suffix) {
    return fs::path(library).replace_extension(suffix);
  };
  VTA_ASSIGN_OR_RETURN(const fs::path folder, buildFolder(beside(kBuildSuffix)));
  const Status status = buildModel(recipe, folder, beside(".log"), library, tell);
  return status.withContext(fmt::format("building the RTL model of '{}'", hw.name()));
}

Result<fs::path> ModelCache::find(const HwConfig& hw, ModelVariant variant) const {
  VTA_ASSIGN_OR_RETURN(const Sources sources, collectSources(*this, hw, variant));
  const std::string name = fmt::format("{:016x}.so", sources.hash);
  const fs::path prebuilt = prebuilt_directory / name;
  const bool has_prebuilt = !prebuilt_directory.empty() && isSealed(prebuilt);
  if (has_prebuilt && requireOwn(prebuilt_directory).ok() && requireOwn(prebuilt).ok()) {
    return prebuilt;
  }
  VTA_RETURN_IF_ERROR(openFolder());
  const fs::path library = cache_directory / name;
  if (isSealed(library)) return library;

  const fs::path lock_file = fs::path(library).replace_extension(".lock");
  FileLock lock(lock_file);
  if (!lock.opened()) {
    return ioError(fmt::format("{}: cannot write to it", cache_directory.string()));
  }
  if (!lock.tryLock()) {
    if (progress) progress(fmt::format("waiting for another process that builds '{}'", hw.name()));
    if (!lock.lock()) return ioError(fmt::format("{}: cannot lock", lock_file.string()));
  }
  if (isSealed(library)) return library;  // a broken one is replaced
  removeAbandonedBuilds(cache_directory);
  ModelRecipe recipe;
  recipe.package = sources.package;
  recipe.rtl = sources.rtl;
  recipe.wrapper = sources.wrapper[0];
  VTA_RETURN_IF_ERROR(build(hw, variant, std::move(recipe), library));
  return library;
}

}  // namespace vta::sim
