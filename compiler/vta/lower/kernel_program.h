// What the passes vta-choose-schedules and vta-lower-kernels leave on a kernel, for those who build
// modules from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/chain/chain.h"
#include "compiler/vta/common/kernels.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

// Values of KernelOp's schedule_origin, besides those of ChosenSchedule::origin.
inline constexpr const char* kGivenSchedule = "given schedule";  // by the user
inline constexpr const char* kKeptSchedule = "schedule";         // was in the IR

/// What the kernel computes, with its layer's name for error messages.
kernel::KernelDesc namedDesc(KernelOp op);

/// An error of one kernel, with its layer's name.
Status layerError(llvm::StringRef layer, const Status& status);

/// What the accelerator runs as one program: a vta.kernel, a vta.chain or a vta.program.
struct OffloadedOp {
  mlir::Operation* op = nullptr;
  llvm::StringRef layer, kind, reference;
  int64_t macs = 0;
  std::optional<mlir::DenseI8ResourceElementsAttr> program;
  /// Operands by the names of their buffers, in the order of the reference's arguments.
  std::vector<std::pair<std::string, mlir::Value>> operands;
  std::vector<std::pair<std::string, mlir::Value>> outputs;  // likewise, of its results
};

/// `op` as one of these; nothing if it is something else.
std::optional<OffloadedOp> asOffloaded(mlir::Operation* op);

/// The description of the kernel that a buffer of its program belongs to; not of a vta.program.
const kernel::KernelDesc& descOfBuffer(const OffloadedOp& offloaded, llvm::StringRef buffer);

/// `program` in its binary form as an attribute; `name` is for the text of the IR.
mlir::DenseI8ResourceElementsAttr programAttribute(mlir::MLIRContext* context, llvm::StringRef name,
                                                   const std::vector<std::byte>& program);

/// The program. Errors: there is none yet; it was made for another configuration than `hw`.
Result<Program> programOf(const OffloadedOp& offloaded, const HwConfig& hw);

/// How a chain is run.
kernel::ChainSchedule chainSchedule(ChainOp op);
kernel::Chain namedChain(ChainOp op);

/// Where the schedule comes from, and the schedule: "default schedule h=14 w=14 ...". Requires one,
/// unless the program is the user's.
std::string describeSchedule(const OffloadedOp& offloaded);

}  // namespace vta::compiler
