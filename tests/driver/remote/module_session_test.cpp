// Sessions with modules without a network: requests that are wrong, limits, processes that end.
#include "driver/remote/server/module_session.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "driver/device_registry.h"
#include "driver/remote/protocol/convert.h"
#include "tests/driver/runtime/test_module.h"

namespace vta::remote {
namespace {

using driver::makeTestModule;
using driver::TestModuleOptions;
using testing::HasSubstr;

constexpr const char* kProgram = VTA_BINARY_DIR "/bin/vta-module-worker";
constexpr size_t kInputBytes = 64 * 16 * sizeof(float);

std::string textOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ModuleSessionTest : public testing::Test {
 protected:
  ModuleSessionTest() {
    devices_.push_back(std::make_unique<SharedDevice>(
        "left", *driver::createDevice("functional:memory=64M", HwConfig::makeDefault()), true));
    limits_.module_run = std::chrono::seconds(30);
  }

  void connect(const std::string& program = kProgram) {
    session_.reset();
    session_ = std::make_unique<ModuleSession>(
        SessionEnvironment{devices_, account_, metrics_, limits_, ++sessions_,
                           [this] { return is_gone_; }},
        program);
  }

  /// What the session sends; the last one, if there are several.
  v1::ModuleReply ask(const v1::ModuleRequest& request) {
    v1::ModuleReply last;
    status_ = session_->handle(request, [&](const v1::ModuleReply& reply) {
      last = reply;
      return true;
    });
    return last;
  }
  v1::ModuleReply hello(uint64_t module_bytes, const std::string& device = "") {
    v1::ModuleRequest request;
    request.mutable_hello()->set_module_bytes(module_bytes);
    v1::Hello& session = *request.mutable_hello()->mutable_session();
    session.set_lowest_version(1);
    session.set_highest_version(1);
    session.set_device(device);
    session.set_hw(HwConfig::makeDefault().toYaml());
    return ask(request);
  }
  v1::ModuleReply sendModule(const std::string& piece) {
    v1::ModuleRequest request;
    request.set_module(piece);
    return ask(request);
  }
  v1::ModuleReply open(const TestModuleOptions& options = {}) {
    connect();
    const std::string module = textOf(makeTestModule(options));
    EXPECT_TRUE(hello(module.size()).has_welcome());
    sendModule(module.substr(0, 1000));
    return sendModule(module.substr(1000));
  }
  v1::ModuleReply sendInput(uint32_t port, const std::string& data) {
    v1::ModuleRequest request;
    request.mutable_input()->set_port(port);
    request.mutable_input()->set_data(data);
    return ask(request);
  }
  v1::ModuleReply run() {
    v1::ModuleRequest request;
    request.mutable_run();
    return ask(request);
  }
  std::string message() const { return status_.message(); }

  std::vector<std::unique_ptr<SharedDevice>> devices_;
  ClientAccount account_{"ann", uint64_t{16} << 20};
  Metrics metrics_;
  Limits limits_;
  bool is_gone_ = false;
  uint64_t sessions_ = 0;
  std::unique_ptr<ModuleSession> session_;
  Status status_;
};

TEST_F(ModuleSessionTest, AModuleRunsAndItsEndFreesEverything) {
  ASSERT_TRUE(open().has_loaded()) << message();
  sendInput(0, std::string(kInputBytes, '\0'));
  EXPECT_TRUE(run().has_ran());
  EXPECT_GT(devices_[0]->buffers().totalBytes(), 0u);
  session_.reset();
  EXPECT_EQ(devices_[0]->buffers().totalBytes(), 0u);
  EXPECT_EQ(account_.freeBytes(), account_.mostBytes());
}

TEST_F(ModuleSessionTest, WithoutTheOptionModulesAreRefused) {
  connect("");
  hello(100);
  EXPECT_THAT(message(), HasSubstr("did not give --modules"));
}

TEST_F(ModuleSessionTest, RequestsHaveAnOrder) {
  connect();
  run();
  EXPECT_THAT(message(), HasSubstr("begins with one ModuleHello"));
  connect();
  hello(100);
  hello(100);
  EXPECT_THAT(message(), HasSubstr("begins with one ModuleHello"));
  connect();
  hello(100);
  run();
  EXPECT_THAT(message(), HasSubstr("once and whole"));
  connect();
  hello(100);
  sendModule(std::string(101, 'x'));
  EXPECT_THAT(message(), HasSubstr("longer than was said"));
  open();
  sendModule("x");
  EXPECT_THAT(message(), HasSubstr("once and whole"));
  connect();
  ask({});
  EXPECT_THAT(message(), HasSubstr("older than the client"));
}

TEST_F(ModuleSessionTest, SizesAreLimited) {
  limits_.module_bytes = 1 << 20;
  for (const uint64_t bytes : {uint64_t{0}, (uint64_t{1} << 20) + 1, ~uint64_t{0}}) {
    connect();
    hello(bytes);
    EXPECT_EQ(status_.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(message(), HasSubstr("1 to 1048576 (--module-memory)"));
  }
}

TEST_F(ModuleSessionTest, BoardsAreFoundByName) {
  connect();
  EXPECT_THAT(hello(100, "right").error().message(), HasSubstr("it has: left"));
  EXPECT_TRUE(hello(100, "left").has_welcome());
}

TEST_F(ModuleSessionTest, WrongModulesAreAnswers) {
  connect();
  hello(5000);
  EXPECT_THAT(sendModule(std::string(5000, 'x')).error().message(), HasSubstr("module"));
  EXPECT_THAT(run().error().message(), HasSubstr("before the module"));
  TestModuleOptions other;
  other.cpu_features = {"no-such-feature"};
  EXPECT_TRUE(open(other).has_error());
}

TEST_F(ModuleSessionTest, WrongInputsAreAnswersAndTheSessionGoesOn) {
  ASSERT_TRUE(open().has_loaded());
  EXPECT_THAT(run().error().message(), HasSubstr("0 of the 4096 bytes of input"));
  sendInput(0, std::string(kInputBytes + 1, '\0'));
  EXPECT_THAT(run().error().message(), HasSubstr("has 4096 bytes, and more came"));
  sendInput(7, "x");
  EXPECT_THAT(run().error().message(), HasSubstr("something came for input 7"));
  sendInput(0, std::string(kInputBytes, '\0'));
  EXPECT_TRUE(run().has_ran());
}

TEST_F(ModuleSessionTest, FaultsOfTheDeviceAreAnswers) {
  TestModuleOptions options;
  options.deadlock = true;
  ASSERT_TRUE(open(options).has_loaded());
  sendInput(0, std::string(kInputBytes, '\0'));
  EXPECT_EQ(statusOf(run().error()).code(), StatusCode::kDeviceFault);
}

TEST_F(ModuleSessionTest, DeviceMemoryIsTheClients) {
  ASSERT_TRUE(account_.takeMemory(account_.mostBytes()));
  EXPECT_THAT(open().error().message(), HasSubstr("--memory-limit"));
  account_.returnMemory(account_.mostBytes());
}

/// Host code that does what two numbers say (host_functions.c).
class WrongHostCode : public ModuleSessionTest {
 protected:
  void runHook(int64_t what) {
    TestModuleOptions options;
    options.hook = TestModuleOptions::Hook::kIndependent;
    ASSERT_TRUE(open(options).has_loaded());
    const int64_t hook[2] = {what, 0};
    sendInput(0, std::string(reinterpret_cast<const char*>(hook), sizeof(hook)));
    sendInput(1, std::string(kInputBytes, '\0'));
    run();
  }
};

TEST_F(WrongHostCode, ThatCrashesEndsItsProcessOnly) {
  runHook(1);
  EXPECT_THAT(message(), HasSubstr("signal 11"));
  EXPECT_THAT(message(), HasSubstr("host code is wrong"));
  EXPECT_TRUE(open().has_loaded());
}

TEST_F(WrongHostCode, ThatDoesNotEndIsKilled) {
  limits_.module_run = std::chrono::milliseconds(3000);
  runHook(-1);
  EXPECT_EQ(status_.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(message(), HasSubstr("3.0 s"));
  EXPECT_THAT(message(), HasSubstr("--module-limit"));
}

TEST_F(WrongHostCode, IsKilledWhenItsClientIsGone) {
  std::thread leaver([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    is_gone_ = true;
  });
  runHook(-1);
  leaver.join();
  EXPECT_THAT(message(), HasSubstr("the client is gone"));
}

TEST_F(ModuleSessionTest, AProcessHasItsMemoryAndNoMore) {
  const std::string module = textOf(makeTestModule());
  limits_.module_bytes = std::max<uint64_t>(module.size(), 64 << 10);
  connect();
  hello(module.size());
  // Less than the process has before it loads anything: it ends, or says that it cannot load.
  const std::string error =
      status_.ok() ? sendModule(module).error().message() + message() : message();
  EXPECT_THAT(error, testing::AnyOf(HasSubstr("--module-memory"), HasSubstr("failed to map")));
}

TEST_F(ModuleSessionTest, AProgramThatIsMissingIsNamed) {
  connect("/none/vta-module-worker");
  hello(100);
  EXPECT_THAT(message(), HasSubstr("cannot start '/none/vta-module-worker'"));
}

TEST_F(ModuleSessionTest, AProgramThatSpeaksAnotherLanguageIsAnError) {
  connect("/bin/echo");
  hello(100);
  if (status_.ok()) sendModule(std::string(100, 'x'));
  EXPECT_THAT(message(), HasSubstr("the module's process"));
}

}  // namespace
}  // namespace vta::remote
