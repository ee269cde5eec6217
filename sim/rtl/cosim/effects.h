// What instructions leave behind, by the functional model: the reference of co-simulation.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/functional/functional_model.h"
#include "sim/rtl/model/vta_model.h"

namespace vta::sim {

/// The value of one scratchpad element, or of bytes in memory, after an instruction.
struct ElementEffect {
  VtaModelMemory memory = VTA_PROBE_UOP;  ///< that the element is in
  uint32_t element = 0;                   ///< its index
  uint32_t first_byte = 0;                ///< in InstructionEffects::bytes
};
/// The same of bytes of DRAM.
struct MemoryEffect {
  uint64_t address = 0;     ///< of the first byte
  uint64_t size_bytes = 0;  ///< at least 1
  uint64_t first_byte = 0;  ///< in InstructionEffects::bytes
};

/// What one instruction leaves behind.
struct InstructionEffects {
  uint32_t number = 0;                  ///< in its launch
  Instruction insn;                     ///< as it was decoded
  std::vector<ElementEffect> elements;  ///< of the scratchpads that it writes
  std::vector<MemoryEffect> memory;     ///< that it writes
  std::vector<uint8_t> bytes;           ///< values, which both kinds of effects refer to

  /// Whether the element is among `elements`.
  bool writesElement(VtaModelMemory memory_kind, uint32_t element) const;
  /// Whether any byte of the range is in `memory`.
  bool writesMemory(uint64_t address, uint64_t size_bytes) const;
};

/// Executes a program in its own order, a window ahead of what is asked for. That order is a legal
/// one for every program whose pops follow their pushes. Scratchpads are kept from launch to
/// launch.
class EffectsReference {
 public:
  /// Errors: those of FunctionalModel::create.
  static Result<std::unique_ptr<EffectsReference>> create(const HwConfig& hw);

  /// `dram` is the reference's own memory, valid until the next call; `stream` is copied. Errors:
  /// an instruction that does not decode.
  Status beginLaunch(std::span<const std::byte> stream, const BaseAddresses& bases, Dram& dram);

  /// Instructions of the launch.
  uint32_t size() const { return static_cast<uint32_t>(instructions_.size()); }
  /// `number` is below size().
  const Instruction& instruction(uint32_t number) const { return instructions_[number]; }

  /// The effects of instruction `number`, which release() has not passed. Errors: a violation.
  Result<const InstructionEffects*> effects(uint32_t number);

  /// Null when nobody asked for it or anything behind it yet.
  const InstructionEffects* peek(uint32_t number) const;

  /// Nothing before `number` is asked for any more.
  void release(uint32_t number);

 private:
  EffectsReference(const HwConfig& hw, std::unique_ptr<FunctionalModel> model)
      : hw_(hw), model_(std::move(model)) {}

  Status executeNext();
  void recordElement(InstructionEffects& effects, VtaModelMemory memory, uint32_t element);
  void collectElements(const Instruction& insn, std::vector<ElementEffect>& elements);

  HwConfig hw_;
  std::unique_ptr<FunctionalModel> model_;
  std::vector<Instruction> instructions_;
  BaseAddresses bases_;
  Dram* dram_ = nullptr;
  std::deque<InstructionEffects> window_;
  uint32_t window_begin_ = 0;
};

}  // namespace vta::sim
