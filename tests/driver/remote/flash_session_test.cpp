// Bitstreams for a server's board without a network: requests that are wrong, and when devices let
// go of the FPGA and what they are afterwards. The board is files that stand for a kernel's.
#include "driver/remote/server/flash_session.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/temporary_folder.h"
#include "driver/device_registry.h"
#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/flash_messages.h"
#include "driver/remote/protocol/hello.h"
#include "sim/board/board_files.h"
#include "sim/board/fpga_manager.h"

namespace vta::remote {
namespace {

using testing::HasSubstr;

/// The IDCODE of a 7z020 (or another), a frame of two words, DESYNC.
std::string bitstreamFor(uint32_t idcode = 0x0372'7093) {
  const uint32_t words[] = {0xffffffff, 0xaa995566, 0x30018001, idcode,    0x30004002,
                            0x11111111, 0x22222222, 0x30008001, 0x0000000d};
  std::string bytes;
  for (const uint32_t word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(word >> shift));
  }
  return bytes;
}

HwConfig smallHardware() {
  return loadHwConfig(VTA_SOURCE_DIR "/configs/hw/small-1x8x8.yaml").value();
}

class FlashSessionTest : public testing::Test {
 protected:
  FlashSessionTest() {
    EXPECT_TRUE(sim::makeManagerFiles(folder_.path()).ok());
    for (const char* const name : {"left", "right"}) {
      devices_.push_back(std::make_unique<SharedDevice>(name, [this] { return open(); }));
    }
    auto simulator = driver::createDevice("functional", HwConfig::makeDefault());
    devices_.push_back(std::make_unique<SharedDevice>("simulator", *std::move(simulator), true));
    programmer_.emplace(ProgrammingOptions{.root = folder_.path(), .most_bytes = 1000}, devices_);
    connect();
  }

  /// Both boards as their hardware is.
  SharedDevice::Opened open() {
    ++opened_;
    if (!broken_.empty()) return ioError(broken_);
    return driver::createDevice("functional", hw_);
  }

  SessionEnvironment environment() {
    return {devices_, account_, metrics_, limits_, ++sessions_, nullptr};
  }
  void connect() { session_ = std::make_unique<FlashSession>(environment(), &*programmer_); }

  v1::FlashReply ask(const v1::FlashRequest& request, FlashSession& session) {
    v1::FlashReply last;
    status_ = session.handle(request, [&](const v1::FlashReply& reply) {
      last = reply;
      return true;
    });
    return last;
  }
  v1::FlashReply ask(const v1::FlashRequest& request) { return ask(request, *session_); }

  static v1::FlashRequest hello(uint64_t bytes, const std::string& board = "") {
    v1::FlashRequest request;
    request.mutable_hello()->set_bitstream_bytes(bytes);
    request.mutable_hello()->set_name("vta.bin");
    request.mutable_hello()->set_via("auto");
    *request.mutable_hello()->mutable_session() = helloMessage(board, "");
    return request;
  }
  v1::FlashReply send(const std::string& piece) {
    v1::FlashRequest request;
    request.set_bitstream(piece);
    return ask(request);
  }
  /// All of a bitstream in pieces of five bytes.
  v1::FlashReply flash(const std::string& bitstream = bitstreamFor(),
                       const std::string& board = "") {
    connect();
    v1::FlashReply reply = ask(hello(bitstream.size(), board));
    for (size_t at = 0; reply.has_welcome() && at < bitstream.size(); at += 5) {
      v1::FlashReply next = send(bitstream.substr(at, 5));
      if (next.kind_case() != v1::FlashReply::KIND_NOT_SET) reply = next;
    }
    return reply;
  }
  std::string attribute(const std::string& name) const {
    return readTextFile(folder_.path() / sim::kManagerFolder / name).value();
  }
  void setAttribute(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(sim::writeBoardFile(folder_.path() / sim::kManagerFolder / name, text).ok());
  }
  /// Why a session with the device is refused; empty if it is not.
  std::string refusal(SharedDevice& device) {
    const Status joined = device.join("bob", nullptr);
    if (joined.ok()) device.leave("bob");
    return joined.message();
  }

  TemporaryFolder folder_ = TemporaryFolder::create("vta-flash-test").value();
  HwConfig hw_ = HwConfig::makeDefault();
  std::string broken_;  // why boards cannot be opened; empty: they can
  int opened_ = 0;
  std::vector<std::unique_ptr<SharedDevice>> devices_;
  ClientAccount account_{"ann", 1 << 20};
  Metrics metrics_;
  Limits limits_;
  uint64_t sessions_ = 0;
  std::optional<BoardProgrammer> programmer_;
  std::unique_ptr<FlashSession> session_;
  Status status_;
};

TEST_F(FlashSessionTest, ABoardIsProgrammedAndThenWhatItsHardwareIs) {
  EXPECT_EQ(opened_, 2);
  hw_ = smallHardware();
  const v1::FlashReply reply = flash();
  ASSERT_TRUE(reply.has_report()) << status_.message() << reply.error().message();
  EXPECT_EQ(reply.report().via(), "manager");
  EXPECT_EQ(reply.report().die(), "xc7z020");
  EXPECT_EQ(reply.report().firmware(), attribute("firmware"));
  EXPECT_THAT(reply.report().warnings(0), HasSubstr("no description"));
  EXPECT_EQ(opened_, 4);
  for (int board = 0; board < 2; ++board) {
    ASSERT_EQ(refusal(*devices_[board]), "");
    EXPECT_TRUE(devices_[board]->info().hw.isProgramCompatible(hw_));
  }
  EXPECT_FALSE(devices_[2]->info().hw.isProgramCompatible(hw_));
}

TEST_F(FlashSessionTest, RequestsHaveAnOrder) {
  send("x");
  EXPECT_THAT(status_.message(), HasSubstr("once and whole, behind one FlashHello"));
  connect();
  EXPECT_TRUE(ask(hello(100)).has_welcome());
  ask(hello(100));
  EXPECT_THAT(status_.message(), HasSubstr("once and whole, behind one FlashHello"));
  connect();
  EXPECT_TRUE(ask(hello(100)).has_welcome());
  send(std::string(101, 'x'));
  EXPECT_THAT(status_.message(), HasSubstr("longer than was said"));
  ask({});
  EXPECT_THAT(status_.message(), HasSubstr("older than the client"));
  EXPECT_EQ(attribute("firmware"), "\n");
}

TEST_F(FlashSessionTest, SizesAreLimited) {
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{1001}, ~uint64_t{0}}) {
    connect();
    ask(hello(bytes));
    EXPECT_EQ(status_.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(status_.message(), HasSubstr("takes 1 to 1000 (--flash-memory)"));
  }
}

TEST_F(FlashSessionTest, VersionsThatDifferSayWhichSideToUpdate) {
  v1::FlashRequest request = hello(100);
  request.mutable_hello()->mutable_session()->set_lowest_version(7);
  request.mutable_hello()->mutable_session()->set_highest_version(9);
  ask(request);
  EXPECT_THAT(status_.message(), HasSubstr("versions 7 to 9"));
  EXPECT_THAT(status_.message(), HasSubstr("update the server"));
  connect();
  request.mutable_hello()->mutable_session()->set_lowest_version(0);
  request.mutable_hello()->mutable_session()->set_highest_version(0);
  ask(request);
  EXPECT_THAT(status_.message(), HasSubstr("update the client"));
}

TEST_F(FlashSessionTest, WithoutTheOptionNothingIsProgrammed) {
  FlashSession session(environment(), nullptr);
  ask(hello(100), session);
  EXPECT_THAT(status_.message(), HasSubstr("did not give --flash"));
}

TEST_F(FlashSessionTest, BoardsAreFoundByName) {
  EXPECT_TRUE(flash(bitstreamFor(), "right").has_report());
  flash(bitstreamFor(), "middle");
  EXPECT_THAT(status_.message(), HasSubstr("no board 'middle'; it has: left, right, simulator"));
  flash(bitstreamFor(), "simulator");
  EXPECT_THAT(status_.message(), HasSubstr("'simulator' is not in an FPGA"));
}

TEST_F(FlashSessionTest, OneClientAtATimeUntilItEnds) {
  EXPECT_TRUE(ask(hello(100)).has_welcome());
  send("some");
  FlashSession other(environment(), &*programmer_);
  ask(hello(100), other);
  EXPECT_THAT(status_.message(), HasSubstr("client 'ann' programs the board at this moment"));
  session_.reset();  // the connection broke
  EXPECT_TRUE(flash().has_report());
  EXPECT_TRUE(flash().has_report());
}

TEST_F(FlashSessionTest, WhoHasASessionKeepsTheBoard) {
  ASSERT_TRUE(devices_[1]->join("bob", nullptr).ok());
  const driver::Device* const device = &devices_[1]->device();
  EXPECT_THAT(flash().error().message(), HasSubstr("board 'right' has 1 session (bob)"));
  EXPECT_EQ(&devices_[1]->device(), device);
  ASSERT_TRUE(devices_[0]->join("eve", nullptr).ok());
  ASSERT_TRUE(devices_[0]->join("bob", nullptr).ok());
  EXPECT_THAT(flash().error().message(), HasSubstr("'left' has 2 sessions (bob, eve)"));
  EXPECT_EQ(attribute("firmware"), "\n");
  devices_[0]->leave("eve");
  devices_[0]->leave("bob");
  devices_[1]->leave("bob");
  ASSERT_TRUE(devices_[2]->join("bob", nullptr).ok());  // the simulator
  EXPECT_TRUE(flash().has_report());
  devices_[2]->leave("bob");
}

TEST_F(FlashSessionTest, WhoComesMeanwhileWaits) {
  ASSERT_TRUE(devices_[0]->beginProgramming().ok());
  std::atomic<bool> is_in = false;
  std::thread client([&] {
    EXPECT_TRUE(devices_[0]->join("bob", [] { return false; }).ok());
    is_in = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(is_in);
  EXPECT_THAT(devices_[0]->join("eve", [] { return true; }).message(), HasSubstr("gone"));
  EXPECT_TRUE(devices_[0]->restore().ok());
  client.join();
  EXPECT_FALSE(devices_[0]->beginProgramming().ok());
  devices_[0]->leave("bob");
}

TEST_F(FlashSessionTest, WhatIsWrongBeforeChangesNothing) {
  const driver::Device* const device = &devices_[0]->device();
  EXPECT_THAT(flash(bitstreamFor(0x0372'2093)).error().message(), HasSubstr("this device is"));
  EXPECT_THAT(flash("no bitstream").error().message(), HasSubstr("'vta.bin'"));
  EXPECT_EQ(&devices_[0]->device(), device);
  EXPECT_EQ(opened_, 2);
}

TEST_F(FlashSessionTest, WhatFailsBeforeTheBoardChangesGivesItBack) {
  std::filesystem::remove_all(folder_.path() / "lib/firmware");
  EXPECT_TRUE(sim::writeBoardFile(folder_.path() / "lib/firmware", "no folder").ok());
  EXPECT_TRUE(flash().has_error());
  EXPECT_EQ(refusal(*devices_[0]), "");
  EXPECT_EQ(opened_, 4);
}

TEST_F(FlashSessionTest, ABoardThatFailsIsNotOfferedUntilItIsProgrammed) {
  setAttribute("state", "write init error");
  EXPECT_THAT(flash().error().message(), HasSubstr("'write init error'"));
  for (int board = 0; board < 2; ++board) {
    EXPECT_THAT(refusal(*devices_[board]), HasSubstr("has to be programmed again"));
    EXPECT_THAT(refusal(*devices_[board]), HasSubstr("'write init error'"));
  }
  EXPECT_EQ(opened_, 2);
  setAttribute("state", "operating");
  EXPECT_TRUE(flash().has_report());
  EXPECT_EQ(refusal(*devices_[0]), "");
}

TEST_F(FlashSessionTest, ABoardThatCannotBeOpenedIsTriedAgain) {
  broken_ = "nothing answers";
  const v1::FlashReply reply = flash();
  ASSERT_EQ(reply.report().warnings_size(), 3);
  EXPECT_THAT(reply.report().warnings(1), HasSubstr("cannot offer 'left'"));
  EXPECT_THAT(refusal(*devices_[0]), HasSubstr("board 'left' is not there: nothing answers"));
  EXPECT_THAT(devices_[0]->presence().message(), HasSubstr("nothing answers"));
  broken_.clear();
  EXPECT_EQ(refusal(*devices_[0]), "");
  EXPECT_TRUE(devices_[0]->presence().ok());
}

TEST(FlashMessages, ReportsAreTheSameOnTheOtherSide) {
  flash::FlashReport report;
  report.via = flash::Via::kDfx;
  report.die = "xczu3";
  report.die_source = "/sys";
  report.firmware = "vta-1.bin";
  report.needs = {{"clock", "1 MHz", 0, true, ""}, {"width", "", 0, false, "!"}};
  report.identity = HardwareIdentity{1, 2, 0x1234567890, 4, 5, 6, 7, 8};
  report.identity_source = "/dev/uio0";
  report.warnings = {"one", "two"};
  const auto back = reportOf(reportMessage(report));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->via, report.via);
  EXPECT_EQ(back->die, report.die);
  EXPECT_EQ(back->die_source, report.die_source);
  EXPECT_EQ(back->firmware, report.firmware);
  ASSERT_EQ(back->needs.size(), 2U);
  EXPECT_EQ(back->needs[0].found, "1 MHz");
  EXPECT_TRUE(back->needs[0].was_set);
  EXPECT_EQ(back->needs[1].warning, "!");
  EXPECT_EQ(back->identity, report.identity);
  EXPECT_EQ(back->identity_source, report.identity_source);
  EXPECT_EQ(back->warnings, report.warnings);
  v1::FlashReport wrong;
  wrong.set_via("post");
  EXPECT_FALSE(reportOf(wrong).ok());
}

}  // namespace
}  // namespace vta::remote
