#include "host_gpu/text/kernel_printer.h"

#include <fmt/format.h>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// What looks alike in all languages. Comparisons are false for NaN, but for unequal. Maxima and
/// minima of floats are NaN if one of the operands is.
constexpr OpPattern kCommonPatterns[] = {
    {"arith.andi", "{0} & {1}"},
    {"arith.ori", "{0} | {1}"},
    {"arith.xori", "{0} ^ {1}"},
    {"arith.divsi", "{0} / {1}"},
    {"arith.remsi", "{0} % {1}"},
    {"arith.maxsi", "max({0}, {1})"},
    {"arith.minsi", "min({0}, {1})"},
    {"arith.addf", "{0} + {1}"},
    {"arith.subf", "{0} - {1}"},
    {"arith.mulf", "{0} * {1}"},
    {"arith.divf", "{0} / {1}"},
    {"arith.negf", "-{0}"},
    {"math.ceil", "ceil({0})"},
    {"math.floor", "floor({0})"},
    {"math.fma", "fma({0}, {1}, {2})"},
    {"math.exp", "exp({0})"},
    {"math.log", "log({0})"},
    {"math.sqrt", "sqrt({0})"},
    {"math.trunc", "trunc({0})"},
    {"arith.trunci", "({0} & 1) != 0"},  // to a boolean
    {"arith.cmpi eq", "{0} == {1}"},
    {"arith.cmpi ne", "{0} != {1}"},
    {"arith.cmpi slt", "{0} < {1}"},
    {"arith.cmpi sle", "{0} <= {1}"},
    {"arith.cmpi sgt", "{0} > {1}"},
    {"arith.cmpi sge", "{0} >= {1}"},
    {"arith.cmpf oeq", "{0} == {1}"},
    {"arith.cmpf ogt", "{0} > {1}"},
    {"arith.cmpf oge", "{0} >= {1}"},
    {"arith.cmpf olt", "{0} < {1}"},
    {"arith.cmpf ole", "{0} <= {1}"},
    {"arith.cmpf one", "{0} < {1} || {0} > {1}"},
    {"arith.cmpf ord", "{0} == {0} && {1} == {1}"},
    {"arith.cmpf ueq", "!({0} < {1} || {0} > {1})"},
    {"arith.cmpf ugt", "!({0} <= {1})"},
    {"arith.cmpf uge", "!({0} < {1})"},
    {"arith.cmpf ult", "!({0} >= {1})"},
    {"arith.cmpf ule", "!({0} > {1})"},
    {"arith.cmpf une", "{0} != {1}"},
    {"arith.cmpf uno", "{0} != {0} || {1} != {1}"},
};

/// What tells an op apart from others of its name; empty: nothing.
std::string variantOf(Operation* op, unsigned result) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    return arith::stringifyCmpIPredicate(compare.getPredicate()).str();
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    return arith::stringifyCmpFPredicate(compare.getPredicate()).str();
  }
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
    return gpu::stringifyDimension(thread.getDimension()).str();
  }
  if (auto block = dyn_cast<gpu::BlockIdOp>(op)) {
    return gpu::stringifyDimension(block.getDimension()).str();
  }
  if (isa<arith::BitcastOp>(op)) return op->getResult(0).getType().isF32() ? "f32" : "i32";
  if (op->getNumResults() == 2) return std::to_string(result);
  const bool is_bool = op->getNumOperands() > 0 && op->getOperand(0).getType().isInteger(1);
  return is_bool ? "i1" : "";
}

}  // namespace

Result<std::string> KernelPrinter::print(ModuleOp module) {
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  for (const BlockArgument argument : function.getArguments()) name(argument);
  block(function.front());
  std::string text = complete(function, text_);
  if (!missing_.empty()) {
    return internalError(fmt::format("there is no {} for {}", language_.name, missing_));
  }
  return text;
}

void KernelPrinter::miss(const std::string& what) {
  if (missing_.empty()) missing_ = what;
}

void KernelPrinter::line(const std::string& text) {
  text_.append(size_t{2} * depth_, ' ');
  text_ += text + "\n";
}

std::string KernelPrinter::name(Value value) {
  const auto [known, is_new] = names_.try_emplace(value, "");
  if (is_new) known->second = fmt::format("v{}", names_.size());
  return known->second;
}

std::string KernelPrinter::typeOf(Type type) {
  if (type.isIndex() || type.isInteger(32)) return language_.integer;
  if (type.isInteger(1)) return "bool";
  if (!type.isF32()) miss("a value of another type");
  return language_.real;
}

std::string KernelPrinter::elementType(Value buffer) {
  return typeOf(cast<MemRefType>(buffer.getType()).getElementType());
}

/// Empty if there is no form for it.
std::string KernelPrinter::constant(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (!integer.getType().isInteger(1)) {
      return integerConstant(static_cast<int32_t>(integer.getValue().getSExtValue()));
    }
    return integer.getValue().getBoolValue() ? "true" : "false";
  }
  const auto real = dyn_cast<FloatAttr>(value);
  return real && real.getType().isF32() ? realConstant(real.getValue()) : "";
}

std::string KernelPrinter::element(Value buffer, ValueRange indices) {
  return fmt::format("{}[{}]", name(buffer), name(indices.front()));
}

void KernelPrinter::block(Block& body) {
  ++depth_;
  for (Operation& op : body) statement(op);
  --depth_;
}

void KernelPrinter::statement(Operation& op) {
  if (isa<func::ReturnOp>(op)) return;
  if (isa<gpu::BarrierOp>(op)) return line(language_.barrier);
  if (auto storing = dyn_cast<memref::StoreOp>(op)) {
    const std::string to = element(storing.getMemRef(), storing.getIndices());
    return line(store(storing.getMemRef(), to, name(storing.getValueToStore())));
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    const int64_t elements = alloc.getType().getNumElements();
    if (std::string text = shared(elementType(alloc), name(alloc), elements); !text.empty()) {
      line(text);
    }
    return;
  }
  if (auto found = dyn_cast<memref::AtomicRMWOp>(op)) return atomicStatement(found);
  if (auto loop = dyn_cast<scf::ForOp>(op)) return loopStatement(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) return branchStatement(branch);
  if (auto yield = dyn_cast<scf::YieldOp>(op)) return assign(op.getParentOp(), yield);
  for (const OpResult result : op.getResults()) {
    const std::string text = expression(&op, result.getResultNumber());
    if (text.empty()) miss(op.getName().getStringRef().str());
    line(value(typeOf(result.getType()), name(result), text));
  }
  if (op.getNumResults() == 0) miss(op.getName().getStringRef().str());
}

void KernelPrinter::atomicStatement(memref::AtomicRMWOp op) {
  const bool is_and = op.getKind() == arith::AtomicRMWKind::andi;
  if (!is_and && op.getKind() != arith::AtomicRMWKind::ori) miss("an atomic operation");
  line(atomic(element(op.getMemref(), op.getIndices()), name(op.getValue()), is_and));
}

/// What the loop carries are variables, which are its results behind it.
void KernelPrinter::loopStatement(scf::ForOp loop) {
  for (const auto [result, first, carried] :
       llvm::zip(loop.getResults(), loop.getInitArgs(), loop.getRegionIterArgs())) {
    line(variable(typeOf(result.getType()), name(result), name(first)));
    names_[carried] = name(result);
  }
  const std::string number = name(loop.getInductionVar());
  line(fmt::format(
      "for ({1} {0} < {2}; {0} += {3}) {{", number,
      variable(typeOf(loop.getInductionVar().getType()), number, name(loop.getLowerBound())),
      name(loop.getUpperBound()), name(loop.getStep())));
  if (const std::string text = loopStart(loop); !text.empty()) line(text);
  block(*loop.getBody());
  line("}");
}

void KernelPrinter::branchStatement(scf::IfOp branch) {
  for (const Value result : branch.getResults()) {
    line(variable(typeOf(result.getType()), name(result), ""));
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
void KernelPrinter::assign(Operation* parent, scf::YieldOp yield) {
  SmallVector<std::string> values;
  for (const Value yielded : yield.getOperands()) {
    values.push_back(fmt::format("w{}", temporaries_++));
    line(value(typeOf(yielded.getType()), values.back(), name(yielded)));
  }
  for (const auto [result, text] : llvm::zip(parent->getResults(), values)) {
    line(fmt::format("{} = {};", name(result), text));
  }
}

/// What result `result` of `op` is; empty if there is no form for it.
std::string KernelPrinter::expression(Operation* op, unsigned result) {
  if (auto of_op = dyn_cast<arith::ConstantOp>(op)) return constant(of_op.getValue());
  if (auto loading = dyn_cast<memref::LoadOp>(op)) {
    return load(loading.getMemRef(), element(loading.getMemRef(), loading.getIndices()));
  }
  const std::string op_name = op->getName().getStringRef().str();
  const char* pattern = patternOf(op_name + " " + variantOf(op, result));
  if (pattern == nullptr) pattern = patternOf(op_name);
  if (pattern == nullptr) return "";
  SmallVector<std::string, 3> names;
  for (const Value operand : op->getOperands().take_front(3)) names.push_back(name(operand));
  names.resize(3);
  return fmt::format(fmt::runtime(pattern), names[0], names[1], names[2]);
}

/// Null if there is none.
const char* KernelPrinter::patternOf(const std::string& key) const {
  for (const ArrayRef<OpPattern> patterns :
       {language_.patterns, ArrayRef<OpPattern>(kCommonPatterns)}) {
    const auto* found = llvm::find_if(patterns, [&](const auto& entry) { return entry.op == key; });
    if (found != patterns.end()) return found->pattern;
  }
  return nullptr;
}

}  // namespace vta::codegen
