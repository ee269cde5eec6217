#include "isa/config/hw_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "isa/config/config_rules.h"
#include "isa/spec/parameters.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

bool contains(const ValueRange& range, int64_t value) {
  return value >= range.min && value <= range.max &&
         (!range.power_of_two || std::has_single_bit(static_cast<uint64_t>(value)));
}

// The limits of the base encoding (docs/isa.md, "Encoding").
bool fitsBaseEncoding(int log_uop, int log_inp, int log_wgt, int log_acc) {
  return log_uop <= 13 && 4 * log_acc + 20 <= 64 && 2 * (log_acc + log_inp + log_wgt) <= 64 &&
         log_acc + std::max(log_acc, log_inp) + log_wgt <= 32;
}

Status checkName(const std::string& name) {
  if (!name.empty() && name.find_first_of("\n\r\t\"\\") == std::string::npos) return {};
  return invalidArgument(
      "name is empty or has quotes, backslashes or control characters; legal: a short plain text "
      "such as \"default\"");
}

// Every parameter by itself, except the depths of scratchpads.
Status checkValues(const HwParams& params) {
  for (const Parameter& parameter : parameters()) {
    if (parameter.kind == ParameterKind::kText) VTA_RETURN_IF_ERROR(checkName(params.name));
    const bool is_number =
        parameter.kind == ParameterKind::kInteger || parameter.kind == ParameterKind::kDecimal;
    if (!is_number || contains(parameter.legal, parameter.access.get(params))) continue;
    return invalidArgument(fmt::format("{} is {}; legal: {}", parameter.fullKey(),
                                       valueText(parameter, params), legalText(parameter)));
  }
  return {};
}

// A scratchpad's depth in elements of `elem_bytes`.
Status checkDepth(const Parameter& parameter, uint64_t buf_bytes, uint64_t elem_bytes) {
  const auto min = static_cast<uint64_t>(parameter.legal.min);
  const auto max = static_cast<uint64_t>(parameter.legal.max);
  const bool in_range = buf_bytes >= min * elem_bytes && buf_bytes <= max * elem_bytes;
  if (in_range && buf_bytes % elem_bytes == 0) return {};
  return invalidArgument(
      fmt::format("{} is {}; legal: multiples of {} from {} to {} ({} to {} elements of {} bytes)",
                  parameter.fullKey(), buf_bytes, elem_bytes, min * elem_bytes, max * elem_bytes,
                  min, max, elem_bytes));
}

// Everything that decides what a program's bits mean, as text.
std::string programIdentity(const HwParams& params, Encoding encoding) {
  std::string text;
  for (const Parameter& parameter : parameters()) {
    if (!parameter.identity) continue;
    text += fmt::format("{}{}", *parameter.identity, parameter.access.get(params));
  }
  text += fmt::format(" {}", encodingName(encoding));
  for (const IsaExtension& extension : isaExtensions()) {
    const bool has = params.*extension.member;
    if (!has && !extension.is_original) continue;
    std::string value = has ? "true" : "false";
    for (const Parameter& parameter : parameters()) {
      if (parameter.extension != extension.member) continue;
      value = has ? valueText(parameter, params) : "0";
    }
    text += fmt::format(" {}{}", extension.name, value);
  }
  for (const auto& operation : params.operations.list()) {
    text += fmt::format(" operation {}", operation->identity());
  }
  return text;
}

// " qmul18 clip": the extensions, each with its parameter if it has one.
std::string extensionsText(const HwParams& params) {
  std::string text;
  for (const IsaExtension& extension : isaExtensions()) {
    if (!(params.*extension.member)) continue;
    text += fmt::format(" {}", extension.name);
    for (const Parameter& parameter : parameters()) {
      if (parameter.extension == extension.member) text += valueText(parameter, params);
    }
  }
  for (const auto& operation : params.operations.list()) {
    text += fmt::format(" {}", operation->text.name);
  }
  return text.empty() ? " no extensions" : text;
}

// "32", or "0.5" for half a KiB.
std::string kibText(uint64_t bytes) {
  return fmt::format("{:g}", static_cast<double>(bytes) / 1024);
}

}  // namespace

std::string_view encodingName(Encoding encoding) {
  return encoding == Encoding::kBase ? "base" : "wide";
}

// Sets element sizes and depths for the encoding that is set.
Status HwConfig::setDepths() {
  for (const Parameter& parameter : parameters()) {
    if (!parameter.memory) continue;
    VTA_RETURN_IF_ERROR(checkDepth(parameter, static_cast<uint64_t>(parameter.access.get(params_)),
                                   memoryInfo(*parameter.memory).elemBytes(params_, uopBytes())));
  }
  const auto depthOf = [&](const MemoryInfo& memory) {
    return params_.*memory.buf_bytes / memory.elemBytes(params_, uopBytes());
  };
  for (const MemoryInfo& memory : memories()) {
    const int i = index(memory.type);
    elem_bytes_[i] = static_cast<uint32_t>(memory.elemBytes(params_, uopBytes()));
    depth_elems_[i] = static_cast<uint32_t>(depthOf(memoryInfo(memory.scratchpad)));
    log_depth_[i] = std::bit_width(depth_elems_[i] - 1);
  }
  return {};
}

Result<HwConfig> HwConfig::create(const HwParams& params) {
  VTA_RETURN_IF_ERROR(checkValues(params));
  VTA_RETURN_IF_ERROR(checkWholeBytes(params));
  VTA_RETURN_IF_ERROR(checkUserOperations(params.operations));
  HwConfig hw;
  hw.params_ = params;
  VTA_RETURN_IF_ERROR(hw.setDepths());
  if (!fitsBaseEncoding(hw.logDepth(MemoryType::kUop), hw.logDepth(MemoryType::kInp),
                        hw.logDepth(MemoryType::kWgt), hw.logDepth(MemoryType::kAcc))) {
    hw.encoding_ = Encoding::kWide;
    VTA_RETURN_IF_ERROR(hw.setDepths());
  }
  VTA_RETURN_IF_ERROR(checkConfigRules(hw));
  hw.fingerprint_ = hashText(programIdentity(params, hw.encoding_));
  return hw;
}

HwConfig HwConfig::makeDefault() { return *create(HwParams{}); }

bool HwConfig::isProgramCompatible(const HwConfig& other) const {
  return programIdentity(params_, encoding_) == programIdentity(other.params_, other.encoding_);
}

std::string HwConfig::summary() const {
  const HwParams& p = params_;
  return fmt::format(
      "{}: {}x{}x{} i{} w{} a{}, uop/inp/wgt/acc {}/{}/{}/{} KiB, {} encoding,{}{}{}", p.name,
      p.batch, p.block_in, p.block_out, p.inp_width_bits, p.wgt_width_bits, p.acc_width_bits,
      kibText(p.uop_buf_bytes), kibText(p.inp_buf_bytes), kibText(p.wgt_buf_bytes),
      kibText(p.acc_buf_bytes), encodingName(encoding_), extensionsText(p),
      p.compat_0_0_2 ? ", compat 0.0.2" : "", p.hls_timing ? ", timing hls-0.0.2" : "");
}

}  // namespace vta
