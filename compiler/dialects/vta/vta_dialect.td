//===- vta_dialect.td - the vta dialect --------------------------------------------------------===//

#ifndef VTA_COMPILER_DIALECTS_VTA_DIALECT
#define VTA_COMPILER_DIALECTS_VTA_DIALECT

include "mlir/IR/OpBase.td"

def Vta_Dialect : Dialect {
  let name = "vta";
  let cppNamespace = "::vta::compiler";
  let summary = "Kernels of the accelerator on packed tensors";
  let description = [{
    One op per offloaded kernel, and the packing around it. Packed layouts are those of
    compiler/kernel/desc/kernel_desc.h:

    - activations `[N/b][C/blk][H][W][b][blk]` i8;
    - weights `[OC/bo][IC/bi][KH][KW][bo][bi]` i8;
    - parameters `[param][OC/bo][b][bo]` i32.

    Lanes past the real channels or batch hold anything: the next weights are zero there, and nothing
    else mixes lanes.

    Discardable attributes on functions and calls: `vta.offload` (unit: a group that partitioning made),
    `vta.reference` (unit: computes what a kernel computes), `vta.layer`, `vta.op`, `vta.reason`
    (strings) and `vta.macs` (i64). `vta.any_value` (unit) on `graph.pad`: what is padded may hold anything.
  }];
  let usePropertiesForAttributes = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

#endif  // VTA_COMPILER_DIALECTS_VTA_DIALECT
