// Base of the passes that depend on the hardware: the configuration comes from the constructor or,
// in vta-opt, from the option `hw=FILE` (default: configs/hw/default.yaml's values).
#pragma once

#include "compiler/common/diagnostics.h"
#include "isa/config/hw_config.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

/// `Base`: the class that passes.td gives the pass, with the option `hw_file`.
template <typename Base>
class HwPass : public Base {
 public:
  using Base::Base;
  HwPass() = default;
  explicit HwPass(const HwConfig& hw) : hw_(hw) {}

  mlir::LogicalResult initialize(mlir::MLIRContext* context) override {
    if (this->hw_file.empty()) return mlir::success();
    auto hw = loadHwConfig(this->hw_file.getValue());
    if (!hw.ok()) {
      return emitUserError(mlir::UnknownLoc::get(context), hw.status().code())
             << hw.status().message();
    }
    hw_ = *hw;
    return mlir::success();
  }

 protected:
  HwConfig hw_ = HwConfig::makeDefault();
};

}  // namespace vta::compiler
