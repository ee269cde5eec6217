// vta-onnx-conformance: runs the ONNX project's operator cases on the CPU path, or on a GPU, and
// reports each.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "compiler/frontend/onnx/op_table.h"
#include "tests/onnx_conformance/case.h"
#include "tests/onnx_conformance/isolate.h"
#include "tools/common/command_line.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"

namespace vta::conformance {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Every count-th case, from the index-th on.
struct Part {
  size_t index = 0;
  size_t count = 1;
};

struct Options {
  fs::path cases = "/usr/share/libonnx-testdata/data";
  std::string filter = ".*";
  fs::path report;
  int jobs = 2;
  double limit_seconds = 60;
  int minimum = 0;
  Part part;
  bool quiet = false;
  std::string gpu;  // empty: the CPU
};

json toJson(const CaseResult& result) {
  return {{"outcome", outcomeName(result.outcome)},
          {"message", result.message},
          {"constant_inputs", result.constant_inputs},
          {"steps_on_gpu", result.steps_on_gpu},
          {"steps_on_cpu", result.steps_on_cpu},
          {"operators", result.operators},
          {"opset", result.opset}};
}

/// The supported opsets of every operator: {"Abs": [[6, 21]], ...}.
json operatorTable() {
  json table = json::object();
  for (const compiler::OpEntry& entry : compiler::allOps()) {
    table[std::string(entry.op_type)].push_back({entry.since_opset, entry.until_opset});
  }
  return table;
}

/// The names of other domains' operators: {"com.microsoft": ["Attention", ...], ...}.
json domainTable() {
  json table = json::object();
  for (const compiler::DomainOps& domain : compiler::otherDomains()) {
    std::set<std::string> names;
    for (const compiler::OpEntry& entry : domain.ops) names.emplace(entry.op_type);
    table[std::string(domain.domain)] = names;
  }
  return table;
}

/// A case's JSON, whatever became of its process.
json resultOf(const IsolatedResult& result) {
  if (result.end == End::kReturned) return json::parse(result.text);
  Outcome outcome = result.end == End::kHung ? Outcome::kHung : Outcome::kCrashed;
  CaseResult dead;
  dead.outcome = outcome;
  dead.message = result.text;
  return toJson(dead);
}

constexpr const char* kTool = "vta-onnx-conformance";

/// What is wrong with `text`; empty if nothing.
std::string isRegularExpression(const std::string& text) {
  try {
    const std::regex compiled(text);
    return {};
  } catch (const std::regex_error& error) {
    return fmt::format("'{}' is no regular expression: {}", text, error.what());
  }
}

std::string caseName(const Options& options, const fs::path& directory) {
  return fs::relative(directory, options.cases).string();
}

/// Cases that are neither passed nor refused are defects.
bool isDefect(const std::string& outcome) {
  return outcome != "pass" && outcome != "refused" && outcome != "skipped";
}

int run(const Options& options) {
  if (!fs::is_directory(options.cases)) {
    return tools::reportError(
        kTool, notFound(fmt::format("'{}' is not a folder; scripts/setup installs ONNX's cases, or "
                                    "name another with --cases",
                                    options.cases.string())));
  }
  std::vector<fs::path> directories;
  const std::regex filter(options.filter);
  size_t found_cases = 0;
  for (const fs::path& directory : findCases(options.cases)) {
    if (!std::regex_search(caseName(options, directory), filter)) continue;
    if (found_cases++ % options.part.count == options.part.index) directories.push_back(directory);
  }
  std::vector<std::function<std::string()>> tasks;
  for (const fs::path& directory : directories) {
    tasks.emplace_back([directory, gpu = options.gpu] {
      return toJson(runCase(directory, gpu)).dump(-1, ' ', false, json::error_handler_t::replace);
    });
  }
  json report = {
      {"operators", operatorTable()}, {"other_domains", domainTable()}, {"cases", json::object()}};
  std::map<std::string, int> counts;
  int defects = 0;
  runIsolated(tasks, options.jobs, options.limit_seconds,
              [&](size_t index, const IsolatedResult& result) {
                json found = resultOf(result);
                std::string name = caseName(options, directories[index]);
                auto outcome = found["outcome"].get<std::string>();
                bool is_defect = isDefect(outcome);
                ++counts[outcome];
                defects += is_defect ? 1 : 0;
                if (is_defect || (!options.quiet && outcome != "pass")) {
                  tools::print("{:8} {}: {}\n", outcome, name, found["message"].get<std::string>());
                }
                report["cases"][name] = std::move(found);
              });
  for (const auto& [outcome, count] : counts) tools::print("{}: {}\n", outcome, count);
  if (!options.report.empty()) {
    if (const Status status = tools::writeFile(options.report, report.dump(1) + "\n");
        !status.ok()) {
      return tools::reportError(kTool, status);
    }
  }
  if (counts["pass"] < options.minimum) {
    tools::print("fewer than {} cases pass\n", options.minimum);
    return 1;
  }
  return defects == 0 ? 0 : 1;
}

/// Reads "2/4" as the second of four parts; what is wrong with it, empty if nothing.
std::string readPart(const std::string& text, Part& part) {
  static const std::regex kForm("([1-9][0-9]{0,3})/([1-9][0-9]{0,3})");
  std::smatch match;
  if (!std::regex_match(text, match, kForm) || std::stoul(match[1]) > std::stoul(match[2])) {
    return fmt::format("'{}' is not K/N with K from 1 to N", text);
  }
  part = {std::stoul(match[1]) - 1, std::stoul(match[2])};
  return {};
}

int runMain(int argc, char** argv) {
  Options options;
  CLI::App app("Runs ONNX's operator cases (Debian's libonnx-testdata) on the CPU path");
  app.add_option("--cases", options.cases, "folder that holds the cases")->capture_default_str();
  app.add_option("--filter", options.filter, "regular expression that case names have to contain")
      ->check(isRegularExpression);
  app.add_option("--jobs", options.jobs, "cases run at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--limit", options.limit_seconds, "seconds for one case")->capture_default_str();
  app.add_option_function<std::string>(
         "--part", [](const std::string&) {}, "K/N: only every N-th case, from the K-th on")
      ->check([&](const std::string& text) { return readPart(text, options.part); });
  app.add_option("--gpu", options.gpu,
                 "compile with --partition=gpu and run on this GPU, by its name or number");
  app.add_option("--report", options.report, "JSON file for the result of every case");
  app.add_option("--minimum", options.minimum, "fail if fewer cases pass");
  app.add_flag("--quiet", options.quiet, "list only cases that show a defect");
  int exit_code = 0;
  if (!tools::parseCommandLine(app, kTool, argc, argv, exit_code)) {
    return exit_code;
  }
  return run(options);
}

}  // namespace
}  // namespace vta::conformance

int main(int argc, char** argv) {
  return vta::tools::runTool(vta::conformance::kTool, argc, argv, vta::conformance::runMain);
}
