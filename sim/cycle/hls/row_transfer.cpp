#include "sim/cycle/hls/row_transfer.h"

#include <algorithm>

#include "sim/functional/dma_engine.h"

namespace vta::sim::cycle::hls {

using hls_timing::RowCosts;

const RowCosts& rowCosts(MemoryType type) {
  switch (type) {
    case MemoryType::kUop:
      return hls_timing::kLoadUop;
    case MemoryType::kInp:
      return hls_timing::kLoadInp;
    case MemoryType::kWgt:
      return hls_timing::kLoadWgt;
    default:
      return hls_timing::kLoadAcc;
  }
}

bool RowTransfer::isPadded() const {
  return mem_->memory_type != MemoryType::kUop && mem_->memory_type != MemoryType::kWgt;
}

// Micro-ops are one row, whatever y_size says.
uint64_t RowTransfer::rows() const {
  return mem_->memory_type == MemoryType::kUop ? 1 : mem_->y_size;
}

void RowTransfer::begin(const MemInsn& mem, uint64_t cycle) {
  mem_ = &mem;
  const uint64_t elem_bytes = context_.hw.elemBytes(mem.memory_type);
  row_bytes_ = mem.x_size * elem_bytes;
  // Only the load unit's memories are written through a port of their own.
  interval_ = mem.memory_type == MemoryType::kWgt || mem.memory_type == MemoryType::kInp
                  ? hls_timing::beatInterval(elem_bytes)
                  : 1;
  row_ = 0;
  busy_ = 0;
  bytes_ = rows() * row_bytes_;
  row_start_ = cycle + rowCosts(mem.memory_type).first_row;
  if (isPadded()) {
    const uint64_t before = loadRowElems(mem) * mem.y_pad_0;
    row_start_ += before;
    busy_ = before + loadRowElems(mem) * mem.y_pad_1 +
            uint64_t{mem.y_size} * (mem.x_pad_0 + mem.x_pad_1);
  }
  if (row_ < rows()) ask();
}

void RowTransfer::ask() {
  if (row_bytes_ == 0) return;
  const uint64_t request =
      row_start_ + rowCosts(mem_->memory_type).request + (isPadded() ? mem_->x_pad_0 : 0);
  const uint64_t bus_bytes = static_cast<uint64_t>(context_.hw.params().axi_data_width_bits) / 8;
  const uint64_t item_bytes =
      std::min<uint64_t>(bus_bytes, context_.hw.elemBytes(mem_->memory_type));
  port_.request(request, rowAddress(*mem_, row_, context_.bases, context_.hw), row_bytes_,
                item_bytes, interval_);
  busy_ += row_bytes_ / item_bytes * interval_;
}

std::optional<uint64_t> RowTransfer::advance() {
  const RowCosts& costs = rowCosts(mem_->memory_type);
  const uint64_t pad_0 = isPadded() ? mem_->x_pad_0 : 0;
  const uint64_t pad_1 = isPadded() ? mem_->x_pad_1 : 0;
  for (; row_ < rows(); ++row_) {
    if (row_bytes_ == 0) {
      row_start_ += costs.request + pad_0 + costs.empty_row + pad_1;
      continue;
    }
    if (!port_.isComplete()) return std::nullopt;
    row_start_ = port_.lastItem() + costs.next_row + pad_1;
    if (row_ + 1 == rows()) {
      ++row_;
      break;
    }
    ++row_;
    ask();
    --row_;
  }
  mem_ = nullptr;
  return row_start_;
}

}  // namespace vta::sim::cycle::hls
