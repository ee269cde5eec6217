// vta_compile: the compiler is a process of its own, so that a program needs none of its libraries.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/runtime/handles.h"
#include "base/process/child.h"
#include "base/process/find_program.h"
#include "base/temporary_folder.h"

namespace {

using vta::Status;
using vta::StatusCode;
using vta::api::guarded;

constexpr std::string_view kTool = "vta-compile";
constexpr std::string_view kErrorMark = "error: ";
constexpr size_t kMostLineBytes = 1 << 16;

vta::Result<std::string> findTool() {
  if (const char* named = std::getenv("VTA_COMPILE")) return std::string(named);
  const std::filesystem::path found = vta::findProgram(kTool);
  if (!found.empty()) return found.string();
  return vta::notFound(
      "vta-compile is not on PATH; install the package vta-tools, or set VTA_COMPILE to its path");
}

/// Hands over each line that `file`, which does not block, has until the other side closes it.
void forEachLine(int file, const std::function<void(const std::string&)>& take) {
  std::string line;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count == 0) break;
    if (count < 0) {
      if (errno != EAGAIN && errno != EINTR) break;
      pollfd polled = {file, POLLIN, 0};
      poll(&polled, 1, -1);
      continue;
    }
    for (const char c : std::string_view(buffer, static_cast<size_t>(count))) {
      if (c == '\n') {
        take(line);
        line.clear();
      } else if (line.size() < kMostLineBytes) {
        line += c;
      }
    }
  }
  if (!line.empty()) take(line);
}

/// Why the compiler failed: the errors that it printed.
Status failure(const vta::ChildEnd& end, const std::vector<std::string>& errors) {
  constexpr int kWrongUsage = 2;
  if (errors.empty() || end.signal != 0) {
    return vta::internalError(fmt::format("{} ended with {}", kTool, end.text()));
  }
  std::string message;
  for (const std::string& error : errors) message += (message.empty() ? "" : "\n") + error;
  return {end.exit_code == kWrongUsage ? StatusCode::kInvalidArgument : StatusCode::kUnsupported,
          std::move(message)};
}

Status runCompiler(const std::vector<std::string>& command, const vta_compile_options& options) {
  VTA_ASSIGN_OR_RETURN(vta::Child child, vta::Child::start(command));
  std::vector<std::string> errors;
  forEachLine(child.output(), [&](const std::string& line) {
    const size_t mark = line.find(kErrorMark);
    if (mark != std::string::npos) errors.push_back(line.substr(mark + kErrorMark.size()));
    if (options.progress != nullptr) options.progress(line.c_str(), options.context);
  });
  const vta::ChildEnd end = child.wait();
  return end.ok() ? Status() : failure(end, errors);
}

Status compileTo(const char* model, const vta_compile_options& options, vta_module** module) {
  std::error_code error;
  if (!std::filesystem::exists(model, error)) {
    return vta::notFound(fmt::format("'{}' does not exist", model));
  }
  VTA_ASSIGN_OR_RETURN(const std::string tool, findTool());
  VTA_ASSIGN_OR_RETURN(const vta::TemporaryFolder folder, vta::TemporaryFolder::create("vta"));
  const std::string output =
      options.output != nullptr ? options.output : (folder.path() / "module.vta.so").string();
  // A name that begins with a dash is no option.
  const std::string file = std::filesystem::absolute(model, error).string();
  std::vector<std::string> command = {tool, file, "-o", output};
  command.insert(command.end(), options.arguments, options.arguments + options.argument_count);
  VTA_RETURN_IF_ERROR(runCompiler(command, options));
  if (module == nullptr) return {};
  const vta_status status = vta_module_load(output.c_str(), module);
  if (status == VTA_OK) return {};
  return {static_cast<StatusCode>(status), vta_error_message()};
}

}  // namespace

extern "C" {

void vta_compile_options_init(vta_compile_options* options) {
  *options = {sizeof(vta_compile_options), nullptr, 0, nullptr, nullptr, nullptr};
}

vta_status vta_compile(const char* model, const vta_compile_options* options, vta_module** module) {
  return guarded([&]() -> Status {
    const vta_compile_options used = vta::api::knownOptions(options, vta_compile_options_init);
    if (model == nullptr || (module == nullptr && used.output == nullptr)) {
      return vta::invalidArgument(
          "vta_compile needs a model, and a place for the module or a file for it");
    }
    if (used.argument_count > 0 && used.arguments == nullptr) {
      return vta::invalidArgument("vta_compile was told of arguments, and got none");
    }
    return compileTo(model, used, module);
  });
}

}  // extern "C"
