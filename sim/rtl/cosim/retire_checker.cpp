#include "sim/rtl/cosim/retire_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/program/text/assembler.h"

namespace vta::sim {
namespace {

// Longer than any pipeline between retirement and the last write.
constexpr uint64_t kSettleCycles = 24;
// Instructions of a unit that can have begun and not retired: engine queues, transfers in flight.
constexpr int kMaxInFlight = 40;

std::string hex(const uint8_t* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += fmt::format("{}{:02x}", i % 4 == 0 && i > 0 ? " " : "", bytes[i]);
  }
  return text;
}

const char* probeName(VtaModelMemory memory) {
  constexpr const char* kNames[] = {"UOP", "WGT", "INP", "ACC", "OUT"};
  return kNames[memory];
}

}  // namespace

Result<std::unique_ptr<RetireChecker>> RetireChecker::create(const HwConfig& hw, RtlModel& model,
                                                             const Dram& device_dram) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<EffectsReference> reference, EffectsReference::create(hw));
  return std::unique_ptr<RetireChecker>(
      new RetireChecker(hw, model, device_dram, std::move(reference)));
}

Status RetireChecker::beginLaunch(std::span<const std::byte> stream, const BaseAddresses& bases,
                                  Dram& reference_dram) {
  VTA_RETURN_IF_ERROR(reference_->beginLaunch(stream, bases, reference_dram));
  due_.clear();
  for (int unit = 0; unit < 3; ++unit) {
    next_[unit] = 0;
    advancePast(unit);
  }
  return {};
}

// From next_ on to the unit's own instruction.
void RetireChecker::advancePast(int unit) {
  while (next_[unit] < reference_->size() &&
         static_cast<int>(reference_->instruction(next_[unit]).unit()) != unit) {
    ++next_[unit];
  }
}

Status RetireChecker::retire(int unit, uint32_t number, uint64_t cycle) {
  if (number != next_[unit] || number >= reference_->size()) {
    return internalError(fmt::format("cycle {}: the {} unit retired instruction {}; {} was next",
                                     cycle, unitName(static_cast<Unit>(unit)), number,
                                     next_[unit]));
  }
  ++next_[unit];
  advancePast(unit);
  due_.push_back({number, unit, cycle});
  return {};
}

Status RetireChecker::tick(uint64_t cycle) {
  while (!due_.empty() && due_.front().cycle + kSettleCycles <= cycle) {
    VTA_RETURN_IF_ERROR(check(due_.front()));
    due_.pop_front();
  }
  return {};
}

Status RetireChecker::finish() {
  while (!due_.empty()) {
    VTA_RETURN_IF_ERROR(check(due_.front()));
    due_.pop_front();
  }
  for (int unit = 0; unit < 3; ++unit) {
    if (next_[unit] >= reference_->size()) continue;
    return internalError(fmt::format("instruction {} has not retired", next_[unit]));
  }
  return {};
}

// Whether a younger instruction of the unit, begun at the most, satisfies `overwrites`.
template <typename Overwrites>
bool RetireChecker::isOverwritten(const Due& due, Overwrites overwrites) {
  int begun = 0;
  for (uint32_t number = due.number + 1; number < reference_->size(); ++number) {
    if (static_cast<int>(reference_->instruction(number).unit()) != due.unit) continue;
    if (number >= next_[due.unit] && ++begun > kMaxInFlight) return false;
    const auto effects = reference_->effects(number);
    if (!effects.ok()) return false;
    if (overwrites(**effects)) return true;
  }
  return false;
}

Status RetireChecker::check(const Due& due) {
  VTA_ASSIGN_OR_RETURN(const InstructionEffects* effects, reference_->effects(due.number));
  for (const ElementEffect& effect : effects->elements) {
    VTA_RETURN_IF_ERROR(checkElement(*effects, effect, due));
  }
  for (const MemoryEffect& effect : effects->memory) {
    VTA_RETURN_IF_ERROR(checkMemory(*effects, effect, due));
  }
  ++checked_;
  uint32_t oldest = std::min({next_[0], next_[1], next_[2]});
  for (const Due& other : due_) oldest = std::min(oldest, other.number);
  reference_->release(oldest);
  return {};
}

bool RetireChecker::differs(VtaModelMemory memory, uint32_t element, const uint8_t* expected,
                            uint32_t size_bytes, std::string& actual) {
  std::string bytes(size_bytes, '\0');
  for (uint32_t at = 0; at < size_bytes; at += 4) {
    const uint32_t word = model_.probe(memory, element, at / 4);
    std::memcpy(bytes.data() + at, &word, std::min(4u, size_bytes - at));
  }
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (std::equal(data, data + size_bytes, expected)) return false;
  actual = hex(data, size_bytes);
  return true;
}

Status RetireChecker::checkElement(const InstructionEffects& effects, const ElementEffect& effect,
                                   const Due& due) {
  const uint8_t* expected = effects.bytes.data() + effect.first_byte;
  const auto report = [&](VtaModelMemory memory, const uint8_t* wanted, uint32_t size_bytes,
                          const std::string& actual) {
    return internalError(fmt::format(
        "instruction {} ({}), retired in cycle {}: {} element {} differs\n  model: {}\n  RTL:   {}",
        due.number, disassemble(effects.insn), due.cycle, probeName(memory), effect.element,
        hex(wanted, size_bytes), actual));
  };
  const auto overwritten = [&] {
    return isOverwritten(due, [&](const InstructionEffects& younger) {
      return younger.writesElement(effect.memory, effect.element);
    });
  };
  constexpr MemoryType kTypes[] = {MemoryType::kUop, MemoryType::kWgt, MemoryType::kInp,
                                   MemoryType::kAcc, MemoryType::kOut};
  const uint64_t bits =
      memoryInfo(kTypes[effect.memory]).sramElemBits(hw_.params(), hw_.uopBytes());
  const auto size_bytes = static_cast<uint32_t>((bits + 7) / 8);
  std::string actual;
  if (differs(effect.memory, effect.element, expected, size_bytes, actual) && !overwritten()) {
    return report(effect.memory, expected, size_bytes, actual);
  }
  return {};
}

Status RetireChecker::checkMemory(const InstructionEffects& effects, const MemoryEffect& effect,
                                  const Due& due) {
  const auto range = dram_.findRange(effect.address);
  const auto* actual = reinterpret_cast<const uint8_t*>(range->at(effect.address));
  const uint8_t* expected = effects.bytes.data() + effect.first_byte;
  for (uint64_t i = 0; i < effect.size_bytes; ++i) {
    if (actual[i] == expected[i]) continue;
    const auto overwrites = [&](const InstructionEffects& younger) {
      return younger.writesMemory(effect.address + i, 1);
    };
    if (isOverwritten(due, overwrites)) continue;
    return internalError(fmt::format(
        "instruction {} ({}), retired in cycle {}: memory byte {:#x} differs: model {:02x}, RTL "
        "{:02x}",
        due.number, disassemble(effects.insn), due.cycle, effect.address + i, expected[i],
        actual[i]));
  }
  return {};
}

}  // namespace vta::sim
