#include "host_gpu/backend/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/integer_math.h"
#include "compiler/common/diagnostics.h"
#include "host_gpu/kernels/contraction.h"
#include "host_gpu/kernels/gemm_kernel.h"
#include "host_gpu/kernels/generic_kernel.h"
#include "host_gpu/legalise/passes.h"
#include "host_gpu/nvptx/emit_ptx.h"
#include "host_gpu/spirv/emit_spirv.h"
#include "host_gpu/text/emit_opencl.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"

namespace vta::codegen {
namespace {

using namespace mlir;
using Source = GpuBinding::Source;

constexpr uint64_t kWordBytes = 4;
constexpr size_t kMostNameBytes = 200;  // names are for people

uint64_t bytesOf(MemRefType type) {
  const uint64_t bits = std::max<uint64_t>(type.getElementTypeBitWidth(), 8);
  return static_cast<uint64_t>(type.getNumElements()) * bits / 8;
}

/// The name of the layer that an op at `location` is of; empty if it is of none.
std::string layerAt(Location location) {
  if (auto named = dyn_cast<NameLoc>(location)) return named.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (const Location part : fused.getLocations()) {
      if (std::string name = layerAt(part); !name.empty()) return name;
    }
  }
  return "";
}

class ProgramBuilder {
 public:
  explicit ProgramBuilder(func::FuncOp function) : function_(function) {}

  Result<GpuProgram> build() {
    function_.getContext()->loadDialect<gpu::GPUDialect, spirv::SPIRVDialect>();
    for (const BlockArgument argument : function_.getArguments().drop_front()) {
      program_.argument_bytes.push_back(bytesOf(cast<MemRefType>(argument.getType())));
    }
    findInitialSums();
    for (Operation& op : function_.front()) {
      compiler::DiagnosticCollector diagnostics(function_.getContext());
      if (failed(add(op))) return diagnostics.takeStatus("make a kernel");
    }
    return std::move(program_);
  }

 private:
  LogicalResult add(Operation& op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) return addScratch(alloc);
    if (auto linalg_op = dyn_cast<linalg::LinalgOp>(op)) return addDispatch(linalg_op);
    if (isMemoryEffectFree(&op) || isa<memref::DeallocOp, func::ReturnOp>(op)) return success();
    return op.emitError() << "there is no kernel of " << op.getName();
  }

  LogicalResult addScratch(memref::AllocOp alloc) {
    if (!alloc.getType().hasStaticShape()) return alloc.emitError("memory of an open size");
    scratch_[alloc] = roundUp(program_.scratch_bytes, kGpuAlignmentBytes);
    program_.scratch_bytes = scratch_[alloc] + bytesOf(alloc.getType());
    return success();
  }

  /// Sums that begin at zero, or at a copy of another operand such as a bias, need no kernel for
  /// that.
  void findInitialSums() {
    linalg::LinalgOp last;
    for (auto op : function_.front().getOps<linalg::LinalgOp>()) {
      const std::optional<Contraction> contraction = blockedContraction(op);
      if (contraction) {
        const std::optional<InitialSums> begin = last ? initialSums(last, op) : std::nullopt;
        initial_[op] = begin ? *begin : InitialSums(contraction->out);
        if (begin) is_merged_.insert(last);
      }
      last = op;
    }
  }

  static std::optional<Contraction> blockedContraction(linalg::LinalgOp op) {
    std::optional<Contraction> contraction = matchContraction(op);
    if (!contraction || !isWorthBlocks(gemmSpecOf(*contraction))) return {};
    return contraction;
  }

  FailureOr<KernelIr> kernelFor(linalg::LinalgOp op) {
    const auto found = initial_.find(op);
    if (found == initial_.end()) return buildGenericKernel(op);
    const Contraction contraction = *matchContraction(op);
    const GemmSchedule schedule = defaultGemmSchedule(gemmSpecOf(contraction), {});
    return buildGemmKernel(op->getLoc(), contraction, found->second, schedule);
  }

  LogicalResult addDispatch(linalg::LinalgOp op) {
    if (is_merged_.contains(op)) return success();
    FailureOr<KernelIr> kernel = kernelFor(op);
    if (failed(kernel)) return failure();
    GpuDispatch dispatch{.workgroups = kernel->workgroups};
    for (const Value buffer : kernel->buffers) {
      const std::optional<GpuBinding> binding = bindingOf(buffer);
      if (!binding) return op->emitError() << "nobody knows where " << buffer << " lies";
      dispatch.bindings.push_back(*binding);
    }
    PassManager manager(op->getContext(), ModuleOp::getOperationName());
    buildLegaliseKernelPipeline(manager);
    if (failed(manager.run(*kernel->module))) return failure();
    kernel->name = layerAt(op->getLoc()).substr(0, kMostNameBytes);
    Result<std::vector<GpuCode>> codes = codesOf(*kernel);
    if (!codes.ok()) return op->emitError(codes.status().message());
    dispatch.kernel = kernelOf(*kernel, *std::move(codes));
    program_.dispatches.push_back(std::move(dispatch));
    return success();
  }

  /// Where the buffer lies that `value` is a view of.
  std::optional<GpuBinding> bindingOf(Value value) const {
    const uint64_t size_bytes = roundUp(bytesOf(cast<MemRefType>(value.getType())), kWordBytes);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return GpuBinding{Source::kArgument, argument.getArgNumber() - 1, 0, size_bytes};
    }
    Operation* producer = value.getDefiningOp();
    if (const auto found = scratch_.find(producer); found != scratch_.end()) {
      return GpuBinding{Source::kScratch, 0, found->second, size_bytes};
    }
    if (auto view = dyn_cast<memref::ViewOp>(producer)) {
      const auto found = scratch_.find(view.getSource().getDefiningOp());
      const std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
      if (found == scratch_.end() || !shift) return {};
      return GpuBinding{Source::kScratch, 0, found->second + static_cast<uint64_t>(*shift),
                        size_bytes};
    }
    // The types of other views have their place in the buffer.
    auto view = dyn_cast<ViewLikeOpInterface>(producer);
    return view ? bindingOf(view.getViewSource()) : std::nullopt;
  }

  /// In all forms. `kernel` is consumed.
  static Result<std::vector<GpuCode>> codesOf(KernelIr& kernel) {
    VTA_ASSIGN_OR_RETURN(const std::string text, emitOpenCl(kernel));
    VTA_ASSIGN_OR_RETURN(GpuCode ptx, emitPtx(kernel));
    VTA_ASSIGN_OR_RETURN(std::vector<std::byte> words, emitSpirv(kernel));
    const auto bytes = std::as_bytes(std::span(text));
    std::vector<GpuCode> codes(3);
    codes[0] = {GpuCodeForm::kSpirv, kKernelFunction, "", {}, std::move(words)};
    codes[1] = {GpuCodeForm::kOpenClC, kKernelFunction, "", {}, {bytes.begin(), bytes.end()}};
    codes[2] = std::move(ptx);
    return codes;
  }

  /// The number of the kernel, which may be there already.
  uint32_t kernelOf(const KernelIr& ir, std::vector<GpuCode> codes) {
    GpuKernel kernel{.name = ir.name,
                     .workgroup_size = ir.workgroup_size,
                     .shared_bytes = ir.shared_bytes,
                     .bindings = ir.accesses,
                     .codes = std::move(codes)};
    for (const auto [number, known] : llvm::enumerate(program_.kernels)) {
      if (known.codes == kernel.codes && known.bindings == kernel.bindings) {
        return static_cast<uint32_t>(number);
      }
    }
    program_.kernels.push_back(std::move(kernel));
    return static_cast<uint32_t>(program_.kernels.size() - 1);
  }

  func::FuncOp function_;
  GpuProgram program_;
  llvm::DenseMap<Operation*, uint64_t> scratch_;  // offsets
  std::map<Operation*, InitialSums> initial_;     // of products in blocks
  llvm::DenseSet<Operation*> is_merged_;          // ops that products do with
};

}  // namespace

Result<GpuProgram> buildGpuProgram(func::FuncOp function) {
  return ProgramBuilder(function).build();
}

}  // namespace vta::codegen
