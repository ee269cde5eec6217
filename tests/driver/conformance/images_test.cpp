// Programs as memory images before and after: of others, and of random ones.
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "driver/device_registry.h"
#include "tests/driver/conformance/harness.h"

namespace vta::driver::conformance {
namespace {

std::vector<std::byte> gunzip(const std::filesystem::path& path) {
  std::vector<std::byte> data;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return data;
  std::vector<std::byte> chunk(1 << 16);
  int count = 0;
  while ((count = gzread(file, chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
    data.insert(data.end(), chunk.begin(), chunk.begin() + count);
  }
  gzclose(file);
  return data;
}

class ImagesTest : public ConformanceTest {
 protected:
  static std::filesystem::path folder() { return VTA_SOURCE_DIR "/../shared/conformance"; }

  void runImage(const std::string& stem, const HwConfig& hw) {
    SCOPED_TRACE(stem);
    const std::vector<std::byte> before = gunzip(stem + ".pre.img.gz");
    const std::vector<std::byte> after = gunzip(stem + ".post.img.gz");
    ASSERT_FALSE(before.empty());
    ASSERT_EQ(before.size(), after.size());
    nlohmann::json json;
    std::ifstream(stem + ".json") >> json;
    const uint64_t address = json.value("address", uint64_t{0});

    auto device = createDevice(spec(), hw);
    ASSERT_TRUE(device.ok()) << device.status().message();
    ASSERT_TRUE((*device)->allocateAt(address, before.size()).ok());
    ASSERT_TRUE((*device)->write(address, before).ok());
    ASSERT_TRUE((*device)->submit(launchOf(json)).ok());
    const auto result = (*device)->wait(std::chrono::seconds(60));
    ASSERT_TRUE(result.ok()) << result.status().message();
    ASSERT_FALSE(result->fault) << result->fault->disassembly << ": " << result->fault->reason;

    std::vector<std::byte> memory(before.size());
    ASSERT_TRUE((*device)->read(address, memory).ok());
    EXPECT_TRUE(memory == after) << "memory differs from the image after";
  }

  static Launch launchOf(const nlohmann::json& json) {
    Launch launch;
    launch.instruction_address = json.at("insn_addr");
    launch.instruction_count = json.at("insn_count");
    launch.uop_base = json.value("uop_base", uint64_t{0});
    launch.inp_base = json.value("inp_base", uint64_t{0});
    launch.wgt_base = json.value("wgt_base", uint64_t{0});
    launch.acc_base = json.value("acc_base", uint64_t{0});
    launch.out_base = json.value("out_base", uint64_t{0});
    return launch;
  }
};

// The project did not write these.
TEST_P(ImagesTest, MemoryAfterEqualsTheImage) {
  VTA_REQUIRE_FEATURE(Feature::kDefaultConfiguration);
  VTA_REQUIRE_FEATURE(Feature::kFixedAddresses);
  if (!std::filesystem::exists(folder())) GTEST_SKIP() << folder() << " is not there";
  for (int number = 1; number <= 6; ++number) {
    runImage(folder() / std::to_string(number), HwConfig::makeDefault());
  }
}

TEST_P(ImagesTest, MemoryAfterEqualsOurImages) {
  VTA_REQUIRE_FEATURE(Feature::kDefaultConfiguration);
  VTA_REQUIRE_FEATURE(Feature::kFixedAddresses);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  int count = 0;
  const std::filesystem::path images = VTA_SOURCE_DIR "/tests/driver/conformance/images";
  for (const auto& entry : std::filesystem::directory_iterator(images)) {
    if (entry.path().extension() != ".json") continue;
    const std::filesystem::path stem = std::filesystem::path(entry.path()).replace_extension();
    runImage(stem, rtlTestConfig(stem.stem()));  // "tiny-1x2x4.1" is of tiny-1x2x4
    ++count;
  }
  EXPECT_EQ(count, 6);
}

VTA_INSTANTIATE_CONFORMANCE(ImagesTest);

}  // namespace
}  // namespace vta::driver::conformance
