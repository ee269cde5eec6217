// Tensor cores: their products, their loads, and the copies that feed them. As the PTX ISA's
// chapters "Warp Level Matrix Instructions" and "Asynchronous copy" say it.
#include <array>
#include <cstring>

#include "base/half.h"
#include "tests/driver/gpu/ptx/ptx_values.h"

namespace vta::driver::test {
namespace {

using Operation = std::function<void(PtxInvocation&)>;
using WarpOperation = std::function<void(PtxWarp)>;

/// A product of 16 rows and 8 columns. A register has 32 bits of a factor; Element: half floats are
/// numbers of float here.
template <typename Element, typename Sum, size_t kDepth>
class MmaTile {
 public:
  static constexpr size_t kPacked = kDepth / 8;  // elements of a register

  void readLeft(size_t lane, size_t number, uint32_t bits) {
    const size_t row = lane / 4 + 8 * (number % 2);
    const size_t depth = kPacked * (lane % 4) + 4 * kPacked * (number / 2);
    for (size_t i = 0; i < kPacked; ++i) left_[row][depth + i] = element(bits, i);
  }
  void readRight(size_t lane, size_t number, uint32_t bits) {
    const size_t depth = kPacked * (lane % 4) + 4 * kPacked * number;
    for (size_t i = 0; i < kPacked; ++i) right_[depth + i][lane / 4] = element(bits, i);
  }
  /// Sum number `number` of a lane, which begins at `first`.
  Sum sum(size_t lane, size_t number, Sum first) const {
    const size_t row = lane / 4 + 8 * (number / 2), column = 2 * (lane % 4) + number % 2;
    if constexpr (std::is_integral_v<Sum>) {
      auto sum = static_cast<uint32_t>(first);
      for (size_t k = 0; k < kDepth; ++k) {
        sum += static_cast<uint32_t>(left_[row][k] * right_[k][column]);
      }
      return static_cast<Sum>(sum);
    } else {
      double sum = first;
      for (size_t k = 0; k < kDepth; ++k) sum += double{left_[row][k]} * right_[k][column];
      return static_cast<Sum>(sum);
    }
  }

 private:
  static Element element(uint32_t bits, size_t number) {
    if constexpr (std::is_integral_v<Element>) return static_cast<int8_t>(bits >> (8 * number));
    return halfToFloat(static_cast<uint16_t>(bits >> (16 * number)));
  }

  std::array<std::array<Element, kDepth>, 16> left_{};
  std::array<std::array<Element, 8>, kDepth> right_{};
};

template <typename Element, typename Sum, size_t kDepth>
WarpOperation multiply(const PtxLine& line) {
  const std::vector<PtxOperand> to = line.operands[0], left = line.operands[1],
                                right = line.operands[2], sums = line.operands[3];
  if (to.size() != 4 || left.size() != 4 || right.size() != 2 || sums.size() != 4) return {};
  return [=](PtxWarp warp) {
    MmaTile<Element, Sum, kDepth> tile;
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      for (size_t i = 0; i < 4; ++i) {
        tile.readLeft(lane, i, static_cast<uint32_t>(left[i].value(warp[lane])));
        if (i < 2) tile.readRight(lane, i, static_cast<uint32_t>(right[i].value(warp[lane])));
      }
    }
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      std::array<Sum, 4> results{};
      for (size_t i = 0; i < 4; ++i) {
        results[i] = tile.sum(lane, i, ptxValue<Sum>(sums[i].value(warp[lane])));
      }
      for (size_t i = 0; i < 4; ++i) warp[lane].registers[to[i].index] = ptxBits<Sum>(results[i]);
    }
  };
}

/// Matrices of 8x8 elements of 16 bits. Lane l has the address of row l % 8 of matrix l / 8, and
/// gets two neighbours of row l / 4 of each; of column l / 4 if they are transposed.
WarpOperation loadMatrices(const PtxLine& line) {
  const std::vector<PtxOperand> to = line.operands[0];
  const PtxOperand address = line.operands[1][0];
  const auto offset = static_cast<uint64_t>(line.offsets[1]);
  const bool is_transposed = line.has("trans");
  if (!line.has("m8n8") || !line.has("shared") || line.type() != "b16") return {};
  return [=](PtxWarp warp) {
    constexpr size_t kSide = 8;
    for (size_t matrix = 0; matrix < to.size(); ++matrix) {
      std::array<std::array<uint16_t, kSide>, kSide> elements{};
      for (size_t row = 0; row < kSide; ++row) {
        PtxInvocation& lane = warp[kSide * matrix + row];
        const std::byte* bytes =
            ptxBytesAt(lane, /*is_shared=*/true, address.value(lane) + offset, sizeof(elements[0]));
        if (bytes == nullptr || !lane.error.empty()) {
          warp.front().error = lane.error;
          return;
        }
        std::memcpy(elements[row].data(), bytes, sizeof(elements[0]));
      }
      for (size_t lane = 0; lane < warp.size(); ++lane) {
        uint32_t bits = 0;
        for (size_t i = 0; i < 2; ++i) {
          const size_t along = 2 * (lane % 4) + i, across = lane / 4;
          const uint32_t element =
              is_transposed ? elements[along][across] : elements[across][along];
          bits |= element << (16 * i);
        }
        warp[lane].registers[to[matrix].index] = bits;
      }
    }
  };
}

/// Copies of 4, 8 or 16 bytes, or as many zeros.
Operation startCopy(const PtxLine& line) {
  const PtxOperand to = line.operands[0][0], from = line.operands[1][0], size = line.operands[2][0];
  const PtxOperand from_size = line.operands.size() > 3 ? line.operands[3][0] : size;
  const auto to_offset = static_cast<uint64_t>(line.offsets[0]);
  const auto from_offset = static_cast<uint64_t>(line.offsets[1]);
  return [=](PtxInvocation& at) {
    PtxCopy copy = {.group = at.copy_groups, .size_bytes = size.value(at)};
    const auto read_bytes = static_cast<uint32_t>(from_size.value(at));
    copy.to = ptxBytesAt(at, /*is_shared=*/true, to.value(at) + to_offset, copy.size_bytes);
    if (!at.error.empty()) return;
    if (read_bytes == copy.size_bytes) {
      const uint64_t source = from.value(at) + from_offset;
      copy.from = ptxBytesAt(at, /*is_shared=*/false, source, copy.size_bytes);
    } else if (read_bytes != 0) {
      at.error = "a copy reads a part of what it writes";
    }
    if (at.error.empty()) at.copies.push_back(copy);
  };
}

/// Waits until at most `pending` groups are under way.
void finishCopies(PtxInvocation& at, size_t pending) {
  std::erase_if(at.copies, [&](const PtxCopy& copy) {
    if (copy.group + pending >= at.copy_groups) return false;
    if (copy.from == nullptr) std::memset(copy.to, 0, copy.size_bytes);
    if (copy.from != nullptr) std::memcpy(copy.to, copy.from, copy.size_bytes);
    at.unpublished.emplace_back(copy.to, copy.size_bytes);
    return true;
  });
}

}  // namespace

Operation ptxCopyOperation(const PtxLine& line) {
  if (line.has("commit_group")) return [](PtxInvocation& at) { ++at.copy_groups; };
  if (line.has("wait_group")) {
    const PtxOperand pending = line.operands[0][0];
    return [=](PtxInvocation& at) { finishCopies(at, pending.value(at)); };
  }
  const bool is_copy = line.has("shared") && line.has("global") && line.operands.size() >= 3;
  return is_copy && line.name[1] == "async" ? startCopy(line) : Operation();
}

WarpOperation ptxWarpOperation(const PtxLine& line) {
  const std::string& name = line.name[0];
  if (name == "ldmatrix") return loadMatrices(line);
  if (name != "mma" || !line.has("row") || !line.has("col") || line.has("satfinite")) return {};
  if (line.has("m16n8k32") && line.has("s8")) return multiply<int8_t, int32_t, 32>(line);
  if (line.has("m16n8k16") && line.has("f16") && line.type() == "f32") {
    return multiply<float, float, 16>(line);
  }
  return {};
}

}  // namespace vta::driver::test
