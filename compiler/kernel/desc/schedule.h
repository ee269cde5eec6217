// Schedule: how a kernel is run, as data. One table describes its fields.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "compiler/kernel/desc/kernel_desc.h"

namespace vta::kernel {

/// The decisions that a lowering does not take by itself. Tile sizes count output pixels or channel
/// blocks. Every field is described in scheduleFields().
struct Schedule {
  int64_t tile_height = 1;
  // With tile_height 1, the image of a pointwise kernel is one row, and a tile holds up to all of
  // its pixels.
  int64_t tile_width = 1;
  int64_t tile_out_blocks = 1;
  int64_t tile_in_blocks = 1;  // input-channel blocks of one reduction step
  // Kernel rows and columns of one reduction step; 0 stands for the whole kernel.
  int64_t tile_kernel_height = 0;
  int64_t tile_kernel_width = 0;
  int virtual_threads = 2;  // 1: no latency hiding; 2: double-buffered slots
  enum class Order : uint8_t {
    kWeightsInner,  // for each pixel tile, walk output-channel tiles: inputs stay resident
    kWeightsOuter,  // for each output-channel tile, walk pixel tiles: weights stay resident
  };
  Order order = Order::kWeightsInner;
  // How int8 operands of pooling, elementwise kernels and residuals reach ACC. True: through the
  // INP buffer and an identity GEMM, so that the load unit works ahead. False: by ACC_8BIT loads,
  // which compute less but wait in the compute queue.
  bool int8_through_gemm = true;
  // How GEMM reductions treat zero padding. True: they leave it out, which saves multiplications
  // and takes more instructions at the borders. False: it is loaded as zeros.
  bool skip_padding = false;

  bool operator==(const Schedule&) const = default;
  /// One line: "h=14 w=14 oc=4 ic=1 kh=0 kw=0 vt=2 order=weights_inner int8=gemm pad=load".
  std::string toString() const;
};

/// One field of a Schedule. Files, IR attributes, range checks and searches iterate over these
/// descriptions, so that a new field is added here and nowhere else. Values of all kinds are read
/// and written as integers.
struct ScheduleField {
  enum class Kind : uint8_t {
    kNumber,
    kFlag,    // false or true
    kChoice,  // one of two named values
  };
  static constexpr int64_t kNoLimit = std::numeric_limits<int32_t>::max();

  const char* key;    // in files and IR attributes
  const char* label;  // in Schedule::toString
  Kind kind;
  int64_t (*get)(const Schedule&);
  void (*set)(Schedule&, int64_t);
  // Legal values of any kernel are [least, most]. Those of one kernel end at `extent` of its
  // outputs' geometry as well, if that is not null.
  int64_t least;
  int64_t most;
  int64_t (*extent)(const Geometry& outputs) = nullptr;
  // Names of the values 0 and 1, null for numbers: in files and IR attributes, and in toString.
  std::array<const char*, 2> names = {};
  std::array<const char*, 2> labels = {};
  // Whether this field and the one before it are a single decision, which a search changes at once.
  bool joins_previous = false;

  bool isLegal(int64_t value) const { return value >= least && value <= most; }
};

/// The fields of a Schedule, in the order of their declaration.
std::span<const ScheduleField> scheduleFields();

/// In how many decisions two schedules differ.
int countDifferences(const Schedule& a, const Schedule& b);

}  // namespace vta::kernel
