#include "host_gpu/backend/program_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/integer_math.h"
#include "compiler/common/diagnostics.h"
#include "host_gpu/backend/kernel_compiler.h"
#include "host_gpu/backend/product_text.h"
#include "host_gpu/kernels/buffer_ranges.h"
#include "host_gpu/kernels/gemm/gemm_kernel.h"
#include "host_gpu/kernels/gemm/gemm_parts.h"
#include "host_gpu/kernels/generic_kernel.h"
#include "host_gpu/kernels/rows/row_kernel.h"
#include "host_gpu/tensor/tensor_kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "module/gpu/gpu_ranges.h"

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
  ProgramBuilder(func::FuncOp function, const GpuOptions& options, int64_t range_bytes,
                 const ObjectCache& cache)
      : function_(function), options_(options), range_bytes_(range_bytes), cache_(cache) {}

  Result<BuiltGpuProgram> build() {
    function_.getContext()->loadDialect<gpu::GPUDialect, spirv::SPIRVDialect>();
    for (const BlockArgument argument : function_.getArguments().drop_front()) {
      program_.argument_bytes.push_back(bytesOf(cast<MemRefType>(argument.getType())));
    }
    for (auto alloc : function_.front().getOps<memref::AllocOp>()) {
      if (!alloc.getType().hasStaticShape()) return internalError("memory of an open size");
      addScratch(alloc);
    }
    // Large scratch memory may consist of several buffers: no range lies across a multiple of
    // kGpuRangeBytes, as the plan of the other buffers has it.
    const bool is_large = program_.scratch_bytes + kGpuRangeBytes > kGpuBufferBytes;
    parts_offset_ = roundUp(program_.scratch_bytes, is_large ? kGpuRangeBytes : kGpuAlignmentBytes);
    for (Operation& op : function_.front()) {
      compiler::DiagnosticCollector diagnostics(function_.getContext());
      if (failed(add(op))) return diagnostics.takeStatus("make a kernel");
    }
    VTA_ASSIGN_OR_RETURN(program_.kernels, kernels_.compile(options_.codes, range_bytes_, cache_));
    made_.program = std::move(program_);
    return std::move(made_);
  }

 private:
  LogicalResult add(Operation& op) {
    if (const OpGroup group = groupOf(&op); !group.empty()) return addDispatches(group);
    const bool is_memory = isa<memref::AllocOp, memref::DeallocOp>(op);
    if (is_memory || isMemoryEffectFree(&op) || isa<func::ReturnOp>(op)) return success();
    return op.emitError() << "there is no kernel of " << op.getName();
  }

  void addScratch(memref::AllocOp alloc) {
    scratch_[alloc] = roundUp(program_.scratch_bytes, kGpuAlignmentBytes);
    program_.scratch_bytes = scratch_[alloc] + bytesOf(alloc.getType());
  }

  /// Memory for the sums of parts of a product: behind all other scratch memory, and of all
  /// products the same.
  Value addPartsMemory(Location location, const Product& product, int64_t parts) {
    parts_.push_back(createPartsMemory(location, product, parts));
    memref::AllocOp alloc = *parts_.back();
    scratch_[alloc] = parts_offset_;
    program_.scratch_bytes =
        std::max(program_.scratch_bytes, parts_offset_ + bytesOf(alloc.getType()));
    return alloc;
  }

  struct ProductSchedules {
    GemmSchedule plain;                // for devices without tensor cores
    std::vector<GemmSchedule> tensor;  // the first that a device can run is taken
  };

  /// In the order in which they run; with the variants for tensor cores.
  std::vector<KernelIr> kernelsOf(Location location, const Product& product,
                                  const ProductSchedules& schedules) {
    const int64_t parts = schedules.plain.split_grid;
    const Value memory = parts > 1 ? addPartsMemory(location, product, parts) : Value();
    const Product sums = parts > 1 ? productOfParts(product, parts, memory) : product;
    std::vector<KernelIr> kernels;
    kernels.push_back(buildGemmKernel(location, sums, schedules.plain));
    for (const GemmSchedule& tensor : schedules.tensor) {
      kernels.front().variants.push_back(buildTensorKernel(location, sums, tensor));
    }
    if (parts > 1) kernels.push_back(buildPartsKernel(location, product, parts, memory));
    return kernels;
  }

  FailureOr<std::vector<KernelIr>> kernelsOf(const OpGroup& group) {
    linalg::LinalgOp last = group.back();
    const std::optional<Product> product = matchProduct(group);
    if (product && options_.has_blocks) {
      return kernelsOf(last.getLoc(), *product, schedulesOf(group, *product));
    }
    FailureOr<KernelIr> kernel = product ? buildGenericKernel(group) : kernelWithoutBlocks(group);
    if (failed(kernel)) return failure();
    std::vector<KernelIr> kernels;
    kernels.push_back(*std::move(kernel));
    return kernels;
  }

  static FailureOr<KernelIr> kernelWithoutBlocks(const OpGroup& group) {
    linalg::LinalgOp last = group.back();
    if (const std::optional<RowGroup> rows = matchRows(group)) {
      const std::optional<RowSchedule> schedule = scheduleOfRows(*rows);
      if (schedule) return buildRowKernel(last.getLoc(), *rows, *schedule);
    }
    if (llvm::count_if(group, [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; }) >
        1) {
      return last->emitError("several sums are no rows");
    }
    return buildGenericKernel(group);
  }

  ProductSchedules schedulesOf(const OpGroup& group, const Product& product) {
    const GemmSpec spec = gemmSpecOf(product.contraction);
    std::optional<GemmSchedule> found;
    if (options_.find_schedule) {
      found = options_.find_schedule(
          {.name = nameOf(group), .spec = spec, .kernel = productKernel(product), .code = [&group] {
             return productCode(group);
           }});
    }
    const bool is_legal = found && brokenRule(spec, *found, options_.limits).empty() &&
                          hasKernelFor(product, found->tier);
    const auto plain = is_legal ? plainGemmSchedule(spec, *found, options_.limits) : std::nullopt;
    ProductSchedules schedules;
    schedules.plain = plain ? *plain : defaultGemmSchedule(spec, options_.limits);
    schedules.tensor = plain ? tensorSchedulesBeside(product, *found, options_.limits)
                             : tensorSchedules(product, schedules.plain.split_grid);
    if (!brokenRule(spec, schedules.plain, {}).empty()) made_.needs_more = true;
    made_.notes.push_back(
        {function_.getName().str(), nameOf(group), plain ? "tuned schedule" : "default schedule"});
    if (plain) ++made_.tuned_products;
    return schedules;
  }

  LogicalResult addDispatches(const OpGroup& group) {
    FailureOr<std::vector<KernelIr>> kernels = kernelsOf(group);
    if (failed(kernels)) return failure();
    for (KernelIr& kernel : *kernels) {
      kernel.name = nameOf(group);
      if (failed(addDispatch(std::move(kernel), group.back()))) return failure();
    }
    return success();
  }

  LogicalResult addDispatch(KernelIr kernel, linalg::LinalgOp last) {
    GpuDispatch dispatch{.workgroups = kernel.workgroups};
    std::vector<GpuAccess> accesses;
    for (const auto [number, buffer] : llvm::enumerate(kernel.buffers)) {
      const std::optional<GpuBinding> binding = bindingOf(buffer);
      if (!binding) return last->emitError() << "nobody knows where " << buffer << " lies";
      for (const GpuBinding& range : rangesOfArgument(kernel, number, *binding)) {
        dispatch.bindings.push_back(range);
        accesses.push_back(kernel.accesses[number]);
        made_.largest_range_bytes = std::max(made_.largest_range_bytes, range.size_bytes);
      }
    }
    kernel.accesses = std::move(accesses);
    dispatch.kernel = kernels_.add(std::move(kernel));
    program_.dispatches.push_back(std::move(dispatch));
    return success();
  }

  /// The ranges of `whole` that argument `number` of `kernel` is bound to. If they are not just the
  /// buffer, the argument gets kFirstRangeAttr, and variants are dropped: they cannot be split.
  std::vector<GpuBinding> rangesOfArgument(KernelIr& kernel, size_t number,
                                           const GpuBinding& whole) const {
    auto function = *kernel.module->getOps<func::FuncOp>().begin();
    const auto argument = static_cast<unsigned>(number);
    const BufferRanges ranges =
        rangesOf(cast<MemRefType>(function.getArgument(argument).getType()), range_bytes_);
    if (!ranges.isWhole()) {
      function.setArgAttr(argument, kFirstRangeAttr,
                          Builder(function).getI64IntegerAttr(ranges.first));
      kernel.variants.clear();
    }
    std::vector<GpuBinding> bindings;
    for (int64_t i = ranges.first; i < ranges.first + ranges.count; ++i) {
      GpuBinding range = whole;
      const auto begin_bytes = static_cast<uint64_t>(i * range_bytes_);
      range.offset_bytes += begin_bytes;
      range.size_bytes =
          std::min(whole.size_bytes - begin_bytes, static_cast<uint64_t>(range_bytes_));
      bindings.push_back(range);
    }
    return bindings;
  }

  /// The layer of what takes longest: a sum, if there is one.
  static std::string nameOf(const OpGroup& group) {
    const auto* sum =
        llvm::find_if(group, [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; });
    linalg::LinalgOp op = sum == group.end() ? group.back() : *sum;
    return layerAt(op->getLoc()).substr(0, kMostNameBytes);
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

  func::FuncOp function_;
  const GpuOptions& options_;
  int64_t range_bytes_;
  const ObjectCache& cache_;
  BuiltGpuProgram made_;
  GpuProgram program_;
  KernelCompiler kernels_;
  llvm::DenseMap<Operation*, uint64_t> scratch_;  // offsets
  uint64_t parts_offset_ = 0;                     // of the memory for parts of products
  std::vector<OwningOpRef<memref::AllocOp>> parts_;
};

}  // namespace

Result<BuiltGpuProgram> buildGpuProgram(func::FuncOp function, const GpuOptions& options,
                                        int64_t range_bytes, const ObjectCache& cache) {
  return ProgramBuilder(function, options, range_bytes, cache).build();
}

}  // namespace vta::codegen
