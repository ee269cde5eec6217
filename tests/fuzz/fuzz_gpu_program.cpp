// GPU programs: what is accepted is written as it was read.
#include <algorithm>
#include <cstdlib>

#include "module/gpu/gpu_program.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto program = vta::parseGpuProgram(bytes);
  if (!program.ok()) return 0;
  const auto written = vta::serializeGpuProgram(*program);
  if (!written.ok() || !std::ranges::equal(*written, bytes)) std::abort();
  return 0;
}
