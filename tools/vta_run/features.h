// What a vta-run is built with. The program for boards has none of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device_registry.h"
#include "driver/generate/tokenizer.h"
#include "driver/runtime/session.h"
#include "sim/energy/energy_estimate.h"
#include "tools/vta_run/model_compiler.h"

namespace vta::tools {

struct RunReport;

/// Where energy figures come from, for people.
struct EnergySource {
  std::string name;
  std::string node;  // process and supply
  bool has_static = false;
  std::vector<std::string> sources;
};

/// Estimates of the energy of a program that took `cycles`.
struct EnergyModel {
  EnergySource source;
  std::function<sim::EnergyEstimate(const Program& program, const HwConfig& hw, uint64_t cycles)>
      estimate;
};

/// Estimated FPGA resources of the whole core.
struct AreaFigures {
  double lut = 0;
  double ff = 0;
  double dsp = 0;
  double bram36 = 0;  // block RAMs of 36 Kb
  double uram = 0;
};

/// A module that another machine runs whole.
class WholeModule {
 public:
  virtual ~WholeModule() = default;
  virtual const ModuleInfo& info() const = 0;
  /// What it runs on, and the configuration of that.
  virtual const std::string& deviceName() const = 0;
  virtual const HwConfig& hw() const = 0;
  /// As Session::run; the result has no profile.
  virtual Result<driver::RunResult> run(const TensorMap& inputs) = 0;
};

/// Null members are what the program lacks; it has no options for them.
struct RunFeatures {
  ModelCompiler* compiler = nullptr;
  driver::ProgramCheck check_program = {};
  /// The configuration in a file.
  Result<HwConfig> (*read_hw)(const std::string& file,
                              const std::vector<std::string>& extensions) = nullptr;
  /// The figures that --energy names.
  Result<EnergyModel> (*energy_model)(const std::string& name) = nullptr;
  /// Names of figures that are built in. Not null where energy_model is not.
  std::vector<std::string> (*energy_tables)() = nullptr;
  /// What the RTL of a configuration takes of an FPGA; none for a core that is not this RTL.
  std::optional<AreaFigures> (*estimate_area)(const HwConfig& hw) = nullptr;
  /// Hands a module's file to the server that `device` names. The same errors as the device's.
  Result<std::unique_ptr<WholeModule>> (*open_remote)(std::span<const std::byte> file,
                                                      const driver::DeviceSpec& device) = nullptr;
  /// The file of --tokenizer. Errors name it.
  Result<std::unique_ptr<driver::Tokenizer>> (*read_tokenizer)(const std::filesystem::path& file) =
      driver::readBinaryTokenizer;
  /// The page of --report.
  std::string (*html_report)(const RunReport& report, const driver::RunResult& result) = nullptr;
};

/// vta-run's main().
int runMain(int argc, char** argv, const RunFeatures& features);

}  // namespace vta::tools
