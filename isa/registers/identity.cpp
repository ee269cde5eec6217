#include "isa/registers/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>

#include "isa/registers/registers.h"
#include "isa/spec/parameters.h"

namespace vta {
namespace {

uint32_t log2(int value) {
  return static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(value)));
}

// What a field of the config or depths register holds.
struct FieldValue {
  std::string_view name;
  uint32_t (*of)(const HwConfig&, const HardwareBuild&);
  bool programs_see_it = true;
};

constexpr FieldValue kConfigValues[] = {
    {"log_batch", [](const HwConfig& hw, const HardwareBuild&) { return log2(hw.batch()); }},
    {"log_block_in", [](const HwConfig& hw, const HardwareBuild&) { return log2(hw.blockIn()); }},
    {"log_block_out", [](const HwConfig& hw, const HardwareBuild&) { return log2(hw.blockOut()); }},
    {"wide_encoding",
     [](const HwConfig& hw, const HardwareBuild&) {
       return uint32_t{hw.encoding() == Encoding::kWide};
     }},
    // These three are in the register of extensions, too, by which differences are described.
    {"qmul",
     [](const HwConfig& hw, const HardwareBuild&) { return uint32_t{hw.params().ext_qmul}; },
     false},
    {"clip",
     [](const HwConfig& hw, const HardwareBuild&) { return uint32_t{hw.params().ext_clip}; },
     false},
    {"pad_min",
     [](const HwConfig& hw, const HardwareBuild&) { return uint32_t{hw.params().ext_pad_min}; },
     false},
    {"concurrent_compute",
     [](const HwConfig& hw, const HardwareBuild&) {
       return uint32_t{hw.params().concurrent_compute};
     },
     false},
    {"counters",
     [](const HwConfig&, const HardwareBuild& build) { return uint32_t{build.counters}; }, false},
    {"int8_packing",
     [](const HwConfig&, const HardwareBuild& build) { return uint32_t{build.int8_packing}; },
     false},
    {"log_bus_bytes",
     [](const HwConfig& hw, const HardwareBuild&) {
       return log2(hw.params().axi_data_width_bits / 8);
     },
     false},
    {"addr_bits",
     [](const HwConfig& hw, const HardwareBuild&) {
       return static_cast<uint32_t>(hw.params().axi_addr_width_bits);
     },
     false},
};

template <MemoryType Type>
constexpr auto kLast =
    [](const HwConfig& hw, const HardwareBuild&) { return hw.depthElems(Type) - 1; };
constexpr FieldValue kLastUopInpValues[] = {
    {"uop", kLast<MemoryType::kUop>},
    {"inp", kLast<MemoryType::kInp>},
};
constexpr FieldValue kLastWgtAccValues[] = {
    {"wgt", kLast<MemoryType::kWgt>},
    {"acc", kLast<MemoryType::kAcc>},
};

template <MemoryType Type>
constexpr auto kLogDepth = [](const HwConfig& hw, const HardwareBuild&) {
  return static_cast<uint32_t>(hw.logDepth(Type));
};
constexpr FieldValue kDepthsValues[] = {
    {"uop", kLogDepth<MemoryType::kUop>},
    {"inp", kLogDepth<MemoryType::kInp>},
    {"wgt", kLogDepth<MemoryType::kWgt>},
    {"acc", kLogDepth<MemoryType::kAcc>},
};

constexpr bool areTheFields(std::span<const FieldValue> values,
                            std::span<const RegisterField> fields) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i >= values.size() || values[i].name != fields[i].name) return false;
  }
  return values.size() == fields.size();
}
static_assert(areTheFields(kConfigValues, reg::kConfigFields));
static_assert(areTheFields(kDepthsValues, reg::kDepthsFields));
static_assert(areTheFields(kLastUopInpValues, reg::kLastUopInpFields));
static_assert(areTheFields(kLastWgtAccValues, reg::kLastWgtAccFields));

// Where registers tell the depth of a scratchpad.
struct DepthPlace {
  MemoryType type;
  RegisterField log_depth;  // of the depths register
  RegisterField last;
  uint32_t HardwareIdentity::*last_word;
};
constexpr DepthPlace kDepthPlaces[] = {
    {MemoryType::kUop, reg::kDepthsFields[0], reg::kLastUopInpFields[0],
     &HardwareIdentity::last_uop_inp},
    {MemoryType::kInp, reg::kDepthsFields[1], reg::kLastUopInpFields[1],
     &HardwareIdentity::last_uop_inp},
    {MemoryType::kWgt, reg::kDepthsFields[2], reg::kLastWgtAccFields[0],
     &HardwareIdentity::last_wgt_acc},
    {MemoryType::kAcc, reg::kDepthsFields[3], reg::kLastWgtAccFields[1],
     &HardwareIdentity::last_wgt_acc},
};
// More than any legal log2 of a depth, so that nonsense stays illegal.
constexpr uint32_t kMostLogDepth = 40;

uint32_t wordOf(std::span<const FieldValue> values, std::span<const RegisterField> fields,
                const HwConfig& hw, const HardwareBuild& build) {
  uint32_t word = 0;
  for (size_t i = 0; i < fields.size(); ++i) word |= fields[i].encode(values[i].of(hw, build));
  return word;
}

uint32_t extensionsOf(const HwParams& params) {
  uint32_t word = 0;
  uint32_t bit = 1;
  for (const IsaExtension& extension : isaExtensions()) {
    if (params.*extension.member) word |= bit;
    bit <<= 1;
  }
  return word;
}

// Extensions that only one of two words has: ", it lacks extension pad_min".
void describeExtensions(uint32_t found, uint32_t expected, std::string& text) {
  uint32_t bit = 1;
  for (const IsaExtension& extension : isaExtensions()) {
    if ((found & bit) != (expected & bit)) {
      text += fmt::format("{}it {} extension {}", text.empty() ? "" : ", ",
                          (found & bit) != 0 ? "has" : "lacks", extension.name);
    }
    bit <<= 1;
  }
}

void describe(std::span<const RegisterField> fields, uint32_t word, std::string& text) {
  for (const RegisterField& field : fields) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", field.doc, field.decode(word));
  }
}

// Fields that programs see and in which two words differ: ", log2 batch is 2 instead of 0".
void describeDifferences(std::span<const FieldValue> values, std::span<const RegisterField> fields,
                         uint32_t found, uint32_t expected, std::string& text) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const RegisterField& field = fields[i];
    if (!values[i].programs_see_it || field.decode(found) == field.decode(expected)) continue;
    text += fmt::format("{}{} is {} instead of {}", text.empty() ? "" : ", ", field.doc,
                        field.decode(found), field.decode(expected));
  }
}

}  // namespace

HardwareIdentity identityOf(const HwConfig& hw, const HardwareBuild& build) {
  return {.id = reg::kIdValue,
          .version = reg::kVersionValue,
          .fingerprint = hw.fingerprint(),
          .config = wordOf(kConfigValues, reg::kConfigFields, hw, build),
          .depths = wordOf(kDepthsValues, reg::kDepthsFields, hw, build),
          .last_uop_inp = wordOf(kLastUopInpValues, reg::kLastUopInpFields, hw, build),
          .last_wgt_acc = wordOf(kLastWgtAccValues, reg::kLastWgtAccFields, hw, build),
          .extension_bits = extensionsOf(hw.params())};
}

uint64_t depthOf(const HardwareIdentity& identity, MemoryType type) {
  const DepthPlace& place = *std::ranges::find(kDepthPlaces, type, &DepthPlace::type);
  const uint32_t last = place.last.decode(identity.*place.last_word);
  if (last != 0) return uint64_t{last} + 1;
  return uint64_t{1} << std::min(place.log_depth.decode(identity.depths), kMostLogDepth);
}

std::string describeIdentity(const HardwareIdentity& identity) {
  std::string text;
  describe(reg::kConfigFields, identity.config, text);
  for (const DepthPlace& place : kDepthPlaces) {
    text += fmt::format(", depth of {} {}", place.last.doc, depthOf(identity, place.type));
  }
  describeExtensions(identity.extension_bits, 0, text);
  return text;
}

Status checkIdentity(const HardwareIdentity& found, const HwConfig& hw) {
  if (found.id != reg::kIdValue) {
    return unsupported(
        fmt::format("no VTA is there: register id reads 0x{:08x} instead of 0x{:08x}", found.id,
                    reg::kIdValue));
  }
  if (found.version != reg::kVersionValue) {
    return unsupported(
        fmt::format("the hardware has version {} of the register map; this driver knows version {}",
                    found.version, reg::kVersionValue));
  }
  if (found.fingerprint == hw.fingerprint()) return {};
  const HardwareIdentity expected = identityOf(hw);
  std::string differences;
  describeDifferences(kConfigValues, reg::kConfigFields, found.config, expected.config,
                      differences);
  for (const DepthPlace& place : kDepthPlaces) {
    const uint64_t depth = depthOf(found, place.type);
    const uint64_t expected_depth = depthOf(expected, place.type);
    if (depth == expected_depth) continue;
    differences += fmt::format("{}depth of {} is {} instead of {}", differences.empty() ? "" : ", ",
                               place.last.doc, depth, expected_depth);
  }
  describeExtensions(found.extension_bits, expected.extension_bits, differences);
  if (differences.empty()) {
    differences =
        "the width of weights or accumulators, QMUL's multiplier or the taps of a depthwise GEMM "
        "differ";
  }
  return unsupported(
      fmt::format("the hardware is not configuration '{}': {}", hw.name(), differences));
}

}  // namespace vta
