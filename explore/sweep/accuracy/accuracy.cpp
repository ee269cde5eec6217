#include "explore/sweep/accuracy/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/files.h"
#include "base/hash.h"

namespace vta::sweep {
namespace {

using AccuracyJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// The regular files of a folder in a fixed order; a file itself.
Result<std::vector<fs::path>> filesOf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    std::error_code broken_link;
    if (it->is_regular_file(broken_link)) files.push_back(it->path());
  }
  if (error) return ioError(fmt::format("cannot read '{}': {}", path.string(), error.message()));
  std::ranges::sort(files);
  return files;
}

Result<std::string> hashOfFiles(const fs::path& path) {
  VTA_ASSIGN_OR_RETURN(const std::vector<fs::path> files, filesOf(path));
  std::string text;
  for (const fs::path& file : files) {
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(file));
    text +=
        fmt::format("{} {} {:016x}\n", file.filename().string(), bytes.size(), hashBytes(bytes));
  }
  return text;
}

/// "NAME=PATH" has both.
Result<std::string> hashOfArguments(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    const fs::path path = pathOfSamples(argument);
    VTA_ASSIGN_OR_RETURN(const std::string files, hashOfFiles(path));
    text += argument.substr(0, argument.size() - path.string().size()) + "\n" + files;
  }
  return text;
}

}  // namespace

std::string encodeAccuracy(const Accuracy& a) {
  return AccuracyJson{a.samples, a.agreed, a.labelled, a.correct, a.float_correct}.dump();
}

Result<Accuracy> decodeAccuracy(std::string_view text) {
  const AccuracyJson json = AccuracyJson::parse(text, nullptr, false);
  const bool is_legal = json.is_array() && json.size() == 5 &&
                        std::ranges::all_of(json, [](const auto& n) { return n.is_number(); });
  if (!is_legal) return invalidArgument("this is no accuracy of a network");
  return Accuracy{json[0], json[1], json[2], json[3], json[4]};
}

Result<std::string> hashOfData(const AccuracyData& data) {
  VTA_ASSIGN_OR_RETURN(std::string text, hashOfArguments(data.samples));
  VTA_ASSIGN_OR_RETURN(const std::string calibration, hashOfArguments(data.calibrate));
  text += "calibrate\n" + calibration + "preprocess\n";
  std::error_code code;
  if (fs::is_regular_file(data.preprocess, code)) {
    VTA_ASSIGN_OR_RETURN(const std::string preprocess, hashOfFiles(data.preprocess));
    text += preprocess;
  } else {
    text += data.preprocess;
  }
  if (!data.labels.empty()) {
    VTA_ASSIGN_OR_RETURN(const std::string labels, hashOfFiles(data.labels));
    text += "\nlabels\n" + labels;
  }
  return fmt::format("{:016x}{:016x}", hashText(text), hashText(text + "second"));
}

}  // namespace vta::sweep
