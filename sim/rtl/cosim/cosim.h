// Random programs on the Verilated RTL, every retired instruction compared with the functional
// model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/random/inject_fault.h"
#include "sim/random/random_program.h"
#include "sim/rtl/cosim/retire_checker.h"
#include "sim/rtl/model_cache.h"
#include "sim/rtl/rtl_simulator.h"

namespace vta::sim {

struct CosimOptions {
  RtlOptions rtl;  ///< its variant is at least kChecked
  RandomProgramOptions program;
};

/// What a co-simulated program was.
struct CosimReport {
  uint64_t cycles = 0;
  uint64_t instructions = 0;  ///< checked
  std::string fault;          ///< as reported; empty without one
};

/// One core that runs program after program.
class Cosim {
 public:
  /// Errors: those of RtlSimulator::create and RetireChecker::create.
  static Result<std::unique_ptr<Cosim>> create(const HwConfig& hw, const ModelCache& cache,
                                               const CosimOptions& options);

  /// The legal program of `seed`: every retirement, all memory, and the counters that the
  /// functional model has too. Errors: the first difference; what RtlSimulator::advance finds.
  Result<CosimReport> runLegal(uint64_t seed);

  /// The program of `seed` with a fault in it: the RTL must report the functional model's kind and
  /// instruction number. Programs that cannot have that fault are legal ones.
  Result<CosimReport> runFaulty(uint64_t seed, InjectedFault fault);

  /// The program of `seed` with bus errors (RtlOptions::random_bus): it ends, with or without a bus
  /// error, and breaks no rule.
  Result<CosimReport> runWithBusErrors(uint64_t seed);

  /// Resets the core `cycles` cycles after the launch of the program of `seed`, by default a random
  /// number; then the whole program must run.
  Result<CosimReport> runWithReset(uint64_t seed, std::optional<uint64_t> cycles = std::nullopt);

  /// The memory stops answering at a random moment of the launch of the program of `seed`, and the
  /// core is reset by its control register; then the whole program must run. The memory answers
  /// again at a random moment: before the second launch or when that has begun. What it answers
  /// late must change nothing that the second launch sees.
  Result<CosimReport> runWithSoftReset(uint64_t seed);

  /// The legal program of `seed` among register accesses that must not disturb it: launches that
  /// are bad and have to be reported, then, while it runs, a launch and writes that have to be
  /// refused, and reads of every register.
  Result<CosimReport> runAmongRegisterAccesses(uint64_t seed);

  /// Program `seed` of edge_programs.h: it must end as in the functional model.
  Result<CosimReport> runEdge(uint64_t seed);

  RtlSimulator& simulator() { return *simulator_; }

 private:
  // The program that is in memory.
  class CurrentDram final : public Dram {
   public:
    std::optional<DramRange> findRange(uint64_t address) const override {
      for (ProgramImage* image : {current, given_up}) {
        if (image == nullptr) continue;
        if (const auto range = ImageDram(*image).findRange(address)) return range;
      }
      return std::nullopt;
    }
    ProgramImage* current = nullptr;
    ProgramImage* given_up = nullptr;  ///< of a launch that was reset
  };

  explicit Cosim(const HwConfig& hw, const CosimOptions& options) : hw_(hw), options_(options) {}

  Result<ProgramImage> makeProgram(uint64_t seed, Rng& rng,
                                   ImagePlace place = ImagePlace::kAnywhere) const;
  Result<RtlOutcome> run(ProgramImage& image);
  Result<CosimReport> runLegal(ProgramImage image);
  Status giveUp(const ProgramImage& image, Rng& rng);
  Status drain();
  Status drainUnseen();
  std::vector<uint32_t> loadedScratchpads();
  Status expectBadLaunches(const RtlLaunch& launch, Rng& rng);
  Status disturb(const RtlLaunch& launch);
  Status compareMemory(const ProgramImage& image, const ProgramImage& reference) const;
  Status compareCounters(const RtlOutcome& outcome, const Activity& activity) const;

  HwConfig hw_;
  CosimOptions options_;
  CurrentDram dram_;
  std::unique_ptr<RtlSimulator> simulator_;
  std::unique_ptr<RetireChecker> checker_;
  bool checking_ = false;
  uint64_t thaws_at_ = 0;  // of the simulator's cycles: when a frozen bus answers again
};

}  // namespace vta::sim
