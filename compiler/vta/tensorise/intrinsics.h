// The hardware's intrinsics, declared by what they compute: small linalg functions generated from
// the configuration, and the comparison that proves an operation to be built from one.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace vta::compiler {

/// Declarations as MLIR text, one function with one linalg.generic each.
std::string declareGemm(const HwConfig& hw);      // ACC[b][o] += sum_i INP[b][i] * WGT[o][i]
std::string declareAccLoad(const HwConfig& hw);   // ACC = sign extension of int8
std::string declareOutStore(const HwConfig& hw);  // OUT = low bits of ACC
/// ACC = op(ACC, ACC), or op(ACC, imm). QMUL has its shift in `imm` in either form; CLIP its packed
/// bounds. Empty if `hw` has no such operation.
std::string declareAlu(AluOpcode opcode, bool tensor_operand, int32_t imm, const HwConfig& hw);

/// How an operation is built from an intrinsic: by running it at every point of the loops that are
/// not the intrinsic's own.
struct IntrinsicMatch {
  /// The operation's block arguments (inputs, then output) that play the intrinsic's read operands.
  llvm::SmallVector<unsigned> operands;
  /// The operation's loops that play the intrinsic's.
  llvm::SmallVector<unsigned> loops;
};

/// Proves that `op` computes `intrinsic` over its remaining loops: bodies, element types, iterator
/// types, extents and the innermost subscripts agree, operands and loops permuted as needed,
/// constants compared by value, and the outer subscripts do not depend on the intrinsic's loops.
/// None if it cannot be proved.
std::optional<IntrinsicMatch> matchIntrinsic(mlir::linalg::GenericOp op,
                                             mlir::linalg::GenericOp intrinsic);

/// An ALU operation recognised in IR.
struct AluMatch {
  AluOpcode opcode = AluOpcode::kAdd;
  int32_t imm = 0;
  bool tensor_operand = false;
  IntrinsicMatch match;  // operands: the accumulator, then the tensor operand if there is one
};

/// The declared set of one configuration, parsed on demand. Not thread-safe.
class IntrinsicSet {
 public:
  IntrinsicSet(const HwConfig& hw, mlir::MLIRContext* context) : hw_(hw), context_(context) {}

  mlir::linalg::GenericOp gemm() { return parse(declareGemm(hw_)); }
  mlir::linalg::GenericOp accLoad() { return parse(declareAccLoad(hw_)); }
  mlir::linalg::GenericOp outStore() { return parse(declareOutStore(hw_)); }

  /// The ALU operation that `op` is, if any.
  std::optional<AluMatch> matchAlu(mlir::linalg::GenericOp op);

 private:
  mlir::linalg::GenericOp parse(const std::string& text);

  const HwConfig& hw_;
  mlir::MLIRContext* context_;
  std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>> parsed_;  // by text
};

}  // namespace vta::compiler
