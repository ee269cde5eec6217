// Sums of products that have a kernel of their own, with what is computed along with them.
#pragma once

#include "host_gpu/kernels/contraction.h"
#include "host_gpu/kernels/gemm/gemm_epilogue.h"
#include "host_gpu/kernels/op_group.h"
#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

struct Product {
  Contraction contraction;
  InitialSums initial{};
  mlir::SmallVector<EpilogueStep> steps{};
  mlir::SmallVector<mlir::Operation*> constants{};  // that the steps use
};

/// The product of matrices that `contraction` is.
GemmSpec gemmSpecOf(const Contraction& contraction);

/// The contraction that `op` is, if it pays to compute it in blocks: one of a few rows or columns
/// has nothing to share.
std::optional<Contraction> matchBlocks(mlir::linalg::LinalgOp op);

/// What `group` is if it has such a contraction: in front of it is at most the op that its sums
/// begin with, and behind it are steps of an epilogue. None: it is something else.
std::optional<Product> matchProduct(const OpGroup& group);

}  // namespace vta::codegen
