#include "driver/device_registry.h"

#include <gmock/gmock.h>

namespace vta::driver {
namespace {

using testing::HasSubstr;

Status statusOf(std::string_view spec) {
  return createDevice(spec, HwConfig::makeDefault()).status();
}

TEST(RegistryTest, CreatesByNameAndOptions) {
  for (const DeviceKind& kind : deviceKinds()) {
    EXPECT_FALSE(kind.description.empty());
    if (kind.name == "zynq") continue;    // that one is there on a board only
    if (kind.name == "xrt") continue;     // that one with a card only
    if (kind.name == "remote") continue;  // and that one behind a server only
    const auto device = createDevice(kind.name, HwConfig::makeDefault());
    ASSERT_TRUE(device.ok()) << device.status().message();
    EXPECT_EQ((*device)->info().name, kind.name);
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
  for (const char* spec : {"functional:fast", "functional:memory=", "functional:memory=0",
                           "functional:memory=1T", "functional:memory=x", "functional:memory=4iB",
                           "functional:memory=1TiB", "functional:memory=99999999999999999999",
                           "functional:memory=18446744073709551615G", "functional:checked,,x"}) {
    const Status status = statusOf(spec);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << spec;
    EXPECT_THAT(status.message(), HasSubstr("legal: checked, memory=<size>[K|M|G]")) << spec;
  }
}

TEST(RegistryTest, SizesHaveUnits) {
  for (const char* spec : {"functional:memory=1M", "functional:memory=1MiB",
                           "functional:memory=1024KiB", "functional:memory=1048576"}) {
    const auto device = createDevice(spec, HwConfig::makeDefault());
    ASSERT_TRUE(device.ok()) << device.status().message();
    // The first page is never given away.
    EXPECT_FALSE((*device)->allocate(1 << 20, 1).ok()) << spec;
    EXPECT_TRUE((*device)->allocate(1 << 19, 1).ok()) << spec;
    EXPECT_FALSE((*device)->allocate(1 << 19, 1).ok()) << spec;
  }
}

TEST(RegistryTest, CheckDeviceNeedsNoConfiguration) {
  EXPECT_TRUE(checkDevice({"cycle", {{"dram", "DDR3-1066"}}}).ok());
  EXPECT_THAT(checkDevice({"cycle", {{"dram", "none"}}}).message(), HasSubstr("neither"));
  EXPECT_THAT(checkDevice({"quantum", {}}).message(), HasSubstr("unknown device"));
}

TEST(RegistryTest, OptionsOfTheCycleSimulator) {
  const auto device = createDevice("cycle:timing-only,dram=DDR3-1066", HwConfig::makeDefault());
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_EQ((*device)->info().name, "cycle:timing-only");
  EXPECT_FALSE((*device)->info().capabilities.values);
  EXPECT_TRUE((*device)->info().capabilities.cycles);
  EXPECT_FALSE((*device)->info().limitations.empty());
  EXPECT_TRUE((*device)->setTracing(Tracing::kAll).ok());
  EXPECT_THAT(statusOf("cycle:fast").message(), HasSubstr("legal: timing-only, dram="));
  EXPECT_THAT(statusOf("cycle:dram=sram").message(), HasSubstr("simple, DDR3-1066"));
}

TEST(RegistryTest, OnlySomeDevicesTrace) {
  const auto device = createDevice("functional", HwConfig::makeDefault());
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device)->setTracing(Tracing::kOff).ok());
  EXPECT_EQ((*device)->setTracing(Tracing::kAll).code(), StatusCode::kUnsupported);
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

TEST(RegistryTest, ValuesMayHaveCommas) {
  const auto spec = parseDeviceSpec("rtl:waves=a\\,b.fst,waves-to=7");
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  EXPECT_EQ(spec->options.at("waves"), "a,b.fst");
  EXPECT_EQ(spec->options.at("waves-to"), "7");
  EXPECT_THAT(parseDeviceSpec("rtl:waves-to=7,waves-to=8").status().message(),
              HasSubstr("'waves-to' comes twice"));
}

TEST(RegistryTest, AliasesStandForOptions) {
  const auto spec = parseDeviceSpec("checked:memory=64K");
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  EXPECT_EQ(spec->name, "functional");
  EXPECT_TRUE(spec->options.contains("checked"));
  const auto device = createDevice("checked", HwConfig::makeDefault());
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_EQ((*device)->info().name, "functional:checked");
}

TEST(RegistryTest, TellsWhatDevicesCanWithoutCreatingThem) {
  EXPECT_TRUE(findDeviceKind("cycle")->records_events);
  EXPECT_FALSE(findDeviceKind("functional")->records_events);
  EXPECT_TRUE(findDeviceKind("rtl")->hasOption("waves"));
  EXPECT_EQ(findDeviceKind("quantum"), nullptr);
}

TEST(RegistryTest, ASecondKindOfOneNameIsIgnored) {
  const size_t count = deviceKinds().size();
  DeviceKind again = deviceKinds()[0];
  again.description = "another";
  EXPECT_TRUE(registerDevice(again));
  EXPECT_EQ(deviceKinds().size(), count);
  EXPECT_NE(deviceKinds()[0].description, "another");
}

TEST(RegistryTest, MemoryThatCannotBe) {
  EXPECT_EQ(statusOf("functional:memory=4096").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(statusOf("functional:memory=1000000000G").code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace vta::driver
