//===- vta_ops.td - the vta dialect ------------------------------------------------------------===//
//
// Offloaded kernels on packed tensors, and the layout changes around them. See docs/compiler.md for
// the phases.
//
//===------------------------------------------------------------------------------------------===//

#ifndef VTA_COMPILER_DIALECTS_VTA_OPS
#define VTA_COMPILER_DIALECTS_VTA_OPS

include "compiler/dialects/vta/vta_attributes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Vta_Op<string mnemonic, list<Trait> traits = []> :
    Op<Vta_Dialect, mnemonic, !listconcat([Pure], traits)>;

def Vta_Activation : StaticShapeTensorOf<[I8]>;
/// What the host computes on between kernels has other types too.
def Vta_Packable : StaticShapeTensorOf<[I8, I32, F32]>;
def Vta_Parameter : StaticShapeTensorOf<[I32]>;
/// An encoded program (isa/program/program.h) as a resource, which is no part of the text of the op.
def Vta_Program : Attr<CPred<"::llvm::isa<::mlir::DenseI8ResourceElementsAttr>($_self)">,
                       "program, a resource of i8"> {
  let storageType = "::mlir::DenseI8ResourceElementsAttr";
  let returnType = "::mlir::DenseI8ResourceElementsAttr";
  let convertFromStorage = "$_self";
}

def Vta_KernelOp : Vta_Op<"kernel", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one offloaded kernel";
  let description = [{
    Runs on the accelerator what `reference`, a function of the same operands in the same order
    (input, weight, param, residual; absent ones left out), computes on the host, bit for bit in every
    real lane. `desc` says what that is, and the operands' shapes agree with it. `layer` and `op` are for
    reports; `macs` counts the layer's own multiply-accumulates, without padding.

    `weight_width_bits` is there when weights are narrower than 8 bits. Then `weight` holds them as they
    lie in memory, `[OC/bo][IC/bi][KH][KW][bo * bi * width / 8]` bytes.

    `schedule` says how the kernel runs. `vta-choose-schedules` sets it, and `schedule_origin` with it,
    which says where it comes from. `vta-lower-kernels` sets `program`, the program that runs.

    ```mlir
    %o = vta.kernel @conv1_ref(%x) weight(%w : tensor<1x1x3x3x16x16xi8>)
        param(%p : tensor<1x1x1x16xi32>) {
          desc = #vta.kernel<contraction, geometry = {in_height = 8, in_width = 8, out_height = 8,
              out_width = 8, kernel_height = 3, kernel_width = 3, pad_top = 1, pad_left = 1,
              pad_bottom = 1, pad_right = 1}, num_params = 1, epilogue = [add param 0]>,
          schedule = #vta.schedule<tile_height = 4, tile_width = 8>,
          layer = "conv1", op = "Conv", macs = 147456 : i64
        } : tensor<1x1x8x8x1x16xi8> -> tensor<1x1x8x8x1x16xi8>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$reference, Vta_Activation:$input,
      Optional<Vta_Activation>:$weight, Optional<Vta_Parameter>:$param,
      Optional<Vta_Activation>:$residual, Vta_KernelAttr:$desc,
      OptionalAttr<Vta_ScheduleAttr>:$schedule, OptionalAttr<StrAttr>:$schedule_origin,
      OptionalAttr<Vta_Program>:$program, OptionalAttr<I64Attr>:$weight_width_bits, StrAttr:$layer, StrAttr:$op, I64Attr:$macs);
  let results = (outs Vta_Activation:$output);
  let assemblyFormat = [{
    $reference `(` $input `)` (`weight` `(` $weight^ `:` type($weight) `)`)?
    (`param` `(` $param^ `:` type($param) `)`)? (`residual` `(` $residual^ `:` type($residual) `)`)?
    attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
}

def Vta_ChainOp : Vta_Op<"chain", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "two offloaded kernels as one program";
  let description = [{
    Two kernels of which the second one reads from the scratchpads what the first one computes
    (extension `handover`, [chains](../kernels.md#chains)). `first_desc`, `first_weight` and
    `first_param` are the first one's, everything else is the second one's. `reference` is a function of
    the same operands in the same order. `layer` and `op` name both kernels, and `macs` counts both.
    The attributes `weight_width_bits` and `program` are as those of `vta.kernel`.

    ```mlir
    %o = vta.chain @expand_depthwise_ref(%x) first_weight(%w : tensor<2x1x1x1x16x16xi8>)
        weight(%v : tensor<2x1x3x3x16x16xi8>) {
          first_desc = #vta.kernel<contraction, geometry = {out_channel_blocks = 2, in_height = 8,
              in_width = 8, out_height = 8, out_width = 8}>,
          desc = #vta.kernel<contraction, geometry = {in_channel_blocks = 2, out_channel_blocks = 2,
              groups = 2, in_height = 8, in_width = 8, out_height = 8, out_width = 8,
              kernel_height = 3, kernel_width = 3, pad_top = 1, pad_left = 1, pad_bottom = 1,
              pad_right = 1}>,
          schedule = #vta.chain_schedule<consumer = <tile_height = 4, tile_width = 8>,
              producer_in_blocks = 1, inp_eighths = 4, wgt_eighths = 4, acc_eighths = 4>,
          layer = "expand+depthwise", op = "Conv+Conv", macs = 69632 : i64
        } : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$reference, Vta_Activation:$input,
      Vta_Activation:$first_weight, Optional<Vta_Parameter>:$first_param, Vta_Activation:$weight,
      Optional<Vta_Parameter>:$param, Optional<Vta_Activation>:$residual, Vta_KernelAttr:$first_desc,
      Vta_KernelAttr:$desc, Vta_ChainScheduleAttr:$schedule, OptionalAttr<Vta_Program>:$program,
      OptionalAttr<I64Attr>:$weight_width_bits, StrAttr:$layer, StrAttr:$op, I64Attr:$macs);
  let results = (outs Vta_Activation:$output);
  let assemblyFormat = [{
    $reference `(` $input `)` `first_weight` `(` $first_weight `:` type($first_weight) `)`
    (`first_param` `(` $first_param^ `:` type($first_param) `)`)? `weight` `(` $weight `:` type($weight) `)`
    (`param` `(` $param^ `:` type($param) `)`)? (`residual` `(` $residual^ `:` type($residual) `)`)?
    attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
}

def Vta_ProgramOp : Vta_Op<"program", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a program of the user's";
  let description = [{
    Runs a tile kernel ([tile-kernels.md](../tile-kernels.md)), whose program is there already. `buffers` names the program's
    buffers of the inputs and then of the outputs; micro-ops have none. Inputs are packed activations, weights and int32
    values, as the kernel reads them. `reference` is a function of the same operands and results. `layer`, `op` and `macs` are
    as those of `vta.kernel`.

    ```mlir
    %y = vta.program @matmul_ref(%x, %w) {
          buffers = ["x", "w", "y"], program = dense_resource<matmul> : tensor<4096xi8>,
          layer = "product", op = "matmul", macs = 65536 : i64
        } : (tensor<1x16x1x1x1x16xi8>, tensor<16x16x1x1x16x16xi8>) -> tensor<1x16x1x1x1x16xi8>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$reference, Variadic<Vta_Packable>:$inputs, StrArrayAttr:$buffers,
      Vta_Program:$program, StrAttr:$layer, StrAttr:$op, I64Attr:$macs);
  let results = (outs Variadic<Vta_Activation>:$outputs);
  let assemblyFormat = "$reference `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

def Vta_PackOp : Vta_Op<"pack"> {
  let summary = "plain tensor to packed activations";
  let description = [{
    `[N, C, H, W]` becomes `[N/b][C/blk][H][W][b][blk]`; a matrix `[M, K]` becomes
    `[1][K/blk][1][M/b][b][blk]`. Batch and block are the result's last two extents; counts are rounded
    up, and the lanes past the end are unspecified.

    ```mlir
    %p = vta.pack %x : tensor<1x20x8x8xi8> -> tensor<1x2x8x8x1x16xi8>
    ```
  }];
  let arguments = (ins Vta_Packable:$input);
  let results = (outs Vta_Packable:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Vta_UnpackOp : Vta_Op<"unpack"> {
  let summary = "packed activations to a plain tensor";
  let description = [{
    The inverse of `vta.pack`; lanes past the end are dropped.

    ```mlir
    %x = vta.unpack %p : tensor<1x2x8x8x1x16xi8> -> tensor<1x20x8x8xi8>
    ```
  }];
  let arguments = (ins Vta_Packable:$input);
  let results = (outs Vta_Packable:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Vta_ConcatOp : Vta_Op<"concat"> {
  let summary = "packed activations placed behind each other";
  let description = [{
    Joins tensors along `axis`, whose parts then lie one behind the other because all extents in front
    are 1. Nothing runs for it: each input is written to its place in the result's buffer. So an input
    is not a constant, and is not an input of anything else that is joined.

    ```mlir
    %j = vta.concat %a, %b {axis = 1 : i64}
        : (tensor<1x4x8x8x1x16xi8>, tensor<1x2x8x8x1x16xi8>) -> tensor<1x6x8x8x1x16xi8>
    ```
  }];
  let arguments = (ins Variadic<Vta_Activation>:$inputs, I64Attr:$axis);
  let results = (outs Vta_Activation:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, $output)";
  let hasVerifier = 1;
}

def Vta_SliceOp : Vta_Op<"slice"> {
  let summary = "a range of packed activations, where it lies";
  let description = [{
    The elements of `input` from `start` on along `axis`, as many as the result has. All extents in front
    of the axis are 1, so they lie in a row. Nothing runs for it: who reads the result reads a part of the
    input's buffer.

    ```mlir
    %s = vta.slice %x {axis = 1 : i64, start = 2 : i64}
        : tensor<1x4x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
    ```
  }];
  let arguments = (ins Vta_Activation:$input, I64Attr:$axis, I64Attr:$start);
  let results = (outs Vta_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------------------------===//
// Instructions, for reading and tests
//===------------------------------------------------------------------------------------------===//

class Vta_InsnOp<string mnemonic, list<Trait> traits = []> : Op<Vta_Dialect, mnemonic, traits> {
  let assemblyFormat = "attr-dict";
}

class Vta_MemInsnOp<string mnemonic> : Vta_InsnOp<mnemonic> {
  let arguments = (ins StrAttr:$memory, OptionalAttr<StrAttr>:$buffer, I64Attr:$sram_base,
      I64Attr:$dram_base, I64Attr:$y_size, I64Attr:$x_size, I64Attr:$x_stride,
      OptionalAttr<DenseI64ArrayAttr>:$pads, UnitAttr:$pad_min, OptionalAttr<StrArrayAttr>:$tokens);
}

def Vta_LoadOp : Vta_MemInsnOp<"load"> {
  let summary = "LOAD instruction";
  let description = [{
    One instruction of a program, made on demand by `vta-translate --program-to-vta`; the compiler
    itself never holds instructions as ops. Sizes and strides are in elements of `memory`; `buffer` is
    the relocation that `dram_base` counts from; `pads` is [y_0, y_1, x_0, x_1]; `tokens` lists
    pop_prev, pop_next, push_prev and push_next. See docs/isa.md.

    ```mlir
    vta.load {memory = "INP", buffer = "input", sram_base = 0 : i64, dram_base = 0 : i64,
              y_size = 8 : i64, x_size = 8 : i64, x_stride = 8 : i64,
              pads = array<i64: 1, 1, 1, 1>, tokens = ["push_next"]}
    ```
  }];
}

def Vta_StoreOp : Vta_MemInsnOp<"store"> {
  let summary = "STORE instruction";
  let description = [{
    Fields as in `vta.load`; stores have no padding.

    ```mlir
    vta.store {memory = "OUT", buffer = "output", sram_base = 0 : i64, dram_base = 0 : i64,
               y_size = 1 : i64, x_size = 8 : i64, x_stride = 8 : i64, tokens = ["pop_prev"]}
    ```
  }];
}

def Vta_GemmOp : Vta_InsnOp<"gemm"> {
  let summary = "GEMM instruction";
  let description = [{
    `uops` is the range [begin, end) of micro-ops, `iterations` [out, in] the counts of the two loops
    around them. In each iteration a factor [out, in] is added to every micro-op's index of the
    accumulator (dst), input (src) or weight (wgt). `reset` clears the accumulators instead. With
    `taps` (extension depthwise) each output takes its own channel of so many consecutive inputs;
    `reset` then assigns the sum.

    ```mlir
    vta.gemm {uops = array<i64: 1, 7>, iterations = array<i64: 4, 3>, dst_factors = array<i64: 1, 0>,
              src_factors = array<i64: 1, 6>, wgt_factors = array<i64: 0, 3>, tokens = ["pop_prev"]}
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$uops, DenseI64ArrayAttr:$iterations,
      DenseI64ArrayAttr:$dst_factors, DenseI64ArrayAttr:$src_factors,
      DenseI64ArrayAttr:$wgt_factors, OptionalAttr<I64Attr>:$taps, UnitAttr:$reset,
      OptionalAttr<StrArrayAttr>:$tokens);
}

def Vta_AluOp : Vta_InsnOp<"alu"> {
  let summary = "ALU instruction";
  let description = [{
    Fields as in `vta.gemm`. `use_imm` takes `imm` instead of a second vector as the operand.

    ```mlir
    vta.alu {opcode = "SHR", uops = array<i64: 0, 1>, iterations = array<i64: 8, 1>,
             dst_factors = array<i64: 1, 0>, src_factors = array<i64: 1, 0>, imm = 6 : i64, use_imm}
    ```
  }];
  let arguments = (ins StrAttr:$opcode, DenseI64ArrayAttr:$uops, DenseI64ArrayAttr:$iterations,
      DenseI64ArrayAttr:$dst_factors, DenseI64ArrayAttr:$src_factors, I64Attr:$imm,
      UnitAttr:$use_imm, UnitAttr:$reset, OptionalAttr<StrArrayAttr>:$tokens);
}

def Vta_FinishOp : Vta_InsnOp<"finish"> {
  let summary = "FINISH instruction";
  let description = [{
    Ends the program: the device reports that it is done.

    ```mlir
    vta.finish {tokens = ["pop_next"]}
    ```
  }];
  let arguments = (ins OptionalAttr<StrArrayAttr>:$tokens);
}

#endif  // VTA_COMPILER_DIALECTS_VTA_OPS
