#include "tools/vta_tune/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace vta::tools {
namespace {

constexpr const char* kModel = "model";

/// The options of searches, which are the only ones that a database may set.
const std::set<std::string>& searchNames() {
  static const std::set<std::string> names = [] {
    CLI::App app;
    SearchOptions ignored;
    addSearchOptions(app, ignored);
    std::set<std::string> found;
    for (const CLI::Option* option : app.get_options()) {
      if (option != app.get_help_ptr()) found.insert(option->get_name());
    }
    return found;
  }();
  return names;
}

// What is tuned does not depend on these: the interrupted command may have had others.
constexpr const char* kFree[] = {"--resume", "--db",   "--db-wait", "--workers",
                                 "--json",   "--best", "--export",  "--watch"};
// These are no search that could go on.
constexpr const char* kOtherWork[] = {"--compare", "--seeds",  "--html",  "--serve-candidates",
                                      "--show",    "--import", "--worker"};

bool isFree(const std::string& name) { return std::ranges::find(kFree, name) != std::end(kFree); }

/// As a POSIX shell reads it.
std::string quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:@%+-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// What a run was begun with.
struct RecordedCommand {
  SearchOptions search;
  GivenOptions given;
};

/// Nothing but the options are read: no file that they name is opened.
Result<RecordedCommand> readCommand(const std::vector<std::string>& arguments) {
  CLI::App app;
  TuneToolOptions options;
  std::vector<std::string> dimensions;
  addTuneOptions(app, options, dimensions);
  try {  // CLI11 reports everything by exceptions
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Error& error) {
    return invalidArgument(fmt::format(
        "the interrupted run has a command that this version does not take: {}", error.what()));
  }
  return RecordedCommand{options, givenOptions(app)};
}

/// "--hw was a.yaml, now not given"; empty: none.
std::string differences(const GivenOptions& recorded, const GivenOptions& now) {
  const auto describe = [](const GivenOptions& options, const std::string& name) {
    const auto found = options.find(name);
    if (found == options.end()) return std::string("not given");
    return found->second.empty() ? "given" : fmt::format("{}", fmt::join(found->second, " "));
  };
  std::set<std::string> names;
  for (const auto& [name, values] : recorded) names.insert(name);
  for (const auto& [name, values] : now) names.insert(name);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (isFree(name) || searchNames().contains(name)) continue;
    const auto before = recorded.find(name);
    const auto after = now.find(name);
    const bool is_same = before != recorded.end() && after != now.end() && *before == *after;
    if (is_same) continue;
    found.push_back(
        fmt::format("{} was {}, now {}", name, describe(recorded, name), describe(now, name)));
  }
  return fmt::format("{}", fmt::join(found, "; "));
}

Result<tune::RunRecord> interruptedRun(const std::string& file) {
  VTA_ASSIGN_OR_RETURN(const tune::Database database,
                       tune::Database::open(file, tune::Database::Access::kRead));
  VTA_ASSIGN_OR_RETURN(auto run, database.openRun());
  if (run) return *std::move(run);
  return notFound(
      fmt::format("'{}' has no interrupted run: each one that it knows is finished. 'vta-tune "
                  "MODEL --db {}' begins one, --show lists the trials",
                  file, file));
}

}  // namespace

GivenOptions givenOptions(const CLI::App& app) {
  GivenOptions given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    given[option->get_name()] = is_flag ? std::vector<std::string>() : option->results();
  }
  return given;
}

std::string resumeCommand(const GivenOptions& given) {
  std::string command = kTuneTool;
  if (const auto model = given.find(kModel); model != given.end()) {
    for (const std::string& value : model->second) command += fmt::format(" {}", quoted(value));
  }
  command += " --resume";
  for (const auto& [name, values] : given) {
    const bool is_repeated = !isFree(name) || name == "--db" || name == "--db-wait";
    if (name == kModel || !is_repeated || searchNames().contains(name)) continue;
    if (values.empty()) command += " " + name;
    for (const std::string& value : values) command += fmt::format(" {} {}", name, quoted(value));
  }
  return command;
}

std::string checkResume(const GivenOptions& given) {
  for (const auto& [name, values] : given) {
    if (searchNames().contains(name)) {
      return fmt::format("--resume takes the options of the search from the database: leave out {}",
                         name);
    }
    if (std::ranges::find(kOtherWork, name) != std::end(kOtherWork)) {
      return fmt::format("--resume goes on with a search, which {} is not: leave one of them out",
                         name);
    }
  }
  return "";
}

Status resumeRun(const GivenOptions& given, TuneToolOptions& options) {
  VTA_ASSIGN_OR_RETURN(tune::RunRecord run, interruptedRun(options.database));
  VTA_ASSIGN_OR_RETURN(const RecordedCommand recorded, readCommand(run.arguments));
  const std::string different = differences(recorded.given, given);
  if (!different.empty()) {
    GivenOptions command = recorded.given;
    command["--db"] = {options.database};
    return invalidArgument(fmt::format(
        "a database gives --resume the options of its search alone, because it may be anybody's. "
        "The rest has to be given as the run was begun, and differs: {}. It was begun in the "
        "folder '{}'. If that is what you want, go on by\n  {}",
        different, run.folder, resumeCommand(command)));
  }
  static_cast<SearchOptions&>(options) = recorded.search;
  options.resumed = std::move(run);
  return {};
}

}  // namespace vta::tools
