#include "tests/host_gpu/gpu_test_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/graph.h"
#include "driver/gpu/gpu_registry.h"
#include "host_gpu/backend/backend.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tests/driver/gpu/ptx/ptx_device.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/webgpu/webgpu_device.h"

namespace vta::codegen::testing {
namespace {

Result<mlir::OwningOpRef<mlir::ModuleOp>> parsed(const std::string& text,
                                                 mlir::MLIRContext& context) {
  context.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) return invalidArgument(errors);
  return module;
}

Status checkOps(mlir::func::FuncOp function) {
  Status status;
  function.walk([&](mlir::Operation* op) {
    if (!mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect()) || !status.ok()) return;
    status = gpuBackend().canRun(op);
  });
  return status;
}

/// Its address in the device's memory; the buffers stay alive in `buffers`.
Result<uint64_t> place(driver::GpuDevice& device, const Tensor& tensor,
                       std::vector<driver::OwnedDeviceBuffer>& buffers) {
  const uint64_t size_bytes = std::max<uint64_t>(tensor.data.size(), 1) + kGpuVectorBytes;
  VTA_ASSIGN_OR_RETURN(driver::DeviceBuffer buffer,
                       device.allocate(size_bytes, kGpuAlignmentBytes));
  buffers.emplace_back(&device, buffer);
  VTA_RETURN_IF_ERROR(device.write(buffer.address, tensor.data));
  return buffer.address;
}

Gpus opened(std::initializer_list<const char*> names) {
  Gpus devices;
  for (const char* name : names) {
    auto device = driver::openGpu(name);
    if (device.ok()) devices.push_back(*std::move(device));
  }
  return devices;
}

/// Factors have 11 bits, and so have results that are stored.
constexpr float kHalfTolerance = 5e-3F;

}  // namespace

Status checkForGpu(const std::string& text) {
  mlir::MLIRContext context;
  VTA_ASSIGN_OR_RETURN(auto module, parsed(text, context));
  return checkOps(module->lookupSymbol<mlir::func::FuncOp>("f"));
}

Result<GpuText> compileForGpu(const std::string& text, const GpuChoice& choice) {
  mlir::MLIRContext context;
  VTA_ASSIGN_OR_RETURN(auto module, parsed(text, context));
  auto function = module->lookupSymbol<mlir::func::FuncOp>("f");
  VTA_RETURN_IF_ERROR(checkOps(function));
  GpuText made;
  for (const mlir::Type type : function.getResultTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    made.results.push_back(
        Tensor::zeros(*graph::dtypeOf(tensor.getElementType()), tensor.getShape().vec()));
    // What kernels do not write shows up as nonsense.
    std::ranges::fill(made.results.back().data, std::byte{0xAB});
  }
  CodeOptions options;
  options.cache_folder = choice.cache_folder;
  GpuOptions of_gpu;
  of_gpu.precision = choice.precision;
  of_gpu.codes = choice.codes;
  of_gpu.limits = choice.limits;
  of_gpu.find_schedule = [&](const ProductLayer& layer) {
    if (choice.see) choice.see(layer);
    return choice.schedule;
  };
  if (choice.range_bytes) of_gpu.limits.range_bytes = *choice.range_bytes;
  setGpuOptions(options, std::move(of_gpu));
  VTA_RETURN_IF_ERROR(gpuBackend().checkOptions(options));
  VTA_ASSIGN_OR_RETURN(CompiledCode code, gpuBackend().compile(*module, options));
  const CodeBlob& blob = choice.range_bytes ? code.blobs.back() : code.blobs.front();
  VTA_ASSIGN_OR_RETURN(made.program, parseGpuProgram(blob.bytes));
  made.constants = code.constants["f"];
  return made;
}

std::string scheduleText(const GemmSchedule& schedule) {
  std::string text;
  for (const GemmScheduleField& field : gemmScheduleFields()) {
    text += std::string(field.name) + "=" + std::to_string(field.get(schedule)) + " ";
  }
  return text;
}

LowerRange::LowerRange(driver::GpuDevice& device, uint64_t range_bytes)
    : device_(device), limits_(device.info().limits) {
  driver::GpuLimits limits = limits_;
  limits.max_range_bytes = range_bytes;
  device.lowerLimits(limits);
}

void expectSame(const Tensor& want, const Tensor& got, float tolerance) {
  ASSERT_EQ(want.dtype, got.dtype);
  if (want.dtype != DType::kF32) {
    EXPECT_EQ(want.data, got.data);
    return;
  }
  const auto wanted = want.as<float>(), given = got.as<float>();
  float largest = 1;
  for (const float value : wanted) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool is_same = wanted[i] == given[i] || (std::isnan(wanted[i]) && std::isnan(given[i]));
    if (is_same) continue;  // infinities, too
    ASSERT_NEAR(wanted[i], given[i], largest * tolerance) << "element " << i;
  }
}

Result<std::vector<Tensor>> runOnGpu(driver::GpuDevice& device, const GpuText& text,
                                     const std::vector<Tensor>& inputs) {
  std::vector<driver::OwnedDeviceBuffer> buffers;
  std::vector<uint64_t> addresses;
  for (const std::vector<Tensor>* tensors : {&inputs, &text.constants, &text.results}) {
    for (const Tensor& tensor : *tensors) {
      VTA_ASSIGN_OR_RETURN(const uint64_t address, place(device, tensor, buffers));
      addresses.push_back(address);
    }
  }
  VTA_ASSIGN_OR_RETURN(const auto loaded,
                       device.load(text.program, addresses, driver::GpuTimes::kOff));
  VTA_RETURN_IF_ERROR(loaded->run(std::chrono::seconds(60)));
  std::vector<Tensor> results = text.results;
  for (size_t i = 0; i < results.size(); ++i) {
    const uint64_t address = addresses[addresses.size() - results.size() + i];
    VTA_RETURN_IF_ERROR(device.read(address, results[i].data));
  }
  return results;
}

void expectWhatTheCpuGives(const std::string& text, const std::vector<Tensor>& inputs,
                           const Gpus& gpus, const GpuChoice& choice) {
  const auto want = compileAndRun(text, inputs);
  ASSERT_TRUE(want.ok()) << want.status().message();
  const auto made = compileForGpu(text, choice);
  ASSERT_TRUE(made.ok()) << made.status().message();
  const float tolerance = choice.precision == GpuPrecision::kFloat16 ? kHalfTolerance : kTolerance;
  if (gpus.empty()) GTEST_SKIP() << "no GPU";
  for (const auto& device : gpus) {
    SCOPED_TRACE(device->info().name);
    std::optional<LowerRange> lowered;
    if (choice.range_bytes) lowered.emplace(*device, *choice.range_bytes);
    const auto got = runOnGpu(*device, *made, inputs);
    ASSERT_TRUE(got.ok()) << got.status().message();
    for (size_t i = 0; i < want->size(); ++i) expectSame((*want)[i], (*got)[i], tolerance);
  }
}

const Gpus& vulkanGpus() {
  static const Gpus devices = [] {
    ::setenv("VK_ICD_FILENAMES",
             "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json:"
             "/usr/lib/chromium/vk_swiftshader_icd.json",
             /*overwrite=*/0);
    return opened({"llvmpipe", "SwiftShader"});
  }();
  return devices;
}

const Gpus& openClGpus() {
  static const Gpus devices = opened({"opencl"});
  return devices;
}

const Gpus& webGpus() {
  static const Gpus devices = [] {
    Gpus opened;
    if (!missingWebGpu().empty()) return opened;
    auto device = openWebGpuDevice();
    EXPECT_TRUE(device.ok()) << device.status().message();
    if (device.ok()) opened.push_back(*std::move(device));
    return opened;
  }();
  return devices;
}

const Gpus& ptxGpus() {
  static const Gpus devices = {driver::test::openPtxDevice("sm_75"),
                               driver::test::openPtxDevice("sm_90")};
  return devices;
}

}  // namespace vta::codegen::testing
