#include "driver/gpu/placed_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/integer_math.h"

namespace vta::driver {
namespace {

bool writes(GpuAccess access) { return access != GpuAccess::kRead; }

bool conflict(const PlacedRange& a, const PlacedRange& b) {
  return (writes(a.access) || writes(b.access)) && a.address < b.address + b.size_bytes &&
         b.address < a.address + a.size_bytes;
}

/// Marks the dispatches that have to wait for earlier ones.
void findWaits(std::vector<PlacedDispatch>& dispatches) {
  std::vector<PlacedRange> in_use;  // since the last wait
  for (PlacedDispatch& dispatch : dispatches) {
    dispatch.waits = std::ranges::any_of(dispatch.ranges, [&](const PlacedRange& range) {
      return std::ranges::any_of(
          in_use, [&](const PlacedRange& earlier) { return conflict(range, earlier); });
    });
    if (dispatch.waits) in_use.clear();
    in_use.insert(in_use.end(), dispatch.ranges.begin(), dispatch.ranges.end());
  }
}

/// Memory of the program's own; none where it needs none.
Result<OwnedDeviceBuffer> allocateOwn(MemoryDevice& memory, uint64_t size_bytes) {
  if (size_bytes == 0) return OwnedDeviceBuffer();
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                       memory.allocate(roundUp(size_bytes, kGpuVectorBytes), kGpuAlignmentBytes));
  return OwnedDeviceBuffer(&memory, buffer);
}

}  // namespace

Result<PlacedProgram> PlacedProgram::create(const GpuProgram& program,
                                            std::span<const uint64_t> arguments,
                                            MemoryDevice& memory) {
  if (arguments.size() != program.argument_bytes.size()) {
    return invalidArgument(fmt::format("the GPU program has {} tensors, {} are given",
                                       program.argument_bytes.size(), arguments.size()));
  }
  PlacedProgram placed;
  VTA_ASSIGN_OR_RETURN(placed.scratch_, allocateOwn(memory, program.scratch_bytes));
  VTA_ASSIGN_OR_RETURN(placed.constants_, allocateOwn(memory, program.constants.size()));
  if (!program.constants.empty()) {
    VTA_RETURN_IF_ERROR(memory.write(placed.constants_.get().address, program.constants));
  }
  const auto begin_of = [&](const GpuBinding& binding) {
    switch (binding.source) {
      case GpuBinding::Source::kArgument:
        return arguments[binding.argument];
      case GpuBinding::Source::kScratch:
        return placed.scratch_.get().address;
      case GpuBinding::Source::kConstants:
        break;
    }
    return placed.constants_.get().address;
  };
  for (const GpuDispatch& dispatch : program.dispatches) {
    PlacedDispatch& result = placed.dispatches_.emplace_back();
    result.kernel = dispatch.kernel;
    const std::vector<GpuAccess>& accesses = program.kernels[dispatch.kernel].bindings;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const GpuBinding& binding = dispatch.bindings[i];
      result.ranges.push_back(
          {begin_of(binding) + binding.offset_bytes, binding.size_bytes, accesses[i]});
    }
  }
  findWaits(placed.dispatches_);
  return placed;
}

}  // namespace vta::driver
