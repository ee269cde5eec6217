#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "driver/flash/format/bitstream.h"
#include "driver/flash/format/ports.h"

namespace vta::flash {
namespace {

std::vector<std::byte> wordsAsBytes(std::span<const uint32_t> words) {
  std::vector<std::byte> bytes;
  for (const uint32_t word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(std::byte(word >> shift & 0xff));
  }
  return bytes;
}

// IDCODE of a 7z020, a frame of two words, DESYNC.
constexpr std::array<uint32_t, 9> kSmall = {0xffffffff, 0xaa995566, 0x30018001,
                                            0x03727093, 0x30004002, 0x11111111,
                                            0x22222222, 0x30008001, 0x0000000d};

TEST(FpgaDies, NumbersAndNamesAreUnique) {
  std::set<uint32_t> bitstreams, systems;
  std::set<std::string_view> names;
  for (const FpgaDie& die : fpgaDies()) {
    EXPECT_TRUE(bitstreams.insert(die.bitstream_idcode).second) << die.name;
    EXPECT_TRUE(systems.insert(die.system_idcode).second) << die.name;
    EXPECT_TRUE(names.insert(die.name).second) << die.name;
    EXPECT_EQ(die.family == FpgaFamily::kZynq7000, die.bitstream_idcode == die.system_idcode);
  }
}

TEST(FpgaDies, PartsNameTheirDies) {
  for (const auto& [part, die] : {std::pair("xc7z020clg400-1", "xc7z020"),
                                  {"7z020clg484", "xc7z020"},
                                  {"7z014sclg400", "xc7z014s"},
                                  {"xczu3eg-sbva484-1-i", "xczu3"},
                                  {"xck26-sfvc784-2LV-c", "xck26"}}) {
    ASSERT_NE(findDieOfPart(part), nullptr) << part;
    EXPECT_EQ(findDieOfPart(part)->name, die);
  }
  for (const char* part : {"", "xc7z0", "xczu39dr", "xc7a100t", "z020"}) {
    EXPECT_EQ(findDieOfPart(part), nullptr) << part;
  }
}

TEST(FpgaDies, RevisionsDoNotMatter) {
  EXPECT_EQ(findDieOfBitstream(0x23727093), findDieOfBitstream(0x03727093));
  EXPECT_EQ(findDieOfSystem(0x14710093)->name, "xczu3");
  EXPECT_EQ(findDieOfSystem(0x04a42093), nullptr);  // that of the logic
}

TEST(Ports, EveryWidthHasACode) {
  for (const PortInfo& port : ports()) {
    for (const int bits : port.widths_bits) {
      EXPECT_EQ(checkPort(port.family, port.name, bits).ok(), bits != 0) << port.name;
    }
    EXPECT_FALSE(checkPort(port.family, port.name, 0).ok());
    EXPECT_FALSE(checkPort(port.family, port.name, 256).ok());
  }
}

TEST(ManagerImage, SwapsEveryWord) {
  const std::vector<std::byte> file = wordsAsBytes(kSmall);
  const auto bitstream = readBitstream(file);
  ASSERT_TRUE(bitstream.ok()) << bitstream.status().message();
  const auto image = managerImage(*bitstream, file);
  ASSERT_TRUE(image.ok());
  ASSERT_EQ(image->size(), file.size());
  for (size_t i = 0; i < kSmall.size(); ++i) {
    uint32_t word = 0;
    std::memcpy(&word, image->data() + 4 * i, 4);
    EXPECT_EQ(word, kSmall[i]);
  }
  const auto again = readBitstream(*image);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->configuration->order, WordOrder::kSwapped);
  EXPECT_EQ(*managerImage(*again, *image), *image);
}

TEST(Packets, EveryTruncationIsRefused) {
  const std::vector<std::byte> file = wordsAsBytes(kSmall);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(readBitstream(std::span(file).first(size)).ok()) << size;
  }
}

TEST(Packets, NamesFollowTheContent) {
  std::vector<std::byte> image = wordsAsBytes(kSmall);
  const std::string name = firmwareName(image);
  image.back() ^= std::byte{1};
  EXPECT_NE(firmwareName(image), name);
}

}  // namespace
}  // namespace vta::flash
