#include "driver/gpu/try_interface.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/folders/file_cache.h"
#include "base/hash.h"
#include "base/process/worker_processes.h"
#include "driver/gpu/code_cache.h"

namespace vta::driver {
namespace {

namespace fs = std::filesystem;

/// The variables of the environment that begin with one of `prefixes`.
std::string chosenByEnvironment(std::span<const std::string> prefixes) {
  std::set<std::string> chosen;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool chooses = std::ranges::any_of(
        prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (chooses) chosen.insert(std::string(text));
  }
  std::string all;
  for (const std::string& text : chosen) all += text + "\n";
  return all;
}

/// The files of a folder, and when they were written. What cannot be read has none.
std::string filesIn(const fs::path& folder) {
  std::set<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto written = entry.last_write_time(error).time_since_epoch().count();
    files.insert(fmt::format("{} {}\n", entry.path().string(), written));
  }
  std::string all;
  for (const std::string& file : files) all += file;
  return all;
}

std::string surroundingsOf(const GpuInterface& interface) {
  LoaderInputs inputs;
  if (interface.loader_inputs != nullptr) inputs = interface.loader_inputs();
  inputs.variables.emplace_back("LD_");
  std::string key =
      fmt::format("list {}\n{}", interface.name, chosenByEnvironment(inputs.variables));
  for (const fs::path& folder : inputs.folders) key += filesIn(folder);
  return key;
}

/// Keys that were ok in this process.
class TriedKeys {
 public:
  bool contains(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return keys_.contains(key);
  }
  void add(const std::string& key) {
    const std::lock_guard lock(mutex_);
    keys_.insert(key);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> keys_;
};

WorkerAnswer askApart(const GpuInterface& interface, std::chrono::milliseconds timeout) {
  WorkerProcesses process(1, {.timeout = timeout});
  process.setBody([&interface](std::string_view) {
    (void)interface.list();
    return std::string();
  });
  WorkerAnswer answer;
  process.run(
      1, [](size_t) { return std::string(); },
      [&](size_t, WorkerAnswer got) { answer = std::move(got); });
  return answer;
}

}  // namespace

Status tryInterface(const GpuInterface& interface, std::chrono::milliseconds timeout) {
  static TriedKeys tried;
  const std::string key = surroundingsOf(interface);
  if (tried.contains(key)) return {};
  const FileCache files(gpuCodeFolder(), ".drivers");
  const std::string name = fmt::format("{:016x}", hashText(key));
  const auto known = files.find(name, key);
  if (!known.ok() || !known->has_value()) {
    const WorkerAnswer answer = askApart(interface, timeout);
    const bool is_broken =
        answer.end == WorkerAnswer::End::kDied || answer.end == WorkerAnswer::End::kTimedOut;
    if (is_broken) {
      return {StatusCode::kDeviceFault,
              fmt::format("a driver, or a layer that is loaded with it, {}: {}; update it, or take "
                          "it out of what is loaded",
                          answer.end == WorkerAnswer::End::kDied ? "crashes" : "does not answer",
                          answer.text)};
    }
    (void)files.add(name, key, std::as_bytes(std::span("1", 1)));  // else it is asked again
  }
  tried.add(key);
  return {};
}

}  // namespace vta::driver
