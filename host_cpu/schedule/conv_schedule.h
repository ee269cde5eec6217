// ConvSchedule: how a blocked convolution is computed on a CPU, and which schedules there are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/codegen/llvm/cpu_traits.h"
#include "host_cpu/schedule/conv_spec.h"

namespace vta::codegen::blocked {

/// Results do not depend on it, but for the order of sums when there is more than one pass, and for
/// the roundings of transforms.
struct ConvSchedule {
  // The tile whose sums stay in registers.
  int64_t out_blocks = 1;  // blocks of output channels
  int64_t rows = 1;        // of pixels
  int64_t columns = 1;
  // The innermost loops.
  int64_t unrolled_channels = 1;  // input channels in one iteration
  int64_t unrolled_window = 1;    // 1: no loop of the window; 2: its columns; 3: the whole window
  // Input blocks of one pass over the image. With more than one pass the partial sums wait in the
  // output, and the weights of a pass stay in a cache.
  int64_t in_blocks = 1;
  // The parallel loop.
  int64_t row_tiles = 1;   // of one iteration
  int64_t rows_outer = 0;  // 1: neighbouring iterations compute other channels of the same rows
  // 0: each product of the window is computed. Else the extent of output tiles that are computed
  // with fewer multiplications (winograd.h). What pixels are above are tiles then: `columns` of
  // them stand in registers, `rows` times as many are multiplied with the same weights, and the
  // inputs of `row_tiles` times as many again are transformed in one go.
  int64_t winograd = 0;

  bool operator==(const ConvSchedule&) const = default;
};

/// The fields of a ConvSchedule by name.
struct ConvScheduleField {
  std::string_view name;
  int64_t ConvSchedule::*member;
  bool is_optional = false;  // texts leave it out where it is 0
};
std::span<const ConvScheduleField> convScheduleFields();

/// The schedule without transforms that is taken without tuning: the tile with the fewest cycles
/// for the registers by a model of the core's ports, everything else as plain as it can be.
ConvSchedule directConvSchedule(const ConvSpec& spec, const CpuTraits& traits);
/// What is taken without tuning: that one, or one with transforms if estimateConvCycles() has
/// fewer.
ConvSchedule defaultConvSchedule(const ConvSpec& spec, const CpuTraits& traits);

/// The rule that the schedule breaks, as a phrase; empty: it is legal. Code is made for legal
/// schedules only.
std::string_view brokenRule(const ConvSpec& spec, const ConvSchedule& schedule,
                            const CpuTraits& traits);

/// Calls `add` for every legal schedule of the space, which has the default, too. `rejected`, which
/// may be null, gets the number of schedules that broke each rule.
void visitConvSchedules(const ConvSpec& spec, const CpuTraits& traits,
                        const std::function<void(const ConvSchedule&)>& add,
                        std::map<std::string, int64_t>* rejected);

/// Counts that decide how long a schedule takes.
struct ConvWork {
  double multiply_adds = 0;  // vector instructions, those of pixels computed twice included
  double loads = 0;          // of the innermost loops
  double iterations = 0;     // of the innermost loops
  double weight_bytes = 0;   // that are read from beyond the first cache
  double input_bytes = 0;    // likewise
  double partial_bytes = 0;  // partial sums written and read again
  double parallel = 0;       // iterations of the parallel loop
  double transforms = 0;     // vector instructions of Winograd's transforms
};
ConvWork countConvWork(const ConvSpec& spec, const ConvSchedule& schedule, const CpuTraits& traits);

/// Cycles of one core by a model of its ports and caches: a first draft that ranks schedules.
double estimateConvCycles(const ConvSpec& spec, const ConvSchedule& schedule,
                          const CpuTraits& traits);

/// A convolution of a network, as those see it that choose schedules.
struct ConvLayer {
  std::string name;
  ConvSpec spec;
  std::string function{};  // that it is computed in
};
/// The schedule for a layer; nothing: the default. One that breaks a rule is not taken.
using FindConvSchedule = std::function<std::optional<ConvSchedule>(const ConvLayer& layer)>;

/// Whose schedule a convolution got.
struct ConvChoice {
  std::string function;
  std::string layer;
  bool is_found = false;  // else it is the default
  bool operator==(const ConvChoice&) const = default;
};

}  // namespace vta::codegen::blocked
