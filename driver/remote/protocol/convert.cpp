#include "driver/remote/protocol/convert.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

namespace vta::remote {
namespace {

using CounterValues = decltype(UnitCounters{}.values());
constexpr int kCountersPerUnit = std::tuple_size_v<CounterValues>;
constexpr UnitCounters LaunchCounters::*kUnits[] = {&LaunchCounters::fetch, &LaunchCounters::load,
                                                    &LaunchCounters::compute,
                                                    &LaunchCounters::store};
constexpr uint64_t InstructionTimes::*kTimes[] = {
    &InstructionTimes::dispatched, &InstructionTimes::started, &InstructionTimes::retired,
    &InstructionTimes::work_from, &InstructionTimes::work_until};
static_assert(sizeof(InstructionTimes) == std::size(kTimes) * sizeof(uint64_t),
              "a time that is not sent");
constexpr int kNumbersPerBurst = 6;

Status malformed(const char* what) {
  return ioError(std::string("the server's answer is malformed: ") + what);
}

v1::Counters countersMessage(const LaunchCounters& counters) {
  v1::Counters message;
  message.set_cycles(counters.cycles);
  for (const auto unit : kUnits) {
    for (const uint64_t value : (counters.*unit).values()) message.add_units(value);
  }
  message.set_gemm_uops(counters.gemm_uops);
  message.set_alu_uops(counters.alu_uops);
  message.set_compute_waits_for_load_cycles(counters.compute_waits_for_load_cycles);
  message.set_compute_waits_for_store_cycles(counters.compute_waits_for_store_cycles);
  return message;
}

Result<LaunchCounters> countersOf(const v1::Counters& message) {
  if (message.units_size() != static_cast<int>(std::size(kUnits)) * kCountersPerUnit) {
    return malformed("counters");
  }
  LaunchCounters counters;
  counters.cycles = message.cycles();
  auto sent = message.units().begin();
  for (const auto unit : kUnits) {
    CounterValues values{};
    std::copy_n(sent, kCountersPerUnit, values.begin());
    counters.*unit = UnitCounters::fromValues(values);
    sent += kCountersPerUnit;
  }
  counters.gemm_uops = message.gemm_uops();
  counters.alu_uops = message.alu_uops();
  counters.compute_waits_for_load_cycles = message.compute_waits_for_load_cycles();
  counters.compute_waits_for_store_cycles = message.compute_waits_for_store_cycles();
  return counters;
}

v1::Recording recordingMessage(const Recording& recording) {
  v1::Recording message;
  message.set_cycles(recording.cycles);
  for (const InstructionTimes& times : recording.instructions) {
    for (const auto time : kTimes) message.add_instructions(times.*time);
  }
  for (const BurstTimes& burst : recording.bursts) {
    message.add_bursts(burst.first_beat_cycle);
    message.add_bursts(burst.last_beat_cycle);
    message.add_bursts(burst.beats);
    message.add_bursts(static_cast<uint64_t>(burst.master));
    message.add_bursts(burst.request_cycle);
    message.add_bursts(burst.response_cycle);
  }
  return message;
}

Result<std::shared_ptr<const Recording>> recordingOf(const v1::Recording& message) {
  const auto& times = message.instructions();
  const auto& bursts = message.bursts();
  constexpr int kTimesPerInstruction = std::size(kTimes);
  if (times.size() % kTimesPerInstruction != 0 || bursts.size() % kNumbersPerBurst != 0) {
    return malformed("recording");
  }
  auto recording = std::make_shared<Recording>();
  recording->cycles = message.cycles();
  for (int i = 0; i < times.size(); i += kTimesPerInstruction) {
    InstructionTimes& instruction = recording->instructions.emplace_back();
    for (int k = 0; k < kTimesPerInstruction; ++k) instruction.*kTimes[k] = times[i + k];
  }
  for (int i = 0; i < bursts.size(); i += kNumbersPerBurst) {
    if (bursts[i + 3] > static_cast<uint64_t>(BusMaster::kStore)) return malformed("recording");
    recording->bursts.push_back({.first_beat_cycle = bursts[i],
                                 .last_beat_cycle = bursts[i + 1],
                                 .beats = static_cast<uint32_t>(bursts[i + 2]),
                                 .master = static_cast<BusMaster>(bursts[i + 3]),
                                 .request_cycle = bursts[i + 4],
                                 .response_cycle = bursts[i + 5]});
  }
  return std::shared_ptr<const Recording>(std::move(recording));
}

Result<Fault> faultOf(const v1::Fault& message) {
  if (message.kind() > static_cast<uint32_t>(FaultKind::kRace)) return malformed("fault");
  return Fault{static_cast<FaultKind>(message.kind()),
               message.instruction(),
               message.disassembly(),
               message.reason(),
               {message.related().begin(), message.related().end()}};
}

}  // namespace

v1::Error errorMessage(const Status& status) {
  v1::Error error;
  error.set_code(static_cast<uint32_t>(status.code()));
  error.set_message(status.message());
  return error;
}

Status statusOf(const v1::Error& error) {
  const uint32_t code = error.code();
  const bool is_known = code > 0 && code <= static_cast<uint32_t>(StatusCode::kInternal);
  return {is_known ? static_cast<StatusCode>(code) : StatusCode::kInternal, error.message()};
}

v1::Launch launchMessage(const driver::Launch& launch) {
  v1::Launch message;
  message.set_instruction_address(launch.instruction_address);
  message.set_instruction_count(launch.instruction_count);
  message.set_uop_base(launch.uop_base);
  message.set_inp_base(launch.inp_base);
  message.set_wgt_base(launch.wgt_base);
  message.set_acc_base(launch.acc_base);
  message.set_out_base(launch.out_base);
  return message;
}

driver::Launch launchOf(const v1::Launch& message) {
  return {.instruction_address = message.instruction_address(),
          .instruction_count = message.instruction_count(),
          .uop_base = message.uop_base(),
          .inp_base = message.inp_base(),
          .wgt_base = message.wgt_base(),
          .acc_base = message.acc_base(),
          .out_base = message.out_base()};
}

v1::LaunchResult resultMessage(const driver::LaunchResult& result) {
  v1::LaunchResult message;
  *message.mutable_counters() = countersMessage(result.counters);
  if (result.fault) {
    v1::Fault& fault = *message.mutable_fault();
    fault.set_kind(static_cast<uint32_t>(result.fault->kind));
    fault.set_instruction(result.fault->instruction);
    fault.set_disassembly(result.fault->disassembly);
    fault.set_reason(result.fault->reason);
    fault.mutable_related()->Add(result.fault->related.begin(), result.fault->related.end());
  }
  if (result.trace) *message.mutable_recording() = recordingMessage(*result.trace);
  return message;
}

Result<driver::LaunchResult> resultOf(const v1::LaunchResult& message) {
  driver::LaunchResult result;
  VTA_ASSIGN_OR_RETURN(result.counters, countersOf(message.counters()));
  if (message.has_fault()) {
    VTA_ASSIGN_OR_RETURN(result.fault, faultOf(message.fault()));
  }
  if (message.has_recording()) {
    VTA_ASSIGN_OR_RETURN(result.trace, recordingOf(message.recording()));
  }
  return result;
}

}  // namespace vta::remote
