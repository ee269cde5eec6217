#include "explore/workers/config/launcher_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <regex>

#include "base/closest_name.h"
#include "base/files.h"
#include "base/yaml_section.h"

namespace vta::launcher {
namespace {

constexpr std::array<std::pair<std::string_view, LauncherKind>, 4> kNames = {
    {{"local", LauncherKind::kLocal},
     {"slurm", LauncherKind::kSlurm},
     {"ssh", LauncherKind::kSsh},
     {"command", LauncherKind::kCommand}}};

// BatchMode: a question for a password would wait for ever. The other two find a dead network.
constexpr const char* kSshCommand =
    "ssh -o BatchMode=yes -o ServerAliveInterval=5 -o ServerAliveCountMax=3 {host} {command}";

/// What a text has to look like, and how a person says that.
struct TextRule {
  const char* pattern;
  const char* legal;
};
constexpr TextRule kName = {"[A-Za-z0-9_.,@-]+", "letters, digits and _ . , @ -"};
constexpr TextRule kTime = {R"((\d+-)?\d+(:\d+){0,2})",
                            "minutes, minutes:seconds, hours:minutes:seconds, or days-hours"};
constexpr TextRule kLicenses = {R"([A-Za-z0-9_.@-]+(:\d+)?(,[A-Za-z0-9_.@-]+(:\d+)?)*)",
                                "NAME:COUNT, more of them after commas"};
constexpr TextRule kHost = {R"([A-Za-z0-9_.\[\]:@][A-Za-z0-9_.\[\]:@-]*)",
                            "a host's name or address, USER@ may stand before it"};
constexpr TextRule kWord = {R"(\S+)", "a word without spaces"};
constexpr TextRule kSbatchOption = {R"(--[a-z][a-z-]*(=.*)?)",
                                    "long options, such as --account=NAME"};
// These are the launcher's own business.
constexpr const char* kOwnOptions[] = {"--array", "--requeue",  "--no-requeue", "--output",
                                       "--error", "--parsable", "--wait",       "--wrap"};

Result<std::string> checkedText(const YamlSection& section, const YAML::Node& node,
                                std::string_view key, const TextRule& rule) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  if (std::regex_match(text, std::regex(rule.pattern))) return text;
  return invalidArgument(
      fmt::format("{}: {} is \"{}\"; legal: {}", section.place(node), key, text, rule.legal));
}

Status readText(YamlSection& section, std::string_view key, const TextRule& rule,
                std::string& value) {
  section.expect(key);
  if (!section.has(key)) return {};
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, section.node(key));
  VTA_ASSIGN_OR_RETURN(value, checkedText(section, node, key, rule));
  return {};
}

Status readList(YamlSection& section, std::string_view key, const TextRule& rule,
                std::vector<std::string>& values) {
  section.expect(key);
  if (!section.has(key)) return {};
  VTA_ASSIGN_OR_RETURN(const YAML::Node list, section.node(key));
  if (!list.IsSequence() || list.size() == 0) {
    return invalidArgument(
        fmt::format("{}: {} must be a list with at least one entry", section.place(list), key));
  }
  for (const YAML::Node& entry : list) {
    VTA_ASSIGN_OR_RETURN(std::string text, checkedText(section, entry, key, rule));
    values.push_back(std::move(text));
  }
  return {};
}

Status readInteger(YamlSection& section, std::string_view key, int least, int most, int& value) {
  section.expect(key);
  if (!section.has(key)) return {};
  VTA_ASSIGN_OR_RETURN(value, section.integer(key));
  if (value >= least && value <= most) return {};
  return invalidArgument(
      fmt::format("{}: {} is {}; legal: {} to {}", section.placeOf(key), key, value, least, most));
}

Status readSeconds(YamlSection& section, std::string_view key, int least, int most,
                   std::chrono::seconds& value) {
  int seconds = static_cast<int>(value.count());
  VTA_RETURN_IF_ERROR(readInteger(section, key, least, most, seconds));
  value = std::chrono::seconds(seconds);
  return {};
}

Status readTemplate(YamlSection& section, std::string_view key,
                    std::span<const std::string_view> legal,
                    std::span<const std::string_view> required, CommandTemplate& value) {
  VTA_ASSIGN_OR_RETURN(const std::string text, section.text(key));
  const auto parsed = CommandTemplate::parse(text, legal, required);
  if (!parsed.ok()) {
    return parsed.status().withContext(fmt::format("{}: {}", section.placeOf(key), key));
  }
  value = *parsed;
  return {};
}

constexpr std::string_view kOfSsh[] = {"host", "command"};
constexpr std::string_view kOfSubmit[] = {"command", "name", "log"};
constexpr std::string_view kOfJob[] = {"job"};
constexpr std::string_view kRequiredOfSubmit[] = {"command"};

Status readSlurm(YamlSection& section, SlurmConfig& slurm) {
  VTA_RETURN_IF_ERROR(readText(section, "partition", kName, slurm.partition));
  VTA_RETURN_IF_ERROR(readText(section, "time_limit", kTime, slurm.time_limit));
  VTA_RETURN_IF_ERROR(readText(section, "licenses", kLicenses, slurm.licenses));
  VTA_RETURN_IF_ERROR(readList(section, "nodes", kName, slurm.nodes));
  VTA_RETURN_IF_ERROR(readInteger(section, "memory_mb", 1, 1 << 30, slurm.memory_mb));
  VTA_RETURN_IF_ERROR(readList(section, "options", kSbatchOption, slurm.options));
  for (const std::string& option : slurm.options) {
    for (const std::string_view own : kOwnOptions) {
      if (option.substr(0, option.find('=')) != own) continue;
      return invalidArgument(
          fmt::format("{}: the launcher sets {} itself", section.placeOf("options"), own));
    }
  }
  return {};
}

Status readSsh(YamlSection& section, SshConfig& ssh) {
  VTA_RETURN_IF_ERROR(section.node("hosts").status());
  VTA_RETURN_IF_ERROR(readList(section, "hosts", kHost, ssh.hosts));
  section.expect("command");
  if (!section.has("command")) return {};
  return readTemplate(section, "command", kOfSsh, kOfSsh, ssh.command);
}

Status readCommand(YamlSection& section, CommandConfig& command) {
  for (const char* key : {"submit", "status", "cancel", "pending", "running"}) section.expect(key);
  VTA_RETURN_IF_ERROR(
      readTemplate(section, "submit", kOfSubmit, kRequiredOfSubmit, command.submit));
  VTA_RETURN_IF_ERROR(readTemplate(section, "status", kOfJob, kOfJob, command.status));
  VTA_RETURN_IF_ERROR(readTemplate(section, "cancel", kOfJob, kOfJob, command.cancel));
  VTA_RETURN_IF_ERROR(readList(section, "pending", kWord, command.pending));
  VTA_RETURN_IF_ERROR(section.node("running").status());
  return readList(section, "running", kWord, command.running);
}

/// The map of what one launcher alone has, at the key with its name. Null: it is not there.
Result<YAML::Node> ownMap(YamlSection& section, LauncherKind kind) {
  const std::string_view name = launcherName(kind);
  section.expect(name);
  if (!section.has(name)) return YAML::Node();
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, section.node(name));
  if (node.IsMap()) return node;
  return invalidArgument(fmt::format("{}: {} must be a map", section.place(node), name));
}

Status readOwn(YamlSection& section, LauncherConfig& config) {
  if (config.kind == LauncherKind::kLocal) return {};
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, ownMap(section, config.kind));
  if (node.IsNull()) {
    if (config.kind == LauncherKind::kSlurm) return {};
    return invalidArgument(
        fmt::format("{}: key {} is missing", section.place(), launcherName(config.kind)));
  }
  YamlSection own(node, section.source());
  const auto read = [&]() -> Status {
    if (config.kind == LauncherKind::kSlurm) return readSlurm(own, config.slurm);
    if (config.kind == LauncherKind::kSsh) return readSsh(own, config.ssh);
    return readCommand(own, config.command);
  };
  Status status = read();
  // A misspelt key is reported as such, not as a missing one.
  if (Status known = own.checkAllKnown(); !known.ok()) return known;
  return status;
}

Status readShared(YamlSection& section, LauncherConfig& config) {
  std::string name(launcherName(config.kind));
  VTA_RETURN_IF_ERROR(readText(section, "launcher", kWord, name));
  VTA_ASSIGN_OR_RETURN(const LauncherKind said, launcherKind(name));
  if (said != config.kind) {
    return invalidArgument(fmt::format("{}: this file is for the launcher {}, not for {}",
                                       section.placeOf("launcher"), name,
                                       launcherName(config.kind)));
  }
  VTA_RETURN_IF_ERROR(readInteger(section, "workers", 1, 1024, config.workers));
  if (config.kind == LauncherKind::kLocal) return {};
  VTA_RETURN_IF_ERROR(readInteger(section, "processes", 1, 1024, config.processes));
  VTA_RETURN_IF_ERROR(readInteger(section, "batch", 1, 100'000, config.batch));
  VTA_RETURN_IF_ERROR(readInteger(section, "attempts", 1, 100, config.attempts));
  VTA_RETURN_IF_ERROR(readSeconds(section, "lost_after_seconds", 5, 3600, config.lost_after));
  VTA_RETURN_IF_ERROR(
      readSeconds(section, "start_within_seconds", 1, 604'800, config.start_within));
  section.expect("program");
  if (section.has("program")) {
    VTA_ASSIGN_OR_RETURN(config.program, section.text("program"));
  }
  if (config.kind == LauncherKind::kSsh) return {};
  section.expect("spool");
  if (section.has("spool")) {
    VTA_ASSIGN_OR_RETURN(const std::string spool, section.text("spool"));
    config.spool = spool;
  }
  return {};
}

LauncherConfig emptyConfig(LauncherKind kind) {
  LauncherConfig config;
  config.kind = kind;
  if (kind != LauncherKind::kLocal) config.workers = 2;
  config.ssh.command = *CommandTemplate::parse(kSshCommand, kOfSsh, kOfSsh);
  return config;
}

}  // namespace

std::vector<std::string> launcherNames() {
  return namesOf(kNames, &std::pair<std::string_view, LauncherKind>::first);
}

std::string_view launcherName(LauncherKind kind) {
  for (const auto& [name, its_kind] : kNames) {
    if (its_kind == kind) return name;
  }
  return "";
}

Result<LauncherKind> launcherKind(std::string_view name) {
  for (const auto& [its_name, kind] : kNames) {
    if (its_name == name) return kind;
  }
  return invalidArgument(fmt::format("unknown launcher '{}'; legal: {}{}", name,
                                     fmt::join(launcherNames(), ", "),
                                     suggestion(name, launcherNames())));
}

Result<LauncherConfig> defaultLauncherConfig(LauncherKind kind) {
  if (kind == LauncherKind::kSsh) {
    return invalidArgument("the launcher ssh needs a file that names its hosts");
  }
  if (kind == LauncherKind::kCommand) {
    return invalidArgument("the launcher command needs a file with its commands");
  }
  return emptyConfig(kind);
}

Result<LauncherConfig> parseLauncherConfig(std::string_view text, std::string_view source,
                                           LauncherKind kind) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(text, source));
  if (!root.IsMap()) {
    return invalidArgument(fmt::format("{}:1:1: a launcher's file is a map of keys", source));
  }
  YamlSection section(root, std::string(source));
  LauncherConfig config = emptyConfig(kind);
  Status status = readShared(section, config);
  if (status.ok()) status = readOwn(section, config);
  if (!status.ok()) return status;
  VTA_RETURN_IF_ERROR(section.checkAllKnown());
  return config;
}

Result<LauncherConfig> loadLauncherConfig(const std::filesystem::path& file, LauncherKind kind) {
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(file));
  return parseLauncherConfig(text, file.string(), kind);
}

}  // namespace vta::launcher
