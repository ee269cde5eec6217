#include "tests/compiler/codegen/adder_machine.h"

#include <fmt/format.h>

#include <map>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/module/ir_tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace vta::codegen::testing {
namespace {

std::vector<std::byte> bytesOf(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The lines of one function; its constants are added to `constants`.
Result<std::string> textOf(mlir::func::FuncOp function, std::vector<Tensor>& constants) {
  std::map<void*, size_t> numbers;
  const auto number = [&](mlir::Value value) {
    numbers.emplace(value.getAsOpaquePointer(), numbers.size());
  };
  for (const mlir::Value argument : function.getArguments()) number(argument);
  for (auto constant : function.getOps<mlir::arith::ConstantOp>()) {
    VTA_ASSIGN_OR_RETURN(Tensor tensor, compiler::readConstant(constant.getValue()));
    constants.push_back(std::move(tensor));
    number(constant);
  }
  std::string text;
  for (auto sum : function.getOps<graph::BinaryOp>()) {
    text += fmt::format("add {} {}\n", numbers.at(sum.getLhs().getAsOpaquePointer()),
                        numbers.at(sum.getRhs().getAsOpaquePointer()));
    number(sum);
  }
  return text;
}

}  // namespace

ExecutorInfo AdderMachine::executor() const {
  return {.kind = "adder", .name = name_, .traits = {EntryTable::kPrograms, true, true}};
}

std::vector<Transfer> AdderMachine::transfers() const {
  return {{std::string(kCpuKind), name_, {1000, 0.01}},
          {name_, std::string(kCpuKind), {1000, 0.01}}};
}

Status AdderMachine::canRun(mlir::Operation* op) const {
  auto binary = mlir::dyn_cast<graph::BinaryOp>(op);
  if (!binary || binary.getKind() != graph::BinaryKind::add) return unsupported("it is no sum");
  if (!mlir::getElementTypeOrSelf(binary.getType()).isF32()) return unsupported("it is no float");
  return {};
}

int64_t AdderMachine::cost(mlir::Operation* op) const { return graph::countResultElems(op); }

Result<CompiledCode> AdderMachine::compile(mlir::ModuleOp module,
                                           const CodeOptions& /*options*/) const {
  CompiledCode code;
  code.features = {"sums"};
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    const std::string symbol = function.getName().str();
    VTA_ASSIGN_OR_RETURN(const std::string text, textOf(function, code.constants[symbol]));
    for (const char* target : {"", "wide"}) {
      code.blobs.push_back({CodeBlob::Kind::kProgram, symbol, target, bytesOf(target + text)});
    }
    code.notes.push_back({symbol, "sums", "default schedule"});
  }
  return code;
}

Result<compiler::LinkedCode> AdderMachine::link(const ActionInfo& action, const ModuleInfo& info,
                                                std::span<const std::byte> programs) const {
  compiler::LinkedCode linked{{{"", {}}, {"wide", {}}}, {}};
  for (uint32_t i = 0; i < action.step_count; ++i) {
    const ProgramInfo& part = info.programs[info.steps[action.first_step + i].entry];
    linked.buffers.insert(linked.buffers.end(), part.buffers.begin(), part.buffers.end());
    for (compiler::LinkedCode::Variant& variant : linked.variants) {
      const std::string_view target = variant.target;
      const CodeVariant* code = part.variantFor({&target, 1});
      const auto bytes = programs.subspan(code->offset_bytes, code->size_bytes);
      variant.bytes.insert(variant.bytes.end(), bytes.begin(), bytes.end());
    }
  }
  return linked;
}

}  // namespace vta::codegen::testing
