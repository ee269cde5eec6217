// Float ResNet-18 on the CPU: the whole network and its convolutions, beside the multiply-add rate
// that the same threads reach in registers.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/import.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_cpu/multiply_add_peak.h"

namespace vta::codegen {
namespace {

using testing::randomTensor;

const char* modelPath() {
  const char* path = std::getenv("VTA_BENCH_MODEL");
  return path ? path : VTA_SOURCE_DIR "/../shared/models/onnx/imagenet/resnet18_seeded_f32.onnx";
}

constexpr double kResNet18Flops = 2 * 1.814e9;

struct Network {
  std::unique_ptr<Executable> executable;
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
        randomTensor(*graph::dtypeOf(tensor.getElementType()), tensor.getShape().vec(), 1));
  }
  CodeOptions options;
  options.parallel = parallel;
  auto executable = Executable::create(**module, cpuBackend(), options);
  if (!executable.ok()) return executable.status();
  network.executable = std::move(*executable);
  const auto compiled = std::chrono::steady_clock::now();
  network.import_seconds = std::chrono::duration<double>(imported - start).count();
  network.compile_seconds = std::chrono::duration<double>(compiled - imported).count();
  return network;
}

/// Independent multiply-adds on as many registers as hide their latency: what the machine can do.
void BM_MultiplyAddPeak(benchmark::State& state) {
  const unsigned threads = static_cast<unsigned>(state.range(0));
  constexpr int64_t kRounds = 200000;
  for (auto _ : state) {
    std::vector<std::thread> workers;
    for (unsigned i = 1; i < threads; ++i) {
      workers.emplace_back([] { benchmark::DoNotOptimize(multiplyAddRounds(kRounds)); });
    }
    benchmark::DoNotOptimize(multiplyAddRounds(kRounds));
    for (std::thread& worker : workers) worker.join();
  }
  const double flops = multiplyAddFlopsPerRound() * kRounds * threads;
  state.counters["GFLOP/s"] = benchmark::Counter(
      flops * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_MultiplyAddPeak)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

/// A function of one input with constant weights, run repeatedly.
void runText(benchmark::State& state, const std::string& text, const Tensor& input,
             const char* counter, double operations) {
  auto module = testing::CompiledText::create(text);
  if (!module.ok()) {
    state.SkipWithError(module.status().message().c_str());
    return;
  }
  for (auto _ : state) {
    auto results = module->run("f", {input});
    benchmark::DoNotOptimize(results);
  }
  state.counters[counter] = benchmark::Counter(
      operations * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

/// The 3x3 convolutions of ResNet-18: `channels` in and out on images of `extent` squared.
void BM_Conv3x3(benchmark::State& state, DType dtype) {
  const int64_t channels = state.range(0), extent = state.range(1);
  const bool integer = dtype == DType::kI8;
  const double bound = integer ? 127 : 1;
  const Tensor x = randomTensor(dtype, {1, channels, extent, extent}, 1, -bound, bound);
  const Tensor w = randomTensor(dtype, {channels, channels, 3, 3}, 2, -bound, bound);
  const std::string out =
      testing::mlirType(integer ? DType::kI32 : DType::kF32, {1, channels, extent, extent});
  const std::string text = fmt::format(
      "func.func @f(%x: {0}) -> {1} {{ %w = arith.constant {2}\n%y = graph.conv %x, %w {{strides "
      "= array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}} : ({0}, "
      "{3}) -> {1}\nreturn %y : {1} }}",
      testing::mlirType(x), out, testing::mlirConstant(w), testing::mlirType(w));
  const double macs = static_cast<double>(channels * channels * 9 * extent * extent);
  runText(state, text, x, integer ? "GOP/s" : "GFLOP/s", 2 * macs);
}
BENCHMARK_CAPTURE(BM_Conv3x3, f32, DType::kF32)
    ->Args({64, 56})
    ->Args({128, 28})
    ->Args({256, 14})
    ->Args({512, 7})
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Conv3x3, i8, DType::kI8)->Args({64, 56})->Args({512, 7})->UseRealTime();

/// One element-wise operator and one move, each of 64 channels of 112 by 112 bytes, with the memory
/// for the result that each call asks for.
void BM_Element(benchmark::State& state, const char* op, const char* result) {
  const Tensor x = randomTensor(DType::kI8, {1, 64, 112, 112}, 1, -127, 127);
  const std::string text =
      fmt::format("func.func @f(%x: {0}) -> {2} {{\n%y = {1} : ({0}) -> {2}\nreturn %y : {2} }}",
                  testing::mlirType(x), op, result);
  runText(state, text, x, "Gelem/s", static_cast<double>(x.elementCount()));
}
BENCHMARK_CAPTURE(BM_Element, clip, "graph.clip_int %x {min = -100 : i64, max = 100 : i64}",
                  "tensor<1x64x112x112xi8>")
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Element, transpose,
                  "graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>}",
                  "tensor<1x112x112x64xi8>")
    ->UseRealTime();

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
}  // namespace vta::codegen

BENCHMARK_MAIN();
