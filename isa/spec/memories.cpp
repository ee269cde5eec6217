#include "isa/spec/memories.h"

#include <algorithm>
#include <iterator>

#include "isa/spec/accumulator.h"

namespace vta {
namespace {

using M = MemoryType;
using P = HwParams;

constexpr MemoryInfo kMemories[] = {
    {.type = M::kUop,
     .name = "UOP",
     .sv_name = "Uop",
     .base = BaseRegister::kUop,
     .scratchpad = M::kUop,
     .buf_bytes = &P::uop_buf_bytes,
     .element = "one micro-op: 4 bytes, 8 in the wide encoding"},
    {.type = M::kWgt,
     .name = "WGT",
     .sv_name = "Wgt",
     .rows = &P::block_out,
     .columns = &P::block_in,
     .width_bits = &P::wgt_width_bits,
     .base = BaseRegister::kWgt,
     .scratchpad = M::kWgt,
     .buf_bytes = &P::wgt_buf_bytes,
     .element = "BLOCK_OUT x BLOCK_IN x wgt_width",
     .layout = "[oc][ic]"},
    {.type = M::kInp,
     .name = "INP",
     .sv_name = "Inp",
     .rows = &P::batch,
     .columns = &P::block_in,
     .width_bits = &P::inp_width_bits,
     .base = BaseRegister::kInp,
     .scratchpad = M::kInp,
     .buf_bytes = &P::inp_buf_bytes,
     .element = "BATCH x BLOCK_IN x inp_width",
     .layout = "[b][ic]"},
    {.type = M::kAcc,
     .name = "ACC",
     .sv_name = "Acc",
     .rows = &P::batch,
     .columns = &P::block_out,
     .width_bits = &P::acc_width_bits,
     .dram_width_bits = kAccDramBits,
     .base = BaseRegister::kAcc,
     .scratchpad = M::kAcc,
     .buf_bytes = &P::acc_buf_bytes,
     .element = "in DRAM BATCH x BLOCK_OUT x 32 bits; in the scratchpad x acc_width",
     .layout = "[b][oc]"},
    {.type = M::kOut,
     .name = "OUT",
     .sv_name = "Out",
     .rows = &P::batch,
     .columns = &P::block_out,
     .width_bits = &P::out_width_bits,
     .base = BaseRegister::kOut,
     .scratchpad = M::kAcc,
     .buf_bytes = &P::acc_buf_bytes,
     .element = "BATCH x BLOCK_OUT x out_width",
     .layout = "[b][oc]"},
    {.type = M::kAcc8,
     .name = "ACC_8BIT",
     .sv_name = "Acc8",
     .rows = &P::batch,
     .columns = &P::block_out,
     .width_bits = &P::acc_width_bits,
     .dram_width_bits = 8,
     .base = BaseRegister::kAcc,
     .scratchpad = M::kAcc,
     .buf_bytes = &P::acc_buf_bytes,
     .element = "in DRAM BATCH x BLOCK_OUT x 8 bits; in the scratchpad ACC itself",
     .layout = "[b][oc]"},
    {.type = M::kWgtTransposed,
     .name = "WGT_TRANSPOSED",
     .sv_name = "WgtTransposed",
     .rows = &P::block_in,
     .columns = &P::block_out,
     .width_bits = &P::wgt_width_bits,
     .base = BaseRegister::kWgt,
     .scratchpad = M::kWgt,
     .buf_bytes = &P::wgt_buf_bytes,
     .extension = &P::ext_transpose,
     .element = "in DRAM BLOCK_IN x BLOCK_OUT x wgt_width; in the scratchpad WGT itself",
     .layout = "[ic][oc]"},
    {.type = M::kInpFromOut,
     .name = "INP_FROM_OUT",
     .sv_name = "InpFromOut",
     .rows = &P::batch,
     .columns = &P::block_in,
     .width_bits = &P::inp_width_bits,
     .base = BaseRegister::kInp,
     .scratchpad = M::kInp,
     .buf_bytes = &P::inp_buf_bytes,
     .extension = &P::ext_handover,
     .on_chip = true,
     .element = "one of INP that is in OUT: an element of OUT, or a part of it",
     .layout = "[b][ic]"},
};
static_assert(std::size(kMemories) == kMemoryTypeCount);

constexpr bool inOrderOfCodes() {
  for (size_t i = 0; i < std::size(kMemories); ++i) {
    if (static_cast<size_t>(kMemories[i].type) != i) return false;
  }
  return true;
}
static_assert(inOrderOfCodes());

}  // namespace

std::string_view memoryTypeName(MemoryType type) {
  const auto i = static_cast<size_t>(type);
  return i < std::size(kMemories) ? kMemories[i].name : "illegal";
}

uint64_t MemoryInfo::elemBytes(const HwParams& params, int uop_bytes) const {
  if (dram_width_bits == 0) return sramElemBits(params, uop_bytes) / 8;
  return static_cast<uint64_t>(params.*rows) * static_cast<uint64_t>(params.*columns) *
         static_cast<uint64_t>(dram_width_bits) / 8;
}

uint64_t MemoryInfo::sramElemBits(const HwParams& params, int uop_bytes) const {
  if (width_bits == nullptr) return uint64_t{8} * static_cast<uint64_t>(uop_bytes);
  return static_cast<uint64_t>(params.*rows) * static_cast<uint64_t>(params.*columns) *
         static_cast<uint64_t>(params.*width_bits);
}

int32_t MemoryInfo::leastValue(const HwParams& params) const {
  if (width_bits == nullptr) return 0;
  const int sram_bits = params.*width_bits;
  const int bits = dram_width_bits == 0 ? sram_bits : std::min(sram_bits, dram_width_bits);
  return static_cast<int32_t>(-(int64_t{1} << (bits - 1)));
}

std::span<const MemoryInfo> memories() { return kMemories; }

}  // namespace vta
