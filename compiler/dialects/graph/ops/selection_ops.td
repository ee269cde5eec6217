// What picks elements by their values. Results have their largest size; entries without a meaning
// hold a fixed number.

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS_SELECTION
#define VTA_COMPILER_DIALECTS_GRAPH_OPS_SELECTION

include "compiler/dialects/graph/ops/base.td"

def Graph_CompactOp : Graph_Op<"compact"> {
  let summary = "the positions of the elements that are true, in ascending order";
  let description = [{
    mask [N] of i1 -> [N] of i64. The entries behind the last position are 0.

    ```mlir
    %p = graph.compact %mask : (tensor<100xi1>) -> tensor<100xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$mask);
  let results = (outs Graph_Tensor:$output);
}

def Graph_TopOp : Graph_Op<"top"> {
  let summary = "the positions of the largest or smallest elements of every row, in order";
  let description = [{
    input [R, N] -> [R, K] of i64, K at most N: the K largest of each row, from the largest down, or
    the K smallest from the smallest up. Of equal elements the first one comes first. NaN comes last.

    ```mlir
    %p = graph.top %x {largest = true} : (tensor<2x8400xf32>) -> tensor<2x100xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, BoolAttr:$largest);
  let results = (outs Graph_Tensor:$output);
}

def Graph_SuppressOp : Graph_Op<"suppress", [AttrSizedOperandSegments]> {
  let summary = "non-maximum suppression: the boxes that overlap no box of a higher score too much";
  let description = [{
    boxes [B, N, 4] and scores [B, C, N] of f32 -> [B, C, M] of i64: for each batch and class the
    positions of the boxes that are selected, from the highest score down, and -1 behind the last one.
    At most `limit` are selected (an i64, 0-D, clamped to [0, M]). Of equal scores the first box comes
    first. A box takes part if its position is below `count` (i64, 0-D), where that is given, and its
    score is above `score_threshold` (f32, 0-D), where that is given; a score that is NaN never does.
    A box is dropped if its intersection over union with a selected one is above `iou_threshold`
    (f32, 0-D). Coordinates are two opposite corners, or centre and extents if `center`.

    ```mlir
    %s = graph.suppress %boxes, %scores, %limit, %iou score %least {center = false}
        : tensor<1x100x4xf32>, tensor<1x3x100xf32>, tensor<i64>, tensor<f32>, tensor<f32>
        -> tensor<1x3x20xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$boxes, Graph_Tensor:$scores, Graph_Tensor:$limit,
      Graph_Tensor:$iou_threshold, Optional<Graph_Tensor>:$score_threshold,
      Optional<Graph_Tensor>:$count, BoolAttr:$center);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = [{
    $boxes `,` $scores `,` $limit `,` $iou_threshold (`score` $score_threshold^)? (`count` $count^)?
    attr-dict `:` type($boxes) `,` type($scores) `,` type($limit) `,` type($iou_threshold)
    (`,` type($score_threshold)^)? (`,` `count` type($count)^)? `->` type($output)
  }];
}

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS_SELECTION
