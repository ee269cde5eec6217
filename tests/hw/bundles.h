// The bundles of vta_types.svh in ports of Verilated modules: packed, the first member in the
// highest bits.
#pragma once

#include <cstdint>
#include <type_traits>

namespace vta::hw::test {

constexpr int kBurstLenBits = 5;
constexpr int kAxiLenBits = 8;
constexpr int kAxiIdBits = 2;

/// Bit `at` of a port of any width.
template <typename Port>
bool bitOf(const Port& port, int at) {
  if constexpr (std::is_integral_v<Port>) {
    return (uint64_t{port} >> at & 1) != 0;
  } else {
    return (port.at(static_cast<size_t>(at / 32)) >> (at % 32) & 1) != 0;
  }
}

/// At most 64 bits of a port from bit `lsb` up.
template <typename Port>
uint64_t bitsOf(const Port& port, int lsb, int width_bits) {
  uint64_t value = 0;
  for (int i = 0; i < width_bits; ++i) value |= uint64_t{bitOf(port, lsb + i)} << i;
  return value;
}

/// burst_t: valid, addr, beats.
struct BurstBundle {
  bool valid = false;
  uint64_t addr = 0;
  uint64_t beats = 0;
};
template <typename Port>
BurstBundle burstOf(const Port& port, int addr_bits) {
  return {bitOf(port, kBurstLenBits + addr_bits), bitsOf(port, kBurstLenBits, addr_bits),
          bitsOf(port, 0, kBurstLenBits)};
}
inline uint64_t packBurst(const BurstBundle& burst, int addr_bits) {
  return uint64_t{burst.valid} << (kBurstLenBits + addr_bits) | burst.addr << kBurstLenBits |
         burst.beats;
}

/// read_beat_t of a bus of 64 bits: valid, error, last, data.
template <typename Port>
void setReadBeat(Port& port, bool valid, bool error, bool last, uint64_t data) {
  port.at(0) = static_cast<uint32_t>(data);
  port.at(1) = static_cast<uint32_t>(data >> 32);
  port.at(2) = static_cast<uint32_t>(valid) << 2 | static_cast<uint32_t>(error) << 1 |
               static_cast<uint32_t>(last);
}

/// axi_addr_t: valid, id, addr, len.
struct AxiAddrBundle {
  bool valid = false;
  int id = 0;
  uint64_t addr = 0;
  uint64_t len = 0;
};
template <typename Port>
AxiAddrBundle axiAddrOf(const Port& port, int addr_bits) {
  const int id_at = kAxiLenBits + addr_bits;
  return {bitOf(port, id_at + kAxiIdBits), static_cast<int>(bitsOf(port, id_at, kAxiIdBits)),
          bitsOf(port, kAxiLenBits, addr_bits), bitsOf(port, 0, kAxiLenBits)};
}

/// axi_data_t: valid, last, strb, data. The data is in the lowest bytes of the port.
struct AxiDataBundle {
  bool valid = false;
  bool last = false;
  uint64_t strb = 0;
};
template <typename Port>
AxiDataBundle axiDataOf(const Port& port, int data_bits) {
  const int strb_bits = data_bits / 8;
  return {bitOf(port, data_bits + strb_bits + 1), bitOf(port, data_bits + strb_bits),
          bitsOf(port, data_bits, strb_bits)};
}

}  // namespace vta::hw::test
