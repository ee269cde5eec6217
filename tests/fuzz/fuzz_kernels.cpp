// Files of tile kernels: any text is refused, or its kernels survive their own text, and are
// lowered or refused.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "compiler/tile/file/kernel_file.h"
#include "compiler/tile/tile_check.h"
#include "compiler/tile/tile_lowering.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

constexpr int64_t kMostElems = 1 << 16;

/// Larger ones only take longer.
bool isSmall(const vta::tile::TileProgram& program) {
  return std::all_of(program.tensors.begin(), program.tensors.end(), [](const auto& tensor) {
    return vta::tile::elemsOf(tensor.shape) <= kMostElems;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto kernels = vta::tile::parseKernels(text, "fuzz.yaml");
  if (!kernels.ok()) return kernels.status().message().empty() ? std::abort(), 0 : 0;
  const std::string written = vta::tile::kernelsToYaml(*kernels);
  const vta::HwConfig hw = vta::HwConfig::makeDefault();
  for (const vta::tile::TileKernel& kernel : *kernels) {
    if (!vta::tile::checkTiles(kernel.program, hw).ok()) continue;
    const auto again = vta::tile::parseKernels(written, "again.yaml");
    if (!again.ok() || vta::tile::kernelsToYaml(*again) != written) std::abort();
    if (isSmall(kernel.program)) (void)vta::tile::lowerTiles(kernel.program, hw);
  }
  return 0;
}
