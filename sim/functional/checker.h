// Checked mode: reads of memory that was never written, races between units, and what published
// hardware does not interlock.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/common/dram.h"
#include "sim/common/stream.h"
#include "sim/common/violation.h"

namespace vta::sim {

/// Follows every access of every instruction. Two accesses of different units to the same SRAM
/// element or DRAM byte, one of them a write, race unless tokens order them; tokens carry vector
/// clocks for that. Runs are ordered as wholes. Instructions must keep all bounds.
class Checker {
 public:
  explicit Checker(const HwConfig& hw);
  ~Checker();

  void beginRun();

  /// `unit` takes tokens from the queues in `pops` and begins instruction `number`.
  void begin(Unit unit, uint32_t number, uint8_t pops);

  /// Checks and records the accesses of the begun instruction.
  std::optional<Violation> check(const Instruction& insn, std::span<const Uop> uops,
                                 const BaseAddresses& bases, Dram& dram);

  /// The begun instruction pushes tokens to the queues in `pushes`.
  void end(uint8_t pushes);

 private:
  // Time is the number of instructions begun in this run; a clock holds, for each unit, the time of
  // its last instruction that is known to be done.
  using Clock = std::array<uint32_t, kUnitCount>;

  struct Cell {
    uint32_t write_time = 0;  ///< 0: not in this run
    Unit write_unit = Unit::kLoad;
    bool is_written = false;  ///< ever
    Clock read_times{};
  };
  struct DramPage;

  struct Access {
    bool is_read = false;
    bool is_write = false;
  };

  std::optional<Violation> checkMem(Opcode opcode, const MemInsn& mem, const BaseAddresses& bases,
                                    Dram& dram);
  std::optional<Violation> checkHandover(const MemInsn& mem);
  std::optional<Violation> checkGemm(const GemmInsn& insn, std::span<const Uop> uops);
  std::optional<Violation> checkAlu(const AluInsn& insn, std::span<const Uop> uops);
  /// Of configurations that stand for published 0.0.2 hardware.
  template <typename Body>
  std::optional<Violation> checkHazard(const Body& body, std::span<const Uop> uops) const;
  std::optional<Violation> checkUops(uint32_t bgn, uint32_t end);
  std::optional<Violation> sram(MemoryType type, uint64_t element, Access access);
  std::optional<Violation> dramRow(uint64_t address, uint64_t size_bytes, Access access,
                                   Dram& dram);
  /// The instruction that `access` to `cell` races with, if any; records the access.
  std::optional<uint32_t> race(Cell& cell, Access access);
  Cell& dramCell(uint64_t address);

  HwConfig hw_;
  std::array<std::vector<Cell>, 4> sram_;  // by MemoryType, UOP to ACC
  std::unordered_map<uint64_t, std::unique_ptr<DramPage>> dram_pages_;
  std::array<Clock, kUnitCount> clocks_{};
  std::array<std::deque<Clock>, kTokenQueueCount> tokens_;
  std::vector<uint32_t> instruction_at_;  // by time
  int unit_ = 0;                          // of the begun instruction
};

}  // namespace vta::sim
