#include "compiler/vta/lower/kernel_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/AsmState.h"

namespace vta::compiler {

kernel::KernelDesc namedDesc(KernelOp op) {
  kernel::KernelDesc desc = op.getDesc().getValue();
  desc.name = op.getLayer().str();
  return desc;
}

Status layerError(llvm::StringRef layer, const Status& status) {
  return status.withContext(fmt::format("layer '{}'", std::string_view(layer)));
}

namespace {

// What both ops have, and all operands of the last kernel but its input.
template <typename Op>
OffloadedOp offloadedOf(Op op, std::vector<std::pair<std::string, mlir::Value>> operands) {
  operands.insert(operands.end(), {{kernel::kWeightBuffer, op.getWeight()},
                                   {kernel::kParamBuffer, op.getParam()},
                                   {kernel::kResidualBuffer, op.getResidual()}});
  std::erase_if(operands, [](const auto& operand) { return !operand.second; });
  const auto macs = static_cast<int64_t>(op.getMacs());
  return {op,   op.getLayer(),   op.getOp(),          op.getReference(),
          macs, op.getProgram(), std::move(operands), {{kernel::kOutputBuffer, op.getOutput()}}};
}

OffloadedOp offloadedOf(ProgramOp op) {
  const auto macs = static_cast<int64_t>(op.getMacs());
  OffloadedOp offloaded{op,   op.getLayer(),   op.getOp(), op.getReference(),
                        macs, op.getProgram(), {},         {}};
  const auto names = op.getBuffers().getAsValueRange<mlir::StringAttr>();
  auto name = names.begin();
  for (const mlir::Value input : op.getInputs()) {
    offloaded.operands.emplace_back((*name++).str(), input);
  }
  for (const mlir::Value output : op.getOutputs()) {
    offloaded.outputs.emplace_back((*name++).str(), output);
  }
  return offloaded;
}

// A layer's name as the parser takes it for a resource: letters, digits and `_` alone.
std::string resourceName(llvm::StringRef layer) {
  std::string name = layer.str();
  std::ranges::replace_if(
      name, [](char c) { return !llvm::isAlnum(c); }, '_');
  return name.empty() || llvm::isDigit(name.front()) ? "_" + name : name;
}

std::string ofProducer(const char* buffer) { return std::string(kernel::kProducerPrefix) + buffer; }

}  // namespace

std::optional<OffloadedOp> asOffloaded(mlir::Operation* op) {
  if (auto own = mlir::dyn_cast<KernelOp>(op)) {
    return offloadedOf(own, {{kernel::kInputBuffer, own.getInput()}});
  }
  if (auto chain = mlir::dyn_cast<ChainOp>(op)) {
    return offloadedOf(chain, {{ofProducer(kernel::kInputBuffer), chain.getInput()},
                               {ofProducer(kernel::kWeightBuffer), chain.getFirstWeight()},
                               {ofProducer(kernel::kParamBuffer), chain.getFirstParam()}});
  }
  if (auto program = mlir::dyn_cast<ProgramOp>(op)) return offloadedOf(program);
  return std::nullopt;
}

mlir::DenseI8ResourceElementsAttr programAttribute(mlir::MLIRContext* context, llvm::StringRef name,
                                                   const std::vector<std::byte>& program) {
  const llvm::ArrayRef<char> data(reinterpret_cast<const char*>(program.data()), program.size());
  const auto type =
      mlir::RankedTensorType::get({std::ssize(program)}, mlir::IntegerType::get(context, 8));
  return mlir::DenseI8ResourceElementsAttr::get(
      type, resourceName(name),
      mlir::HeapAsmResourceBlob::allocateAndCopyWithAlign(data, alignof(uint64_t),
                                                          /*dataIsMutable=*/false));
}

const kernel::KernelDesc& descOfBuffer(const OffloadedOp& offloaded, llvm::StringRef buffer) {
  if (auto own = mlir::dyn_cast<KernelOp>(offloaded.op)) return own.getDesc().getValue();
  auto chain = mlir::cast<ChainOp>(offloaded.op);
  const bool is_first = buffer.starts_with(kernel::kProducerPrefix);
  return (is_first ? chain.getFirstDesc() : chain.getDesc()).getValue();
}

Result<Program> programOf(const OffloadedOp& offloaded, const HwConfig& hw) {
  const auto& bytes = offloaded.program;
  mlir::AsmResourceBlob* const blob = bytes ? bytes->getRawHandle().getBlob() : nullptr;
  if (blob == nullptr) {
    return layerError(offloaded.layer,
                      internalError("there is no program; vta-lower-kernels makes it"));
  }
  auto program = deserializeProgram(std::as_bytes(std::span(blob->getData())), hw);
  return program.ok() ? std::move(program) : layerError(offloaded.layer, program.status());
}

kernel::ChainSchedule chainSchedule(ChainOp op) {
  const ChainScheduleAttr schedule = op.getSchedule();
  return {schedule.getConsumer().getValue(),
          schedule.getProducerInBlocks(),
          {static_cast<int>(schedule.getInpEighths()), static_cast<int>(schedule.getWgtEighths()),
           static_cast<int>(schedule.getAccEighths())}};
}

kernel::Chain namedChain(ChainOp op) {
  kernel::Chain chain{op.getFirstDesc().getValue(), op.getDesc().getValue()};
  chain.producer.name = chain.consumer.name = op.getLayer().str();
  return chain;
}

std::string describeSchedule(const OffloadedOp& offloaded) {
  if (auto own = mlir::dyn_cast<KernelOp>(offloaded.op)) {
    const std::string origin = own.getScheduleOrigin().value_or(kKeptSchedule).str();
    return fmt::format("{} {}", origin, own.getSchedule()->getValue().toString());
  }
  if (mlir::isa<ProgramOp>(offloaded.op)) return "tile kernel";
  return "simulated chain " + chainSchedule(mlir::cast<ChainOp>(offloaded.op)).toString();
}

}  // namespace vta::compiler
