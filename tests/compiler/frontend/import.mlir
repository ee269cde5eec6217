// The example model through vta-translate, and what the tool says about wrong arguments.
// REQUIRES: vta-translate
// RUN: vta-translate --import-onnx %examples/digits/digits.onnx --mlir-elide-elementsattrs-if-larger=16 | FileCheck %s
// RUN: vta-translate --import-onnx %examples/digits/digits.onnx | vta-opt --graph-optimize --mlir-elide-elementsattrs-if-larger=16 | FileCheck %s --check-prefix=OPTIMIZED
// RUN: not vta-translate --import-onnx %examples/digits/digits.onnx --shape N 2>&1 | FileCheck %s --check-prefix=BINDING
// RUN: not vta-translate --import-onnx %examples/digits/digits.onnx --shape M=2 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not vta-translate --import-onnx %s 2>&1 | FileCheck %s --check-prefix=GARBAGE

// CHECK: func.func @main(%arg0: tensor<1x1x32x32xf32> {graph.name = "image"
// CHECK-SAME: -> (tensor<1x10xf32> {graph.name = "probabilities"
// CHECK: graph.conv %arg0
// CHECK: return

// OPTIMIZED: graph.conv
// OPTIMIZED-NOT: graph.batch_norm
// OPTIMIZED: return

// BINDING: --shape expects NAME=VALUE, got 'N'
// SYMBOL: --shape M=2: no input has a symbolic dimension of this name; there is none
// GARBAGE: import.mlir: not an ONNX model
