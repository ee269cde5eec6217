// Sessions without a network: requests that are wrong, limits, isolation.
#include "driver/remote/server/server_session.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/version.h"
#include "isa/instruction/contiguous_row.h"
#include "isa/instruction/encoding.h"
#include "sim/random/rng.h"

namespace vta::remote {
namespace {

using testing::HasSubstr;

const HwConfig& hw() {
  static const HwConfig config = HwConfig::makeDefault();
  return config;
}

std::unique_ptr<SharedDevice> board(const std::string& name) {
  auto device = driver::createDevice("functional:memory=64M", hw());
  return std::make_unique<SharedDevice>(name, *std::move(device), true);
}

/// A server's part of a session, and a client's requests.
class Client {
 public:
  Client(const std::vector<std::unique_ptr<SharedDevice>>& devices, ClientAccount& account,
         Metrics& metrics, const Limits& limits, uint64_t number)
      : session_(std::make_unique<ServerSession>(
            SessionEnvironment{devices, account, metrics, limits, number, nullptr})) {}

  /// What the session sends; the last one, if there are several.
  v1::Reply ask(const v1::Request& request) {
    v1::Reply last;
    status_ = session_->handle(request, [&](const v1::Reply& reply) {
      last = reply;
      return true;
    });
    return last;
  }
  const Status& status() const { return status_; }
  void end() { session_.reset(); }

  v1::Reply hello(const std::string& device = "", uint32_t lowest = 1, uint32_t highest = 1,
                  const std::string& yaml = hw().toYaml()) {
    v1::Request request;
    request.mutable_hello()->set_lowest_version(lowest);
    request.mutable_hello()->set_highest_version(highest);
    request.mutable_hello()->set_device(device);
    request.mutable_hello()->set_hw(yaml);
    return ask(request);
  }
  v1::Reply allocate(uint64_t size_bytes) {
    v1::Request request;
    request.mutable_allocate()->set_size_bytes(size_bytes);
    request.mutable_allocate()->set_alignment_bytes(4096);
    return ask(request);
  }
  void write(uint64_t address, const std::string& data) {
    v1::Request request;
    request.mutable_write()->set_address(address);
    request.mutable_write()->set_data(data);
    ask(request);
  }
  v1::Reply read(uint64_t address, uint64_t size_bytes) {
    v1::Request request;
    request.mutable_read()->set_address(address);
    request.mutable_read()->set_size_bytes(size_bytes);
    return ask(request);
  }
  v1::Reply launch(const driver::Launch& launch) {
    v1::Request request;
    *request.mutable_launch() = launchMessage(launch);
    return ask(request);
  }
  /// Writes a program into a new buffer and launches it with `base` for all memories.
  v1::Reply run(const std::vector<Instruction>& program, uint64_t base) {
    std::vector<std::byte> stream;
    for (const Instruction& insn : program) {
      EXPECT_TRUE(encodeInstruction(insn, hw(), stream).ok());
    }
    const uint64_t code = allocate(stream.size()).buffer().address();
    write(code, std::string(reinterpret_cast<const char*>(stream.data()), stream.size()));
    return launch({.instruction_address = code,
                   .instruction_count = static_cast<uint32_t>(program.size()),
                   .uop_base = base,
                   .inp_base = base,
                   .wgt_base = base,
                   .acc_base = base,
                   .out_base = base});
  }

 private:
  std::unique_ptr<ServerSession> session_;
  Status status_;
};

class ServerSessionTest : public testing::Test {
 protected:
  ServerSessionTest() { devices_.push_back(board("left")); }

  Client connect() { return {devices_, account_, metrics_, limits_, ++sessions_}; }
  Client connectTo(const std::string& device) {
    Client client = connect();
    EXPECT_TRUE(client.hello(device).has_welcome());
    return client;
  }

  std::vector<std::unique_ptr<SharedDevice>> devices_;
  ClientAccount account_{"ann", uint64_t{16} << 20};
  Metrics metrics_;
  Limits limits_;
  uint64_t sessions_ = 0;
};

TEST_F(ServerSessionTest, ASessionBeginsWithOneHello) {
  Client early = connect();
  early.allocate(64);
  EXPECT_THAT(early.status().message(), HasSubstr("begins with one Hello"));
  Client twice = connectTo("");
  twice.hello();
  EXPECT_FALSE(twice.status().ok());
}

TEST_F(ServerSessionTest, RequestsOfNewerClientsAreNamedSo) {
  Client client = connectTo("");
  client.ask(v1::Request());
  EXPECT_THAT(client.status().message(), HasSubstr("older than the client"));
}

TEST_F(ServerSessionTest, VersionsAreNegotiated) {
  Client newer = connect();
  EXPECT_EQ(newer.hello("", 1, 9).welcome().version(), kHighestVersion);
  Client too_new = connect();
  const v1::Error error = too_new.hello("", 2, 3).error();
  EXPECT_THAT(error.message(), HasSubstr("versions 2 to 3"));
  EXPECT_THAT(error.message(), HasSubstr("update the server"));
  Client too_old = connect();
  EXPECT_THAT(too_old.hello("", 0, 0).error().message(), HasSubstr("update the client"));
}

TEST_F(ServerSessionTest, BoardsAreFoundByName) {
  EXPECT_THAT(connect().hello("right").error().message(), HasSubstr("it has: left"));
  devices_.push_back(board("right"));
  EXPECT_TRUE(connect().hello("right").has_welcome());
  EXPECT_THAT(connect().hello("").error().message(), HasSubstr("board=NAME: left, right"));
}

TEST_F(ServerSessionTest, OtherConfigurationsAreRefusedWithBothPrinted) {
  HwParams params;
  params.name = "mine";
  params.block_in = 8;
  const HwConfig other = HwConfig::create(params).value();
  const v1::Error error = connect().hello("", 1, 1, other.toYaml()).error();
  EXPECT_THAT(error.message(), HasSubstr(other.summary()));
  EXPECT_THAT(error.message(), HasSubstr(hw().summary()));
  EXPECT_TRUE(connect().hello("", 1, 1, "block_in: no").has_error());
  for (const size_t depth : {1'000, 60'000, 100'000}) {
    EXPECT_TRUE(connect().hello("", 1, 1, std::string(depth, '[')).has_error());
  }
}

TEST_F(ServerSessionTest, AClientHasItsMemoryAndNoMore) {
  Client first = connectTo("");
  EXPECT_TRUE(first.allocate(12 << 20).has_buffer());
  Client second = connectTo("");
  const v1::Error error = second.allocate(8 << 20).error();
  EXPECT_EQ(statusOf(error).code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(error.message(), HasSubstr("8388608 bytes requested, 4194304 free"));
  EXPECT_TRUE(second.allocate(~uint64_t{0}).has_error());
  first.end();
  EXPECT_TRUE(second.allocate(8 << 20).has_buffer());
  EXPECT_TRUE(second.allocate(0).has_error());
  second.end();
  EXPECT_EQ(account_.freeBytes(), uint64_t{16} << 20);
  EXPECT_EQ(devices_[0]->buffers().totalBytes(), 0u);
}

TEST_F(ServerSessionTest, BuffersBelongToTheirSession) {
  Client ann = connectTo("");
  Client bob = connectTo("");
  const uint64_t address = ann.allocate(4096).buffer().address();
  ann.write(address, "secret");
  EXPECT_TRUE(bob.read(address, 6).has_error());
  bob.write(address, "broken");
  EXPECT_THAT(bob.allocate(64).error().message(), HasSubstr("one buffer of this session"));
  EXPECT_TRUE(bob.allocate(64).has_buffer());
  v1::Request free;
  free.mutable_free()->set_address(address);
  free.mutable_free()->set_size_bytes(4096);
  bob.ask(free);
  EXPECT_TRUE(bob.allocate(64).has_error());
  EXPECT_EQ(ann.read(address, 6).data(), "secret");
  EXPECT_TRUE(ann.read(address + 4090, 7).has_error());
  EXPECT_TRUE(ann.read(~uint64_t{0} - 1, 7).has_error());
  EXPECT_TRUE(ann.read(address, ~uint64_t{0}).has_error());
}

TEST_F(ServerSessionTest, ProgramsReachOnlyTheirSessionsMemory) {
  Client ann = connectTo("");
  Client bob = connectTo("");
  const uint64_t secret = ann.allocate(4096).buffer().address();
  const Instruction load = Instruction::load(contiguousRow(MemoryType::kInp, 0, 0, 1));
  const v1::Reply reply = bob.run({load, Instruction::finish()}, secret);
  EXPECT_THAT(reply.result().fault().reason(), HasSubstr("outside the client's buffers"));
  EXPECT_FALSE(ann.run({load, Instruction::finish()}, secret).result().has_fault());
}

TEST_F(ServerSessionTest, AChangedProgramIsCheckedAgain) {
  Client ann = connectTo("");
  Client bob = connectTo("");
  const uint64_t mine = bob.allocate(4096).buffer().address();
  const uint64_t secret = ann.allocate(4096).buffer().address();
  const uint64_t code = bob.allocate(64).buffer().address();
  const auto encoded = [](uint32_t first) {
    std::vector<std::byte> stream;
    EXPECT_TRUE(encodeInstruction(Instruction::load(contiguousRow(MemoryType::kInp, 0, first, 1)),
                                  hw(), stream)
                    .ok());
    EXPECT_TRUE(encodeInstruction(Instruction::finish(), hw(), stream).ok());
    return std::string(reinterpret_cast<const char*>(stream.data()), stream.size());
  };
  const driver::Launch launch{
      .instruction_address = code, .instruction_count = 2, .inp_base = mine};
  bob.write(code, encoded(0));
  EXPECT_FALSE(bob.launch(launch).result().has_fault());
  EXPECT_FALSE(bob.launch(launch).result().has_fault());
  ASSERT_GT(secret, mine);
  bob.write(code, encoded(static_cast<uint32_t>((secret - mine) / 16)));
  EXPECT_TRUE(bob.launch(launch).result().has_fault());
}

TEST_F(ServerSessionTest, ScratchpadsAreClearedBetweenClients) {
  Client ann = connectTo("");
  const uint64_t secret = ann.allocate(4096).buffer().address();
  ann.write(secret, std::string(4096, 'x'));
  const Instruction load = Instruction::load(contiguousRow(MemoryType::kAcc, 0, 0, 1));
  EXPECT_FALSE(ann.run({load, Instruction::finish()}, secret).result().has_fault());
  Client bob = connectTo("");
  const uint64_t out = bob.allocate(4096).buffer().address();
  bob.write(out, std::string(4096, 'y'));
  const std::vector<Instruction> store = {
      Instruction::gemm({}, {.push_next = true}),
      Instruction::store(contiguousRow(MemoryType::kOut, 0, 0, 1),
                         {.pop_prev = true, .push_prev = true}),
      Instruction::finish({.pop_next = true})};
  const v1::Reply reply = bob.run(store, out);
  EXPECT_FALSE(reply.result().has_fault()) << reply.result().fault().reason();
  EXPECT_EQ(bob.read(out, 16).data(), std::string(16, '\0'));
}

TEST_F(ServerSessionTest, LaunchesThatTakeTooLongAreNotStarted) {
  limits_.launch = std::chrono::milliseconds(100);
  Client client = connectTo("");
  const uint64_t base = client.allocate(4096).buffer().address();
  GemmInsn gemm;
  gemm.uop_end = 8000;
  gemm.iter_out = gemm.iter_in = 16000;
  const v1::Error error =
      client.run({Instruction::gemm(gemm), Instruction::finish()}, base).error();
  EXPECT_THAT(error.message(), HasSubstr("--launch-limit"));
}

/// A request with every field at random: small numbers, large ones, and what is there.
v1::Request randomRequest(sim::Rng& random, uint64_t known) {
  const auto number = [&]() -> uint64_t {
    switch (random.pick(0, 3)) {
      case 0:
        return random.pick(0, 5000);
      case 1:
        return known + random.pick(0, 128);
      case 2:
        return ~uint64_t{0} - random.pick(0, 64);
      default:
        return uint64_t{random.pick(0, ~uint32_t{0})} << random.pick(0, 32);
    }
  };
  v1::Request request;
  switch (random.pick(0, 8)) {
    case 0:
      request.mutable_allocate()->set_size_bytes(number());
      request.mutable_allocate()->set_alignment_bytes(number());
      if (random.oneIn(2)) request.mutable_allocate()->set_address(number());
      break;
    case 1:
      request.mutable_free()->set_address(number());
      request.mutable_free()->set_size_bytes(number());
      break;
    case 2:
    case 3:
      request.mutable_write()->set_address(number());
      for (uint32_t i = random.pick(0, 200); i > 0; --i) {
        request.mutable_write()->mutable_data()->push_back(static_cast<char>(random.pick(0, 255)));
      }
      break;
    case 4:
      request.mutable_read()->set_address(number());
      request.mutable_read()->set_size_bytes(number());
      break;
    case 5:
    case 6: {
      v1::Launch& launch = *request.mutable_launch();
      launch.set_instruction_address(random.oneIn(4) ? number() : known);
      launch.set_instruction_count(random.oneIn(4) ? static_cast<uint32_t>(number())
                                                   : random.pick(0, 12));
      launch.set_uop_base(number());
      launch.set_inp_base(number());
      launch.set_wgt_base(number());
      launch.set_acc_base(number());
      launch.set_out_base(number());
      break;
    }
    case 7:
      request.mutable_set_tracing()->set_on(random.oneIn(2));
      break;
    default:
      request.mutable_reset();
      break;
  }
  return request;
}

TEST_F(ServerSessionTest, NoRequestBreaksTheServer) {
  limits_.launch = std::chrono::milliseconds(20);
  Client neighbour = connectTo("");
  const uint64_t theirs = neighbour.allocate(4096).buffer().address();
  neighbour.write(theirs, "untouched");
  sim::Rng random(7);
  for (int session = 0; session < 30; ++session) {
    Client client = connectTo("");
    const uint64_t known = client.allocate(4096).buffer().address();
    for (int i = 0; i < 200 && client.status().ok(); ++i) {
      client.ask(randomRequest(random, random.oneIn(2) ? known : theirs));
    }
  }
  EXPECT_EQ(neighbour.read(theirs, 9).data(), "untouched");
  neighbour.end();
  EXPECT_EQ(devices_[0]->buffers().totalBytes(), 0u);
  EXPECT_EQ(account_.freeBytes(), account_.mostBytes());
}

}  // namespace
}  // namespace vta::remote
