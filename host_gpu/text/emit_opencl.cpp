#include "host_gpu/text/emit_opencl.h"

#include <fmt/format.h>

#include "host_gpu/text/kernel_printer.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Sums and products wrap, which C says of unsigned numbers only. In C a comparison is a number.
constexpr OpPattern kOpenClPatterns[] = {
    {"gpu.thread_id x", "(int)get_local_id(0)"},
    {"gpu.thread_id y", "(int)get_local_id(1)"},
    {"gpu.thread_id z", "(int)get_local_id(2)"},
    {"gpu.block_id x", "(int)get_group_id(0)"},
    {"gpu.block_id y", "(int)get_group_id(1)"},
    {"gpu.block_id z", "(int)get_group_id(2)"},
    {"arith.addi", "(int)((uint){0} + (uint){1})"},
    {"arith.subi", "(int)((uint){0} - (uint){1})"},
    {"arith.muli", "(int)((uint){0} * (uint){1})"},
    {"arith.divui", "(int)((uint){0} / (uint){1})"},
    {"arith.remui", "(int)((uint){0} % (uint){1})"},
    {"arith.shli", "(int)((uint){0} << (uint){1})"},
    {"arith.shrsi", "{0} >> {1}"},
    {"arith.shrui", "(int)((uint){0} >> (uint){1})"},
    {"arith.maxui", "(int)max((uint){0}, (uint){1})"},
    {"arith.minui", "(int)min((uint){0}, (uint){1})"},
    {"math.absi", "(int)abs({0})"},
    {"math.ctlz", "(int)clz((uint){0})"},
    {"arith.mului_extended 0", "(int)((uint){0} * (uint){1})"},
    {"arith.mului_extended 1", "(int)mul_hi((uint){0}, (uint){1})"},
    {"arith.mulsi_extended 0", "(int)((uint){0} * (uint){1})"},
    {"arith.mulsi_extended 1", "mul_hi({0}, {1})"},
    {"arith.addui_extended 0", "(int)((uint){0} + (uint){1})"},
    {"arith.addui_extended 1", "(uint){0} + (uint){1} < (uint){0}"},
    {"arith.cmpi ult", "(uint){0} < (uint){1}"},
    {"arith.cmpi ule", "(uint){0} <= (uint){1}"},
    {"arith.cmpi ugt", "(uint){0} > (uint){1}"},
    {"arith.cmpi uge", "(uint){0} >= (uint){1}"},
    {"arith.maximumf", "({0} > {1} || {0} != {0}) ? {0} : {1}"},
    {"arith.minimumf", "({0} < {1} || {0} != {0}) ? {0} : {1}"},
    {"arith.maxnumf", "fmax({0}, {1})"},
    {"arith.minnumf", "fmin({0}, {1})"},
    {"math.absf", "fabs({0})"},
    {"math.copysign", "copysign({0}, {1})"},
    {"math.roundeven", "rint({0})"},
    {"arith.select", "{0} ? {1} : {2}"},
    {"arith.extsi", "-(int){0}"},
    {"arith.extui", "(int){0}"},
    {"arith.index_cast", "(int){0}"},
    {"arith.index_castui", "(int){0}"},
    {"arith.sitofp", "(float){0}"},
    {"arith.sitofp i1", "-(float){0}"},
    {"arith.uitofp", "(float)(uint){0}"},
    {"arith.uitofp i1", "(float){0}"},
    {"arith.fptosi", "(int){0}"},
    {"arith.bitcast f32", "as_float({0})"},
    {"arith.bitcast i32", "as_int({0})"},
};

constexpr Language kOpenCl = {.name = "OpenCL C",
                              .integer = "int",
                              .real = "float",
                              .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
                              .patterns = kOpenClPatterns};

class OpenClPrinter : public KernelPrinter {
 public:
  explicit OpenClPrinter(const KernelIr& kernel) : KernelPrinter(kernel, kOpenCl) {}

 protected:
  std::string integerConstant(int32_t value) const override {
    return fmt::format("(int)0x{:x}u", static_cast<uint32_t>(value));
  }

  std::string realConstant(const llvm::APFloat& value) override {
    return fmt::format("as_float(0x{:x}u)", value.bitcastToAPInt().getZExtValue());
  }

  std::string complete(func::FuncOp function, const std::string& body) override {
    std::string arguments;
    for (const BlockArgument argument : function.getArguments()) {
      if (!arguments.empty()) arguments += ", ";
      arguments += fmt::format("__global {}* {}", elementType(argument), name(argument));
    }
    const auto [x, y, z] = kernel().workgroup_size;
    // Without the pragma, compilers may round a product and a sum once.
    return fmt::format(
        "#pragma OPENCL FP_CONTRACT OFF\n"
        "__kernel __attribute__((reqd_work_group_size({}, {}, {})))\n"
        "void {}({}) {{\n{}}}\n",
        x, y, z, kKernelFunction, arguments, body);
  }

  std::string value(const std::string& type, const std::string& name,
                    const std::string& text) const override {
    return fmt::format("const {} {} = {};", type, name, text);
  }

  std::string variable(const std::string& type, const std::string& name,
                       const std::string& text) const override {
    return fmt::format("{} {}{}{};", type, name, text.empty() ? "" : " = ", text);
  }

  std::string atomic(const std::string& element, const std::string& value, bool is_and) override {
    return fmt::format("atomic_{}(&{}, {});", is_and ? "and" : "or", element, value);
  }

  std::string shared(const std::string& element_type, const std::string& name,
                     int64_t elements) override {
    return fmt::format("__local {} {}[{}];", element_type, name, elements);
  }

  std::string loopStart(scf::ForOp loop) const override {
    const bool contracts = !kernel().keeps_roundings && loop->getParentOfType<scf::ForOp>();
    return contracts ? "#pragma OPENCL FP_CONTRACT ON" : "";
  }
};

}  // namespace

Result<std::string> emitOpenCl(const KernelIr& kernel) {
  return OpenClPrinter(kernel).print(kernel.module.get());
}

}  // namespace vta::codegen
