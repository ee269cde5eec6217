#include "isa/config/hw_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace vta {
namespace {

// Depth limits in log2 elements. The upper one is the width of the sram_base field; below the lower
// one an index field would have no bits.
constexpr int kMinLogDepth = 1;
constexpr int kMaxLogDepth = 16;

struct IntRange {
  std::string_view key;
  int64_t value;
  int64_t min;
  int64_t max;
  bool power_of_two;
};

Status checkRange(const IntRange& range) {
  const bool in_range = range.value >= range.min && range.value <= range.max;
  const bool shape_ok = !range.power_of_two || std::has_single_bit(uint64_t(range.value));
  if (in_range && shape_ok) return {};
  const std::string legal = range.min == range.max ? fmt::format("{}", range.min)
                                                   : fmt::format("{} to {}", range.min, range.max);
  return invalidArgument(fmt::format("{} is {}; legal: {}{}", range.key, range.value,
                                     range.power_of_two ? "powers of two from " : "", legal));
}

Status checkParams(const HwParams& p) {
  // Other operand widths need datapaths that no implementation has yet.
  const IntRange ranges[] = {
      {"gemm.batch", p.batch, 1, 64, true},
      {"gemm.block_in", p.block_in, 1, 256, true},
      {"gemm.block_out", p.block_out, 1, 256, true},
      {"operands.inp_width_bits", p.inp_width_bits, 8, 8, false},
      {"operands.wgt_width_bits", p.wgt_width_bits, 8, 8, false},
      {"operands.acc_width_bits", p.acc_width_bits, 32, 32, false},
      {"operands.out_width_bits", p.out_width_bits, 8, 8, false},
      {"isa.qmul_multiplier_bits", p.qmul_multiplier_bits, 2, 32, false},
      {"queues.command_depth", p.command_queue_depth, 1, 65536, false},
      {"queues.token_depth", p.token_queue_depth, 1, 65536, false},
      {"axi.data_width_bits", p.axi_data_width_bits, 32, 1024, true},
      {"axi.addr_width_bits", p.axi_addr_width_bits, 32, 64, false},
      {"axi.outstanding_bursts", p.axi_outstanding_bursts, 1, 256, false},
      {"clock_mhz", p.clock_mhz, 1, 5000, false},
  };
  for (const IntRange& range : ranges) VTA_RETURN_IF_ERROR(checkRange(range));
  if (p.name.empty() || p.name.find_first_of("\n\r\t\"\\") != std::string::npos) {
    return invalidArgument(
        "name is empty or has quotes, backslashes or control characters; legal: a short plain "
        "text such as \"default\"");
  }
  if (p.compat_0_0_2 && (p.ext_qmul || p.ext_clip || p.ext_pad_min)) {
    return invalidArgument(
        "isa.extensions must be [] with isa.compat 0.0.2: published hardware has none of them");
  }
  return {};
}

// log2 of the depth of a buffer, or an error naming its size parameter and legal range.
Result<int> logDepthOf(std::string_view key, uint64_t buffer_bytes, uint64_t elem_bytes) {
  const uint64_t min_bytes = elem_bytes << kMinLogDepth;
  const uint64_t max_bytes = elem_bytes << kMaxLogDepth;
  if (!std::has_single_bit(buffer_bytes) || buffer_bytes < min_bytes || buffer_bytes > max_bytes) {
    return invalidArgument(fmt::format(
        "{} is {}; legal: powers of two from {} to {} (2 to 65536 elements of {} bytes)", key,
        buffer_bytes, min_bytes, max_bytes, elem_bytes));
  }
  return std::countr_zero(buffer_bytes / elem_bytes);
}

// The limits of the base encoding, isa.md section 2.
bool fitsBaseEncoding(int log_uop, int log_inp, int log_wgt, int log_acc) {
  return log_uop <= 13 && 4 * log_acc + 20 <= 64 && 2 * (log_acc + log_inp + log_wgt) <= 64 &&
         log_acc + std::max(log_acc, log_inp) + log_wgt <= 32;
}

// Everything that decides what a program's bits mean, as text.
std::string programIdentity(const HwParams& p, Encoding encoding) {
  return fmt::format("{}x{}x{} i{} w{} a{} o{} uop{} inp{} wgt{} acc{} {} qmul{} clip{} pad_min{}",
                     p.batch, p.block_in, p.block_out, p.inp_width_bits, p.wgt_width_bits,
                     p.acc_width_bits, p.out_width_bits, p.uop_buf_bytes, p.inp_buf_bytes,
                     p.wgt_buf_bytes, p.acc_buf_bytes, encodingName(encoding),
                     p.ext_qmul ? p.qmul_multiplier_bits : 0, p.ext_clip, p.ext_pad_min);
}

// "32", or "0.5" for half a KiB.
std::string kibText(uint64_t bytes) {
  return fmt::format("{:g}", static_cast<double>(bytes) / 1024);
}

}  // namespace

std::string_view encodingName(Encoding encoding) {
  return encoding == Encoding::kBase ? "base" : "wide";
}

std::string_view memoryTypeName(MemoryType type) {
  constexpr std::string_view kNames[] = {"UOP", "WGT", "INP", "ACC", "OUT", "ACC_8BIT"};
  const auto i = static_cast<size_t>(type);
  return i < std::size(kNames) ? kNames[i] : "illegal";
}

Result<HwConfig> HwConfig::create(const HwParams& params) {
  VTA_RETURN_IF_ERROR(checkParams(params));
  HwConfig hw;
  hw.params_ = params;

  const auto bytesOf = [](int rows, int columns, int width_bits) {
    return static_cast<uint32_t>(rows * columns * width_bits / 8);
  };
  const uint32_t inp_bytes = bytesOf(params.batch, params.block_in, params.inp_width_bits);
  const uint32_t wgt_bytes = bytesOf(params.block_out, params.block_in, params.wgt_width_bits);
  const uint32_t acc_bytes = bytesOf(params.batch, params.block_out, params.acc_width_bits);
  const uint32_t out_bytes = bytesOf(params.batch, params.block_out, params.out_width_bits);

  VTA_ASSIGN_OR_RETURN(const int log_inp,
                       logDepthOf("buffers.inp_buf_bytes", params.inp_buf_bytes, inp_bytes));
  VTA_ASSIGN_OR_RETURN(const int log_wgt,
                       logDepthOf("buffers.wgt_buf_bytes", params.wgt_buf_bytes, wgt_bytes));
  VTA_ASSIGN_OR_RETURN(const int log_acc,
                       logDepthOf("buffers.acc_buf_bytes", params.acc_buf_bytes, acc_bytes));
  VTA_ASSIGN_OR_RETURN(int log_uop, logDepthOf("buffers.uop_buf_bytes", params.uop_buf_bytes, 4));
  if (!fitsBaseEncoding(log_uop, log_inp, log_wgt, log_acc)) {
    hw.encoding_ = Encoding::kWide;
    VTA_ASSIGN_OR_RETURN(log_uop, logDepthOf("buffers.uop_buf_bytes", params.uop_buf_bytes, 8));
    if (params.compat_0_0_2) {
      return invalidArgument(fmt::format(
          "isa.compat 0.0.2 needs the base encoding, which these buffers exceed: log2 depths are "
          "uop {}, inp {}, wgt {}, acc {}; use smaller buffers (uop <= 13, acc <= 11, acc + inp + "
          "wgt <= 32, acc + max(acc, inp) + wgt <= 32)",
          log_uop + 1, log_inp, log_wgt, log_acc));
    }
  }

  hw.elem_bytes_ = {static_cast<uint32_t>(hw.uopBytes()),
                    wgt_bytes,
                    inp_bytes,
                    acc_bytes,
                    out_bytes,
                    acc_bytes / 4};
  hw.log_depth_ = {log_uop, log_wgt, log_inp, log_acc, log_acc, log_acc};
  hw.fingerprint_ = hashText(programIdentity(params, hw.encoding_));
  return hw;
}

HwConfig HwConfig::makeDefault() {
  HwParams params;
  params.name = "default";
  params.ext_qmul = true;
  params.ext_clip = true;
  params.ext_pad_min = true;
  params.concurrent_compute = true;
  return *create(params);
}

bool HwConfig::isProgramCompatible(const HwConfig& other) const {
  return programIdentity(params_, encoding_) == programIdentity(other.params_, other.encoding_);
}

std::string HwConfig::summary() const {
  const HwParams& p = params_;
  std::string extensions;
  if (p.ext_qmul) extensions += fmt::format(" qmul{}", p.qmul_multiplier_bits);
  if (p.ext_clip) extensions += " clip";
  if (p.ext_pad_min) extensions += " pad_min";
  if (extensions.empty()) extensions = " no extensions";
  return fmt::format("{}: {}x{}x{} i{} w{} a{}, uop/inp/wgt/acc {}/{}/{}/{} KiB, {} encoding,{}{}",
                     p.name, p.batch, p.block_in, p.block_out, p.inp_width_bits, p.wgt_width_bits,
                     p.acc_width_bits, kibText(p.uop_buf_bytes), kibText(p.inp_buf_bytes),
                     kibText(p.wgt_buf_bytes), kibText(p.acc_buf_bytes), encodingName(encoding_),
                     extensions, p.compat_0_0_2 ? ", compat 0.0.2" : "");
}

}  // namespace vta
