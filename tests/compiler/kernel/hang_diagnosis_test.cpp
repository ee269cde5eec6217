// Compiled layers that lose one token hang; whatever the token, the message says who waits for
// whom, whose pushes are missing, and in which layer.
#include <gmock/gmock.h>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "isa/program/program.h"
#include "tests/compiler/kernel/resnet18.h"

namespace vta::kernel::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// Two layers of ResNet-18 as one launch.
Program twoLayers(const HwConfig& hw) {
  std::vector<Program> programs;
  for (const KernelDesc& desc : resnet18Kernels(hw)) {
    if (desc.name != "layer3.down" && desc.name != "layer4.down") continue;
    Program program = lower(desc, *defaultSchedule(desc, hw), hw).value();
    program.symbols = {{0, desc.name}};
    for (BufferDecl& buffer : program.buffers) buffer.name.clear();
    programs.push_back(std::move(program));
  }
  EXPECT_EQ(programs.size(), 2u);
  return linkPrograms(programs, hw)->program;
}

class HangDiagnosisTest : public ::testing::TestWithParam<const char*> {
 protected:
  // The message of the fault.
  std::string run(const Program& program) {
    auto device = *driver::createDevice(GetParam(), hw_);
    std::vector<uint64_t> addresses;
    for (const BufferDecl& buffer : program.buffers) {
      addresses.push_back(device->allocate(buffer.size_bytes, 4096)->address);
    }
    auto loaded = driver::LoadedProgram::load(*device, program, addresses);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    const auto counters = loaded->run();
    return counters.ok() ? "" : counters.status().message();
  }

  HwConfig hw_ = HwConfig::makeDefault();
};

TEST_P(HangDiagnosisTest, EveryLostPushIsExplained) {
  const Program program = twoLayers(hw_);
  ASSERT_EQ(run(program), "");
  int lost = 0;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Tokens& tokens = program.instructions[i].tokens;
    if (!tokens.push_prev && !tokens.push_next) continue;
    if (++lost % 7 != 1) continue;  // some of them
    Program broken = program;
    Tokens& changed = broken.instructions[i].tokens;
    (changed.push_next ? changed.push_next : changed.push_prev) = false;
    const std::string message = run(broken);
    SCOPED_TRACE("push of instruction " + std::to_string(i) + ": " + message);
    EXPECT_THAT(message, HasSubstr("deadlock at instruction "));
    EXPECT_THAT(message, AnyOf(HasSubstr(" of 'layer3.down': "), HasSubstr(" of 'layer4.down': ")));
    EXPECT_THAT(message, ContainsRegex("(load|compute|store) waits at instruction [0-9]+ "));
    EXPECT_THAT(message, ContainsRegex("for a token from (load|compute|store), which (instruction "
                                       "[0-9]+ would|no instruction is left to) push"));
    // The queue that the token is missing from.
    const Unit from = program.instructions[i].unit();
    const Unit to = from != Unit::kCompute ? Unit::kCompute
                    : tokens.push_next     ? Unit::kStore
                                           : Unit::kLoad;
    EXPECT_THAT(message, HasSubstr("from " + std::string(unitName(from)) + " to " +
                                   std::string(unitName(to)) + " the program pops "));
  }
  EXPECT_GT(lost, 20);
}

TEST_P(HangDiagnosisTest, TheLastPusherAndOtherLayersAreNamed) {
  Program program = twoLayers(hw_);
  const uint32_t second = program.symbols[1].first_instruction;
  const auto pushes = [&](size_t i) {
    return program.instructions[i].unit() == Unit::kLoad &&
           program.instructions[i].tokens.push_next;
  };
  // The last push of the first layer, and all of the second: the second's compute waits for it.
  size_t last = second - 1;
  while (!pushes(last)) --last;
  for (size_t i = second; i < program.instructions.size(); ++i) {
    if (pushes(i)) program.instructions[i].tokens.push_next = false;
  }
  const std::string message = run(program);
  EXPECT_THAT(message, HasSubstr(" of 'layer4.down': "));
  EXPECT_THAT(message, HasSubstr("compute waits at instruction "));
  EXPECT_THAT(message,
              HasSubstr("the last so far by instruction " + std::to_string(last) + " (load "));
  EXPECT_THAT(message, HasSubstr("; instruction " + std::to_string(last) + " is of 'layer3.down'"));
}

INSTANTIATE_TEST_SUITE_P(Devices, HangDiagnosisTest,
                         ::testing::Values("functional", "cycle", "cycle:timing-only"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

}  // namespace
}  // namespace vta::kernel::testing
