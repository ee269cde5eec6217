// An example of a virtual platform: processor, memory, accelerator, interrupt.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/systemc/platform_cpu.h"
#include "sim/systemc/platform_memory.h"
#include "sim/systemc/vta_module.h"

namespace vta::sim {

/// What is around the accelerator.
struct PlatformOptions {
  TlmCoding coding = TlmCoding::kLooselyTimed;  ///< how processor, memory and accelerator talk
  MemoryConfig timing;                          ///< what the accelerator expects of the memory
  std::optional<MemoryConfig> memory;  ///< what the memory does, where that is something else
  uint64_t memory_address = 0;         ///< of the first byte, as all of them see it
  uint64_t memory_bytes = 0;           ///< of DRAM
};

/// Platforms are created before the first sc_start, as all SystemC modules.
class Platform {
 public:
  /// `name` prefixes the modules' names. Errors: those of VtaModule::create and
  /// MemoryModel::create.
  static Result<std::unique_ptr<Platform>> create(const std::string& name, const HwConfig& hw,
                                                  const PlatformOptions& options);

  /// Stays the platform's, as the two below.
  PlatformCpu& cpu() { return cpu_; }
  /// To fill before a run and to read behind it.
  PlatformMemory& memory() { return memory_; }
  /// The accelerator.
  VtaModule& vta() { return *vta_; }

  /// Simulates `job` to its end, or until nothing happens any more.
  const std::optional<PlatformOutcome>& run(const PlatformJob& job);

 private:
  Platform(const std::string& name, std::unique_ptr<VtaModule> vta,
           const PlatformMemoryParams& memory, std::unique_ptr<MemoryModel> model, int beat_bytes);

  sc_core::sc_signal<bool> irq_;
  std::unique_ptr<VtaModule> vta_;
  PlatformMemory memory_;
  PlatformCpu cpu_;
};

}  // namespace vta::sim
