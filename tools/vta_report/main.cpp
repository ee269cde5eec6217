// vta-report: reports of vta-run side by side on one page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tools/common/command_line.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/output_paths.h"
#include "tools/common/print.h"
#include "tools/vta_report/report_page.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTool = "vta-report";
constexpr const char* kExamples = R"(
Examples:
  vta-run --sim model.onnx --hw default --report default.html
  vta-run --sim model.onnx --hw wide --report wide.html
  vta-report default.html wide.html --output both.html
      both runs on one page, compared with the first: totals, and each layer
  vta-report before=a.html after=b.html --output both.html
      with names of your own
  vta-report default.html --json
      the data behind the page

Exit codes: 0 done, 1 the work failed, 2 wrong usage.)";

struct Options {
  std::vector<std::string> reports;  // "NAME=FILE" or "FILE"
  std::string output;
  bool json = false;
};

/// Names the reports of a file: NAME of NAME=FILE, or the name that they have, or the file's.
Status nameReports(const std::string& argument, const std::string& path,
                   std::vector<Json>& reports) {
  const bool has_name = argument.size() > path.size();
  if (has_name && reports.size() > 1) {
    return invalidArgument(fmt::format(
        "'{}' has {} reports with names of their own; leave out NAME=", path, reports.size()));
  }
  for (Json& report : reports) {
    if (has_name) {
      report["label"] = argument.substr(0, argument.size() - path.size() - 1);
    } else if (!report.contains("label")) {
      report["label"] = std::filesystem::path(path).stem().string();
    }
  }
  return {};
}

Result<std::vector<Json>> readAll(const std::vector<std::string>& arguments) {
  std::vector<Json> all;
  for (const std::string& argument : arguments) {
    const std::string path = pathOf(argument);
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(path));
    auto reports =
        readReports(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    if (!reports.ok()) return reports.status().withContext(fmt::format("'{}'", path));
    VTA_RETURN_IF_ERROR(nameReports(argument, path, *reports));
    for (Json& report : *reports) all.push_back(std::move(report));
  }
  return all;
}

/// Names are what tells reports apart on the page.
Status checkLabels(const std::vector<Json>& reports) {
  std::set<std::string> seen;
  for (const Json& report : reports) {
    const std::string label = report["label"].is_string() ? report["label"].get<std::string>() : "";
    if (!seen.insert(label).second) {
      return invalidArgument(
          fmt::format("two reports are named '{}'; give them names: NAME=FILE", label));
    }
  }
  return {};
}

Status run(const Options& options) {
  PathUse use;
  for (const std::string& report : options.reports) {
    use.inputs.push_back({"report", pathOf(report)});
  }
  use.outputs.push_back({"--output", options.output});
  VTA_RETURN_IF_ERROR(checkPaths(use));
  VTA_ASSIGN_OR_RETURN(const std::vector<Json> reports, readAll(options.reports));
  VTA_RETURN_IF_ERROR(checkLabels(reports));
  if (options.json) {
    const Json data = {{"reports", reports}};
    printRaw(data.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  if (options.output.empty()) return {};
  return writeFile(options.output, reportPage(reports));
}

bool parseOptions(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app("Puts reports of vta-run --report on one page, to compare them.", kTool);
  app.footer(kExamples);
  app.add_option("reports", options.reports,
                 "Pages of vta-run --report; the others are measured against the first")
      ->type_name("[NAME=]FILE")
      ->required();
  app.add_option("--output,-o", options.output, "Write the page to this file")->type_name("FILE");
  app.add_flag("--json", options.json, "Print the reports' data as one JSON object");
  if (!parseCommandLine(app, kTool, argc, argv, exit_code)) return false;
  if (!options.output.empty() || options.json) return true;
  exit_code = reportUsage(kTool, "--output is required");
  return false;
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runTool<Options>(kTool, argc, argv, parseOptions, run);
}
