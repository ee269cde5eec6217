// RUN: vta-opt %s --split-input-file --verify-diagnostics

// One case per rule of the verifiers.

func.func @f(%x: tensor<4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects an input of rank 4, got [4, 8, 8]}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{expects a weight of rank 4, got [6, 4, 3]}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{group 3 does not divide the 4 input channels}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 3 : i64}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x1x3x3xf32>) {
  // expected-error@+1 {{group 4 does not divide the 6 output channels}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 4 : i64}
      : (tensor<1x4x8x8xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x3x3x3xf32>) {
  // expected-error@+1 {{weight [6, 3, 3, 3] is for 3 input channels, but the input [1, 4, 8, 8] has 4}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{expects a bias of shape [6], got [5]}}
  %0 = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<5xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects 2 values in 'strides', got 1}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects 4 values in 'pads', got 2}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects 2 values in 'dilations', got 3}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects positive strides, got [0, 1]}}
  %0 = graph.conv %x, %w {strides = array<i64: 0, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects positive dilations, got [1, -1]}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, -1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects pads of at least 0, got [0, -1, 0, 0]}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, -1, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x9x3xf32>) {
  // expected-error@+1 {{the window needs 9 rows, but the padded input has 8}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x9x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x0x3xf32>) {
  // expected-error@+1 {{expects a kernel of positive extents, got [0, 3]}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x0x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects a result of shape [1, 6, 6, 6], got [1, 6, 6, 7]}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x7xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf64>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects operands of element type 'f32' or 'i8', got 'f64'}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf64>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xi8>) {
  // expected-error@+1 {{expects operands of one type, thus a second one of element type 'f32', got 'i8'}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xi8>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xi8>, %w: tensor<6x4x3x3xi8>, %b: tensor<6xf32>) {
  // expected-error@+1 {{expects a bias of element type 'i32', got 'f32'}}
  %0 = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>, tensor<6xf32>) -> tensor<1x6x6x6xi32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xi8>, %w: tensor<6x4x3x3xi8>) {
  // expected-error@+1 {{expects a result of element type 'i32', got 'i8'}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>) -> tensor<1x6x6x6xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+1 {{expects pad_value 0 for f32, got 1}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, pad_value = 1 : i64}
      : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xi8>, %w: tensor<6x4x3x3xi8>) {
  // expected-error@+1 {{expects a pad_value in [-128, 127], got 128}}
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, pad_value = 128 : i64}
      : (tensor<1x4x8x8xi8>, tensor<6x4x3x3xi8>) -> tensor<1x6x6x6xi32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{weight [3, 2, 2, 2] is for 3 input channels, but the input [1, 4, 8, 8] has 4}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<3x2x2x2xf32>) -> tensor<1x2x9x9xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x2x2xf32>) {
  // expected-error@+1 {{expects 2 values in 'output_padding', got 1}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0>} : (tensor<1x4x8x8xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x9x9xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x2x2xf32>) {
  // expected-error@+1 {{leave an output extent of 0}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 9, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x9x9xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x2x2xf32>) {
  // expected-error@+1 {{leave an output extent of 8}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: -1, 0>} : (tensor<1x4x8x8xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x9x9xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x2x2xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expects a bias of shape [2], got [4]}}
  %0 = graph.conv_transpose %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x2x2x2xf32>, tensor<4xf32>) -> tensor<1x2x9x9xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x2x2xf32>) {
  // expected-error@+1 {{expects a result of shape [1, 2, 9, 9], got [1, 2, 8, 9]}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x2x2x2xf32>) -> tensor<1x2x8x9xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{expects operands of rank 2 or more, got [4] and [4, 5]}}
  %0 = graph.matmul %x, %y : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{the inner dimensions of [2, 3] and [4, 5] differ}}
  %0 = graph.matmul %x, %y : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<3x4x5xf32>) {
  // expected-error@+1 {{shapes [2] and [3] do not broadcast}}
  %0 = graph.matmul %x, %y : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<3x3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %p: tensor<4xf32>) {
  // expected-error@+1 {{expects an input of rank 2 or more, got [4]}}
  %0 = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 0.0 : f64}
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %p: tensor<3xf32>) {
  // expected-error@+1 {{expects parameters of shape [4], got [3]}}
  %0 = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 0.0 : f64}
      : (tensor<1x4x8x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %p: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of shape [1, 4, 8, 8], got [1, 4, 8, 9]}}
  %0 = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 0.0 : f64}
      : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x9xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects a result of element type 'f32', got 'i8'}}
  %0 = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects 2 values in 'kernel', got 1}}
  %0 = graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8x8xf32>) {
  // expected-error@+1 {{expects an input of rank 4, got [4, 8, 8]}}
  %0 = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<4x8x8xf32>) -> tensor<4x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects a result of shape [1, 4, 4, 4], got [1, 4, 4, 5]}}
  %0 = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xi8>) {
  // expected-error@+1 {{expects operands of element type 'f32', got 'i8'}}
  %0 = graph.avg_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xi8>) -> tensor<1x4x4x4xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects ceil_extra to hold two parts of the end pads, got [1, 0]}}
  %0 = graph.avg_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, ceil_extra = array<i64: 1, 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects an input of element type 'i8', got 'f32'}}
  %0 = graph.sum_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xi32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xi8>) {
  // expected-error@+1 {{expects a result of element type 'i32', got 'i8'}}
  %0 = graph.sum_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xi8>) -> tensor<1x4x4x4xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4xf32>) {
  // expected-error@+1 {{expects an input of rank 3 or more, got [1, 4]}}
  %0 = graph.lrn %x {size = 5 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects a positive size, got 0}}
  %0 = graph.lrn %x {size = 0 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{axis 4 is outside [0, 4)}}
  %0 = graph.softmax %x {axis = 4 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects a result of shape [1, 4, 8, 8], got [1, 4]}}
  %0 = graph.softmax %x {axis = 0 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of element type 'f32', got 'i8'}}
  %0 = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of shape [4], got [5]}}
  %0 = graph.unary relu %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of element type 'i1', got 'f32'}}
  %0 = graph.unary is_inf %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects an input of element type 'i1', got 'f32'}}
  %0 = graph.unary logical_not %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{expects operands of one element type, got 'f32' and 'i32'}}
  %0 = graph.binary add %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{shapes [4] and [3] do not broadcast}}
  %0 = graph.binary add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{expects a result of shape [2, 4], got [4]}}
  %0 = graph.binary add %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of element type 'f32', got 'i32'}}
  %0 = graph.binary add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of element type 'i1', got 'f32'}}
  %0 = graph.binary less %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error@+1 {{expects operands of element type 'i1', got 'i8'}}
  %0 = graph.binary logical_and %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @f(%k: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{expects a condition of element type 'i1', got 'f32'}}
  %0 = graph.where %k, %x, %y : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%k: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xi8>) {
  // expected-error@+1 {{expects operands of one element type, got 'f32' and 'i8'}}
  %0 = graph.where %k, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%k: tensor<3xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{shapes [3] and [4] do not broadcast}}
  %0 = graph.where %k, %x, %y : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi8>) {
  // expected-error@+1 {{expects operands of element type 'f32', got 'i8'}}
  %0 = graph.clip %x {min = 0.0 : f64, max = 1.0 : f64} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects min <= max, got 2.000000 and 1.000000}}
  %0 = graph.clip %x {min = 2.0 : f64, max = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of shape [4], got [5]}}
  %0 = graph.cast %x : (tensor<4xf32>) -> tensor<5xi8>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot bring 4 elements of shape [4] into shape [2, 3]}}
  %0 = graph.reshape %x : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects a result of element type 'f32', got 'i8'}}
  %0 = graph.reshape %x : (tensor<4xf32>) -> tensor<2x2xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 2 values in 'permutation', got 1}}
  %0 = graph.transpose %x {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{[1, 1] is not a permutation of 2 dimensions}}
  %0 = graph.transpose %x {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects a result of shape [3, 2], got [2, 3]}}
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shapes [2, 3] and [4, 3] do not broadcast}}
  %0 = graph.expand %x : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects a result of shape [2, 3], got [3]}}
  %0 = graph.expand %x : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expects at least one input}}
  %0 = graph.concat {axis = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{inputs [2, 3] and [2, 4] differ outside axis 0}}
  %0 = graph.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is outside [0, 2)}}
  %0 = graph.concat %x, %y {axis = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xi8>) {
  // expected-error@+1 {{expects a result of element type 'i8', got 'f32'}}
  %0 = graph.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xi8>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 2 values in 'starts', got 1}}
  %0 = graph.slice %x {starts = array<i64: 0>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 2 values in 'steps', got 3}}
  %0 = graph.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects a result of rank 2, got [2]}}
  %0 = graph.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{step 1 is 0}}
  %0 = graph.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{elements 1 to 3 of dimension 1 are outside [2, 3]}}
  %0 = graph.slice %x {starts = array<i64: 0, 1>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{elements 0 to -2 of dimension 1 are outside [2, 3]}}
  %0 = graph.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 2 values in 'low', got 1}}
  %0 = graph.pad constant %x {low = array<i64: 0>, high = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 2 values in 'high', got 1}}
  %0 = graph.pad constant %x {low = array<i64: 0, 0>, high = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{pads [-3, 0] and [0, 0] leave dimension 0 of [2, 3] negative}}
  %0 = graph.pad constant %x {low = array<i64: -3, 0>, high = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects a result of shape [3, 3], got [2, 3]}}
  %0 = graph.pad constant %x {low = array<i64: 1, 0>, high = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot reflect 2 elements of dimension 0 of [2, 3]}}
  %0 = graph.pad reflect %x {low = array<i64: 2, 0>, high = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{expects indices of element type 'i32' or 'i64', got 'f32'}}
  %0 = graph.gather %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<5xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<5xi64>) {
  // expected-error@+1 {{axis 2 is outside [0, 2)}}
  %0 = graph.gather %x, %y {axis = 2 : i64} : (tensor<2x3xf32>, tensor<5xi64>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<5xi64>) {
  // expected-error@+1 {{expects a result of shape [5, 3], got [2, 3]}}
  %0 = graph.gather %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%i: tensor<4x2xi64>) {
  // expected-error@+1 {{expects one extent, or one for each position in the last dimension of [4, 2], got 3}}
  %0 = graph.check_indices %i {extents = array<i64: 1, 2, 3>, node = "n"}
      : (tensor<4x2xi64>) -> tensor<4x2xi64>
  return
}

// -----

func.func @f(%i: tensor<4xf32>) {
  // expected-error@+1 {{expects indices of element type 'i32' or 'i64', got 'f32'}}
  %0 = graph.check_indices %i {extents = array<i64: 1>, node = "n"}
      : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<4xi64>, %u: tensor<4x2xf32>) {
  // expected-error@+1 {{expects [D, K], [M] and [M, K], got [2, 3], [4] and [4, 2]}}
  %0 = graph.scatter %x, %i, %u : (tensor<2x3xf32>, tensor<4xi64>, tensor<4x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<4xf32>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{expects indices of element type 'i32' or 'i64', got 'f32'}}
  %0 = graph.scatter %x, %i, %u : (tensor<2x3xf32>, tensor<4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<4xi64>, %u: tensor<4x3xi32>) {
  // expected-error@+1 {{expects updates of element type 'f32', got 'i32'}}
  %0 = graph.scatter %x, %i, %u : (tensor<2x3xf32>, tensor<4xi64>, tensor<4x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<4xi64>, %u: tensor<4x3xf32>) {
  // expected-error@+1 {{cannot combine numbers by 'less'}}
  %0 = graph.scatter %x, %i, %u {combine = 8 : i32} : (tensor<2x3xf32>, tensor<4xi64>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is outside [0, 2)}}
  %0 = graph.reduce sum %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects axes in increasing order, got [1, 0]}}
  %0 = graph.reduce sum %x {axes = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects a result of shape [3], got [2]}}
  %0 = graph.reduce sum %x {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi8>) {
  // expected-error@+1 {{expects an input of element type 'f32', got 'i8'}}
  %0 = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 0>, axis = 1 : i64} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects a result of element type 'i8' or 'ui8' or 'i16' or 'ui16', got 'i32'}}
  %0 = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 0>, axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{has 1 scales, but 2 zero points}}
  %0 = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 0, 0>, axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects finite scales that are not negative, got -0.500000}}
  %0 = graph.quantize %x {scales = array<f32: -0.5>, zero_points = array<i64: 0>, axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{has 2 scales for 3 indexes of axis 1}}
  %0 = graph.quantize %x {scales = array<f32: 0.5, 0.5>, zero_points = array<i64: 0, 0>, axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is outside [0, 2)}}
  %0 = graph.quantize %x {scales = array<f32: 0.5, 0.5>, zero_points = array<i64: 0, 0>, axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects an input of element type 'i8' or 'ui8' or 'i16' or 'ui16' or 'i32', got 'f32'}}
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 0>, axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi8>) {
  // expected-error@+1 {{expects a result of element type 'f32', got 'i8'}}
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 0>, axis = 1 : i64} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) {
  // expected-error@+1 {{expects a shift in [0, 62], got 63}}
  %0 = graph.qmul %x, %y {shift = 63 : i64} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi8>, %y: tensor<2x3xi32>) {
  // expected-error@+1 {{expects an input of element type 'i32', got 'i8'}}
  %0 = graph.qmul %x, %y {shift = 1 : i64} : (tensor<2x3xi8>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<3xi32>, %y: tensor<2x3xi32>) {
  // expected-error@+1 {{expects a second operand that broadcasts to [3], got [2, 3]}}
  %0 = graph.qmul %x, %y {shift = 1 : i64} : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %y: tensor<2x3xf32>) {
  // expected-error@+1 {{expects a second operand of element type 'i32', got 'f32'}}
  %0 = graph.shr %x, %y : (tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) {
  // expected-error@+1 {{expects a result of shape [2, 3], got [3]}}
  %0 = graph.shr %x, %y : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>) {
  // expected-error@+1 {{expects min <= max, got 1 and 0}}
  %0 = graph.clip_int %x {min = 1 : i64, max = 0 : i64} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects an input of element type 'i32' or 'i8', got 'f32'}}
  %0 = graph.clip_int %x {min = 0 : i64, max = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects 2 values in 'block', got 1}}
  %0 = graph.interleave %x {block = array<i64: 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x1x16x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects a block of positive extents, got [0, 2]}}
  %0 = graph.interleave %x {block = array<i64: 0, 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x1x16x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{4 channels are no multiple of 3}}
  %0 = graph.interleave %x {block = array<i64: 3, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x1x24x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{group 3 does not divide the 2 channels}}
  %0 = graph.interleave %x {block = array<i64: 2, 1>, groups = 3 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x2x16x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{expects a result of shape [1, 4, 16, 8], got [1, 2, 16, 8]}}
  %0 = graph.interleave %x {block = array<i64: 2, 1>, repeat = true} : (tensor<1x4x8x8xf32>) -> tensor<1x2x16x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xi1>) {
  // expected-error@+1 {{expects a list, got shape [2, 4]}}
  %0 = graph.compact %x : (tensor<2x4xi1>) -> tensor<2x4xi64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{the mask}}
  %0 = graph.compact %x : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{cannot pick [2, 5] of [2, 4]}}
  %0 = graph.top %x {largest = true} : (tensor<2x4xf32>) -> tensor<2x5xi64>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{the result}}
  %0 = graph.top %x {largest = true} : (tensor<2x4xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%b: tensor<1x8x4xf32>, %s: tensor<1x2x9xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{cannot pick [1, 2, 5] of boxes [1, 8, 4] with scores [1, 2, 9]}}
  %0 = graph.suppress %b, %s, %n, %t {center = true} : tensor<1x8x4xf32>, tensor<1x2x9xf32>, tensor<i64>, tensor<f32> -> tensor<1x2x5xi64>
  return
}

// -----

func.func @f(%b: tensor<1x8x4xf32>, %s: tensor<1x2x8xf32>, %n: tensor<1xi64>, %t: tensor<f32>) {
  // expected-error@+1 {{the limit has shape [1], expected a scalar}}
  %0 = graph.suppress %b, %s, %n, %t {center = true} : tensor<1x8x4xf32>, tensor<1x2x8xf32>, tensor<1xi64>, tensor<f32> -> tensor<1x2x5xi64>
  return
}

// -----

func.func @f(%c: tensor<1xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{the condition is}}
  %0 = "graph.if"(%c, %x) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }) : (tensor<1xi1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{a region's arguments do not have the types of the operands}}
  %0 = "graph.if"(%c, %x) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }, {
    %y = arith.constant dense<0.0> : tensor<4xf32>
    graph.yield %y : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{a region yields other types than the results}}
  %0 = "graph.if"(%c, %x) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%m: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{the states are not what the body takes and yields}}
  %0:2 = "graph.loop"(%m, %c, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    graph.yield %s, %s : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>)
  return
}

// -----

func.func @f(%m: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{do not fit}}
  %0:2 = "graph.loop"(%m, %c, %x) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %true = arith.constant dense<true> : tensor<i1>
    graph.yield %true, %s : tensor<i1>, tensor<4xf32>
  }) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<i64>, tensor<9x5xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{`present` has another number of inputs than there are}}
  %0 = graph.own %x {domain = "d", node_attributes = {}, operator_name = "Scale", present = array<i1: true, true>}
      : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{attribute 'table' is neither integers nor floats nor a text}}
  %0 = graph.own %x {domain = "d", node_attributes = {table = 1 : i64}, operator_name = "Scale",
      present = array<i1: true>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
