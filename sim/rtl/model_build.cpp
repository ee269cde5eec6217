#include "sim/rtl/model_build.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "base/folders/sealed_file.h"
#include "base/process/find_program.h"
#include "sim/rtl/run_command.h"

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

Status writeText(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file.fail()) return ioError(fmt::format("{}: cannot write", path.string()));
  return {};
}

/// A folder that exists as long as this does.
class BuildFolder {
 public:
  explicit BuildFolder(const fs::path& path) : path_(path) {
    // Emptied, not made anew: one that mkdtemp made keeps its permissions.
    fs::create_directory(path_, error_);
    for (fs::directory_iterator entry(path_, error_), end; !error_ && entry != end;) {
      const fs::path inside = entry->path();
      entry.increment(error_);
      std::error_code ignored;
      fs::remove_all(inside, ignored);
    }
  }
  ~BuildFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const std::error_code& error() const { return error_; }

 private:
  fs::path path_;
  std::error_code error_;
};

/// Also to another file system, but never a part of it.
Status moveTo(const fs::path& library, const fs::path& built) {
  std::error_code error;
  fs::permissions(built, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove,
                  error);
  if (!error) fs::rename(built, library, error);
  if (error == std::errc::cross_device_link) {
    const fs::path copy = fs::path(library).concat(".new");
    fs::copy_file(built, copy, fs::copy_options::overwrite_existing, error);
    if (!error) fs::rename(copy, library, error);
  }
  if (error) return ioError(fmt::format("{}: {}", library.string(), error.message()));
  return {};
}

/// Verilator takes "$NAME" in the name of a file for a variable; such files get a link.
bool needsLink(const fs::path& file) { return file.string().find('$') != std::string::npos; }

std::string verilatorName(const ModelRecipe& recipe, size_t index) {
  const fs::path file = fs::absolute(recipe.rtl[index]);
  return needsLink(file) ? fmt::format("rtl_{}.sv", index) : file.string();
}

/// Make takes no blanks in names of files, so the commands run in the build's folder and name what
/// make sees relative to it: links lead to the wrapper and to the root of its includes.
Status prepare(const ModelRecipe& recipe, const fs::path& directory) {
  std::error_code error;
  fs::create_symlink(fs::absolute(recipe.wrapper), directory / "wrapper.cpp", error);
  if (!error) {
    fs::create_directory_symlink(fs::absolute(recipe.include_root), directory / "root", error);
  }
  for (size_t i = 0; i < recipe.rtl.size() && !error; ++i) {
    const fs::path file = fs::absolute(recipe.rtl[i]);
    if (needsLink(file)) fs::create_symlink(file, directory / verilatorName(recipe, i), error);
  }
  if (error) return ioError(fmt::format("{}: {}", directory.string(), error.message()));
  return writeText(directory / "vta_pkg.sv", recipe.package);
}

std::vector<std::string> verilatorCommand(const ModelRecipe& recipe) {
  // Without --no-MMD, make would read the names of the RTL's files. Verilator's graph of data flow
  // makes a vector that is assigned piece by piece a chain of concatenations, each of which copies
  // all pieces before it: with elements of some kilobytes the model would compile for an hour.
  std::vector<std::string> command = {"verilator",
                                      "--cc",
                                      "--exe",
                                      "--prefix",
                                      "Vvta",
                                      "--top-module",
                                      "vta_core",
                                      "--Mdir",
                                      "obj",
                                      "-o",
                                      "../model.so",
                                      "--no-MMD",
                                      "-O3",
                                      "-fno-dfg",
                                      "--x-assign",
                                      "fast",
                                      "--x-initial",
                                      "unique",
                                      "-Wno-fatal",
                                      "-Wno-lint",
                                      "-Wno-style",
                                      "--output-split",
                                      "30000",
                                      "--output-split-cfuncs",
                                      "3000",
                                      "-CFLAGS",
                                      "-fPIC",
                                      "-CFLAGS",
                                      "-fvisibility=hidden",
                                      "-CFLAGS",
                                      "-I../root",
                                      "-LDFLAGS",
                                      "-shared"};
  command.insert(command.end(), recipe.verilator_options.begin(), recipe.verilator_options.end());
  command.emplace_back("vta_pkg.sv");
  for (size_t i = 0; i < recipe.rtl.size(); ++i) command.push_back(verilatorName(recipe, i));
  command.emplace_back("wrapper.cpp");
  return command;
}

std::vector<std::string> makeCommand(const ModelRecipe& recipe) {
  const std::string compiler = modelCompiler().filename().string();
  std::vector<std::string> command = {"nice",
                                      "make",
                                      "-C",
                                      "obj",
                                      "-f",
                                      "Vvta.mk",
                                      "-j",
                                      std::to_string(recipe.jobs),
                                      "CXX=" + compiler,
                                      "LINK=" + compiler,
                                      "OPT_FAST=-O2 -march=native",
                                      "OPT_SLOW=-O0",
                                      "OPT_GLOBAL=-O1"};
  if (!findProgram("ccache").empty()) command.emplace_back("OBJCACHE=ccache");
  return command;
}

}  // namespace

fs::path modelCompiler() {
  for (const char* name : {"clang++-19", "clang++", "c++"}) {
    if (fs::path found = findProgram(name); !found.empty()) return found;
  }
  return {};
}

Status buildModel(const ModelRecipe& recipe, const fs::path& directory, const fs::path& log,
                  const fs::path& library,
                  const std::function<void(std::string_view phase)>& tell) {
  if (findProgram("verilator").empty()) {
    return notFound("verilator is not installed; scripts/setup installs it");
  }
  if (modelCompiler().empty() || findProgram("make").empty()) {
    return notFound("no C++ compiler or no make is installed; scripts/setup installs both");
  }
  const InterruptGuard guard;  // outlives the folder, so that nothing is left of it
  const BuildFolder folder(directory);
  if (folder.error()) {
    return ioError(fmt::format("{}: {}", directory.string(), folder.error().message()));
  }
  VTA_RETURN_IF_ERROR(prepare(recipe, directory));
  VTA_RETURN_IF_ERROR(writeText(log, ""));
  const auto run = [&](std::string_view phase, const std::vector<std::string>& command) {
    tell(phase);
    Status status = runCommand(command, directory, fs::absolute(log));
    if (status.ok()) return status;
    return Status(status.code(), fmt::format("{}; see {}", status.message(), log.string()));
  };
  VTA_RETURN_IF_ERROR(run("verilating", verilatorCommand(recipe)));
  VTA_RETURN_IF_ERROR(run("compiling", makeCommand(recipe)));
  VTA_RETURN_IF_ERROR(sealFile(directory / "model.so"));
  VTA_RETURN_IF_ERROR(moveTo(library, directory / "model.so"));
  std::error_code error;
  fs::remove(log, error);
  return {};
}

}  // namespace vta::sim
