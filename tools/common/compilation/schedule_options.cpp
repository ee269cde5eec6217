#include "tools/common/compilation/schedule_options.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "compiler/kernel/schedule/schedule_file.h"
#include "explore/tune/database/database.h"
#include "explore/tune/database/transfer_chooser.h"
#include "explore/tune/database/tuned_schedules.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/task/conv_task.h"
#include "explore/tune/task/gemm_task.h"
#include "explore/tune/task/task.h"
#include "host_cpu/backend/conv_code.h"
#include "host_cpu/backend/options.h"
#include "host_gpu/backend/options.h"
#include "sim/cycle/program_timer.h"
#include "sim/memory/memory_config.h"
#include "tools/common/command_line.h"
#include "tools/common/compilation/network_schedules.h"
#include "tools/common/config_folder.h"
#include "tools/common/files.h"
#include "tools/common/names/choices.h"

namespace vta::tools {
namespace {

constexpr const char* kNoTuned = "none";
// Beside the folder of the accelerators' configurations.
constexpr const char* kShippedSchedules = "../tuning/schedules.jsonl";

/// Simulators of one accelerator and memory, for threads that measure at the same time.
class Timers {
 public:
  Timers(HwConfig hw, sim::MemoryConfig memory) : hw_(std::move(hw)), memory_(std::move(memory)) {}

  Result<std::optional<uint64_t>> cyclesUpTo(const Program& program, uint64_t most) {
    VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, take());
    auto cycles = timer.cyclesUpTo(program, most);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(timer));
    return cycles;
  }

 private:
  Result<sim::ProgramTimer> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        sim::ProgramTimer timer = std::move(idle_.back());
        idle_.pop_back();
        return timer;
      }
    }
    return sim::ProgramTimer::create(hw_, memory_);
  }

  const HwConfig hw_;
  const sim::MemoryConfig memory_;
  std::mutex mutex_;
  std::vector<sim::ProgramTimer> idle_;
};

kernel::MeasureProgram measureOnSimulator(const HwConfig& hw, const sim::MemoryConfig& memory) {
  auto timers = std::make_shared<Timers>(hw, memory);
  return
      [timers](const Program& program, uint64_t most) { return timers->cyclesUpTo(program, most); };
}

Result<std::vector<kernel::LayerSchedule>> loadSchedules(const std::string& file,
                                                         const HwConfig& hw) {
  const auto bytes = readFile(file);
  if (!bytes.ok()) {
    return bytes.status().withContext("--schedules takes estimated, simulated or a file");
  }
  return kernel::parseSchedules({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file,
                                hw);
}

/// A database, and what of it is for this accelerator, memory and CPU.
struct TunedDatabase {
  tune::Database database;
  tune::TunedSchedules schedules;
};
using Databases = std::vector<std::shared_ptr<const TunedDatabase>>;

/// The databases by themselves.
std::vector<std::shared_ptr<const tune::Database>> alone(const Databases& databases) {
  std::vector<std::shared_ptr<const tune::Database>> result;
  for (const auto& tuned : databases) result.emplace_back(tuned, &tuned->database);
  return result;
}

/// What --tuned is asked for.
Result<tune::TunedFor> wantedOf(const ScheduleOptions& options,
                                const compiler::CompileOptions& compile_options,
                                const sim::MemoryConfig& memory) {
  tune::TunedFor wanted;
  const compiler::Partition partition = compile_options.partition;
  const bool uses_vta =
      partition == compiler::Partition::kAuto || partition == compiler::Partition::kVta;
  if (uses_vta) wanted.vta = tune::Timing{compile_options.hw, memory};
  const std::optional<std::string> named_gpu = tune::gpuOfSource(options.tuned_source);
  if (!options.tuned_source.empty() && !named_gpu) wanted.source = options.tuned_source;
  const bool uses_gpu = partition == compiler::Partition::kGpu ||
                        partition == compiler::Partition::kGpuQuantized ||
                        compile_options.placement.offered == codegen::kGpuBackend;
  if (uses_gpu) wanted.gpu = named_gpu.value_or(options.gpu);
  VTA_ASSIGN_OR_RETURN(wanted.cpu, codegen::cpuText(compile_options.build.code.target));
  return wanted;
}

// The database of --tuned, then the one that comes with the project.
Result<Databases> databasesOf(const ScheduleOptions& options, const tune::TunedFor& wanted,
                              std::vector<std::string>& warnings) {
  Databases databases;
  const auto add = [&](tune::Database database) -> Status {
    VTA_ASSIGN_OR_RETURN(auto schedules, tune::TunedSchedules::read(database, wanted));
    databases.push_back(std::make_shared<const TunedDatabase>(
        TunedDatabase{std::move(database), std::move(schedules)}));
    return {};
  };
  if (!options.tuned_file.empty()) {
    auto opened = tune::Database::open(options.tuned_file, tune::Database::Access::kRead);
    if (!opened.ok()) return opened.status().withContext("--tuned");
    VTA_RETURN_IF_ERROR(add(*std::move(opened)).withContext("--tuned"));
    for (const std::string& remark : databases.back()->schedules.remarks()) {
      warnings.push_back("--tuned: " + remark);
    }
  }
  // Who says how schedules are chosen wants that.
  if (!options.takes_shipped || options.is_given) return databases;
  const auto configs = findConfigFolder();
  std::error_code error;
  if (!configs || !std::filesystem::exists(*configs / kShippedSchedules, error)) return databases;
  VTA_ASSIGN_OR_RETURN(tune::Database shipped,
                       tune::Database::readJsonLines(*configs / kShippedSchedules));
  VTA_RETURN_IF_ERROR(add(std::move(shipped)));
  return databases;
}

std::vector<kernel::Schedule> schedulesOfOthers(const Databases& databases,
                                                const std::string& workload,
                                                const std::string& source) {
  std::vector<kernel::Schedule> schedules;
  for (const auto& database : databases) {
    const auto texts = database->database.bestSchedules(workload, source);
    if (!texts.ok()) continue;
    for (const std::string& text : *texts) {
      const auto schedule = tune::parseSchedule(text);
      if (schedule.ok()) schedules.push_back(*schedule);
    }
  }
  return schedules;
}

// What the first database that has the task knows; else what they know of the same layer on other
// accelerators and memories, if it is as good here. They stay open as long as somebody asks.
kernel::FindSchedule tunedSchedules(const Databases& databases, const std::string& source,
                                    const HwConfig& hw, const kernel::ScheduleHints& hints) {
  const auto transfer = std::make_shared<tune::TransferChooser>(hw, hints);
  return [databases, source,
          transfer](const kernel::KernelDesc& desc) -> std::optional<kernel::ChosenSchedule> {
    const std::string workload = tune::workloadText(desc);
    for (const auto& database : databases) {
      if (auto found = database->schedules.find(workload)) return found;
    }
    return transfer->choose(desc, schedulesOfOthers(databases, workload, source));
  };
}

// Those of convolutions on the CPU that the code is for.
codegen::blocked::FindConvSchedule tunedConvSchedules(const Databases& databases,
                                                      const std::string& cpu) {
  return [databases, cpu](const codegen::blocked::ConvLayer& layer)
             -> std::optional<codegen::blocked::ConvSchedule> {
    const std::string workload = tune::convKey(layer.spec, cpu).workload;
    for (const auto& database : databases) {
      if (auto found = database->schedules.findConv(workload)) return found;
    }
    return std::nullopt;
  };
}

// Those of products on the GPU that the database has them for.
void setTunedProducts(const Databases& databases, codegen::CodeOptions& code) {
  codegen::GpuOptions of_gpu = codegen::gpuOptionsOf(code);
  for (const auto& database : databases) {
    const auto& limits = database->schedules.gpuLimits();
    if (!limits) continue;
    of_gpu.limits = *limits;
    of_gpu.find_schedule = [database](const codegen::ProductLayer& layer) {
      return database->schedules.findGemm(tune::gemmWorkload(layer.spec, layer.kernel));
    };
    return codegen::setGpuOptions(code, std::move(of_gpu));
  }
}

}  // namespace

void addSchedules(CLI::App& app, ScheduleOptions& options) {
  const auto take = [&options](const std::vector<std::string>& values) {
    options.is_given = true;
    for (const std::string& value : values) {
      if (value == "estimated" || value == "simulated") {
        options.is_estimated = value == "estimated";
      } else if (options.file.empty()) {
        options.file = value;
      } else {
        throw CLI::ValidationError("--schedules", "one file at most");
      }
    }
  };
  CLI::Option* option = app.add_option_function<std::vector<std::string>>(
      "--schedules", take,
      "simulated (default): the best candidates run on the cycle simulator; estimated: the "
      "analytic model alone, which compiles faster; or a file from vta-compile "
      "--write-schedules, whose layers take theirs from it. A name and a file may both be given");
  option->type_name("NAME|FILE")->check(Offered({"simulated", "estimated"}));
  makeRepeatable(*option);
  const auto take_database = [&options](const std::string& value) {
    options.takes_shipped = value != kNoTuned;
    options.tuned_file = options.takes_shipped ? value : "";
  };
  app.add_option_function<std::string>(
         "--tuned", take_database,
         "Take the fastest schedules of a database that vta-tune wrote, for the layers that "
         "it has for this accelerator and memory, for this CPU or for this GPU; the database that "
         "comes with "
         "the project is asked after it. none: take neither")
      ->type_name("FILE")
      ->check(Offered({kNoTuned}));
  app.add_option("--tuned-on", options.tuned_source,
                 "Whose measurements of --tuned count, as 'vta-tune --show' names them; default: "
                 "cycle simulator")
      ->type_name("SOURCE");
  app.add_flag_callback(
      "--no-chains", [&options] { options.with_chains = false; },
      "Run every kernel by itself, on hardware with extension handover, too. Without this, two "
      "kernels hand activations over on the chip where the cycle simulator says that it is faster");
  app.add_flag_callback(
      "--no-winograd", [&options] { options.with_winograd = false; },
      "Compute every product of a float convolution on the CPU. Without this, those of 3x3 take "
      "fewer multiplications where that is faster, and differ in the last digits");
}

Status applySchedules(const ScheduleOptions& options, compiler::CompileOptions& compile_options,
                      std::vector<std::string>& warnings) {
  const HwConfig& hw = compile_options.hw;
  if (!options.file.empty()) {
    VTA_ASSIGN_OR_RETURN(compile_options.build.schedules, loadSchedules(options.file, hw));
  }
  sim::MemoryConfig memory;
  if (!options.memory.empty()) {
    auto resolved = sim::resolveMemoryConfig(options.memory);
    if (!resolved.ok()) return resolved.status().withContext("--dram");
    memory = *std::move(resolved);
  }
  kernel::ScheduleHints& hints = compile_options.build.schedule_hints;
  hints.memory = tune::memoryTraits(memory, hw);
  compile_options.build.with_chains = options.with_chains;
  compile_options.build.code.winograd = options.with_winograd;
  if (options.tuned_file.empty() && !options.tuned_source.empty()) {
    return invalidArgument("--tuned-on needs --tuned");
  }
  VTA_ASSIGN_OR_RETURN(const tune::TunedFor wanted, wantedOf(options, compile_options, memory));
  VTA_ASSIGN_OR_RETURN(const Databases databases, databasesOf(options, wanted, warnings));
  if (!options.is_estimated) {
    // What the memory's description lacks is an error before anything is compiled.
    VTA_RETURN_IF_ERROR(sim::ProgramTimer::create(hw, memory).status());
    hints.measure = measureOnSimulator(hw, memory);
    hints.threads = 0;
  }
  if (!databases.empty()) {
    const kernel::ScheduleHints own = hints;
    hints.find = tunedSchedules(databases, wanted.source, hw, own);
    // What a device has measured is for that device, not for the simulator to judge.
    if (wanted.source == tune::kSimulatorSource) {
      compile_options.build.find_for_network =
          networkSchedules({alone(databases), wanted.source, hw, memory, own, hints.find});
    }
    codegen::CpuOptions of_cpu;
    of_cpu.find_schedule = tunedConvSchedules(databases, wanted.cpu);
    codegen::setCpuOptions(compile_options.build.code, std::move(of_cpu));
    setTunedProducts(databases, compile_options.build.code);
  }
  return {};
}

}  // namespace vta::tools
