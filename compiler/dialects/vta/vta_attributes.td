//===- vta_attributes.td - kernels and schedules as attributes ---------------------------------===//
//
// Each attribute holds a struct of the kernel half as it is, so the compiler reads and writes it
// without a conversion. attributes.cpp has the text forms.
//
//===------------------------------------------------------------------------------------------===//

#ifndef VTA_COMPILER_DIALECTS_VTA_ATTRIBUTES
#define VTA_COMPILER_DIALECTS_VTA_ATTRIBUTES

include "compiler/dialects/vta/vta_dialect.td"
include "mlir/IR/AttrTypeBase.td"

class Vta_Attr<string name, string attr_mnemonic> : AttrDef<Vta_Dialect, name> {
  let mnemonic = attr_mnemonic;
  let hasCustomAssemblyFormat = 1;
}

/// A parameter that is read by reference.
class Vta_Struct<string type, string text> : AttrParameter<type, text, "const " # type # "&">;

def Vta_KernelAttr : Vta_Attr<"Kernel", "kernel"> {
  let summary = "what one offloaded kernel computes";
  let description = [{
    Holds a `kernel::KernelDesc`; compiler/kernel/desc/kernel_desc.h describes its fields. The text
    begins with the kind (`contraction`, `max_pool`, `sum_pool` or `elementwise`). Fields follow, in any
    order; those with default values may be left out:

    - `name`: the layer, a string;
    - `geometry`: extents, strides, dilations, pads, groups, and where the output is stored: interleaving, crops and,
      where these are negative, the `border`: `edge`, `reflect` or `wrap`;
    - `num_params`: how many parameter vectors the kernel has;
    - `epilogue`: ALU operations on the accumulators. Each one is its name and the source of its second
      operand: `imm` and a number, `param` and the index of a parameter vector, `residual`, or `self`. A QMUL
      by a parameter has its shift in `imm` as well;
    - `weight_layout`: where the weights lie: in `tiles`, or as the activation that another kernel has
      stored, whose rows are `output_rows` or `input_rows`;
    - `factor_blocks`: after how many input blocks accumulators are multiplied by a parameter, where weights
      have factors;
    - `residual`: the operations on the second activation, before the epilogue uses it;
    - `residual_per_image`: whether that activation is one pixel for all of an image;
    - `pool`: a maximum over windows of the accumulators, before the epilogue;
    - `bias_exceeds_results` and `small_bias_blocks`: promises about constants that lowering uses;
    - `table`: the 256 results of `lut` steps, for -128 first.

    ```mlir
    #vta.kernel<contraction, geometry = {in_height = 8, in_width = 8, out_height = 8, out_width = 8,
                kernel_height = 3, kernel_width = 3, pad_top = 1, pad_left = 1, pad_bottom = 1,
                pad_right = 1}, num_params = 2, epilogue = [add param 0, qmul param 1 imm 20]>
    ```
  }];
  let parameters = (ins Vta_Struct<"::vta::kernel::KernelDesc", "the kernel">:$value);
  let genVerifyDecl = 1;
}

def Vta_ScheduleAttr : Vta_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel is run";
  let description = [{
    Holds a `kernel::Schedule`; compiler/kernel/desc/schedule.h describes its fields. Fields with default
    values may be left out:

    - `tile_height`, `tile_width`: output pixels of a tile;
    - `tile_out_blocks`, `tile_in_blocks`: channel blocks of a tile, and of one reduction step;
    - `tile_kernel_height`, `tile_kernel_width`: kernel rows and columns of one reduction step; 0 stands
      for the whole kernel;
    - `virtual_threads`: 2 to load while computing, else 1;
    - `order`: `weights_inner` or `weights_outer`, the loop over output-channel tiles;
    - `int8_through_gemm`: how int8 operands of pooling, element-wise kernels and residuals are loaded;
    - `skip_padding`: whether reductions leave out zero padding.

    The verifier checks the range of each field. Whether the schedule fits a kernel and a configuration
    is checked when they are known.

    ```mlir
    #vta.schedule<tile_height = 14, tile_width = 14, tile_out_blocks = 4, order = weights_outer>
    ```
  }];
  let parameters = (ins Vta_Struct<"::vta::kernel::Schedule", "the schedule">:$value);
  let genVerifyDecl = 1;
}

def Vta_ChainScheduleAttr : AttrDef<Vta_Dialect, "ChainSchedule"> {
  let mnemonic = "chain_schedule";
  let summary = "how a chain of two kernels is run";
  let description = [{
    The fields of `kernel::ChainSchedule` (compiler/kernel/chain/chain.h): the schedule of the second
    kernel, how many input blocks a reduction step of the first one has, and how many eighths of the
    scratchpads belong to the first one, 1 to 7.

    ```mlir
    #vta.chain_schedule<consumer = <tile_height = 14, tile_width = 14>, producer_in_blocks = 2,
                        inp_eighths = 4, wgt_eighths = 4, acc_eighths = 3>
    ```
  }];
  let parameters = (ins "ScheduleAttr":$consumer, "int64_t":$producer_in_blocks, "int64_t":$inp_eighths,
      "int64_t":$wgt_eighths, "int64_t":$acc_eighths);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif  // VTA_COMPILER_DIALECTS_VTA_ATTRIBUTES
