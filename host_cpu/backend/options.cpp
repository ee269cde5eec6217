#include "host_cpu/backend/options.h"

#include <memory>
#include <utility>

namespace vta::codegen {

CpuOptions cpuOptionsOf(const CodeOptions& options) {
  const auto found = options.of_backends.find(kCpuBackend);
  if (found == options.of_backends.end()) return {};
  return static_cast<const CpuOptions&>(*found->second);  // setCpuOptions alone knows the name
}

void setCpuOptions(CodeOptions& options, CpuOptions of_cpu) {
  options.of_backends[kCpuBackend] = std::make_shared<const CpuOptions>(std::move(of_cpu));
}

}  // namespace vta::codegen
