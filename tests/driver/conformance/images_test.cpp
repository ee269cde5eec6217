// Programs that the project did not write, as memory images before and after.
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

  void runImage(int number) {
    SCOPED_TRACE("image " + std::to_string(number));
    const std::string stem = folder() / std::to_string(number);
    const std::vector<std::byte> before = gunzip(stem + ".pre.img.gz");
    const std::vector<std::byte> after = gunzip(stem + ".post.img.gz");
    ASSERT_FALSE(before.empty());
    ASSERT_EQ(before.size(), after.size());
    nlohmann::json json;
    std::ifstream(stem + ".json") >> json;

    auto device = createDevice(spec(), HwConfig::makeDefault());
    ASSERT_TRUE(device.ok()) << device.status().message();
    ASSERT_TRUE((*device)->allocateAt(0, before.size()).ok());
    ASSERT_TRUE((*device)->write(0, before).ok());
    Launch launch;
    launch.instruction_address = json.at("insn_addr");
    launch.instruction_count = json.at("insn_count");
    ASSERT_TRUE((*device)->submit(launch).ok());
    const auto result = (*device)->wait(std::chrono::seconds(60));
    ASSERT_TRUE(result.ok()) << result.status().message();
    ASSERT_FALSE(result->fault) << result->fault->disassembly << ": " << result->fault->reason;

    std::vector<std::byte> memory(before.size());
    ASSERT_TRUE((*device)->read(0, memory).ok());
    EXPECT_TRUE(memory == after) << "memory differs from the image after";
  }
};

TEST_P(ImagesTest, MemoryAfterEqualsTheImage) {
  VTA_REQUIRE_FEATURE(Feature::kFixedAddresses);
  if (!std::filesystem::exists(folder())) GTEST_SKIP() << folder() << " is not there";
  for (int number = 1; number <= 6; ++number) runImage(number);
}

VTA_INSTANTIATE_CONFORMANCE(ImagesTest);

}  // namespace
}  // namespace vta::driver::conformance
