#include "host_gpu/text/emit_wgsl.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "compiler/codegen/passes.h"
#include "compiler/common/diagnostics.h"
#include "host_gpu/legalise/passes.h"
#include "host_gpu/text/kernel_printer.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Integers wrap, and are shifted by unsigned numbers.
constexpr OpPattern kWgslPatterns[] = {
    {"gpu.thread_id x", "i32(local_id.x)"},
    {"gpu.thread_id y", "i32(local_id.y)"},
    {"gpu.thread_id z", "i32(local_id.z)"},
    {"gpu.block_id x", "i32(group_id.x)"},
    {"gpu.block_id y", "i32(group_id.y)"},
    {"gpu.block_id z", "i32(group_id.z)"},
    {"arith.addi", "{0} + {1}"},
    {"arith.subi", "{0} - {1}"},
    {"arith.muli", "{0} * {1}"},
    {"arith.divui", "i32(u32({0}) / u32({1}))"},
    {"arith.remui", "i32(u32({0}) % u32({1}))"},
    {"arith.shli", "{0} << u32({1})"},
    {"arith.shrsi", "{0} >> u32({1})"},
    {"arith.shrui", "i32(u32({0}) >> u32({1}))"},
    {"arith.maxui", "i32(max(u32({0}), u32({1})))"},
    {"arith.minui", "i32(min(u32({0}), u32({1})))"},
    {"arith.xori i1", "{0} != {1}"},
    {"math.absi", "abs({0})"},
    {"math.ctlz", "countLeadingZeros({0})"},
    {"arith.mului_extended 0", "{0} * {1}"},
    {"arith.mului_extended 1", "high_of_unsigned({0}, {1})"},
    {"arith.mulsi_extended 0", "{0} * {1}"},
    {"arith.mulsi_extended 1", "high_of_signed({0}, {1})"},
    {"arith.addui_extended 0", "{0} + {1}"},
    {"arith.addui_extended 1", "u32({0} + {1}) < u32({0})"},
    {"arith.cmpi ult", "u32({0}) < u32({1})"},
    {"arith.cmpi ule", "u32({0}) <= u32({1})"},
    {"arith.cmpi ugt", "u32({0}) > u32({1})"},
    {"arith.cmpi uge", "u32({0}) >= u32({1})"},
    {"arith.maximumf", "select({1}, {0}, {0} > {1} || {0} != {0})"},
    {"arith.minimumf", "select({1}, {0}, {0} < {1} || {0} != {0})"},
    {"arith.maxnumf", "max({0}, {1})"},
    {"arith.minnumf", "min({0}, {1})"},
    {"math.absf", "abs({0})"},
    {"math.copysign",
     "bitcast<f32>((bitcast<u32>({0}) & 0x7fffffffu) | (bitcast<u32>({1}) & 0x80000000u))"},
    {"math.roundeven", "round({0})"},
    {"arith.select", "select({2}, {1}, {0})"},
    {"arith.extsi", "-i32({0})"},
    {"arith.extui", "i32({0})"},
    {"arith.index_cast", "{0}"},
    {"arith.index_castui", "{0}"},
    {"arith.sitofp", "f32({0})"},
    {"arith.sitofp i1", "-f32({0})"},
    {"arith.uitofp", "f32(u32({0}))"},
    {"arith.uitofp i1", "f32({0})"},
    {"arith.fptosi", "i32({0})"},
    {"arith.bitcast f32", "bitcast<f32>({0})"},
    {"arith.bitcast i32", "bitcast<i32>({0})"},
};

/// The high words of products, which WGSL does not have: by halves of words.
constexpr const char* kHighWords = R"(
fn high_of_unsigned(x: i32, y: i32) -> i32 {
  let a = u32(x);
  let b = u32(y);
  let low = (a & 0xffffu) * (b & 0xffffu);
  let left = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let right = (a & 0xffffu) * (b >> 16u) + (left & 0xffffu);
  return i32((a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u));
}

fn high_of_signed(x: i32, y: i32) -> i32 {
  return high_of_unsigned(x, y) - select(0, y, x < 0) - select(0, x, y < 0);
}
)";

constexpr Language kWgsl = {.name = "WGSL",
                            .integer = "i32",
                            .real = "f32",
                            .barrier = "workgroupBarrier();",
                            .patterns = kWgslPatterns};

class WgslPrinter : public KernelPrinter {
 public:
  explicit WgslPrinter(const KernelIr& kernel) : KernelPrinter(kernel, kWgsl) {}

 protected:
  std::string integerConstant(int32_t value) const override { return std::to_string(value); }

  std::string realConstant(const llvm::APFloat& value) override {
    const std::string bits = fmt::format("0x{:x}u", value.bitcastToAPInt().getZExtValue());
    if (value.isFinite()) return fmt::format("bitcast<f32>({})", bits);
    // A constant expression may not be infinite or no number. What a variable holds may.
    globals_.insert(fmt::format("var<private> bits_{0}: u32 = {0};\n", bits));
    return fmt::format("bitcast<f32>(bits_{})", bits);
  }

  std::string complete(func::FuncOp function, const std::string& body) override {
    std::string text;
    for (const BlockArgument argument : function.getArguments()) {
      const std::string element = elementType(argument);
      text += fmt::format("@group(0) @binding({}) var<storage, read_write> {}: array<{}>;\n",
                          argument.getArgNumber(), name(argument),
                          isAtomic(argument) ? "atomic<" + element + ">" : element);
    }
    for (const std::string& global : globals_) text += global;
    if (body.find("high_of_") != std::string::npos) text += kHighWords;
    const auto [x, y, z] = kernel().workgroup_size;
    return text + fmt::format(
                      "\n@compute @workgroup_size({}, {}, {})\n"
                      "fn {}(@builtin(local_invocation_id) local_id: vec3<u32>,\n"
                      "    @builtin(workgroup_id) group_id: vec3<u32>) {{\n{}}}\n",
                      x, y, z, kKernelFunction, body);
  }

  std::string value(const std::string& type, const std::string& name,
                    const std::string& text) const override {
    return fmt::format("let {}: {} = {};", name, type, text);
  }

  std::string variable(const std::string& type, const std::string& name,
                       const std::string& text) const override {
    return fmt::format("var {}: {}{}{};", name, type, text.empty() ? "" : " = ", text);
  }

  std::string load(Value buffer, const std::string& element) override {
    return isAtomic(buffer) ? fmt::format("atomicLoad(&{})", element) : element;
  }

  std::string store(Value buffer, const std::string& element, const std::string& value) override {
    return isAtomic(buffer) ? fmt::format("atomicStore(&{}, {});", element, value)
                            : KernelPrinter::store(buffer, element, value);
  }

  std::string atomic(const std::string& element, const std::string& value, bool is_and) override {
    return fmt::format("atomic{}(&{}, {});", is_and ? "And" : "Or", element, value);
  }

  std::string shared(const std::string& element_type, const std::string& name,
                     int64_t elements) override {
    globals_.insert(
        fmt::format("var<workgroup> {}: array<{}, {}>;\n", name, element_type, elements));
    return "";
  }

 private:
  /// Whether parts of the buffer's words are written: its words are of another type then.
  static bool isAtomic(Value buffer) {
    return llvm::any_of(buffer.getUsers(),
                        [](Operation* user) { return isa<memref::AtomicRMWOp>(user); });
  }

  std::set<std::string> globals_;
};

/// Adding a number that has no fraction bits and taking it off again rounds to a whole number.
/// Compilers of WGSL may take it for nothing, and do.
void roundByName(ModuleOp module) {
  module.walk([](arith::SubFOp difference) {
    auto sum = difference.getLhs().getDefiningOp<arith::AddFOp>();
    FloatAttr added, taken;
    if (!sum || !matchPattern(sum.getRhs(), m_Constant(&added)) ||
        !matchPattern(difference.getRhs(), m_Constant(&taken)) || added != taken ||
        added.getValueAsDouble() < 0x1p23) {
      return;
    }
    OpBuilder b(difference);
    difference.replaceAllUsesWith(
        b.create<math::RoundEvenOp>(difference.getLoc(), sum.getLhs()).getResult());
    difference.erase();
  });
}

/// Exponentials of WGSL lose digits.
Result<OwningOpRef<ModuleOp>> withOwnFunctions(const KernelIr& kernel) {
  OwningOpRef<ModuleOp> module = kernel.module.get().clone();
  compiler::DiagnosticCollector diagnostics(module->getContext());
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  manager.addPass(createHostExpandExpPass());
  manager.addPass(createGpuExpandMathPass());
  if (failed(manager.run(*module))) return diagnostics.takeStatus("expand functions");
  roundByName(*module);
  return module;
}

}  // namespace

Result<std::string> emitWgsl(const KernelIr& kernel) {
  VTA_ASSIGN_OR_RETURN(const OwningOpRef<ModuleOp> module, withOwnFunctions(kernel));
  return WgslPrinter(kernel).print(module.get());
}

}  // namespace vta::codegen
