#include "compiler/tile/box_transfer.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::tile {
namespace {

using kernel::Transfer;

// Along one axis, the part of a box that lies in the tensor, and what lies in front and behind.
struct Cut {
  int64_t before = 0, inside = 0, after = 0;
};

Cut cutAxis(int64_t begin, int64_t extent, int64_t length) {
  Cut cut;
  cut.before = std::clamp<int64_t>(-begin, 0, extent);
  cut.after = std::clamp<int64_t>(begin + extent - length, 0, extent);
  cut.inside = extent - cut.before - cut.after;
  return cut;
}

Status checkCut(const TensorDecl& tensor, size_t axis, const Cut& cut) {
  if (cut.before == 0 && cut.after == 0) return {};
  const std::string place = fmt::format("a load reaches {} elements beside axis {} of '{}'",
                                        std::max(cut.before, cut.after), axis, tensor.name);
  if (cut.inside <= 0) return invalidArgument(place + " and none in it");
  if (tensor.memory == MemoryType::kWgt) {
    return invalidArgument(place + "; weights have no padding: choose tiles that divide it");
  }
  if (axis + 2 < tensor.shape.size()) {
    return invalidArgument(place + "; only its two last axes can be padded");
  }
  if (std::max(cut.before, cut.after) > Transfer::kMaxPad) {
    return invalidArgument(
        fmt::format("{}; {} at each side are possible", place, Transfer::kMaxPad));
  }
  return {};
}

int64_t dramOffset(const Shape& strides, const Shape& begin) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis) offset += strides[axis] * begin[axis];
  return offset;
}

// The axes that one transfer takes, from `from` on.
void pushAxes(Transfer& transfer, const Shape& counts, const Shape& strides, size_t from) {
  if (counts.size() - from < 2) transfer.push(1, 1);
  for (size_t axis = from; axis < counts.size(); ++axis) transfer.push(counts[axis], strides[axis]);
}

}  // namespace

Result<std::vector<Transfer>> loadBox(const TensorDecl& tensor, uint32_t buffer, const Shape& begin,
                                      const Shape& shape, uint32_t sram_base) {
  const size_t rank = shape.size();
  const Shape strides = packedStrides(tensor.shape);
  Shape inside(rank);
  Shape first = begin;
  std::vector<Cut> cuts;
  for (size_t axis = 0; axis < rank; ++axis) {
    cuts.push_back(cutAxis(begin[axis], shape[axis], tensor.shape[axis]));
    VTA_RETURN_IF_ERROR(checkCut(tensor, axis, cuts[axis]));
    inside[axis] = cuts[axis].inside;
    first[axis] += cuts[axis].before;
  }
  Transfer box;
  box.memory_type = tensor.memory;
  box.buffer = buffer;
  box.pad_left = static_cast<uint32_t>(cuts[rank - 1].before);
  box.pad_right = static_cast<uint32_t>(cuts[rank - 1].after);
  if (rank > 1) {
    box.pad_top = static_cast<uint32_t>(cuts[rank - 2].before);
    box.pad_bottom = static_cast<uint32_t>(cuts[rank - 2].after);
  }
  const size_t outer = rank - std::min<size_t>(rank, Transfer::kMaxDims);
  pushAxes(box, inside, strides, outer);
  const Shape packed = packedStrides(shape);
  std::vector<Transfer> transfers;
  forEachPosition(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(outer)),
                  [&](const Shape& position) {
                    Transfer part = box;
                    part.dram_base = dramOffset(strides, first);
                    part.sram_base = sram_base;
                    for (size_t axis = 0; axis < outer; ++axis) {
                      part.dram_base += position[axis] * strides[axis];
                      part.sram_base += static_cast<uint32_t>(position[axis] * packed[axis]);
                    }
                    transfers.push_back(part);
                  });
  return transfers;
}

std::vector<Transfer> storeBox(const TensorDecl& tensor, uint32_t buffer, const Shape& begin,
                               const View& src, uint32_t sram_base) {
  const size_t rank = src.shape.size();
  const Shape strides = packedStrides(tensor.shape);
  // A STORE takes elements that lie packed: axes from `outer` on.
  size_t outer = rank;
  for (int64_t packed = 1; outer > 0 && rank - outer < size_t{Transfer::kMaxDims}; --outer) {
    if (src.shape[outer - 1] != 1 && src.strides[outer - 1] != packed) break;
    packed *= src.shape[outer - 1];
  }
  Transfer box;
  box.memory_type = MemoryType::kOut;
  box.buffer = buffer;
  pushAxes(box, src.shape, strides, outer);
  std::vector<Transfer> transfers;
  forEachPosition(Shape(src.shape.begin(), src.shape.begin() + static_cast<std::ptrdiff_t>(outer)),
                  [&](const Shape& position) {
                    Transfer part = box;
                    int64_t sram = sram_base + src.offset;
                    part.dram_base = dramOffset(strides, begin);
                    for (size_t axis = 0; axis < outer; ++axis) {
                      part.dram_base += position[axis] * strides[axis];
                      sram += position[axis] * src.strides[axis];
                    }
                    part.sram_base = static_cast<uint32_t>(sram);
                    transfers.push_back(part);
                  });
  return transfers;
}

}  // namespace vta::tile
