#include "isa/registers/configuration.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/registers/registers.h"
#include "isa/spec/memories.h"
#include "isa/spec/parameters.h"

namespace vta {
namespace {

constexpr uint32_t kBitsOfByte = 8;
constexpr int kUopBytesOfEncoding[] = {4, 8};
constexpr int kLeastAccBanks = 2;

uint32_t fieldOf(std::span<const RegisterField> fields, std::string_view name, uint32_t word) {
  return std::ranges::find(fields, name, &RegisterField::name)->decode(word);
}

/// Widths of operands, which no register has.
struct Widths {
  int wgt_bits = 0;
  int acc_bits = 0;
};

/// The legal values of `full_key`, the widest first.
std::vector<int> widthsOf(std::string_view full_key) {
  const auto found = std::ranges::find(parameters(), full_key, &Parameter::fullKey);
  std::vector<int> widths;
  for (int64_t bits = found->legal.max; bits >= found->legal.min;) {
    widths.push_back(static_cast<int>(bits));
    bits = found->legal.power_of_two ? bits / 2 : bits - 1;
  }
  return widths;
}

std::vector<Widths> operandWidths() {
  std::vector<Widths> all;
  for (const int acc_bits : widthsOf("operands.acc_width_bits")) {
    for (const int wgt_bits : widthsOf("operands.wgt_width_bits")) {
      all.push_back({wgt_bits, acc_bits});
    }
  }
  return all;
}

/// What the registers tell, with operands of these widths.
HwParams paramsOf(const HardwareIdentity& found, const Widths& widths) {
  const auto config = [&](std::string_view name) {
    return fieldOf(reg::kConfigFields, name, found.config);
  };
  HwParams params;
  params.name = "hardware";
  params.wgt_width_bits = widths.wgt_bits;
  params.acc_width_bits = widths.acc_bits;
  params.batch = 1 << config("log_batch");
  params.block_in = 1 << config("log_block_in");
  params.block_out = 1 << config("log_block_out");
  params.axi_data_width_bits = static_cast<int>(kBitsOfByte << config("log_bus_bytes"));
  params.axi_addr_width_bits = static_cast<int>(config("addr_bits"));
  params.concurrent_compute = config("concurrent_compute") != 0;
  uint32_t bit = 1;
  for (const IsaExtension& extension : isaExtensions()) {
    params.*extension.member = (found.extension_bits & bit) != 0;
    bit <<= 1;
  }
  const int uop_bytes = kUopBytesOfEncoding[config("wide_encoding")];
  for (const MemoryInfo& memory : memories()) {
    if (memory.scratchpad != memory.type) continue;
    params.*memory.buf_bytes = memory.elemBytes(params, uop_bytes) * depthOf(found, memory.type);
  }
  // No register has the banks, of which programs see nothing: two go with every depth of ACC.
  if (depthOf(found, MemoryType::kAcc) % static_cast<uint64_t>(params.acc_banks) != 0) {
    params.acc_banks = kLeastAccBanks;
  }
  return params;
}

/// Tries the values of `hidden`; a configuration with the fingerprint.
std::optional<HwConfig> search(HwParams params, std::span<const Parameter* const> hidden,
                               uint64_t fingerprint) {
  if (hidden.empty()) {
    auto hw = HwConfig::create(params);
    return hw.ok() && hw->fingerprint() == fingerprint ? std::optional(*std::move(hw))
                                                       : std::nullopt;
  }
  const Parameter& parameter = *hidden.front();
  for (int64_t value = parameter.legal.min; value <= parameter.legal.max; ++value) {
    parameter.access.set(params, value);
    if (auto hw = search(params, hidden.subspan(1), fingerprint)) return hw;
  }
  return std::nullopt;
}

}  // namespace

Result<HwConfig> configurationOf(const HardwareIdentity& found) {
  if (found.id != reg::kIdValue || found.version != reg::kVersionValue) {
    return checkIdentity(found, HwConfig::makeDefault());
  }
  for (const Widths& widths : operandWidths()) {
    const HwParams params = paramsOf(found, widths);
    std::vector<const Parameter*> hidden;
    for (const Parameter& parameter : parameters()) {
      const bool is_hidden = parameter.extension != nullptr && params.*parameter.extension;
      if (is_hidden) hidden.push_back(&parameter);
    }
    if (auto hw = search(params, hidden, found.fingerprint)) return *std::move(hw);
  }
  return unsupported("no configuration that this driver knows has the hardware's fingerprint: " +
                     describeIdentity(found));
}

}  // namespace vta
