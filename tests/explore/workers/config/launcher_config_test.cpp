#include "explore/workers/config/launcher_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"

namespace vta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LauncherConfig, OfSlurm) {
  const auto config = parseLauncherConfig(R"(
launcher: slurm
workers: 6
processes: 2
spool: /shared/spool
slurm:
  partition: boards
  time_limit: 2-12:00:00
  licenses: board:1,tools
  nodes: [n1, n2]
  options: [--account=me, --exclusive]
)",
                                          "a.yaml", LauncherKind::kSlurm);
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->workers, 6);
  EXPECT_EQ(config->processes, 2);
  EXPECT_EQ(config->attempts, 3);
  EXPECT_EQ(config->slurm.time_limit, "2-12:00:00");
  EXPECT_THAT(config->slurm.nodes, ElementsAre("n1", "n2"));
}

TEST(LauncherConfig, TheFilesOfTheManualAreLegal) {
  const std::string page = *readTextFile(VTA_SOURCE_DIR "/docs/launchers.md");
  int files = 0;
  for (size_t at = 0; (at = page.find("```yaml\n", at)) != std::string::npos; ++files) {
    at += 8;
    const std::string text = page.substr(at, page.find("```", at) - at);
    const std::string_view key = "launcher: ";
    const size_t name = text.find(key) + key.size();
    const auto kind = launcherKind(text.substr(name, text.find('\n', name) - name));
    ASSERT_TRUE(kind.ok()) << text;
    const auto config = parseLauncherConfig(text, "launchers.md", *kind);
    EXPECT_TRUE(config.ok()) << config.status().message();
  }
  EXPECT_EQ(files, 3);
}

TEST(LauncherConfig, WithoutAFile) {
  EXPECT_TRUE(defaultLauncherConfig(LauncherKind::kLocal).ok());
  EXPECT_TRUE(defaultLauncherConfig(LauncherKind::kSlurm).ok());
  EXPECT_THAT(defaultLauncherConfig(LauncherKind::kSsh).status().message(), HasSubstr("hosts"));
  EXPECT_THAT(defaultLauncherConfig(LauncherKind::kCommand).status().message(), HasSubstr("file"));
}

TEST(LauncherConfig, AnUnknownLauncher) {
  EXPECT_THAT(launcherKind("slrum").status().message(),
              HasSubstr("legal: local, slurm, ssh, command"));
}

struct Mistake {
  const char* name;
  LauncherKind kind;
  const char* text;
  const char* says;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.text; }

class LauncherConfigMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(LauncherConfigMistake, IsNamedWithItsPlace) {
  const auto config = parseLauncherConfig(GetParam().text, "a.yaml", GetParam().kind);
  EXPECT_THAT(config.status().message(), HasSubstr(GetParam().says));
}

constexpr auto kLocal = LauncherKind::kLocal;
constexpr auto kSlurm = LauncherKind::kSlurm;
constexpr auto kSsh = LauncherKind::kSsh;
constexpr auto kCommand = LauncherKind::kCommand;

INSTANTIATE_TEST_SUITE_P(
    All, LauncherConfigMistake,
    ::testing::Values(
        Mistake{"NoMap", kSlurm, "- a\n", "a.yaml:1:1"},
        Mistake{"NoWorkers", kSlurm, "workers: 0\n", "a.yaml:1:10: workers is 0; legal: 1 to 1024"},
        Mistake{"NoNumber", kSlurm, "workers: many\n", "integer"},
        Mistake{"UnknownKey", kSlurm, "\nworker: 2\n", "a.yaml:2:1: unknown key worker"},
        Mistake{"OtherLauncher", kSlurm, "launcher: ssh\n", "for the launcher ssh, not for slurm"},
        Mistake{"LostTooSoon", kSlurm, "lost_after_seconds: 1\n", "legal: 5 to 3600"},
        Mistake{"SlurmNoMap", kSlurm, "slurm: 3\n", "must be a map"},
        Mistake{"SlurmPartition", kSlurm, "slurm:\n  partition: \"a b\"\n",
                "a.yaml:2:14: partition"},
        Mistake{"SlurmTimeLimit", kSlurm, "slurm:\n  time_limit: soon\n", "minutes"},
        Mistake{"SlurmLicenses", kSlurm, "slurm:\n  licenses: \"board:x\"\n", "NAME:COUNT"},
        Mistake{"SlurmNodes", kSlurm, "slurm:\n  nodes: []\n", "at least one"},
        Mistake{"SlurmShortOption", kSlurm, "slurm:\n  options: [-p work]\n", "long options"},
        Mistake{"SlurmOptionOfOurs", kSlurm, "slurm:\n  options: [--array=1]\n",
                "sets --array itself"},
        Mistake{"SlurmUnknownKey", kSlurm, "slurm:\n  partion: a\n",
                "a.yaml:2:3: unknown key partion"},
        Mistake{"LocalUnknownKey", kLocal, "processes: 2\n", "unknown key processes"},
        Mistake{"SshMissing", kSsh, "workers: 1\n", "key ssh is missing"},
        Mistake{"SshNoHosts", kSsh, "ssh: {}\n", "key hosts is missing"},
        Mistake{"SshHostIsOption", kSsh, "ssh:\n  hosts: [\"-oProxyCommand=x\"]\n",
                "a host's name"},
        Mistake{"SshPlaceholder", kSsh, "ssh:\n  hosts: [a]\n  command: ssh {hots} {command}\n",
                "a.yaml:3:12: command: unknown placeholder {hots}"},
        Mistake{"SshUnknownKey", kSsh, "ssh:\n  hosts: [a]\nspool: /x\n", "unknown key spool"},
        Mistake{"CommandNoStatus", kCommand, "command:\n  submit: run {command}\n",
                "key status is missing"},
        Mistake{"CommandNoPlaceholder", kCommand, "command:\n  submit: run\n",
                "{command} is missing"},
        Mistake{"CommandNoRunning", kCommand,
                "command: {submit: 'r {command}', status: 's {job}', cancel: 'c {job}'}\n",
                "key running is missing"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::launcher
