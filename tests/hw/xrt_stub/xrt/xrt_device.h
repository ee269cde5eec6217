// XRT's native interface as far as hw/boards/xrt/host.cpp uses it: a card whose registers are
// memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace xrt {

struct uuid {};

struct device {
  explicit device(unsigned number) : card(number) {}
  uuid load_xclbin(const std::string&) { return {}; }
  unsigned card;
};

/// Card 0 has a VTA with a window, card 1 one without, card 2 something else.
class ip {
 public:
  ip(const device& owner, const uuid&, const std::string&) : card_(owner.card) {
    words_[0x40] = card_ == 2 ? 0 : 0x31415456;
  }
  uint32_t read_register(uint32_t offset) { return words_[offset]; }
  void write_register(uint32_t offset, uint32_t value) {
    if (card_ == 0 && offset >= 0xc0 && offset < 0xf0) {
      const uint32_t number = (offset - 0xc0) / 8;
      offset = (offset % 8 == 0 ? 0x0c : 0x80) + 4 * number;
    }
    words_[offset] = value;
  }

 private:
  unsigned card_;
  std::map<uint32_t, uint32_t> words_;
};

}  // namespace xrt
