// Operators that a library of the user's defines.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_OWN
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_OWN

include "compiler/dialects/graph/ops/base.td"

def Graph_OwnOp : Graph_Op<"own"> {
  let summary = "what a library of the user's computes";
  let description = [{
    The operator `operator_name` of `domain`, which a shared library defines (module/operators/include/vta/operator.h).
    Its results depend on nothing but `inputs` and `node_attributes`: integers, floats and texts.
    `present` says which of the node's inputs there are; `inputs` are those. The code of the CPU calls the
    library, and no other back end can.

    ```mlir
    %y = graph.own %x {domain = "my.domain", node_attributes = {factor = array<f32: 2.0>},
        operator_name = "Scale", present = array<i1: true>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$domain, StrAttr:$operator_name,
      DictionaryAttr:$node_attributes, DenseBoolArrayAttr:$present);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_OWN
