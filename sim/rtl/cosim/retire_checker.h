// Compares what each retired instruction of the RTL left behind with the functional model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/common/dram.h"
#include "sim/rtl/cosim/effects.h"
#include "sim/rtl/model_library.h"

namespace vta::sim {

/// A retired instruction is checked some cycles after its retirement, when its last writes have
/// come out of the pipelines. What a younger instruction of the same unit may have overwritten by
/// then is left to the check of that one. Nothing else is skipped.
class RetireChecker {
 public:
  /// `model` is of a variant with a probe; it and `device_dram`, the RTL's memory, must outlive the
  /// checker. Errors: those of EffectsReference::create.
  static Result<std::unique_ptr<RetireChecker>> create(const HwConfig& hw, RtlModel& model,
                                                       const Dram& device_dram);

  /// See EffectsReference::beginLaunch. `reference_dram` holds what the device's memory holds now.
  Status beginLaunch(std::span<const std::byte> stream, const BaseAddresses& bases,
                     Dram& reference_dram);

  /// Unit 0 load, 1 compute, 2 store. Errors: another instruction was the unit's next.
  Status retire(int unit, uint32_t number, uint64_t cycle);

  /// Checks what is due in `cycle`. Errors: the first difference, with both states.
  Status tick(uint64_t cycle);

  /// Checks the rest. Errors: as tick; instructions that have not retired.
  Status finish();

  uint64_t checkedInstructions() const { return checked_; }

 private:
  struct Due {
    uint32_t number = 0;
    int unit = 0;
    uint64_t cycle = 0;
  };

  RetireChecker(const HwConfig& hw, RtlModel& model, const Dram& device_dram,
                std::unique_ptr<EffectsReference> reference)
      : hw_(hw), model_(model), dram_(device_dram), reference_(std::move(reference)) {}

  Status check(const Due& due);
  Status checkElement(const InstructionEffects& effects, const ElementEffect& effect,
                      const Due& due);
  Status checkMemory(const InstructionEffects& effects, const MemoryEffect& effect, const Due& due);
  bool differs(VtaModelMemory memory, uint32_t element, const uint8_t* expected,
               uint32_t size_bytes, std::string& actual);
  template <typename Overwrites>
  bool isOverwritten(const Due& due, Overwrites overwrites);
  void advancePast(int unit);

  HwConfig hw_;
  RtlModel& model_;
  const Dram& dram_;
  std::unique_ptr<EffectsReference> reference_;
  std::deque<Due> due_;
  std::array<uint32_t, 3> next_{};  // by unit: the instruction that must retire next
  uint64_t checked_ = 0;
};

}  // namespace vta::sim
