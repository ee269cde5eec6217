// Kernels over blocked activations, each a private function that is emitted once for each distinct
// specification. All take the host context, then buffers, the destination last.
#pragma once

#include <map>
#include <string>

#include "compiler/codegen/cpu/blocked/layout.h"
#include "compiler/codegen/llvm/target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen::blocked {

/// What happens to a result before it is stored.
struct Activation {
  enum class Kind { kNone, kRelu, kClip, kLeakyRelu };
  Kind kind = Kind::kNone;
  double low = 0, high = 0;  // kClip; kLeakyRelu: the slope in `low`

  std::string key() const;
};

struct ConvSpec {
  Layout in, out;
  bool depthwise = false;
  std::array<int64_t, 2> kernel = {1, 1}, strides = {1, 1}, dilations = {1, 1};
  std::array<int64_t, 2> pads = {0, 0};  // top, left; the input's halo is at least as large
  bool has_residual = false;
  Layout residual;  // the shape of `out`, perhaps with another halo
  Activation activation;
};

/// How a convolution's output is cut into what the vector registers hold.
struct ConvTile {
  int64_t out_blocks = 1;         // blocks of output channels
  int64_t rows = 1, columns = 1;  // of pixels
};
ConvTile chooseTile(const ConvSpec& spec, const CpuTraits& traits);

struct PoolSpec {
  Layout in, out;
  bool average = false;
  std::array<int64_t, 2> kernel, strides;
  std::array<int64_t, 2> pads;          // top, left
  std::array<int64_t, 4> counted_pads;  // average: how far beyond the image elements count
};

struct ElementwiseSpec {
  enum class Kind { kUnary, kAdd, kMul };
  Kind kind = Kind::kUnary;
  Layout lhs, rhs, out;  // rhs only for binary kinds
  Activation activation;
};

/// The kernels of one module.
class KernelLibrary {
 public:
  KernelLibrary(mlir::ModuleOp module, const CpuTraits& traits)
      : module_(module), traits_(traits) {}

  const CpuTraits& traits() const { return traits_; }

  /// (in, weight, bias, [residual], out). Weight: [O / (16 t)][I / ib][KH][KW][ib][16 t] with t the
  /// tile's out_blocks, depthwise [C / 16][KH][KW][16]; bias [O / 16][16].
  mlir::func::FuncOp conv(const ConvSpec& spec);
  /// (in, out)
  mlir::func::FuncOp pool(const PoolSpec& spec);
  /// (lhs, [rhs], out)
  mlir::func::FuncOp elementwise(const ElementwiseSpec& spec);
  /// (NCHW tensor, blocked)
  mlir::func::FuncOp pack(const Layout& layout);
  /// (blocked, NCHW tensor); `rows`: of a [1, C, 1, M] value to an [M, C] matrix.
  mlir::func::FuncOp unpack(const Layout& layout, bool rows);
  /// (in, out): copies all blocks of `in` to the blocks of `out` from `first_block` on.
  mlir::func::FuncOp copyBlocks(const Layout& in, const Layout& out, int64_t first_block);
  /// (out): zeros in the halo.
  mlir::func::FuncOp clearHalo(const Layout& layout);

 private:
  using Body = llvm::function_ref<void(mlir::ImplicitLocOpBuilder&, mlir::ValueRange)>;
  mlir::func::FuncOp get(const std::string& name, llvm::ArrayRef<mlir::Type> buffers, Body body);

  mlir::ModuleOp module_;
  CpuTraits traits_;
  std::map<std::string, mlir::func::FuncOp> functions_;
};

}  // namespace vta::codegen::blocked
