#include "compiler/kernel/primitives/transfer.h"

#include <algorithm>
#include <cassert>

namespace vta::kernel {
namespace {

constexpr int64_t kMaxField = 65535;  // y_size, x_size and x_stride have 16 bits

// Merges dimensions that continue each other; padded rows and columns stay as they are.
void mergeDims(Transfer& t) {
  const int fixed = t.isPadded() ? 2 : 0;  // innermost dimensions not to touch
  std::array<TransferDim, Transfer::kMaxDims> merged{};
  int n = 0;
  for (int d = 0; d < t.num_dims; ++d) {
    const TransferDim& dim = t.dims[d];
    if (d >= t.num_dims - fixed) {
      merged[n++] = dim;
      continue;
    }
    if (dim.count == 1 && d + 1 < t.num_dims) continue;
    const bool continues = n > 0 && merged[n - 1].stride == dim.count * dim.stride;
    if (continues) {
      merged[n - 1] = {merged[n - 1].count * dim.count, dim.stride};
    } else {
      merged[n++] = dim;
    }
  }
  t.dims = merged;
  t.num_dims = n;
}

class Splitter {
 public:
  Splitter(const Transfer& transfer, std::vector<MemInsn>& out) : t_(transfer), out_(out) {
    sram_ = t_.sram_base;
  }

  void outer(int dim, int64_t dram) {
    if (dim + 2 >= t_.num_dims) {
      rows(dram);
      return;
    }
    for (int64_t i = 0; i < t_.dims[dim].count; ++i) outer(dim + 1, dram + i * t_.dims[dim].stride);
  }

 private:
  // The two innermost dimensions; rows one by one where their distance does not fit a field.
  void rows(int64_t dram) {
    const TransferDim x = t_.dims[t_.num_dims - 1];
    const TransferDim y = t_.num_dims > 1 ? t_.dims[t_.num_dims - 2] : TransferDim{};
    assert(x.stride == 1 || x.count == 1);
    const int64_t rows_at_once =
        y.count > 1 && (y.stride > kMaxField || x.count > kMaxField) ? 1 : kMaxField;
    for (int64_t done = 0; done < y.count; done += rows_at_once) {
      const int64_t count = std::min(rows_at_once, y.count - done);
      const bool first = done == 0;
      const bool last = done + count == y.count;
      columns(dram + done * y.stride, count, y.stride, x.count, first, last);
    }
  }

  void columns(int64_t dram, int64_t rows, int64_t stride, int64_t cols, bool first, bool last) {
    for (int64_t done = 0; done < cols; done += kMaxField) {
      MemInsn mem;
      mem.memory_type = t_.memory_type;
      mem.sram_base = sram_;
      mem.dram_base = static_cast<uint32_t>(dram + done);
      mem.y_size = static_cast<uint32_t>(rows);
      mem.x_size = static_cast<uint32_t>(std::min(kMaxField, cols - done));
      mem.x_stride = rows > 1 ? static_cast<uint32_t>(stride) : mem.x_size;
      if (t_.isPadded()) {
        mem.pad_kind = t_.pad_kind;
        mem.y_pad_0 = first ? t_.pad_top : 0;
        mem.y_pad_1 = last ? t_.pad_bottom : 0;
        mem.x_pad_0 = t_.pad_left;
        mem.x_pad_1 = t_.pad_right;
        assert(cols <= kMaxField);
      }
      out_.push_back(mem);
      sram_ += sramElems(mem);
    }
  }

  const Transfer& t_;
  std::vector<MemInsn>& out_;
  uint32_t sram_;
};

}  // namespace

uint32_t sramElems(const MemInsn& mem) {
  return (mem.y_pad_0 + mem.y_size + mem.y_pad_1) * (mem.x_pad_0 + mem.x_size + mem.x_pad_1);
}

void splitTransfer(const Transfer& transfer, std::vector<MemInsn>& out) {
  out.clear();
  Transfer merged = transfer;
  mergeDims(merged);
  Splitter(merged, out).outer(0, merged.dram_base);
}

}  // namespace vta::kernel
