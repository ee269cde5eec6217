// Float ResNet-18 on the CPU: the whole network and its convolutions, beside the multiply-add rate
// that the same threads reach in registers.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/import.h"
#include "host_cpu/constants.h"
#include "host_cpu/host_compiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/host_cpu/host_test_support.h"

namespace vta::host {
namespace {

using testing::randomTensor;

const char* modelPath() {
  const char* path = std::getenv("VTA_BENCH_MODEL");
  return path ? path : VTA_SOURCE_DIR "/../shared/models/onnx/imagenet/resnet18_seeded_f32.onnx";
}

constexpr double kResNet18Flops = 2 * 1.814e9;

struct Network {
  std::unique_ptr<HostExecutable> executable;
  std::vector<Tensor> tensors;
  double import_seconds = 0, compile_seconds = 0;
};

Result<Network> loadNetwork(bool parallel) {
  Network network;
  mlir::MLIRContext context;
  const auto start = std::chrono::steady_clock::now();
  auto module = compiler::importOnnx(modelPath(), {}, context);
  if (!module.ok()) return module.status();
  const auto imported = std::chrono::steady_clock::now();
  auto function = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Type type :
       llvm::concat<const mlir::Type>(function.getArgumentTypes(), function.getResultTypes())) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    network.tensors.push_back(
        randomTensor(*dtypeOf(tensor.getElementType()), tensor.getShape().vec(), 1));
  }
  HostOptions options;
  options.parallel = parallel;
  auto executable = HostExecutable::create(**module, options);
  if (!executable.ok()) return executable.status();
  network.executable = std::move(*executable);
  const auto compiled = std::chrono::steady_clock::now();
  network.import_seconds = std::chrono::duration<double>(imported - start).count();
  network.compile_seconds = std::chrono::duration<double>(compiled - imported).count();
  return network;
}

void BM_ResNet18(benchmark::State& state) {
  if (!std::filesystem::exists(modelPath())) {
    state.SkipWithError("no ResNet-18 at ../shared/models");
    return;
  }
  auto network = loadNetwork(state.range(0) != 0);
  if (!network.ok()) {
    state.SkipWithError(network.status().message().c_str());
    return;
  }
  std::vector<void*> arguments;
  for (Tensor& tensor : network->tensors) arguments.push_back(tensor.data.data());
  for (auto _ : state) {
    const Status status = network->executable->call("main", arguments);
    if (!status.ok()) state.SkipWithError(status.message().c_str());
  }
  state.counters["import_s"] = network->import_seconds;
  state.counters["compile_s"] = network->compile_seconds;
  state.counters["GFLOP/s"] = benchmark::Counter(
      kResNet18Flops * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_ResNet18)
    ->ArgName("parallel")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace vta::host

BENCHMARK_MAIN();
