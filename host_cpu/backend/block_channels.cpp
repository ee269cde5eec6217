// host-cpu-block-channels: networks onto blocked kernels.
#include "host_cpu/blocked/block_floats.h"

#include <algorithm>

#include "host_cpu/backend/options.h"
#include "host_cpu/backend/passes.h"
#include "host_cpu/blocked/integers/block_integers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_CPUBLOCKCHANNELSPASS
#include "host_cpu/backend/passes.h.inc"

namespace {

using namespace mlir;

class BlockChannelsPass : public impl::CpuBlockChannelsPassBase<BlockChannelsPass> {
 public:
  using CpuBlockChannelsPassBase::CpuBlockChannelsPassBase;
  BlockChannelsPass() = default;
  BlockChannelsPass(const CpuTraits& traits, CompiledCode* code, const CodeOptions& options)
      : code_(code), find_(cpuOptionsOf(options).find_schedule) {
    winograd = options.winograd;
    vector_registers = traits.vector_registers;
    vector_bytes = traits.vector_bytes;
    has_fma = traits.has_fma;
    byte_products = static_cast<unsigned>(traits.byte_products);
    byte_product_bytes = traits.byte_product_bytes;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CpuTraits traits;
    traits.vector_registers = vector_registers;
    traits.vector_bytes = vector_bytes;
    traits.has_fma = has_fma;
    traits.byte_products = static_cast<ByteProducts>(
        std::min(byte_products.getValue(), static_cast<unsigned>(ByteProducts::kMixedQuads)));
    traits.byte_product_bytes = byte_product_bytes;
    blocked::KernelLibrary kernels(module, traits, find_, winograd);
    CompiledCode unwanted;
    CompiledCode& code = code_ ? *code_ : unwanted;
    // The list is made first: kernels become functions of the module, too.
    for (func::FuncOp function : SmallVector<func::FuncOp>(module.getOps<func::FuncOp>())) {
      if (function.getNumArguments() == 0 ||
          !isa<LLVM::LLVMPointerType>(function.getArgumentTypes().front())) {
        function.emitError("the first argument is not the host context");
        return signalPassFailure();
      }
      blocked::blockIntegers(function, kernels, code.constants);
      blocked::blockFloats(function, kernels, code.constants);
    }
    for (const blocked::ConvChoice& choice : kernels.choices()) {
      const char* schedule = choice.is_found ? "tuned schedule" : "default schedule";
      code.notes.push_back({choice.function, choice.layer, schedule});
    }
  }

 private:
  CompiledCode* code_ = nullptr;
  blocked::FindConvSchedule find_;
};

}  // namespace

std::unique_ptr<Pass> createCpuBlockChannelsPass(const CpuTraits& traits, CompiledCode* code,
                                                 const CodeOptions& options) {
  return std::make_unique<BlockChannelsPass>(traits, code, options);
}

}  // namespace vta::codegen
