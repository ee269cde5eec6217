#include "driver/loader.h"

#include <utility>
#include <vector>

#include "isa/program/encoded_program.h"

namespace vta::driver {

Result<LoadedProgram> LoadedProgram::load(Device& device, Program program,
                                          std::span<const uint64_t> buffer_addresses) {
  const HwConfig& hw = device.info().hw;
  VTA_RETURN_IF_ERROR(checkProgramFits(program.encoding, program.hw_fingerprint, hw));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(program, hw));
  VTA_ASSIGN_OR_RETURN(const EncodedProgram encoded,
                       viewProgram(bytes, hw, ProgramChecksum::kTrust));
  VTA_ASSIGN_OR_RETURN(LoadedCode code, LoadedCode::load(device, encoded, buffer_addresses));
  return LoadedProgram(std::move(code), std::move(program));
}

Result<LaunchCounters> LoadedProgram::run(std::chrono::milliseconds timeout) {
  VTA_ASSIGN_OR_RETURN(const LaunchResult result, execute(timeout));
  return result.counters;
}

}  // namespace vta::driver
