#include "tests/benchmarks/tune/tuning_bench.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace vta::tune::testing {

Result<std::vector<Task>> tasksWithMemory(std::span<const kernel::KernelDesc> kernels,
                                          const HwConfig& hw, const std::string& memory) {
  VTA_ASSIGN_OR_RETURN(sim::MemoryConfig config, sim::resolveMemoryConfig(memory));
  config.name = std::filesystem::path(memory).stem();
  return makeTasks(kernels, hw, config);
}

Result<CostModel> readCostModel(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return notFound("cannot read " + file);
  CostModel model({});
  VTA_RETURN_IF_ERROR(model.loadJson(text.str()));
  return model;
}

int endBenchmark(const char* name, const Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s: %s\n", name, status.message().c_str());
  return 1;
}

}  // namespace vta::tune::testing
