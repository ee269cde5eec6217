// The accelerator as a SystemC module with TLM-2.0 sockets (docs/systemc.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include <tlm.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/common/register_file.h"
#include "sim/cycle/cycle_model.h"
#include "sim/functional/functional_model.h"
#include "sim/memory/memory_config.h"
#include "sim/systemc/bus_plan.h"
#include "sim/systemc/payload_pool.h"
#include "sim/systemc/shadow_memory.h"

namespace vta::sim {

/// How the module uses its memory socket. Both are accurate to the cycle where the platform's
/// memory keeps to the timing that the module was created with.
enum class TlmCoding : uint8_t {
  kLooselyTimed,        // b_transport, running ahead by up to the global quantum
  kApproximatelyTimed,  // nb_transport with all four phases of the base protocol
};

/// Bus traffic of the last launch.
struct TlmStatistics {
  uint64_t transfers = 0;
  /// Those whose response came later than the module's memory timing says. Not 0: the platform's
  /// memory is slower than that, and the launch's cycles are too few.
  uint64_t late_responses = 0;
  uint64_t syncs = 0;  ///< with SystemC's time, loosely timed
};

/// Runs a launch when the control register says so. The cycle model gives the times of all bursts
/// and instructions; the module plays them on the memory socket in simulated time and computes
/// values from what was read there. Data are read through the debug interface once before a
/// launch, because the cycle model looks ahead at instructions and micro-ops.
class VtaModule final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<VtaModule> registers;
  tlm_utils::simple_initiator_socket<VtaModule> memory;
  sc_core::sc_out<bool> irq;

  /// `timing` is what the platform's memory is expected to do. Errors: those of CycleModel::create
  /// and FunctionalModel::create.
  static Result<std::unique_ptr<VtaModule>> create(const char* name, const HwConfig& hw,
                                                   const MemoryConfig& timing, TlmCoding coding);

  const TlmStatistics& statistics() const { return statistics_; }
  sc_core::sc_time clockPeriod() const { return period_; }

 private:
  VtaModule(sc_core::sc_module_name name, const HwConfig& hw, std::unique_ptr<CycleModel> timing,
            std::unique_ptr<FunctionalModel> values, TlmCoding coding);

  // The register socket.
  void accessRegister(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned peekRegister(tlm::tlm_generic_payload& payload);
  void driveIrq();

  // A launch.
  void run();
  void launch();
  void finish(const LaunchCounters& counters, reg::FaultCode fault, uint32_t fault_instruction);
  void play(const Stream& stream, const BusPlan& plan);
  void advanceTo(uint64_t cycle);
  sc_core::sc_time timeOf(uint64_t cycle) const;
  uint64_t peekMemory(uint64_t address, std::span<std::byte> data);

  // The memory socket.
  void transfer(const BusTransfer& transfer);
  void prepare(Payload& payload, const BusTransfer& transfer);
  void sendNext();
  tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void onPhase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void complete(Payload& payload, const sc_core::sc_time& time);

  HwConfig hw_;
  std::unique_ptr<CycleModel> timing_;
  std::unique_ptr<FunctionalModel> values_;
  TlmCoding coding_;
  sc_core::sc_time period_;
  RegisterFile file_;
  sc_core::sc_event launched_;
  sc_core::sc_event irq_changed_;

  bool given_up_ = false;  // the launch that goes on was reset: nobody sees its end

  // Of the running launch.
  sc_core::sc_time start_;
  BaseAddresses bases_;
  uint64_t stream_address_ = 0;
  std::vector<std::byte> stream_bytes_;
  std::unique_ptr<ShadowMemory> shadow_;
  std::optional<uint32_t> failed_instruction_;
  TlmStatistics statistics_;
  sc_core::sc_time last_response_;

  tlm_utils::tlm_quantumkeeper keeper_;
  PayloadPool pool_;
  tlm_utils::peq_with_cb_and_phase<VtaModule> phases_;
  std::deque<Payload*> requests_;      // not sent yet
  Payload* open_request_ = nullptr;    // BEGIN_REQ without END_REQ
  std::vector<uint32_t> outstanding_;  // transfers by instruction, fetch aside
  uint64_t in_flight_ = 0;
  sc_core::sc_event completed_;
};

}  // namespace vta::sim
