#include "web/estimate/program_steps.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>

#include "isa/launch/recording.h"
#include "isa/program/program.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "sim/cycle/program_timer.h"

namespace vta::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kProgramFile = "program.s";

Json tokensJson(const Tokens& tokens) {
  Json json = Json::array();
  const std::pair<bool, const char*> flags[] = {{tokens.pop_prev, "pop_prev"},
                                                {tokens.pop_next, "pop_next"},
                                                {tokens.push_prev, "push_prev"},
                                                {tokens.push_next, "push_next"}};
  for (const auto& [is_set, name] : flags) {
    if (is_set) json.push_back(name);
  }
  return json;
}

/// The part of a scratchpad that a LOAD fills, with its padding; null for other instructions.
Json writtenJson(const Instruction& insn) {
  if (insn.opcode != Opcode::kLoad) return nullptr;
  const MemInsn& mem = insn.mem();
  const uint64_t rows = uint64_t{mem.y_size} + mem.y_pad_0 + mem.y_pad_1;
  const uint64_t columns = uint64_t{mem.x_size} + mem.x_pad_0 + mem.x_pad_1;
  return {memoryTypeName(scratchpadOf(mem.memory_type)), mem.sram_base, rows * columns};
}

Json cycleJson(uint64_t cycle) {
  return cycle == InstructionTimes::kNever ? Json(nullptr) : Json(cycle);
}

Json instructionJson(const Instruction& insn, const InstructionTimes& times) {
  return {{"text", disassemble(insn)},
          {"unit", unitName(insn.unit())},
          {"tokens", tokensJson(insn.tokens)},
          {"writes", writtenJson(insn)},
          {"dispatched", cycleJson(times.dispatched)},
          {"started", cycleJson(times.started)},
          {"retired", cycleJson(times.retired)}};
}

const char* masterName(BusMaster master) {
  constexpr const char* kNames[] = {"fetch", "load", "compute", "store"};
  return kNames[static_cast<size_t>(master)];
}

/// What a scratchpad holds, for its picture.
Json scratchpadsJson(const HwConfig& hw) {
  Json json = Json::object();
  for (const MemoryType type :
       {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc}) {
    json[std::string(memoryTypeName(type))] = hw.depthElems(type);
  }
  return json;
}

}  // namespace

Result<Json> stepProgram(std::string_view assembler, const HwConfig& hw,
                         const sim::MemoryConfig& memory) {
  VTA_ASSIGN_OR_RETURN(const Program program, assemble(assembler, kProgramFile, hw));
  if (program.instructions.size() > kMostSteps) {
    return invalidArgument(fmt::format("{}: {} instructions; legal: up to {}", kProgramFile,
                                       program.instructions.size(), kMostSteps));
  }
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw, memory));
  Recording recording;
  VTA_ASSIGN_OR_RETURN(const LaunchCounters counters, timer.run(program, &recording));
  Json json = {{"cycles", counters.cycles},
               {"command_depth", hw.params().command_queue_depth},
               {"token_depth", hw.params().token_queue_depth},
               {"scratchpads", scratchpadsJson(hw)},
               {"instructions", Json::array()},
               {"bursts", Json::array()},
               {"findings", Json::array()}};
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionTimes times =
        i < recording.instructions.size() ? recording.instructions[i] : InstructionTimes();
    json["instructions"].push_back(instructionJson(program.instructions[i], times));
  }
  for (const BurstTimes& burst : recording.bursts) {
    json["bursts"].push_back(
        {masterName(burst.master), burst.first_beat_cycle, burst.last_beat_cycle});
  }
  for (const VerifyFinding& finding : verifyProgram(program, hw)) {
    json["findings"].push_back({finding.instruction, finding.message});
  }
  return json;
}

}  // namespace vta::web
