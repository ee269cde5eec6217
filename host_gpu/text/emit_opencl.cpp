#include "host_gpu/text/emit_opencl.h"

#include <fmt/format.h>

#include "host_gpu/text/expressions.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::codegen {
namespace {

using namespace mlir;

class OpenClPrinter {
 public:
  explicit OpenClPrinter(const KernelIr& kernel) : kernel_(kernel) {}

  Result<std::string> print(func::FuncOp function) {
    // Without it, compilers may round a product and a sum once.
    line("#pragma OPENCL FP_CONTRACT OFF");
    std::string arguments;
    for (const BlockArgument argument : function.getArguments()) {
      const Type element = cast<MemRefType>(argument.getType()).getElementType();
      if (!arguments.empty()) arguments += ", ";
      arguments += fmt::format("__global {}* {}", typeOf(element), name(argument));
    }
    const auto [x, y, z] = kernel_.workgroup_size;
    line(fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {})))", x, y, z));
    line(fmt::format("void {}({}) {{", kKernelFunction, arguments));
    block(function.front());
    line("}");
    if (!missing_.empty()) return internalError("there is no OpenCL C for " + missing_);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) {
    text_.append(size_t{2} * depth_, ' ');
    text_ += text + "\n";
  }

  std::string name(Value value) {
    const auto [known, is_new] = names_.try_emplace(value, "");
    if (is_new) known->second = fmt::format("v{}", names_.size());
    return known->second;
  }

  std::string typeOf(Type type) {
    std::string text = openClType(type);
    if (text.empty() && missing_.empty()) missing_ = "a value of another type";
    return text;
  }

  void define(Value value, const std::string& text) {
    line(fmt::format("const {} {} = {};", typeOf(value.getType()), name(value), text));
  }

  void block(Block& body) {
    ++depth_;
    for (Operation& op : body) statement(op);
    --depth_;
  }

  void statement(Operation& op) {
    if (isa<func::ReturnOp>(op)) return;
    if (isa<gpu::BarrierOp>(op)) return line("barrier(CLK_LOCAL_MEM_FENCE);");
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      return line(fmt::format("{}[{}] = {};", name(store.getMemRef()),
                              name(store.getIndices().front()), name(store.getValueToStore())));
    }
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      const MemRefType type = alloc.getType();
      return line(fmt::format("__local {} {}[{}];", typeOf(type.getElementType()), name(alloc),
                              type.getNumElements()));
    }
    if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op)) return atomicStatement(atomic);
    if (auto loop = dyn_cast<scf::ForOp>(op)) return loopStatement(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op)) return branchStatement(branch);
    if (auto yield = dyn_cast<scf::YieldOp>(op)) return assign(op.getParentOp(), yield);
    for (const OpResult result : op.getResults()) {
      const std::string text = openClExpression(&op, result.getResultNumber(),
                                                [this](Value value) { return name(value); });
      if (text.empty() && missing_.empty()) missing_ = op.getName().getStringRef().str();
      define(result, text);
    }
    if (op.getNumResults() == 0 && missing_.empty()) missing_ = op.getName().getStringRef().str();
  }

  /// Its result is not asked for.
  void atomicStatement(memref::AtomicRMWOp atomic) {
    const bool is_and = atomic.getKind() == arith::AtomicRMWKind::andi;
    if (!is_and && atomic.getKind() != arith::AtomicRMWKind::ori) missing_ = "an atomic operation";
    line(fmt::format("atomic_{}(&{}[{}], {});", is_and ? "and" : "or", name(atomic.getMemref()),
                     name(atomic.getIndices().front()), name(atomic.getValue())));
  }

  /// What the loop carries are variables, which are its results behind it.
  void loopStatement(scf::ForOp loop) {
    for (const auto [result, first, carried] :
         llvm::zip(loop.getResults(), loop.getInitArgs(), loop.getRegionIterArgs())) {
      line(fmt::format("{} {} = {};", typeOf(result.getType()), name(result), name(first)));
      names_[carried] = name(result);
    }
    const std::string number = name(loop.getInductionVar());
    line(fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3}) {{", number,
                     name(loop.getLowerBound()), name(loop.getUpperBound()), name(loop.getStep())));
    if (!kernel_.keeps_roundings && loop->getParentOfType<scf::ForOp>()) {
      line("#pragma OPENCL FP_CONTRACT ON");
    }
    block(*loop.getBody());
    line("}");
  }

  void branchStatement(scf::IfOp branch) {
    for (const Value result : branch.getResults()) {
      line(fmt::format("{} {};", typeOf(result.getType()), name(result)));
    }
    line(fmt::format("if ({}) {{", name(branch.getCondition())));
    block(*branch.thenBlock());
    if (Block* otherwise = branch.elseBlock()) {
      line("} else {");
      block(*otherwise);
    }
    line("}");
  }

  /// All at once: what is yielded may be another variable of the loop.
  void assign(Operation* parent, scf::YieldOp yield) {
    SmallVector<std::string> values;
    for (const Value value : yield.getOperands()) {
      values.push_back(fmt::format("w{}", temporaries_++));
      line(fmt::format("const {} {} = {};", typeOf(value.getType()), values.back(), name(value)));
    }
    for (const auto [result, value] : llvm::zip(parent->getResults(), values)) {
      line(fmt::format("{} = {};", name(result), value));
    }
  }

  const KernelIr& kernel_;
  std::string text_;
  unsigned depth_ = 0, temporaries_ = 0;
  llvm::DenseMap<Value, std::string> names_;
  std::string missing_;  // the first thing without a form
};

}  // namespace

Result<std::string> emitOpenCl(const KernelIr& kernel) {
  ModuleOp module = kernel.module.get();
  return OpenClPrinter(kernel).print(*module.getOps<func::FuncOp>().begin());
}

}  // namespace vta::codegen
