// Ops that go through rows: sums, maxima and the like along them, and what is computed of these and
// of the elements. A softmax and a normalisation are such groups.
#pragma once

#include <optional>

#include "host_gpu/kernels/op_group.h"
#include "host_gpu/schedule/row_schedule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace vta::codegen {

/// A loop that ops of a group share, which elements of their buffers number.
struct RowLoop {
  int64_t extent = 1;
  int64_t in_results = 0;  // how far neighbours are in buffers of an element a row; 0: inside a row
  int64_t in_elements = 0;  // how far they are in buffers of all elements, if there are such
};

/// An op of a group.
struct RowOp {
  enum class Kind : uint8_t {
    kSum,        // of the elements of each row, in the widest sense
    kOfRow,      // element-wise, with an element a row
    kOfElement,  // element-wise, with all elements
  };
  mlir::linalg::LinalgOp op;
  Kind kind = Kind::kOfRow;
  mlir::SmallVector<int> loops{};       // of the group, by the op's loop; -1: it has one round
  mlir::Operation* combiner = nullptr;  // kSum: what adds a term to a partial sum, in any order

  mlir::Value result() const { return mlir::linalg::LinalgOp(op).getDpsInits().front(); }
};

struct RowGroup {
  mlir::SmallVector<RowLoop> loops{};  // those over rows, then those inside of them
  size_t row_loops = 0;
  std::vector<RowOp> ops{};

  mlir::ArrayRef<RowLoop> overRows() const { return llvm::ArrayRef(loops).take_front(row_loops); }
  mlir::ArrayRef<RowLoop> insideRows() const { return llvm::ArrayRef(loops).drop_front(row_loops); }
};

/// What `group` is if it has a sum. None: an op of it reads elements of other rows or another order
/// than the group writes them, or sums of it have to be added one after the other.
std::optional<RowGroup> matchRows(const OpGroup& group);

RowSpec rowSpecOf(const RowGroup& group);

/// The schedule of a group that has several sums, or in which invocations have to share a row; none
/// for others, and for those for which no schedule is good.
std::optional<RowSchedule> scheduleOfRows(const RowGroup& group);

}  // namespace vta::codegen
