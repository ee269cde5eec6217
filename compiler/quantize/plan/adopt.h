// Models that are quantised already: what their QuantizeLinear and DequantizeLinear say, as facts
// about the float graph between them.
#pragma once

#include <vector>

#include "compiler/quantize/plan/plan.h"
#include "compiler/quantize/plan/requantize.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"

namespace vta::compiler {

/// The integers that a model prescribes. Parameters are those of int8; a uint8 zero point is 128
/// less.
struct GivenQuantization {
  /// Float values that are rounded to integers where they are defined.
  llvm::DenseMap<mlir::Value, QuantParams> activations;
  /// Scales of the constant weights of contractions, one per output channel.
  llvm::DenseMap<mlir::Operation*, std::vector<double>> weight_scales;
  /// Some activations are rounded to 16 bits, which no kernel computes with. They stay as they are.
  bool has_16_bits = false;
  /// Some parameters are not the model's (fill_ranges.h), so that results are not exactly its own.
  bool is_filled = false;

  /// The model says nothing about rounding: a float model.
  bool empty() const { return activations.empty() && !has_16_bits; }
  /// Null if the model does not say how `value` is rounded.
  const QuantParams* find(mlir::Value value) const;
};

bool operator==(const QuantParams& a, const QuantParams& b);

/// Rewrites `function` to the float graph that lies between the quantisation ops, and returns what
/// they said. Pairs of graph.quantize and graph.dequantize with one scale and zero point per tensor
/// vanish; constants are dequantised; movement of integers becomes movement of floats. A value that
/// changes its integers (its consumer has another scale) passes a graph.clip without bounds, whose
/// result has the new parameters. Whoever does not turn a value of `activations` into integers has
/// to round it: see roundGivenValues. With `drops_16_bits`, activations that are rounded to 16 bits
/// are floats from then on.
GivenQuantization adoptQuantization(mlir::func::FuncOp function, bool drops_16_bits = false);

/// Whether `value` is rounded to 16 bits where it is defined, or for one of its readers.
bool isRoundedTo16Bits(mlir::Value value);

/// Restores graph.quantize and graph.dequantize behind every value of `given` that `plan` does not
/// compute in integers, for its users outside `plan`.
void roundGivenValues(mlir::func::FuncOp function, const GivenQuantization& given,
                      const QuantPlan& plan);

/// True for a clip without bounds.
bool isIdentity(mlir::Operation& op);

/// Removes clips without bounds.
void eraseIdentities(mlir::func::FuncOp function);

/// True when `function` prescribes integers, of 8 or 16 bits, for at least one activation.
bool isQuantized(mlir::func::FuncOp function);

}  // namespace vta::compiler
