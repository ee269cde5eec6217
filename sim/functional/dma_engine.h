// Executes LOAD and STORE instructions.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/common/dram.h"
#include "sim/common/violation.h"
#include "sim/functional/kernels/kernels.h"
#include "sim/functional/scratchpads.h"

namespace vta::sim {

/// Elements of one SRAM row that a LOAD fills: pads included.
inline uint64_t loadRowElems(const MemInsn& mem) {
  return uint64_t{mem.x_pad_0} + mem.x_size + mem.x_pad_1;
}

/// SRAM elements that a LOAD writes or a STORE reads. 0 when x_size is 0: then nothing happens.
uint64_t sramElems(Opcode opcode, const MemInsn& mem);

/// Byte address of the first element of row `y`.
uint64_t rowAddress(const MemInsn& mem, uint32_t y, const BaseAddresses& bases, const HwConfig& hw);

class DmaEngine {
 public:
  /// `kernels` and `pads` must outlive the engine.
  DmaEngine(const HwConfig& hw, const Kernels& kernels, Scratchpads& pads);

  /// Why the transfer may not be done: it leaves the SRAM or the allocated buffers.
  std::optional<Violation> check(Opcode opcode, const MemInsn& mem, const BaseAddresses& bases,
                                 const Dram& dram) const;

  /// Moves the data. Only when `check` finds nothing.
  void execute(Opcode opcode, const MemInsn& mem, const BaseAddresses& bases, Dram& dram);

 private:
  std::optional<Violation> checkSram(Opcode opcode, const MemInsn& mem) const;
  std::optional<Violation> checkHandover(const MemInsn& mem) const;
  std::optional<Violation> checkDram(const MemInsn& mem, const BaseAddresses& bases,
                                     const Dram& dram) const;
  bool isOneRow(const MemInsn& mem, const BaseAddresses& bases, const Dram& dram) const;
  void load(const MemInsn& mem, const BaseAddresses& bases, const Dram& dram);
  void loadRow(MemoryType type, uint32_t element, uint32_t count, const std::byte* data);
  void pad(const MemInsn& mem, uint32_t element, uint64_t count);
  void handover(uint32_t out, uint32_t inp, uint32_t count);
  void transposeWeights(uint32_t element, uint32_t count, const int8_t* data);
  void decodeUops(uint32_t element, uint32_t count, const std::byte* data);
  void store(const MemInsn& mem, const BaseAddresses& bases, const Dram& dram);

  struct UopField {
    int lsb = 0;
    uint64_t mask = 0;
  };

  HwConfig hw_;
  const Kernels& kernels_;
  Scratchpads& pads_;
  UopField dst_field_;
  UopField src_field_;
  UopField wgt_field_;
};

}  // namespace vta::sim
