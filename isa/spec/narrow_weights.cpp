#include "isa/spec/narrow_weights.h"

#include <cstring>

namespace vta {

std::vector<int8_t> packWeights(std::span<const int8_t> weights, int width_bits) {
  if (width_bits == 8) return {weights.begin(), weights.end()};
  const unsigned mask = (1u << width_bits) - 1;
  const auto in_a_byte = static_cast<size_t>(8 / width_bits);
  std::vector<int8_t> packed(weights.size() / in_a_byte);
  for (size_t i = 0; i < packed.size() * in_a_byte; ++i) {
    const unsigned bits = static_cast<unsigned>(weights[i]) & mask;
    const unsigned lsb = static_cast<unsigned>(i % in_a_byte) * static_cast<unsigned>(width_bits);
    int8_t& byte = packed[i / in_a_byte];
    byte = static_cast<int8_t>(static_cast<unsigned>(static_cast<uint8_t>(byte)) | bits << lsb);
  }
  return packed;
}

void unpackWeights(const int8_t* packed, size_t count, int width_bits, int8_t* weights) {
  if (width_bits == 8) {
    std::memcpy(weights, packed, count);
    return;
  }
  const auto in_a_byte = static_cast<size_t>(8 / width_bits);
  for (size_t i = 0; i < count; ++i) {
    // The weight goes to the top of a byte, and comes down with its sign.
    const int top = 8 - width_bits * static_cast<int>(i % in_a_byte + 1);
    const auto byte = static_cast<uint8_t>(packed[i / in_a_byte]);
    weights[i] = static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(byte << top)) >>
                                     (8 - width_bits));
  }
}

}  // namespace vta
