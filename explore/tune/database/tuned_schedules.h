// TunedSchedules: what a database says of one accelerator with one memory, of one CPU and of one
// GPU, without what cannot be true.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "explore/tune/database/database.h"
#include "explore/tune/task/conv_task.h"
#include "explore/tune/task/gemm_task.h"

namespace vta::tune {

inline constexpr const char* kTuned = "tuned schedule";
inline constexpr const char* kProven = "proven schedule";

/// What the schedules are for. A part that is empty is nobody's business.
struct TunedFor {
  std::optional<Timing> vta = {};
  std::string source = kSimulatorSource;  // whose measurements of the VTA
  std::string cpu = {};                   // codegen's text of the CPU
  std::optional<std::string> gpu = {};    // TunedGpu::text; empty: the only one of the database
};

class TunedSchedules {
 public:
  /// Reads the fastest schedule of each task. A trial counts if its schedule fits and, where it was
  /// simulated, if it has no fewer cycles than are proven; a proof counts if no trial beats it.
  /// Errors: those of the database.
  static Result<TunedSchedules> read(const Database& database, const TunedFor& wanted);

  /// By the text of the kernel, of the convolution or of the product (TaskKey::workload).
  std::optional<kernel::ChosenSchedule> find(const std::string& workload) const;
  std::optional<ConvSchedule> findConv(const std::string& workload) const;
  std::optional<GemmSchedule> findGemm(const std::string& workload) const;

  /// What the schedules of the GPU keep to; nothing: there are none.
  const std::optional<GpuKernelLimits>& gpuLimits() const { return gpu_limits_; }

  /// A sentence for everything of the database that is left aside, with its reason.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  struct Counts {
    int64_t unfit = 0;       // trials: their schedules are none for the task
    int64_t impossible = 0;  // trials
    int64_t beaten = 0;      // proofs
    int64_t older = 0;       // trials: of a GPU's kernels while its tensor cores were not searched
  };

  Status readVta(const Database& database, const TunedFor& wanted);
  Status readTask(const Database& database, const TaskKey& key, const TunedFor& wanted);
  Status readCpu(const Database& database, const std::string& cpu);
  Status readGpu(const Database& database, const std::string& gpu);
  void describe(const Database& database);

  std::map<std::string, kernel::ChosenSchedule> chosen_;
  std::map<std::string, ConvSchedule> convolutions_;
  std::map<std::string, GemmSchedule> products_;
  std::optional<GpuKernelLimits> gpu_limits_;
  Counts counts_;
  std::vector<std::string> remarks_;
};

}  // namespace vta::tune
