// What elements of GGUF files mean. Source: the structures and dequantisation of ggml
// (https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h, ggml-quants.c), as a
// specification.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/gguf/gguf_file.h"
#include "base/half.h"

namespace vta {
namespace {

using Block = std::span<const std::byte>;

uint8_t byteAt(Block block, int64_t at) { return static_cast<uint8_t>(block[at]); }
int8_t signedAt(Block block, int64_t at) { return static_cast<int8_t>(block[at]); }
uint16_t bitsAt(Block block, int64_t at) {
  uint16_t bits = 0;
  std::memcpy(&bits, block.data() + at, sizeof bits);
  return bits;
}
float halfAt(Block block, int64_t at) { return halfToFloat(bitsAt(block, at)); }

void readF32(Block block, float* out) { std::memcpy(out, block.data(), sizeof *out); }
void readF16(Block block, float* out) { *out = halfAt(block, 0); }
void readBf16(Block block, float* out) { *out = bfloatToFloat(bitsAt(block, 0)); }

/// A scale; 32 integers from -8 to 7, of which the first 16 are the lower halves of bytes.
void readQ4_0(Block block, float* out) {
  const float scale = halfAt(block, 0);
  for (int64_t i = 0; i < 16; ++i) {
    const int pair = byteAt(block, 2 + i);
    out[i] = static_cast<float>((pair & 15) - 8) * scale;
    out[i + 16] = static_cast<float>((pair >> 4) - 8) * scale;
  }
}

/// The same with integers from 0 to 15 and what is added to them.
void readQ4_1(Block block, float* out) {
  const float scale = halfAt(block, 0), added = halfAt(block, 2);
  for (int64_t i = 0; i < 16; ++i) {
    const int pair = byteAt(block, 4 + i);
    out[i] = static_cast<float>(pair & 15) * scale + added;
    out[i + 16] = static_cast<float>(pair >> 4) * scale + added;
  }
}

void readQ8_0(Block block, float* out) {
  const float scale = halfAt(block, 0);
  for (int64_t i = 0; i < 32; ++i) out[i] = static_cast<float>(signedAt(block, 2 + i)) * scale;
}

struct ScaleAndLeast {
  int scale = 0, least = 0;
};

/// Eight pairs of 6 bits in 12 bytes: the first four pairs have bytes of their own, whose upper two
/// bits belong to the last four.
ScaleAndLeast pairOfQ4_K(Block twelve, int64_t i) {
  if (i < 4) return {byteAt(twelve, i) & 63, byteAt(twelve, i + 4) & 63};
  const int low = byteAt(twelve, i + 4);
  return {(low & 15) | (byteAt(twelve, i - 4) >> 6) << 4, (low >> 4) | (byteAt(twelve, i) >> 6)
                                                                           << 4};
}

/// Eight groups of 32 integers from 0 to 15, each with a scale and a value that is taken away.
void readQ4_K(Block block, float* out) {
  const float scale = halfAt(block, 0), least = halfAt(block, 2);
  for (int64_t group = 0; group < 8; ++group) {
    const ScaleAndLeast pair = pairOfQ4_K(block.subspan(4, 12), group);
    const float step = scale * static_cast<float>(pair.scale);
    const float taken = least * static_cast<float>(pair.least);
    for (int64_t i = 0; i < 32; ++i) {
      const int both = byteAt(block, 16 + group / 2 * 32 + i);
      const int value = group % 2 == 0 ? both & 15 : both >> 4;
      out[group * 32 + i] = step * static_cast<float>(value) - taken;
    }
  }
}

/// 256 integers from -32 to 31: lower four bits, upper two bits, a scale for each 16.
void readQ6_K(Block block, float* out) {
  const Block low = block.subspan(0, 128), high = block.subspan(128, 64),
              scales = block.subspan(192, 16);
  const float scale = halfAt(block, 208);
  for (int64_t i = 0; i < 256; ++i) {
    const int64_t half = i / 128, quarter = i % 128 / 32, lane = i % 32;
    const int four = byteAt(low, half * 64 + quarter % 2 * 32 + lane) >> (quarter / 2 * 4) & 15;
    const int two = byteAt(high, half * 32 + lane) >> (quarter * 2) & 3;
    const float step = scale * static_cast<float>(signedAt(scales, i / 16));
    out[i] = step * static_cast<float>((four | two << 4) - 32);
  }
}

struct TypeRow {
  GgufType type;
  std::string_view name;
  GgufBlock block;
  void (*read)(Block block, float* out);
};

constexpr std::array kTypes = {
    TypeRow{GgufType::kF32, "F32", {1, 4}, readF32},
    TypeRow{GgufType::kF16, "F16", {1, 2}, readF16},
    TypeRow{GgufType::kBf16, "BF16", {1, 2}, readBf16},
    TypeRow{GgufType::kQ4_0, "Q4_0", {32, 18}, readQ4_0},
    TypeRow{GgufType::kQ4_1, "Q4_1", {32, 20}, readQ4_1},
    TypeRow{GgufType::kQ8_0, "Q8_0", {32, 34}, readQ8_0},
    TypeRow{GgufType::kQ4_K, "Q4_K", {256, 144}, readQ4_K},
    TypeRow{GgufType::kQ6_K, "Q6_K", {256, 210}, readQ6_K},
};

const TypeRow* rowOf(GgufType type) {
  const auto* row = std::ranges::find(kTypes, type, &TypeRow::type);
  return row == kTypes.end() ? nullptr : row;
}

}  // namespace

std::string_view toString(GgufType type) {
  const TypeRow* row = rowOf(type);
  return row == nullptr ? std::string_view() : row->name;
}

std::string ggufTypeNames() {
  std::string names;
  for (const TypeRow& row : kTypes) names.append(names.empty() ? "" : ", ").append(row.name);
  return names;
}

GgufBlock blockOf(GgufType type) {
  const TypeRow* row = rowOf(type);
  return row == nullptr ? GgufBlock{} : row->block;
}

std::vector<float> GgufFile::floatsOf(const GgufTensor& tensor) const {
  const TypeRow& row = *rowOf(tensor.type);
  const auto blocks = static_cast<int64_t>(tensor.bytes) / row.block.bytes;
  std::vector<float> values(blocks * row.block.elements);
  const Block all = bytesOf(tensor);
  for (int64_t i = 0; i < blocks; ++i) {
    row.read(all.subspan(i * row.block.bytes, row.block.bytes), &values[i * row.block.elements]);
  }
  return values;
}

}  // namespace vta
