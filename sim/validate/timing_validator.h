// Holds the cycle simulator against the Verilated RTL: same programs, same cycles, same counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/cycle/cycle_model.h"
#include "sim/memory/bus_errors.h"
#include "sim/memory/memory_config.h"
#include "sim/random/inject_fault.h"
#include "sim/random/program_image.h"
#include "sim/random/random_program.h"
#include "sim/rtl/model_cache.h"
#include "sim/rtl/rtl_simulator.h"

namespace vta::sim {

/// A burst of the program that is answered with an error.
enum class BusTrouble : uint8_t { kReadError, kWriteError };

/// What is wrong with a program, or with the bus while it runs: nothing, a broken instruction, an
/// error response.
using Trouble = std::variant<std::monostate, InjectedFault, BusTrouble>;

/// Each kind of trouble in turn for the seeds that are multiples of `every`, none for the others.
/// `every` 0: never any.
Trouble troubleOf(uint64_t seed, uint64_t every);

/// What was compared for one program, and how it came out.
struct TimingComparison {
  uint64_t cycles = 0;  ///< of the RTL
  uint64_t instructions = 0;
  bool faulted = false;
  bool bus_error = false;  ///< the fault is one
  /// One line for each figure that differs, "load.stall_token: RTL 7, simulator 8". Total cycles,
  /// every counter, the fault's kind and instruction, and when each instruction was dispatched,
  /// started and retired. Launches that end in a fault are compared like all others.
  std::vector<std::string> differences;
};

class TimingValidator {
 public:
  /// The RTL runs with its assertions. Errors: those of RtlSimulator::create and
  /// CycleModel::create.
  static Result<std::unique_ptr<TimingValidator>> create(const HwConfig& hw,
                                                         const ModelCache& cache,
                                                         const MemoryConfig& memory);

  /// Launches `image` on both, with the same bus errors. Errors: a failure of the RTL or of its
  /// environment.
  Result<TimingComparison> compare(ProgramImage& image, const BusErrors& errors = {});

  /// `program`, placed in memory with random data in its buffers. Errors: also those of makeImage.
  Result<TimingComparison> compareProgram(const Program& program, uint64_t seed);

  /// The random program of `seed`, with `trouble` where the program allows it.
  Result<TimingComparison> compareRandom(uint64_t seed, const Trouble& trouble,
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

  void observe();
  TimingResult runModel(ProgramImage& image, Recording& recording);
  BusErrors chooseErrors(ProgramImage& image, BusTrouble trouble, Rng& rng);

  HwConfig hw_;
  CurrentDram dram_;
  std::unique_ptr<RtlSimulator> rtl_;
  std::unique_ptr<CycleModel> model_;
  std::vector<InstructionTimes> times_;                   // of the RTL
  uint64_t last_load_retire_ = InstructionTimes::kNever;  // that counts
};

}  // namespace vta::sim
