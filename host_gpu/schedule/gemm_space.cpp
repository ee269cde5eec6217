#include "host_gpu/schedule/gemm_space.h"

#include <algorithm>
#include <cctype>

#include "base/integer_math.h"

namespace vta::codegen {
namespace {

/// Fewer leave units of every GPU idle.
constexpr int64_t kFewestInvocations = 32;
/// More occupy every GPU, also those that are not.
constexpr int64_t kMostSplitWorkgroups = 512;
/// Of a part of the grid: fewer are over before another kernel has begun.
constexpr int64_t kFewestSplitSteps = 4;

// A GPU of common size.
constexpr double kInvocationsAtOnce = 16384;
constexpr double kGroupSpeed = 16, kTensorSpeed = 8,
                 kDot4Speed = 4;  // times as many products at once
constexpr double kBytesPerNanosecond = 500;
constexpr int64_t kTensorVector = 4;      // words that an invocation copies together
constexpr double kStepNanoseconds = 400;  // until what a step copies is there
constexpr double kLaunchNanoseconds = 5000;

/// "tiles of 3x2 do not divide a block of 16x16" is "tiles of NxN do not divide a block of NxN".
std::string withoutNumbers(const std::string& rule) {
  std::string text;
  for (size_t i = 0; i < rule.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(rule[i])) != 0;
    if (!is_digit) {
      text += rule[i];
    } else if (text.empty() || text.back() != 'N') {
      text += 'N';
    }
  }
  return text;
}

/// Blocks of twice the result's extent compute nothing more than smaller ones.
std::string idleRule(const GemmSpec& spec, const GemmSchedule& schedule) {
  const auto smallest = gemmScheduleFields().front().values.front();
  const auto is_too_large = [&](int64_t block, int64_t extent) {
    return block > smallest && block >= 2 * extent;
  };
  if (is_too_large(schedule.block_rows, spec.rows) ||
      is_too_large(schedule.block_columns, spec.columns)) {
    return "half of the block is outside of the result";
  }
  if (schedule.split_grid > 1 && workgroupsOf(spec, schedule) > kMostSplitWorkgroups) {
    return "there are workgroups enough without so many parts of the grid";
  }
  if (schedule.split_grid > 1 &&
      partDepth(spec, schedule) < kFewestSplitSteps * schedule.stepDepth()) {
    return "parts of the grid have few steps";
  }
  return schedule.invocations() < kFewestInvocations ? "invocations of a warp stay idle" : "";
}

class Visitor {
 public:
  Visitor(const GemmSpec& spec, const GpuKernelLimits& limits,
          const std::function<void(const GemmSchedule&)>& add,
          std::map<std::string, int64_t>& rejected)
      : spec_(spec),
        limits_(limits),
        add_(add),
        rejected_(rejected),
        own_(usualGemmSchedule(spec, limits)) {}

  void visit() {
    for (const GemmTier tier :
         {GemmTier::kSimt, GemmTier::kDot4, GemmTier::kTensor, GemmTier::kGroup}) {
      if (tier == GemmTier::kGroup && limits_.warps_together == 0) continue;
      GemmSchedule schedule;
      schedule.tier = tier;
      for (const GemmScheduleField& field : gemmScheduleFields()) {
        if (!isOpen(field, GemmScheduleField::Part::kWalk, tier)) continue;
        field.set(schedule, field.valuesFor(tier).front());
      }
      choose(schedule, GemmScheduleField::Part::kTile, 0);
    }
    if (!has_own_) add_(own_);
  }

 private:
  static bool isOpen(const GemmScheduleField& field, GemmScheduleField::Part part, GemmTier tier) {
    return field.part == part && field.isFor(tier) && field.name != "tier";
  }

  /// Tries all values of the fields of `part` from number `first` on.
  void choose(GemmSchedule schedule, GemmScheduleField::Part part, size_t first) {
    const auto fields = gemmScheduleFields();
    while (first < fields.size() && !isOpen(fields[first], part, schedule.tier)) ++first;
    if (first < fields.size()) {
      for (const int64_t value : fields[first].valuesFor(schedule.tier)) {
        fields[first].set(schedule, value);
        choose(schedule, part, first + 1);
      }
      return;
    }
    if (!isLegal(schedule)) return;
    if (part == GemmScheduleField::Part::kTile) {
      return choose(schedule, GemmScheduleField::Part::kWalk, 0);
    }
    has_own_ = has_own_ || schedule == own_;
    add_(schedule);
  }

  /// The fields of the walk add to what a workgroup needs: what breaks a rule without them does so
  /// with them.
  bool isLegal(const GemmSchedule& schedule) {
    std::string rule = brokenRule(spec_, schedule, limits_);
    if (rule.empty() && schedule != own_) rule = idleRule(spec_, schedule);
    if (!rule.empty()) ++rejected_[withoutNumbers(rule)];
    return rule.empty();
  }

  const GemmSpec& spec_;
  const GpuKernelLimits& limits_;
  const std::function<void(const GemmSchedule&)>& add_;
  std::map<std::string, int64_t>& rejected_;
  const GemmSchedule own_;
  bool has_own_ = false;
};

double speedOf(GemmTier tier) {
  if (tier == GemmTier::kGroup) return kGroupSpeed;
  if (tier == GemmTier::kTensor) return kTensorSpeed;
  return tier == GemmTier::kDot4 ? kDot4Speed : 1;
}

int64_t elementBytes(GemmElement element) {
  if (element == GemmElement::kInt8) return 1;
  return element == GemmElement::kF16 ? 2 : 4;
}

}  // namespace

void visitGemmSchedules(const GemmSpec& spec, const GpuKernelLimits& limits,
                        const std::function<void(const GemmSchedule&)>& add,
                        std::map<std::string, int64_t>& rejected) {
  Visitor(spec, limits, add, rejected).visit();
}

GemmWork countGemmWork(const GemmSpec& spec, const GemmSchedule& s) {
  const bool is_tensor = s.isTensor();
  const auto rows = static_cast<double>(is_tensor ? s.warp_rows : s.tile_rows);
  const auto columns = static_cast<double>(is_tensor ? s.warp_columns : s.tile_columns);
  const auto block_rows = static_cast<double>(s.block_rows);
  const auto block_columns = static_cast<double>(s.block_columns);
  const int64_t steps = partDepth(spec, s) / s.stepDepth();
  const auto depth = static_cast<double>(partDepth(spec, s));
  GemmWork work;
  work.workgroups = static_cast<double>(workgroupsOf(spec, s));
  work.invocations = static_cast<double>(s.invocations());
  work.steps = static_cast<double>(steps);
  work.products = work.workgroups * block_rows * block_columns * depth;
  work.shared_loads = work.products * (rows + columns) / (rows * columns);
  work.global_bytes = work.workgroups * (block_rows + block_columns) * depth *
                      static_cast<double>(elementBytes(spec.element));
  work.part_bytes = 2 * static_cast<double>(partBytes(spec, s));
  work.shared_bytes = static_cast<double>(sharedBytes(spec, s));
  return work;
}

double estimateGemmNanoseconds(const GemmSpec& spec, const GemmSchedule& s) {
  const GemmWork work = countGemmWork(spec, s);
  const double invocations = work.workgroups * work.invocations;
  const double at_once = std::min(invocations, kInvocationsAtOnce);
  const double core = (work.products + work.shared_loads) / speedOf(s.tier) / at_once;
  const double memory = work.global_bytes / kBytesPerNanosecond;
  const double waves = std::max(1.0, invocations / kInvocationsAtOnce);
  const int64_t together = s.isTensor() ? kTensorVector : s.vector;
  const double waits = waves * work.steps * kStepNanoseconds / static_cast<double>(s.stages) /
                       static_cast<double>(together);
  const double parts =
      s.split_grid > 1 ? kLaunchNanoseconds + work.part_bytes / kBytesPerNanosecond : 0;
  return std::max(core, memory) + waits + parts;
}

}  // namespace vta::codegen
