// Products of four warps, which read both factors from shared memory. As the PTX ISA's chapter
// "Asynchronous Warpgroup Level Matrix Instructions" says it.
#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "tests/driver/gpu/ptx/ptx_values.h"

namespace vta::driver::test {
namespace {

using Operation = std::function<void(PtxInvocation&)>;
using GroupOperation = std::function<void(PtxWarp)>;

constexpr size_t kRows = 64, kDepthBytes = 32;

/// Rows of a factor in shared memory, as a descriptor says where they are: only rows of 64 bytes of
/// depth whose chunks of 16 bytes change their places by bits of the row.
class DescribedRows {
 public:
  explicit DescribedRows(uint64_t descriptor)
      : begin_((descriptor & 0x3fff) << 4), step_((descriptor >> 32 & 0x3fff) << 4) {
    is_known_ = descriptor >> 62 == 2 && (descriptor >> 49 & 7) == 0;
  }
  bool isKnown() const { return is_known_; }

  /// Where byte `byte` of depth of row `row` is.
  uint64_t place(uint64_t row, uint64_t byte) const {
    const uint64_t plain = begin_ + row / 8 * step_ + row % 8 * 64 + byte;
    return plain ^ (plain >> 7 & 3) << 4;
  }

 private:
  uint64_t begin_, step_;  // in bytes; of eight rows
  bool is_known_ = false;
};

/// Shared memory as the instructions of a group see it.
class GroupMemory {
 public:
  explicit GroupMemory(PtxWarp group)
      : reader_(group.front()), is_unpublished_(group.front().shared.size()) {
    for (const PtxInvocation& at : group) {
      for (const std::span<const std::byte> written : at.unpublished) {
        const auto begin = is_unpublished_.begin() + (written.data() - at.shared.data());
        std::fill(begin, begin + static_cast<std::ptrdiff_t>(written.size()), true);
      }
    }
  }

  /// Bytes, or half floats as floats, of row `row`. The first invocation gets errors.
  template <typename Element>
  std::vector<Element> readRow(const DescribedRows& rows, uint64_t row) {
    constexpr size_t kElementBytes = std::is_integral_v<Element> ? 1 : 2;
    std::vector<Element> elements(kDepthBytes / kElementBytes);
    for (size_t i = 0; i < elements.size(); ++i) {
      const uint64_t place = rows.place(row, i * kElementBytes);
      const std::byte* bytes = ptxBytesAt(reader_, /*is_shared=*/true, place, kElementBytes);
      if (bytes == nullptr) return elements;
      if (is_unpublished_[place]) {
        reader_.error = "a product of what fence.proxy.async has not published";
      }
      uint16_t bits = 0;
      std::memcpy(&bits, bytes, kElementBytes);
      if constexpr (std::is_integral_v<Element>) elements[i] = static_cast<int8_t>(bits);
      if constexpr (!std::is_integral_v<Element>) elements[i] = halfToFloat(bits);
    }
    return elements;
  }

 private:
  PtxInvocation& reader_;
  std::vector<bool> is_unpublished_;  // by byte
};

template <typename Element, typename Sum>
Sum sumOf(const std::vector<Element>& left, const std::vector<Element>& right, Sum first) {
  if constexpr (std::is_integral_v<Sum>) {
    auto sum = static_cast<uint32_t>(first);
    for (size_t k = 0; k < left.size(); ++k) sum += static_cast<uint32_t>(left[k] * right[k]);
    return static_cast<Sum>(sum);
  } else {
    double sum = first;
    for (size_t k = 0; k < left.size(); ++k) sum += double{left[k]} * right[k];
    return static_cast<Sum>(sum);
  }
}

template <typename Element, typename Sum>
GroupOperation multiply(const PtxLine& line) {
  const std::vector<PtxOperand> sums = line.operands[0];
  const PtxOperand left = line.operands[1][0], right = line.operands[2][0];
  const size_t columns = 2 * sums.size();
  if (!line.has("m64n" + std::to_string(columns) + (sizeof(Element) == 1 ? "k32" : "k16"))) {
    return {};
  }
  return [=](PtxWarp group) {
    PtxInvocation& first = group.front();
    const DescribedRows lefts(left.value(first)), rights(right.value(first));
    for (const PtxInvocation& at : group) {
      if (!at.may_multiply) first.error = "a product of four warps without wgmma.fence before it";
    }
    if (!lefts.isKnown() || !rights.isKnown()) first.error = "a descriptor that nobody knows here";
    if (!first.error.empty()) return;
    GroupMemory memory(group);
    std::vector<std::vector<Element>> rows, other;
    for (size_t row = 0; row < kRows; ++row) rows.push_back(memory.readRow<Element>(lefts, row));
    for (size_t row = 0; row < columns; ++row) {
      other.push_back(memory.readRow<Element>(rights, row));
    }
    if (!first.error.empty()) return;
    for (size_t number = 0; number < group.size(); ++number) {
      PtxInvocation& at = group[number];
      const size_t lane = number % kPtxWarp;
      for (size_t i = 0; i < sums.size(); ++i) {
        const size_t row = number / kPtxWarp * 16 + lane / 4 + i % 4 / 2 * 8;
        const size_t column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        const auto late = at.late_registers.find(sums[i].index);
        const uint64_t before = late != at.late_registers.end() ? late->second : sums[i].value(at);
        at.late_registers[sums[i].index] =
            ptxBits<Sum>(sumOf<Element, Sum>(rows[row], other[column], ptxValue<Sum>(before)));
      }
    }
  };
}

}  // namespace

GroupOperation ptxGroupOperation(const PtxLine& line) {
  if (line.name[0] != "wgmma" || !line.has("mma_async") || line.has("satfinite")) return {};
  if (line.operands.size() == 4 && line.has("s8")) return multiply<int8_t, int32_t>(line);
  if (line.operands.size() == 8 && line.has("f32") && line.type() == "f16") {
    return multiply<float, float>(line);
  }
  return {};
}

Operation ptxGroupFence(const PtxLine& line) {
  if (line.name[0] == "fence") {
    if (!line.has("proxy") || !line.has("async")) return {};
    return [](PtxInvocation& at) { at.unpublished.clear(); };
  }
  if (line.has("fence")) return [](PtxInvocation& at) { at.may_multiply = true; };
  if (line.has("commit_group")) return [](PtxInvocation&) {};
  if (!line.has("wait_group") || line.operands[0][0].number != 0) return {};
  return [](PtxInvocation& at) {
    for (const auto& [index, bits] : at.late_registers) at.registers[index] = bits;
    at.late_registers.clear();
    at.may_multiply = false;
  };
}

}  // namespace vta::driver::test
