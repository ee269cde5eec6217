// Modules that run on a server over the loopback.
#include "driver/remote/client/remote_module.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/driver/remote/loopback.h"
#include "tests/driver/remote/secrets.h"
#include "tests/driver/runtime/test_module.h"

namespace vta::remote {
namespace {

using driver::makeTestInput;
using driver::makeTestModule;
using driver::TestModuleOptions;
using test::Loopback;
using test::Secrets;
using testing::HasSubstr;

ServerOptions withModules() {
  ServerOptions options;
  options.module_program = VTA_BINARY_DIR "/bin/vta-module-worker";
  return options;
}

RemoteOptions clientOf(const Loopback& server) {
  RemoteOptions options;
  options.address = server.address();
  return options;
}

TEST(RemoteModuleTest, ItComputesWhatItComputesHere) {
  const Loopback server("functional", withModules());
  const auto module = RemoteModule::open(makeTestModule(), clientOf(server)).value();
  EXPECT_EQ(module->deviceName(), server.spec());
  const Tensor input = makeTestInput();
  for (int i = 0; i < 3; ++i) {
    const auto run = module->run({{"image", input}});
    ASSERT_TRUE(run.ok()) << run.status().message();
    EXPECT_EQ(run->outputs.begin()->second.data, driver::expectedOutput(input, 2).data);
    EXPECT_GT(run->seconds, 0);
  }
}

TEST(RemoteModuleTest, StateLivesAsLongAsTheSession) {
  const Loopback server("functional", withModules());
  TestModuleOptions options;
  options.keeps_state = true;
  for (int session = 0; session < 2; ++session) {
    const auto module = RemoteModule::open(makeTestModule(options), clientOf(server)).value();
    for (int64_t run = 1; run <= 3; ++run) {
      const TensorMap outputs = module->run({{"image", makeTestInput()}})->outputs;
      EXPECT_EQ(outputs.at("counted").as<int64_t>()[0], run);
    }
  }
}

TEST(RemoteModuleTest, CountedOutputsHaveTheirTrueShape) {
  const Loopback server("functional", withModules());
  TestModuleOptions options;
  options.counted_axis = 1;
  const auto module = RemoteModule::open(makeTestModule(options), clientOf(server)).value();
  const Tensor input = makeTestInput();
  const Tensor whole = driver::expectedOutput(input, 2);
  for (const int64_t count : {int64_t{0}, int64_t{1}, whole.shape[1]}) {
    const auto run = module->run({{"image", input}, {"count", driver::makeTestCount(count)}});
    ASSERT_TRUE(run.ok()) << run.status().message();
    const Tensor expected = driver::firstOf(whole, 1, count);
    EXPECT_EQ(run->outputs.at("scaled").shape, expected.shape);
    EXPECT_EQ(run->outputs.at("scaled").data, expected.data);
  }
  const auto run = module->run({{"image", input}, {"count", driver::makeTestCount(-5)}});
  EXPECT_THAT(run.status().message(), HasSubstr("output 'scaled' came out with -5"));
}

TEST(RemoteModuleTest, ClientsRunAtTheSameTime) {
  const Loopback server("functional", withModules());
  const Tensor input = makeTestInput();
  std::vector<std::thread> clients;
  for (int client = 0; client < 3; ++client) {
    clients.emplace_back([&] {
      const auto module = RemoteModule::open(makeTestModule(), clientOf(server)).value();
      for (int run = 0; run < 10; ++run) {
        EXPECT_EQ(module->run({{"image", input}})->outputs.begin()->second.data,
                  driver::expectedOutput(input, 2).data);
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

std::string messageOf(const Result<std::unique_ptr<RemoteModule>>& module) {
  return module.ok() ? "" : module.status().message();
}

TEST(RemoteModuleTest, RefusalsSayWhy) {
  const Loopback plain;
  EXPECT_THAT(messageOf(RemoteModule::open(makeTestModule(), clientOf(plain))),
              HasSubstr("did not give --modules"));
  const Loopback server("functional", withModules());
  RemoteOptions other = clientOf(server);
  other.board = "other";
  EXPECT_THAT(messageOf(RemoteModule::open(makeTestModule(), other)), HasSubstr("it has: board"));
  TestModuleOptions wide;
  HwParams params;
  params.name = "wide";
  params.block_out = 32;
  wide.hw = HwConfig::create(params).value();
  EXPECT_THAT(messageOf(RemoteModule::open(makeTestModule(wide), clientOf(server))),
              HasSubstr("another configuration"));
  const std::vector<std::byte> nothing(100);
  EXPECT_FALSE(RemoteModule::open(nothing, clientOf(server)).ok());
  TestModuleOptions sizes;
  sizes.cpu_features = {"no-such-feature"};
  EXPECT_THAT(messageOf(RemoteModule::open(makeTestModule(sizes), clientOf(server))),
              HasSubstr("no-such-feature"));
}

TEST(RemoteModuleTest, WrongInputsAreNamedBeforeTheyTravel) {
  const Loopback server("functional", withModules());
  const auto module = RemoteModule::open(makeTestModule(), clientOf(server)).value();
  EXPECT_THAT(module->run({}).status().message(), HasSubstr("input 'image' is missing"));
  EXPECT_TRUE(module->run({{"image", makeTestInput()}}).ok());
}

TEST(RemoteModuleTest, AModuleThatCrashesEndsItsSessionOnly) {
  const Loopback server("functional", withModules());
  TestModuleOptions options;
  options.hook = TestModuleOptions::Hook::kIndependent;
  const auto module = RemoteModule::open(makeTestModule(options), clientOf(server)).value();
  Tensor hook = Tensor::zeros(DType::kI64, {2});
  const TensorMap inputs = {{"image", makeTestInput()}, {"hook", hook}};
  EXPECT_TRUE(module->run(inputs).ok());
  TensorMap wrong = inputs;
  wrong.at("hook").as<int64_t>()[0] = 1;
  EXPECT_THAT(module->run(wrong).status().message(), HasSubstr("process on the server has ended"));
  EXPECT_FALSE(module->run(inputs).ok());
  EXPECT_EQ(messageOf(RemoteModule::open(makeTestModule(), clientOf(server))), "");
}

TEST(RemoteModuleTest, OnlyKnownClientsOfOtherMachinesBringModules) {
  ServerOptions options = withModules();
  EXPECT_TRUE(checkExposure(options).ok());
  options.listen = {"0.0.0.0", 0};
  options.is_insecure = true;
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("run any program on this machine"));
  options.tls_certificate = options.tls_key = "file";
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("add --tokens FILE"));
  options.token_file = "file";
  EXPECT_TRUE(checkExposure(options).ok());
}

TEST(RemoteModuleTest, TokensDecideWhoComesIn) {
  const Secrets secrets;
  ServerOptions options = withModules();
  options.token_file = secrets.write("tokens", "ann 0123456789abcdef0123\n");
  const Loopback server("functional", options);
  RemoteOptions client = clientOf(server);
  EXPECT_THAT(messageOf(RemoteModule::open(makeTestModule(), client)),
              HasSubstr("demands a token"));
  client.token_file = secrets.write("token", "0123456789abcdef0123\n");
  EXPECT_EQ(messageOf(RemoteModule::open(makeTestModule(), client)), "");
}

}  // namespace
}  // namespace vta::remote
