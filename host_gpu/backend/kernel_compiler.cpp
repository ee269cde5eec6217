#include "host_gpu/backend/kernel_compiler.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "host_gpu/amdgpu/emit_amd_code.h"
#include "host_gpu/kernels/kernel_passes.h"
#include "host_gpu/legalise/passes.h"
#include "host_gpu/nvptx/emit_ptx.h"
#include "host_gpu/spirv/emit_spirv.h"
#include "host_gpu/text/emit_opencl.h"
#include "host_gpu/text/emit_wgsl.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Equal for kernels that have the same code and are used alike.
std::string keyOf(const KernelIr& kernel) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  llvm::interleaveComma(kernel.workgroup_size, stream);
  for (const GpuAccess access : kernel.accesses) stream << ' ' << static_cast<int>(access);
  stream << ' ' << kernel.keeps_roundings << '\n';
  ModuleOp module = kernel.module.get();
  module.print(stream, OpPrintingFlags().useLocalScope());
  return key;
}

/// Lets passes of a context run beside each other as long as it lives.
class ContextThreads {
 public:
  explicit ContextThreads(MLIRContext* context)
      : context_(context), had_threads_(context->isMultithreadingEnabled()) {
    if (!had_threads_) context_->enableMultithreading();
  }
  ~ContextThreads() {
    if (!had_threads_) context_->disableMultithreading();
  }
  ContextThreads(const ContextThreads&) = delete;
  ContextThreads& operator=(const ContextThreads&) = delete;

 private:
  MLIRContext* context_;
  bool had_threads_;
};

GpuCode codeOf(GpuCodeForm form, std::span<const std::byte> bytes) {
  return {form, kKernelFunction, "", {}, {bytes.begin(), bytes.end()}};
}

/// The codes of `kernel` that are asked for by name.
Result<std::vector<GpuCode>> extraCodesOf(const KernelIr& kernel,
                                          std::span<const std::string> names,
                                          const ObjectCache& cache) {
  std::vector<GpuCode> codes;
  for (const std::string& name : names) {
    if (name != kWgslCode) {
      VTA_ASSIGN_OR_RETURN(codes.emplace_back(), emitAmdCode(kernel, name, cache));
      continue;
    }
    VTA_ASSIGN_OR_RETURN(const std::string text, emitWgsl(kernel));
    codes.push_back(codeOf(GpuCodeForm::kWgsl, std::as_bytes(std::span(text))));
  }
  return codes;
}

/// What the code of a kernel is made of.
KernelIr clonedCode(const KernelIr& kernel) {
  KernelIr clone;
  clone.module = kernel.module.get().clone();
  clone.workgroup_size = kernel.workgroup_size;
  clone.keeps_roundings = kernel.keeps_roundings;
  return clone;
}

/// By kernel: SPIR-V that computes products of four bytes at once, for devices that do so.
Result<std::vector<std::vector<GpuCode>>> codesWithDotProducts(ArrayRef<KernelIr> kernels) {
  std::vector<std::vector<GpuCode>> codes(kernels.size());
  std::vector<KernelIr> clones;
  std::vector<size_t> numbers;
  for (const auto [number, kernel] : llvm::enumerate(kernels)) {
    if (!hasDotProducts(kernel)) continue;
    clones.push_back(clonedCode(kernel));
    numbers.push_back(number);
  }
  VTA_ASSIGN_OR_RETURN(const auto words, emitSpirv(clones));
  for (const auto [number, bytes] : llvm::zip(numbers, words)) {
    GpuCode code = codeOf(GpuCodeForm::kSpirv, bytes);
    code.features = {GpuFeature::kIntegerDotProduct};
    codes[number].push_back(std::move(code));
  }
  return codes;
}

/// By kernel: the texts of its variants, and its own. Each architecture that they are for has
/// products of four bytes.
Result<std::vector<std::vector<GpuCode>>> ptxOf(MutableArrayRef<KernelIr> kernels,
                                                const ObjectCache& cache) {
  std::vector<const KernelIr*> forms;
  for (KernelIr& kernel : kernels) {
    VTA_RETURN_IF_ERROR(
        runOnKernels(kernel.variants, "make a kernel", buildLegaliseKernelPipeline));
    for (const KernelIr& variant : kernel.variants) forms.push_back(&variant);
    forms.push_back(&kernel);
  }
  VTA_ASSIGN_OR_RETURN(std::vector<GpuCode> made, emitPtx(forms, cache));
  std::vector<std::vector<GpuCode>> codes;
  auto next = made.begin();
  for (const KernelIr& kernel : kernels) {
    std::vector<GpuCode>& own = codes.emplace_back();
    for (const KernelIr& variant : kernel.variants) {
      next->launch = GpuLaunch{variant.workgroup_size, variant.workgroups, variant.shared_bytes};
      own.push_back(std::move(*next++));
    }
    own.push_back(std::move(*next++));
  }
  return codes;
}

}  // namespace

Status checkExtraCodes(std::span<const std::string> codes) {
  for (const std::string& name : codes) {
    if (name == kWgslCode) continue;
    VTA_RETURN_IF_ERROR(
        checkAmdArchitecture(name).withContext("code for GPUs is wgsl or of an architecture"));
  }
  return {};
}

uint32_t KernelCompiler::add(KernelIr kernel) {
  const auto [known, is_new] =
      numbers_.try_emplace(keyOf(kernel), static_cast<uint32_t>(kernels_.size()));
  if (is_new) kernels_.push_back(std::move(kernel));
  return known->second;
}

Result<std::vector<GpuKernel>> KernelCompiler::compile(std::span<const std::string> extra_codes,
                                                       int64_t range_bytes,
                                                       const ObjectCache& cache) {
  std::vector<GpuKernel> made;
  if (kernels_.empty()) return made;
  const ContextThreads threads(kernels_.front().module->getContext());
  VTA_RETURN_IF_ERROR(runOnKernels(kernels_, "make a kernel", buildLegaliseKernelPipeline));
  VTA_RETURN_IF_ERROR(runOnKernels(kernels_, "make a kernel", [&](OpPassManager& manager) {
    manager.addPass(createGpuSplitBuffersPass({range_bytes}));
  }));
  VTA_ASSIGN_OR_RETURN(auto dot_codes, codesWithDotProducts(kernels_));
  VTA_ASSIGN_OR_RETURN(auto ptx, ptxOf(kernels_, cache));
  VTA_RETURN_IF_ERROR(runOnKernels(kernels_, "make a kernel", buildPlainProductsPipeline));
  std::vector<std::string> texts;
  for (const KernelIr& kernel : kernels_) {
    VTA_ASSIGN_OR_RETURN(std::string text, emitOpenCl(kernel));
    texts.push_back(std::move(text));
  }
  std::vector<std::vector<GpuCode>> extra;
  for (const KernelIr& kernel : kernels_) {
    VTA_ASSIGN_OR_RETURN(std::vector<GpuCode> codes, extraCodesOf(kernel, extra_codes, cache));
    extra.push_back(std::move(codes));
  }
  // Last: it consumes the kernels.
  VTA_ASSIGN_OR_RETURN(const auto words, emitSpirv(kernels_));
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const KernelIr& kernel = kernels_[i];
    made.push_back({.name = kernel.name,
                    .workgroup_size = kernel.workgroup_size,
                    .shared_bytes = kernel.shared_bytes,
                    .bindings = kernel.accesses,
                    .codes = {codeOf(GpuCodeForm::kSpirv, words[i]),
                              codeOf(GpuCodeForm::kOpenClC, std::as_bytes(std::span(texts[i])))}});
    std::vector<GpuCode>& codes = made.back().codes;
    codes.insert(codes.begin(), std::make_move_iterator(dot_codes[i].begin()),
                 std::make_move_iterator(dot_codes[i].end()));
    std::ranges::move(ptx[i], std::back_inserter(codes));
    std::ranges::move(extra[i], std::back_inserter(codes));
  }
  return made;
}

}  // namespace vta::codegen
