#include "api/ort/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>

#include "base/closest_name.h"

namespace vta::ort {
namespace {

/// In front of the provider's options; ONNX Runtime writes the provider's name in small letters.
constexpr std::string_view kPrefix = "ep.vtaexecutionprovider.";

struct Row {
  std::string_view name;
  std::function<void(Options&, const std::string&)> take;
};

int64_t wholeNumber(std::string_view name, const std::string& text) {
  int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && *rest == '\0' && !text.empty() && number >= 0 &&
      number <= std::numeric_limits<int32_t>::max()) {
    return number;
  }
  throw api::Error(VTA_INVALID_ARGUMENT,
                   fmt::format("option {} is '{}'; give a whole number of at least 0", name, text));
}

/// An option of vta-compile of the same name.
Row forward(std::string_view name) {
  return {name, [name](Options& options, const std::string& value) {
            options.arguments.insert(options.arguments.end(), {fmt::format("--{}", name), value});
            options.has_partition |= name == "partition";
          }};
}

Row calibration(std::string_view name) {
  return {
      name, [name](Options& options, const std::string& value) {
        options.calibration.insert(options.calibration.end(), {fmt::format("--{}", name), value});
      }};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      forward("hw"),
      forward("partition"),
      forward("dram"),
      forward("tuned"),
      forward("schedules"),
      calibration("calibrate"),
      calibration("preprocess"),
      {"device", [](Options& options, const std::string& value) { options.device = value; }},
      {"gpu", [](Options& options, const std::string& value) { options.session.gpu = value; }},
      {"threads",
       [](Options& options, const std::string& value) {
         options.session.num_threads = static_cast<int>(wholeNumber("threads", value));
       }},
      {"timeout_seconds",
       [](Options& options, const std::string& value) {
         options.session.timeout = std::chrono::seconds(wholeNumber("timeout_seconds", value));
       }},
  };
  return kRows;
}

void take(Options& options, std::string_view name, const std::string& value) {
  const auto row = std::ranges::find(rows(), name, &Row::name);
  if (row != rows().end()) return row->take(options, value);
  const std::vector<std::string> names = namesOf(rows(), &Row::name);
  throw api::Error(VTA_INVALID_ARGUMENT,
                   fmt::format("there is no option '{}'{}; there are {}", name,
                               suggestion(name, names), fmt::join(names, ", ")));
}

std::string valueOf(const Entries& entries, std::string_view key) {
  const auto found = entries.find(key);
  return found == entries.end() ? "" : found->second;
}

}  // namespace

Options readOptions(const Entries& entries) {
  Options options;
  for (const auto& [key, value] : entries) {
    if (key.starts_with(kPrefix))
      take(options, std::string_view(key).substr(kPrefix.size()), value);
  }
  options.context = {valueOf(entries, "ep.context_enable") == "1",
                     valueOf(entries, "ep.context_embed_mode") == "1",
                     valueOf(entries, "ep.context_file_path"),
                     valueOf(entries, "ep.context_node_name_prefix")};
  return options;
}

}  // namespace vta::ort
