// Bounds and races of DRAM accesses. Internal to the isa library.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "isa/program/verify/execution_order.h"
#include "isa/program/verify/findings.h"

namespace vta::verify {

class DramCheck {
 public:
  DramCheck(const Program& program, const HwConfig& hw, const ExecutionOrder& order,
            Findings& findings);

  /// One LOAD or STORE with x_size > 0, in execution order.
  void access(uint32_t at);

 private:
  static constexpr uint64_t kPageGranules = 4096;

  // By unit: position + 1 of the last instruction that touched each granule. The store unit writes,
  // the others read.
  struct Page {
    std::array<std::array<uint32_t, kPageGranules>, kUnitCount> last{};
  };
  // Races are possible only in buffers that a program both loads and stores.
  struct BufferState {
    bool loaded = false;
    bool stored = false;
    uint64_t granule_bytes = UINT64_MAX;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  };

  bool inBounds(uint32_t at, const BufferDecl& buffer);
  bool touchRow(uint32_t at, BufferState& state, uint64_t first_byte, uint64_t size_bytes);
  void reportRace(uint32_t at, size_t other_unit, uint32_t other_stamp, uint64_t byte);

  const Program& program_;
  const HwConfig& hw_;
  const ExecutionOrder& order_;
  Findings& findings_;
  std::vector<uint32_t> buffer_of_;  // by instruction
  std::vector<BufferState> buffers_;
};

}  // namespace vta::verify
