// The Verilated core with its memory and its registers: launches programs and counts cycles.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/registers/registers.h"
#include "sim/common/dram.h"
#include "sim/memory/memory_config.h"
#include "sim/memory/memory_model.h"
#include "sim/rtl/bus/axi_slave.h"
#include "sim/rtl/model_cache.h"
#include "sim/rtl/model_library.h"

namespace vta::sim {

/// How to build and to watch the simulated core.
struct RtlOptions {
  MemoryConfig memory;                         ///< whose timing answers the bursts
  std::optional<RandomBusOptions> random_bus;  ///< instead of `memory`
  /// Of the model; observers of starts and probes need kChecked.
  ModelVariant variant = ModelVariant::kPlain;
  uint32_t random_seed = 0;     ///< of what registers and scratchpads hold at power-up; 0: zeros
  std::filesystem::path waves;  ///< empty: none; else variant kWaves
  /// Instructions, by number in their launch, between whose retirements waves are written.
  uint32_t waves_from = 0;
  uint32_t waves_to = std::numeric_limits<uint32_t>::max();  ///< the last one whose time is written
  /// Of one launch, after which it is an error that it still runs; 0: any number.
  uint64_t max_cycles = 0;
  /// After so long without a handshake on the bus or a retirement some unit must have been busy.
  /// More than any memory's latency and any scan of micro-ops.
  uint64_t quiet_limit_cycles = uint64_t{1} << 20;
};

/// What the registers say after a launch.
struct RtlOutcome {
  uint64_t cycles = 0;     ///< from the start to the end of the launch
  uint64_t gemm_uops = 0;  ///< steps of the GEMM core
  uint64_t alu_uops = 0;   ///< steps of the tensor ALU
  /// By unit, fetch, load, compute, store, and counter in the order of reg::UnitCounter.
  std::array<std::array<uint64_t, 7>, 4> units{};
  reg::FaultCode fault = reg::FaultCode::kNone;  ///< kNone: the launch has finished
  uint32_t fault_instruction = 0;                ///< its number in the launch; only with a fault
};

/// Where a launch's instructions and memories are.
struct RtlLaunch {
  uint64_t instruction_address = 0;  ///< in bytes, of `dram`
  uint32_t instruction_count = 0;    ///< with FINISH
  BaseAddresses bases;  ///< that loads and stores of each memory type add their addresses to
};

/// One core, on which launches run one after the other. Used by one thread at a time.
class RtlSimulator {
 public:
  /// Called in each cycle in which instructions retire, after the clock edge: unit (0 load, 1
  /// compute, 2 store) and number. An error ends the launch.
  using RetireObserver = std::function<Status(int unit, uint32_t number)>;

  /// Called in each cycle in which instructions are dispatched or started, after the clock edge;
  /// `starts` by VTA_PROBE_LOAD, ... An error ends the launch.
  using StartObserver = std::function<Status(const VtaModelStarts& starts)>;

  /// Resets the core. `dram` must outlive the simulator. Errors: those of ModelCache::find,
  /// RtlModel::open and MemoryModel::create; a model whose registers tell of another configuration.
  static Result<std::unique_ptr<RtlSimulator>> create(const HwConfig& hw, Dram& dram,
                                                      const ModelCache& cache,
                                                      const RtlOptions& options);

  /// From now on; an empty function for none.
  void setRetireObserver(RetireObserver observer) { observer_ = std::move(observer); }

  /// Needs a model with a probe (variant kChecked).
  void setStartObserver(StartObserver observer) { start_observer_ = std::move(observer); }

  /// The bursts of the following launches that are answered with errors. Not with a random bus.
  void injectBusErrors(const BusErrors& errors) {
    for (const auto& slave : slaves_) slave->injectErrors(errors);
  }

  /// Until it thaws, the memory accepts and answers nothing, and forgets nothing.
  void freezeBus(bool frozen) { bus_is_frozen_ = frozen; }

  /// Writes the launch registers and starts. Errors: see advance.
  Status start(const RtlLaunch& launch);

  /// Simulates up to `max_cycles` cycles. True when the launch is over. Errors: a violation of AXI,
  /// a failed assertion (kInternal), an observer's error, a core or memory that does nothing any
  /// more (kDeviceFault, see RtlOptions), a launch of more than RtlOptions::max_cycles
  /// (kDeviceFault). Behind an error the core may still be running: reset it.
  Result<bool> advance(uint64_t max_cycles);

  /// Reads the registers of a launch that is over.
  Result<RtlOutcome> outcome();

  /// start, advance to the end, outcome.
  Result<RtlOutcome> run(const RtlLaunch& launch);

  /// Holds reset for a few cycles, at whatever moment. Scratchpads keep their contents.
  void reset();

  /// One read of the AXI4-Lite slave, which takes a few cycles. Errors: kInternal, the core refuses
  /// it or does not answer.
  Result<uint32_t> readRegister(uint32_t offset);
  /// One write of the AXI4-Lite slave, which takes a few cycles. Errors: kInternal, the core
  /// refuses it or does not answer.
  Status writeRegister(uint32_t offset, uint32_t value);

  /// For probes and coverage; stays the simulator's.
  RtlModel& model() { return *model_; }
  /// In an observer: the cycle, counted from the launch.
  uint64_t launchCycle() const { return total_cycles_ - 1 - launch_start_; }
  /// The highest number of an instruction of the launch that has retired; 0 before the first.
  uint32_t lastRetired() const { return last_retired_; }
  /// Cycles simulated since creation.
  uint64_t totalCycles() const { return total_cycles_; }

 private:
  RtlSimulator(const HwConfig& hw, const RtlOptions& options, std::unique_ptr<RtlModel> model,
               std::unique_ptr<MemoryModel> memory, Dram& dram);

  Status step();
  Status retire();
  Status checkHealth();
  Status checkProgress();
  Status updateWaves();
  Status checkIdentity();

  HwConfig hw_;
  RtlOptions options_;
  std::unique_ptr<RtlModel> model_;
  std::unique_ptr<MemoryModel> memory_;
  // By memory port.
  std::vector<std::unique_ptr<AxiSlave>> slaves_;
  std::vector<AxiMonitor> monitors_;
  RetireObserver observer_;
  StartObserver start_observer_;
  bool was_running_ = false;
  bool bus_is_frozen_ = false;
  bool waves_open_ = false;
  bool waves_done_ = false;
  uint32_t last_retired_ = 0;
  uint64_t total_cycles_ = 0;
  uint64_t launch_start_ = 0;  // cycle 0 of the launch
  uint64_t started_ = 0;       // total cycles when the launch bit was written
  uint64_t quiet_cycles_ = 0;  // without a handshake on the bus or a retirement
  uint64_t work_done_ = 0;     // busy cycles of all units at the last look
};

}  // namespace vta::sim
