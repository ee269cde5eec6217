// Cards and containers that are not as they should be: the message names the cause and a remedy.
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "driver/device_registry.h"
#include "tests/driver/xrt/test_card.h"

namespace vta::driver {
namespace {

using test::defaultContainer;
using test::TestCard;
using testing::HasSubstr;

void expectRefusal(const Result<std::unique_ptr<Device>>& device, StatusCode code,
                   const std::vector<std::string>& texts) {
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), code) << device.status().message();
  for (const std::string& text : texts) {
    EXPECT_THAT(device.status().message(), HasSubstr(text));
  }
}

TEST(CardSetupTest, NoCard) {
  const TestCard card("cards=0");
  expectRefusal(card.open(), StatusCode::kNotFound, {"XRT finds no card 0", "xbutil examine"});
}

TEST(CardSetupTest, NoSuchCard) {
  const TestCard card("cards=2");
  expectRefusal(createDevice(card.spec("", 2), HwConfig::makeDefault()), StatusCode::kNotFound,
                {"XRT finds no card 2", "xbutil examine"});
}

TEST(CardSetupTest, NoContainer) {
  const TestCard card;
  expectRefusal(createDevice("xrt:0,xclbin=/no/such.xclbin", HwConfig::makeDefault()),
                StatusCode::kNotFound, {"/no/such.xclbin"});
}

TEST(CardSetupTest, NotAContainer) {
  const TestCard card;
  for (const std::string& text : {std::string(), std::string("xclbin"), std::string(4096, 'x')}) {
    std::ofstream(card.container()) << text;
    expectRefusal(card.open(), StatusCode::kInvalidArgument, {"is no container"});
  }
}

TEST(CardSetupTest, ContainersThatEndEarly) {
  const TestCard card;
  const std::string whole = sim::cardContainerBytes(defaultContainer());
  for (const size_t bytes : {size_t{300}, size_t{500}, whole.size() / 2, whole.size() - 1}) {
    std::ofstream(card.container(), std::ios::binary) << whole.substr(0, bytes);
    expectRefusal(card.open(), StatusCode::kInvalidArgument, {"is no container"});
  }
}

TEST(CardSetupTest, ContainersWithoutASection) {
  const TestCard card;
  const std::string whole = sim::cardContainerBytes(defaultContainer());
  for (const std::string name : {"ip_layout", "mem_topology", "connectivity", "metadata"}) {
    std::string other = whole;
    constexpr size_t kNameOffset = 4;  // in a section's header, behind its kind
    other[other.find(name) - kNameOffset] = 0x7f;
    std::ofstream(card.container(), std::ios::binary) << other;
    expectRefusal(card.open(), StatusCode::kInvalidArgument, {"is no container", "has no section"});
  }
}

TEST(CardSetupTest, ContainersWithMoreItemsThanRoom) {
  const TestCard card;
  const std::string whole = sim::cardContainerBytes(defaultContainer());
  for (const std::string name : {"ip_layout", "mem_topology", "connectivity"}) {
    std::string other = whole;
    constexpr size_t kOffsetOffset = 20;  // of the section's offset, from its name
    uint64_t offset_bytes = 0;
    std::memcpy(&offset_bytes, other.data() + other.find(name) + kOffsetOffset, 8);
    other[offset_bytes + 1] = 1;
    std::ofstream(card.container(), std::ios::binary) << other;
    expectRefusal(card.open(), StatusCode::kInvalidArgument,
                  {"is no container", "announces more than it holds"});
  }
}

TEST(CardSetupTest, ContainerForAnotherCard) {
  sim::CardContainer container = defaultContainer();
  container.platform = "xilinx_u250_gen3x16_xdma_4_1";
  const TestCard card("", container);
  expectRefusal(card.open(), StatusCode::kInvalidArgument,
                {"card 0 ('vta_virtual_card') refuses", "a container for 'xilinx_u250_gen3x16",
                 "link it for the card's platform"});
}

TEST(CardSetupTest, NoVtaInTheContainer) {
  sim::CardContainer container = defaultContainer();
  container.kernels = {{"vadd", "vadd_1"}, {"fir", "fir_1"}};
  const TestCard card("", container);
  expectRefusal(card.open(), StatusCode::kNotFound,
                {"no kernel in", "is called 'vta...'", "there are: vadd:vadd_1, fir:fir_1"});
  container.kernels = {};
  const TestCard empty("", container);
  expectRefusal(empty.open(), StatusCode::kNotFound, {"there are: none"});
}

TEST(CardSetupTest, KernelsAreChosenByName) {
  sim::CardContainer container = defaultContainer();
  container.kernels = {{"vta_top", "vta_top_1"}, {"vta_top", "vta_top_2"}};
  const TestCard card("", container);
  expectRefusal(card.open(), StatusCode::kInvalidArgument,
                {"several kernels", "vta_top:vta_top_1, vta_top:vta_top_2", "ip=<name>"});
  expectRefusal(card.open(",ip=vta_top_3"), StatusCode::kNotFound, {"is called 'vta_top_3'"});
  for (const char* name : {"vta_top_1", "vta_top:vta_top_1"}) {
    const auto device = card.open(std::string(",ip=") + name);
    EXPECT_TRUE(device.ok()) << device.status().message();
  }
}

TEST(CardSetupTest, MemoriesAreChosenByName) {
  sim::CardContainer container = defaultContainer();
  const TestCard card("", container);
  expectRefusal(card.open(",memory=HBM[3]"), StatusCode::kNotFound,
                {"reaches no memory 'HBM[3]'", "there are: DDR[0]"});
  EXPECT_TRUE(card.open(",memory=DDR[0]").ok());
  container.is_connected = false;
  const TestCard apart("", container);
  expectRefusal(apart.open(), StatusCode::kNotFound, {"reaches no memory", "there are: none"});
}

TEST(CardSetupTest, OtherHardware) {
  HwParams p;
  p.name = "small";
  p.block_in = p.block_out = 8;
  sim::CardContainer container;
  container.hw_yaml = HwConfig::create(p).value().toYaml();
  const TestCard card("", container);
  expectRefusal(card.open(), StatusCode::kUnsupported,
                {"kernel vta_top:vta_top_1 of card 0", "log2 block_in is 3 instead of 4",
                 "hardware: log2 batch 0", "wanted:   log2 batch 0"});
}

TEST(CardSetupTest, NoCoreBehindTheRegisters) {
  sim::CardContainer container = defaultContainer();
  // Only the first kernel of a virtual card is a core.
  container.kernels = {{"fir", "fir_1"}, {"vta_top", "vta_top_1"}};
  const TestCard card("", container);
  expectRefusal(card.open(), StatusCode::kIoError, {"register 0x40 of the card cannot be read"});
}

TEST(CardSetupTest, OneUserAtATime) {
  const TestCard card;
  {
    const auto first = card.open();
    ASSERT_TRUE(first.ok()) << first.status().message();
    expectRefusal(
        card.open(",lock-wait=30"), StatusCode::kResourceExhausted,
        {"vta_top:vta_top_1 of card 0 cannot be opened", "another process has it", "lock-wait="});
  }
  EXPECT_TRUE(card.open().ok());
}

TEST(CardSetupTest, AnotherContainerWhileTheCardIsUsed) {
  const TestCard card;
  const auto first = card.open();
  ASSERT_TRUE(first.ok()) << first.status().message();
  sim::CardContainer other = defaultContainer();
  other.banks[0].size_bytes /= 2;
  const TestCard second("", other);
  expectRefusal(second.open(), StatusCode::kResourceExhausted,
                {"refuses", "end other processes that use the card"});
}

TEST(CardSetupTest, TooLittleMemory) {
  sim::CardContainer container = defaultContainer();
  container.banks[0].size_bytes = 1 << 20;
  const TestCard card("", container);
  const auto device = card.open();
  ASSERT_TRUE(device.ok()) << device.status().message();
  ASSERT_TRUE((*device)->allocate(900 << 10, 64).ok());
  for (const uint64_t size : {uint64_t{200} << 10, uint64_t{2} << 20, ~uint64_t{0}}) {
    const auto buffer = (*device)->allocate(size, 64);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(buffer.status().message(),
                HasSubstr("at most 126976 of 1048576 are free in the card's memory 'DDR[0]'"));
  }
}

TEST(CardSetupTest, MemoryOutOfReach) {
  sim::CardContainer container = defaultContainer();
  container.banks[0].address = uint64_t{1} << 38;
  const TestCard card("", container);
  const auto device = card.open();
  ASSERT_TRUE(device.ok()) << device.status().message();
  const auto buffer = (*device)->allocate(64, 64);
  ASSERT_FALSE(buffer.ok());
  EXPECT_THAT(buffer.status().message(), HasSubstr("the core's addresses have 32 bits"));
  EXPECT_THAT(buffer.status().message(), HasSubstr("axi.addr_width_bits: 64"));
}

TEST(CardSetupTest, BadOptions) {
  for (const auto& [spec, text] : std::vector<std::pair<const char*, const char*>>{
           {"xrt:0", "which container? Write xrt:0,xclbin=<file>"},
           {"xrt", "which container?"},
           {"xrt:first,xclbin=a", "has no option 'card=first'"},
           {"xrt:999,xclbin=a", "card=999; legal: 0 to 255"},
           {"xrt:0,card=1,xclbin=a", "'card' comes twice"},
           {"xrt:xclbin=a,0", "has no option '0'"},
           {"xrt:0,container=a", "has no option 'container=a'"}}) {
    const auto device = createDevice(spec, HwConfig::makeDefault());
    expectRefusal(device, StatusCode::kInvalidArgument, {text});
  }
}

}  // namespace
}  // namespace vta::driver
