#include "driver/remote/server/tokens.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "driver/remote/protocol/host_port.h"

namespace vta::remote {
namespace {

using testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef0123";

class TokensTest : public testing::Test {
 protected:
  TokensTest() : path_(testing::TempDir() + "/vta-tokens-test") { std::filesystem::remove(path_); }
  ~TokensTest() override { std::filesystem::remove(path_); }

  Result<TokenTable> load(const std::string& text, int mode = 0600) {
    std::ofstream(path_) << text;
    std::filesystem::permissions(path_, static_cast<std::filesystem::perms>(mode));
    return TokenTable::load(path_);
  }

  std::string path_;
};

TEST_F(TokensTest, FindsClients) {
  const auto table =
      load(std::string("# clients\nann ") + kToken + "\n\nbob " + kToken + "4 # his\n");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->clientOf(kToken), "ann");
  EXPECT_EQ(table->clientOf(std::string(kToken) + "4"), "bob");
  EXPECT_EQ(table->clientOf(std::string(kToken) + "5"), "");
  EXPECT_EQ(table->clientOf(""), "");
}

TEST_F(TokensTest, FilesThatOthersMayReadAreRefused) {
  for (const int mode : {0640, 0604, 0644, 0660}) {
    const auto table = load(std::string("ann ") + kToken, mode);
    ASSERT_FALSE(table.ok());
    EXPECT_THAT(table.status().message(), HasSubstr("chmod 600"));
  }
}

TEST_F(TokensTest, BadLinesAreNamedWithTheirRemedy) {
  const std::string good = std::string("ann ") + kToken + "\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "has no tokens"},
      {"ann\n", ":1: a line is NAME TOKEN"},
      {good + "bob x y\n", ":2: a line is NAME TOKEN"},
      {"ann short\n", "at least 16"},
      {good + "ann " + kToken + "1\n", "earlier line"},
      {good + "bob " + kToken + "\n", "earlier line"},
      {std::string(65, 'n') + " " + kToken, "1 to 64 plain characters"}};
  for (const auto& [text, message] : cases) {
    const auto table = load(text);
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_THAT(table.status().message(), HasSubstr(message));
  }
  EXPECT_EQ(TokenTable::load(path_ + ".none").status().code(), StatusCode::kNotFound);
}

TEST(HostPortTest, ReadsWhatItWrites) {
  for (const char* const text : {"127.0.0.1:80", "[::1]:7420", "board.local:65535"}) {
    const auto address = parseHostPort(text);
    ASSERT_TRUE(address.ok()) << address.status().message();
    EXPECT_EQ(address->text(), text);
  }
}

TEST(HostPortTest, OtherFormsAreRefused) {
  for (const char* const text : {"", "host", "host:", ":80", "host:65536", "host:-1", "::1:80",
                                 "host:80x", "a b:80", "http://host:80", "[]:80"}) {
    EXPECT_FALSE(parseHostPort(text).ok()) << text;
  }
}

TEST(HostPortTest, KnowsTheLoopback) {
  EXPECT_TRUE(parseHostPort("localhost:1")->isLoopback());
  EXPECT_TRUE(parseHostPort("127.8.0.1:1")->isLoopback());
  EXPECT_TRUE(parseHostPort("[::1]:1")->isLoopback());
  EXPECT_FALSE(parseHostPort("0.0.0.0:1")->isLoopback());
  EXPECT_FALSE(parseHostPort("10.0.0.1:1")->isLoopback());
}

}  // namespace
}  // namespace vta::remote
