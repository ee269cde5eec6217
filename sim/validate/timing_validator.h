// Holds the cycle simulator against the Verilated RTL: same programs, same cycles, same counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/hw_config.h"
#include "isa/support/status.h"
#include "sim/cycle/cycle_model.h"
#include "sim/memory/memory_config.h"
#include "sim/random/program_image.h"
#include "sim/random/random_program.h"
#include "sim/rtl/model_cache.h"
#include "sim/rtl/rtl_simulator.h"

namespace vta::sim {

/// What was compared for one program, and how it came out.
struct TimingComparison {
  uint64_t cycles = 0;  // of the RTL
  uint64_t instructions = 0;
  bool faulted = false;
  /// One line for each figure that differs, "load.stall_token: RTL 7, simulator 8". Total cycles,
  /// every counter, the fault's kind and instruction, and when each instruction retired. Cycles
  /// and counters of a launch that ends in a fault are compared like all others.
  std::vector<std::string> differences;
};

class TimingValidator {
 public:
  /// The RTL runs with its assertions. Errors: those of RtlSimulator::create and
  /// CycleModel::create.
  static Result<std::unique_ptr<TimingValidator>> create(const HwConfig& hw,
                                                         const ModelCache& cache,
                                                         const MemoryConfig& memory);

  /// Launches `image` on both. Errors: a failure of the RTL or of its environment.
  Result<TimingComparison> compare(ProgramImage& image);

  /// The random program of `seed`, with `fault` injected when given and possible.
  Result<TimingComparison> compareRandom(uint64_t seed, std::optional<InjectedFault> fault,
                                         const RandomProgramOptions& options = {});

 private:
  class CurrentDram final : public Dram {
   public:
    std::optional<DramRange> findRange(uint64_t address) const override {
      return current ? ImageDram(*current).findRange(address) : std::nullopt;
    }
    ProgramImage* current = nullptr;
  };

  explicit TimingValidator(const HwConfig& hw) : hw_(hw) {}

  HwConfig hw_;
  CurrentDram dram_;
  std::unique_ptr<RtlSimulator> rtl_;
  std::unique_ptr<CycleModel> model_;
  std::vector<uint64_t> retired_;  // by instruction, of the RTL
};

}  // namespace vta::sim
