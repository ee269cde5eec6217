#include "driver/devices/registry.h"

#include <gmock/gmock.h>

namespace vta::driver {
namespace {

using testing::HasSubstr;

Status statusOf(std::string_view spec) {
  return createDevice(spec, HwConfig::makeDefault()).status();
}

TEST(RegistryTest, CreatesByNameAndOptions) {
  for (const DeviceKind& kind : deviceKinds()) {
    const auto device = createDevice(kind.name, HwConfig::makeDefault());
    ASSERT_TRUE(device.ok()) << device.status().message();
    EXPECT_EQ((*device)->info().name, kind.name);
    EXPECT_FALSE(kind.description.empty());
  }
  const auto checked = createDevice("functional:memory=64K,checked", HwConfig::makeDefault());
  ASSERT_TRUE(checked.ok()) << checked.status().message();
  EXPECT_EQ((*checked)->info().name, "functional:checked");
  EXPECT_FALSE((*checked)->allocate(65536, 1).ok());
  EXPECT_TRUE((*checked)->allocate(32768, 1).ok());
}

TEST(RegistryTest, UnknownNameListsKnownOnes) {
  const Status status = statusOf("quantum");
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("unknown device 'quantum'; known: functional"));
}

TEST(RegistryTest, UnknownOptionsListKnownOnes) {
  for (const char* spec :
       {"functional:fast", "functional:memory=", "functional:memory=0", "functional:memory=1T",
        "functional:memory=x", "functional:memory=99999999999999999999",
        "functional:memory=18446744073709551615G", "functional:checked,,x"}) {
    const Status status = statusOf(spec);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << spec;
    EXPECT_THAT(status.message(), HasSubstr("legal: checked, memory=<size>[K|M|G]")) << spec;
  }
}

TEST(RegistryTest, OptionsOfTheCycleSimulator) {
  const auto device = createDevice("cycle:timing-only,dram=DDR3-1066", HwConfig::makeDefault());
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_EQ((*device)->info().name, "cycle:timing-only");
  EXPECT_FALSE((*device)->info().capabilities.values);
  EXPECT_TRUE((*device)->info().capabilities.cycles);
  EXPECT_FALSE((*device)->info().limitations.empty());
  EXPECT_TRUE((*device)->setTracing(true).ok());
  EXPECT_THAT(statusOf("cycle:fast").message(), HasSubstr("legal: timing-only, dram="));
  EXPECT_THAT(statusOf("cycle:dram=sram").message(), HasSubstr("simple, DDR3-1066"));
}

TEST(RegistryTest, OnlySomeDevicesTrace) {
  const auto device = createDevice("functional", HwConfig::makeDefault());
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device)->setTracing(false).ok());
  EXPECT_EQ((*device)->setTracing(true).code(), StatusCode::kUnsupported);
}

TEST(RegistryTest, OptionsOfTheRtl) {
  for (const char* spec : {"rtl:fast", "rtl:waves=", "rtl:waves-from=x", "rtl:waves-to=-1",
                           "rtl:max-cycles=", "rtl:memory=0", "rtl:dram"}) {
    const Status status = statusOf(spec);
    EXPECT_FALSE(status.ok()) << spec;
    EXPECT_THAT(status.message(), testing::AnyOf(HasSubstr("legal: checked, dram=<name or file>"),
                                                 HasSubstr("a memory that is built in")))
        << spec;
  }
  EXPECT_THAT(statusOf("rtl:dram=DDR9").message(), HasSubstr("simple, DDR3-1066"));
}

TEST(RegistryTest, MemoryThatCannotBe) {
  EXPECT_EQ(statusOf("functional:memory=4096").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(statusOf("functional:memory=1000000000G").code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace vta::driver
