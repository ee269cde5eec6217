#include "compiler/vta/lower/kernel_program.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace vta::compiler {

std::vector<KernelOp> kernelsOf(mlir::ModuleOp module) {
  std::vector<KernelOp> kernels;
  module.walk([&](KernelOp op) { kernels.push_back(op); });
  return kernels;
}

kernel::KernelDesc namedDesc(KernelOp op) {
  kernel::KernelDesc desc = op.getDesc().getValue();
  desc.name = op.getLayer().str();
  return desc;
}

Status layerError(KernelOp op, const Status& status) {
  return status.withContext(fmt::format("layer '{}'", op.getLayer().str()));
}

Result<Program> programOf(KernelOp op, const HwConfig& hw) {
  const auto bytes = op.getProgram();
  mlir::AsmResourceBlob* const blob = bytes ? bytes->getRawHandle().getBlob() : nullptr;
  if (blob == nullptr) {
    return layerError(op, internalError("there is no program; vta-lower-kernels makes it"));
  }
  auto program = deserializeProgram(std::as_bytes(std::span(blob->getData())), hw);
  return program.ok() ? std::move(program) : layerError(op, program.status());
}

std::string describeSchedule(KernelOp op) {
  const std::string origin = op.getScheduleOrigin().value_or(kKeptSchedule).str();
  return fmt::format("{} {}", origin, op.getSchedule()->getValue().toString());
}

}  // namespace vta::compiler
