// Kernels over blocked activations, each a private function that is emitted once for each distinct
// specification. All take the host context, then buffers, the destination last.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host_cpu/blocked/layout.h"
#include "host_cpu/schedule/conv_schedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen::blocked {

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

/// Int8 results of one or two int8 images.
struct IntegerMapSpec {
  std::vector<Layout> images;  // of one shape
  Layout out;
  std::string finish;  // see integer_finish.h; without the sum
};

/// The kernels of one module.
class KernelLibrary {
 public:
  /// `find` says which schedules to take; empty: the defaults. Without `winograd` all are direct.
  KernelLibrary(mlir::ModuleOp module, const CpuTraits& traits, FindConvSchedule find = {},
                bool winograd = true)
      : module_(module), traits_(traits), find_(std::move(find)), winograd_(winograd) {}

  const CpuTraits& traits() const { return traits_; }

  /// What was found for the layer, if it is legal; else the default. It is one of the choices then.
  ConvSchedule scheduleOf(const ConvLayer& layer);
  const std::vector<ConvChoice>& choices() const { return choices_; }

  /// (in, weight, bias, [residual], [scratch], out). Weight: [O / (16 t)][I / ib][KH][KW][ib][16 t]
  /// with t the schedule's out_blocks, depthwise [C / 16][KH][KW][16]; bias [O / 16][16].
  ///
  /// With Winograd, weights are transformed, [O / (16 t)][positions][I / 16][16][16 t], and the
  /// scratch buffer takes the transformed inputs of a strip.
  ///
  /// In integers, weights are words: of four input channels, or of a depthwise layer's window
  /// positions, for an output channel. The bias is what sums begin with, and the constants of the
  /// finish behind it: [O / 16][1 + constants][16].
  mlir::func::FuncOp conv(const ConvSpec& spec, const ConvSchedule& schedule);
  /// (in, out)
  mlir::func::FuncOp pool(const PoolSpec& spec);
  /// (lhs, [rhs], out)
  mlir::func::FuncOp elementwise(const ElementwiseSpec& spec);
  /// (image, [second image], constants, out): constants [C / 16][1 + constants][16], the first of
  /// which are not looked at.
  mlir::func::FuncOp integerMap(const IntegerMapSpec& spec);
  /// (NCHW tensor, blocked); `rows`: of an [M, C] matrix, to a [1, C, 1, M] value.
  mlir::func::FuncOp pack(const Layout& layout, bool rows = false);
  /// (blocked, NCHW tensor); `rows`: of a [1, C, 1, M] value to an [M, C] matrix.
  mlir::func::FuncOp unpack(const Layout& layout, bool rows);
  /// (in, out): copies all blocks of `in` to the blocks of `out` from `first_block` on.
  mlir::func::FuncOp copyBlocks(const Layout& in, const Layout& out, int64_t first_block);
  /// (out): zeros in the halo, or in integers the int8 `value`.
  mlir::func::FuncOp clearHalo(const Layout& layout, int64_t value = 0);

 private:
  using Body = llvm::function_ref<void(mlir::ImplicitLocOpBuilder&, mlir::ValueRange)>;
  mlir::func::FuncOp get(const std::string& name, llvm::ArrayRef<mlir::Type> buffers, Body body);

  mlir::ModuleOp module_;
  CpuTraits traits_;
  FindConvSchedule find_;
  bool winograd_;
  std::vector<ConvChoice> choices_;
  std::map<std::string, mlir::func::FuncOp> functions_;
};

}  // namespace vta::codegen::blocked
