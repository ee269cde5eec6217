#include "launcher/config/launcher_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"

namespace vta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problemOf(std::string_view text, LauncherKind kind) {
  return parseLauncherConfig(text, "a.yaml", kind).status().message();
}

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

TEST(LauncherConfig, MistakesAreNamedWithTheirPlace) {
  const auto slurm = LauncherKind::kSlurm;
  EXPECT_THAT(problemOf("- a\n", slurm), HasSubstr("a.yaml:1:1"));
  EXPECT_THAT(problemOf("workers: 0\n", slurm),
              HasSubstr("a.yaml:1:10: workers is 0; legal: 1 to 1024"));
  EXPECT_THAT(problemOf("workers: many\n", slurm), HasSubstr("integer"));
  EXPECT_THAT(problemOf("\nworker: 2\n", slurm), HasSubstr("a.yaml:2:1: unknown key worker"));
  EXPECT_THAT(problemOf("launcher: ssh\n", slurm),
              HasSubstr("for the launcher ssh, not for slurm"));
  EXPECT_THAT(problemOf("lost_after_seconds: 1\n", slurm), HasSubstr("legal: 5 to 3600"));
  EXPECT_THAT(problemOf("slurm: 3\n", slurm), HasSubstr("must be a map"));
  EXPECT_THAT(problemOf("slurm:\n  partition: \"a b\"\n", slurm),
              HasSubstr("a.yaml:2:14: partition"));
  EXPECT_THAT(problemOf("slurm:\n  time_limit: soon\n", slurm), HasSubstr("minutes"));
  EXPECT_THAT(problemOf("slurm:\n  licenses: \"board:x\"\n", slurm), HasSubstr("NAME:COUNT"));
  EXPECT_THAT(problemOf("slurm:\n  nodes: []\n", slurm), HasSubstr("at least one"));
  EXPECT_THAT(problemOf("slurm:\n  options: [-p work]\n", slurm), HasSubstr("long options"));
  EXPECT_THAT(problemOf("slurm:\n  options: [--array=1]\n", slurm),
              HasSubstr("sets --array itself"));
  EXPECT_THAT(problemOf("slurm:\n  partion: a\n", slurm),
              HasSubstr("a.yaml:2:3: unknown key partion"));
  EXPECT_THAT(problemOf("processes: 2\n", LauncherKind::kLocal),
              HasSubstr("unknown key processes"));
}

TEST(LauncherConfig, MistakesInHostsAndCommands) {
  const auto ssh = LauncherKind::kSsh;
  EXPECT_THAT(problemOf("workers: 1\n", ssh), HasSubstr("key ssh is missing"));
  EXPECT_THAT(problemOf("ssh: {}\n", ssh), HasSubstr("key hosts is missing"));
  EXPECT_THAT(problemOf("ssh:\n  hosts: [\"-oProxyCommand=x\"]\n", ssh),
              HasSubstr("a host's name"));
  EXPECT_THAT(problemOf("ssh:\n  hosts: [a]\n  command: ssh {hots} {command}\n", ssh),
              HasSubstr("a.yaml:3:12: command: unknown placeholder {hots}"));
  EXPECT_THAT(problemOf("ssh:\n  hosts: [a]\nspool: /x\n", ssh), HasSubstr("unknown key spool"));
  const auto command = LauncherKind::kCommand;
  EXPECT_THAT(problemOf("command:\n  submit: run {command}\n", command),
              HasSubstr("key status is missing"));
  EXPECT_THAT(problemOf("command:\n  submit: run\n", command), HasSubstr("{command} is missing"));
  EXPECT_THAT(problemOf("command: {submit: 'r {command}', status: 's {job}', cancel: 'c {job}'}\n",
                        command),
              HasSubstr("key running is missing"));
}

}  // namespace
}  // namespace vta::launcher
