// Ops with graphs inside, and what loops have in common.
#pragma once

#include <optional>
#include <vector>

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

using Values = std::vector<mlir::Value>;

/// Loops that run more often are not unrolled.
inline constexpr int64_t kMostUnrolled = 4096;

/// How many ops the iterations of a loop may become when it is unrolled. Unrolled, small loops
/// vanish into the graph, and the accelerator computes products; but each iteration is compiled.
class UnrollBudget {
 public:
  enum class Size {
    kWorthwhile,  // what takes less time to compile than it saves
    kPossible,    // for loops that cannot run as loops
  };
  /// Counts what `node` adds to the graph from now on.
  UnrollBudget(Node& node, Size size);

  /// Call it behind each iteration: whether there may be another one.
  bool hasRoom();

 private:
  mlir::OpBuilder& builder_;
  mlir::Operation* last_;  // op that was counted; null if there was none in the block
  int64_t ops_ = 0, most_ = 0;
  bool may_grow_ = false;
};

/// The value of a constant of one element; nothing if it is computed.
std::optional<int64_t> constantScalar(mlir::Value value);

/// An op with the graphs of `blocks` inside, which yield the given values. What they read from
/// around them becomes operands and arguments, in addition to `operands` and the arguments that the
/// blocks have. Their regions become the op's. Returns its results.
Values createIf(Node& node, mlir::Value condition, mlir::Block& then_block,
                const Values& then_values, mlir::Block& else_block, const Values& else_values);

/// A loop (graph.loop). The block's arguments are the number of the iteration and the states.
struct LoopParts {
  mlir::Block* body = nullptr;
  mlir::Value most, condition;  // 0-D
  Values states;                // the first ones
  mlir::Value next_condition;
  Values next_states, rows;  // what the body yields
  int64_t most_rows = 0;     // how often it runs at most; without rows it does not matter
};
/// How often it ran, the last states, and the rows of all iterations.
Values createLoop(Node& node, const LoopParts& loop);

/// Values that every iteration adds, along a dimension of their own.
mlir::Value stacked(Composer& c, const Values& values, int64_t axis);

}  // namespace vta::compiler
