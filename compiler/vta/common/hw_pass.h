// Base of the passes that depend on the hardware: the configuration comes from the constructor or,
// in vta-opt, from the option `hw=FILE` (default: configs/hw/default.yaml's values).
#pragma once

#include "isa/config/hw_config.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

template <typename Derived>
class HwPass : public mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  HwPass() = default;
  explicit HwPass(const HwConfig& hw) : hw_(hw) {}
  HwPass(const HwPass& other)
      : mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>>(other), hw_(other.hw_) {}

  mlir::LogicalResult initialize(mlir::MLIRContext* context) override {
    if (hw_file_.empty()) return mlir::success();
    auto hw = loadHwConfig(hw_file_.getValue());
    if (!hw.ok()) {
      return mlir::emitError(mlir::UnknownLoc::get(context), hw.status().message());
    }
    hw_ = *hw;
    return mlir::success();
  }

 protected:
  HwConfig hw_ = HwConfig::makeDefault();

 private:
  mlir::Pass::Option<std::string> hw_file_{*this, "hw",
                                           llvm::cl::desc("Hardware configuration (YAML file)")};
};

}  // namespace vta::compiler
