// Parts of a graph that run once, often or not at all, as data say.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_CONTROL
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_CONTROL

include "compiler/dialects/graph/ops/base.td"

include "mlir/Interfaces/ControlFlowInterfaces.td"

class Graph_RegionOp<string mnemonic, list<Trait> traits = []> :
    Op<Graph_Dialect, mnemonic, !listconcat([NoMemoryEffect, IsolatedFromAbove], traits)> {
  let hasVerifier = 1;
}

def Graph_IfOp : Graph_RegionOp<"if"> {
  let summary = "one of two graphs is computed";
  let description = [{
    Computes `then_region` if `condition`, a 0-D i1, is true, else `else_region`. Both get `inputs` as
    arguments, may not use other values from outside, and yield values of the result types.

    ```mlir
    %y = "graph.if"(%c, %x) ({
    ^bb0(%a: tensor<4xf32>):
      %n = graph.unary neg %a : (tensor<4xf32>) -> tensor<4xf32>
      graph.yield %n : tensor<4xf32>
    }, {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$condition, Variadic<Graph_Tensor>:$inputs);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
}

def Graph_LoopOp : Graph_RegionOp<"loop", [AttrSizedOperandSegments]> {
  let summary = "a graph is computed as often as data say";
  let description = [{
    Computes the body while `condition`, a 0-D i1, is true, at most `most` times, a 0-D i64.

    The body's arguments are the number of the iteration (0-D i64, from 0 on), the states and `inputs`.
    It may not use other values from outside. It yields the next condition, the next states, and any
    number of rows. The results are how often it ran (0-D i64), the last states, and for each row a
    tensor with one more dimension in front: the rows of all iterations, with zeros behind the last
    one. A tensor of rows has room for as many iterations as there may be.

    ```mlir
    %n, %last, %all = "graph.loop"(%most, %go, %x, %step) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
    ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %d: tensor<4xf32>):
      %sum = graph.binary add %s, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %true = arith.constant dense<true> : tensor<i1>
      graph.yield %true, %sum, %sum : tensor<i1>, tensor<4xf32>, tensor<4xf32>
    }) : (tensor<i64>, tensor<i1>, tensor<4xf32>, tensor<4xf32>)
        -> (tensor<i64>, tensor<4xf32>, tensor<10x4xf32>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$most, Graph_Tensor:$condition, Variadic<Graph_Tensor>:$states,
      Variadic<Graph_Tensor>:$inputs);
  let results = (outs Graph_Tensor:$count, Variadic<Graph_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
}

def Graph_YieldOp : Op<Graph_Dialect, "yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["IfOp", "LoopOp"]>]> {
  let summary = "what a graph inside of an op gives";
  let description = [{
    Ends a region of `graph.if` or `graph.loop`.

    ```mlir
    %y = "graph.if"(%c, %x) ({
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    }, {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_CONTROL
