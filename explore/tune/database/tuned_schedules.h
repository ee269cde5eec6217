// TunedSchedules: what a database says of one accelerator with one memory, and of one CPU, without
// what cannot be true.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "explore/tune/database/database.h"
#include "explore/tune/task/conv_task.h"

namespace vta::tune {

inline constexpr const char* kTuned = "tuned schedule";
inline constexpr const char* kProven = "proven schedule";

/// What the schedules are for. A part that is empty is nobody's business.
struct TunedFor {
  std::optional<Timing> vta = {};
  std::string source = kSimulatorSource;  // whose measurements of the VTA
  std::string cpu = {};                   // codegen's text of the CPU
};

class TunedSchedules {
 public:
  /// Reads the fastest schedule of each task. A trial counts if its schedule fits and, where it was
  /// simulated, if it has no fewer cycles than are proven; a proof counts if no trial beats it.
  /// Errors: those of the database.
  static Result<TunedSchedules> read(const Database& database, const TunedFor& wanted);

  /// By the text of the kernel or of the convolution (TaskKey::workload).
  std::optional<kernel::ChosenSchedule> find(const std::string& workload) const;
  std::optional<ConvSchedule> findConv(const std::string& workload) const;

  /// A sentence for everything of the database that is left aside, with its reason.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  struct Counts {
    int64_t unfit = 0;       // trials: their schedules are none for the task
    int64_t impossible = 0;  // trials
    int64_t beaten = 0;      // proofs
  };

  Status readVta(const Database& database, const TunedFor& wanted);
  Status readTask(const Database& database, const TaskKey& key, const TunedFor& wanted);
  Status readCpu(const Database& database, const std::string& cpu);
  void describe(const Database& database);

  std::map<std::string, kernel::ChosenSchedule> chosen_;
  std::map<std::string, ConvSchedule> convolutions_;
  Counts counts_;
  std::vector<std::string> remarks_;
};

}  // namespace vta::tune
