// RUN: vta-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{kernel description: unknown key `colour`}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, colour = 1>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{the kind is 'fft'; legal: contraction, max_pool, sum_pool, elementwise}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<fft>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{expected integer value}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_width = x}>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{the ALU operation is 'power'; legal: min, max, add, shr, mul, qmul, clip, prelu}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, epilogue = [power imm 1]>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{integer value too large}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, epilogue = [add imm 4294967296]>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{the operand's source is 'weight'; legal: imm, param, residual}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, residual = [add weight 0]>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{schedule: unknown key `speed`}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>, schedule = #vta.schedule<speed = 1>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{geometry: key `in_width` appears twice}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_width = 1, in_width = 1}>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{phases must be positive}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {phases = 0}>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{order is 'sideways'; legal: weights_inner, weights_outer}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>, schedule = #vta.schedule<order = sideways>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{schedule: tile_height is 0; legal: at least 1}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>, schedule = #vta.schedule<tile_height = 0>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{schedule: virtual_threads is 3; legal: 1 to 2}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>, schedule = #vta.schedule<virtual_threads = 3>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{a program comes with the schedule that it was made from}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>, program = dense_resource<p> : tensor<4xi8>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{failed to satisfy constraint: program, a resource of i8}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>, program = dense<0> : tensor<4xi8>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{needs a weight operand}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<contraction>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %w: tensor<1x1x1x1x16x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{takes no weight operand}}
  %o = vta.kernel @ref(%x) weight(%w : tensor<1x1x1x1x16x16xi8>) {desc = #vta.kernel<elementwise>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{needs a param operand}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, num_params = 1>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{needs a residual operand}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, residual = []>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{activations must have rank 6}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{groups do not divide the channel blocks}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {groups = 2}>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{input has shape [1, 1, 1, 1, 1, 16], but the description needs [1, 1, 1, 3, 1, 16]}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {in_width = 3}>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{output has shape [1, 1, 1, 1, 1, 16], but the description needs [1, 1, 1, 3, 1, 16]}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise, geometry = {out_width = 3}>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %w: tensor<1x1x1x1x16x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{weights must have rank 5}}
  %o = vta.kernel @ref(%x) weight(%w : tensor<1x1x1x1x16x16xi8>) {desc = #vta.kernel<contraction>,
      weight_width_bits = 4 : i64, layer = "l", op = "Add", macs = 0 : i64}
      : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %w: tensor<1x1x1x1x100xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{a pixel of the input is not whole elements of INP}}
  %o = vta.kernel @ref(%x) weight(%w : tensor<1x1x1x1x100xi8>) {desc = #vta.kernel<contraction>,
      weight_width_bits = 4 : i64, layer = "l", op = "Add", macs = 0 : i64}
      : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %w: tensor<1x1x1x1x8x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{weight has shape [1, 1, 1, 1, 8, 16], but the description needs [1, 1, 1, 1, 16, 16]}}
  %o = vta.kernel @ref(%x) weight(%w : tensor<1x1x1x1x8x16xi8>) {desc = #vta.kernel<contraction>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %p: tensor<1x1x1x16xi32>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{param has shape [1, 1, 1, 16], but the description needs [2, 1, 1, 16]}}
  %o = vta.kernel @ref(%x) param(%p : tensor<1x1x1x16xi32>) {desc = #vta.kernel<elementwise, num_params = 2>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %r: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{residual has shape [1, 1, 1, 2, 1, 16], but the description needs [1, 1, 1, 1, 1, 16]}}
  %o = vta.kernel @ref(%x) residual(%r : tensor<1x1x1x2x1x16xi8>) {desc = #vta.kernel<elementwise, residual = []>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{the last window reaches past the padded input}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<max_pool, geometry = {kernel_width = 2}>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{reference @ref is not a function}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{reference @ref has type}}
  %o = vta.kernel @ref(%x) {desc = #vta.kernel<elementwise>,
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x8xi8>

// -----

func.func @pack(%x: tensor<20xi8>) -> tensor<1x2x8x8x1x16xi8> {
  // expected-error @+1 {{the plain tensor must have rank 4 (NCHW) or 2 (rows, channels)}}
  %p = vta.pack %x : tensor<20xi8> -> tensor<1x2x8x8x1x16xi8>
  return %p : tensor<1x2x8x8x1x16xi8>
}

// -----

func.func @pack(%x: tensor<4x20xi8>) -> tensor<1x2x8xi8> {
  // expected-error @+1 {{the packed tensor must have rank 6}}
  %p = vta.pack %x : tensor<4x20xi8> -> tensor<1x2x8xi8>
  return %p : tensor<1x2x8xi8>
}

// -----

func.func @unpack(%x: tensor<1x1x8x8x1x16xi8>) -> tensor<1x20x8x8xi8> {
  // expected-error @+1 {{the packed tensor should be 'tensor<1x2x8x8x1x16xi8>'}}
  %p = vta.unpack %x : tensor<1x1x8x8x1x16xi8> -> tensor<1x20x8x8xi8>
  return %p : tensor<1x20x8x8xi8>
}

// -----

func.func @concat(%x: tensor<1x2x4xi8>) -> tensor<1x4x4xi8> {
  // expected-error @+1 {{axis is 3, legal: 0 to 2}}
  %j = vta.concat %x, %x {axis = 3 : i64} : (tensor<1x2x4xi8>, tensor<1x2x4xi8>) -> tensor<1x4x4xi8>
  return %j : tensor<1x4x4xi8>
}

// -----

func.func @concat(%x: tensor<2x2x4xi8>) -> tensor<2x4x4xi8> {
  // expected-error @+1 {{the extents in front of the axis must be 1}}
  %j = vta.concat %x, %x {axis = 1 : i64} : (tensor<2x2x4xi8>, tensor<2x2x4xi8>) -> tensor<2x4x4xi8>
  return %j : tensor<2x4x4xi8>
}

// -----

func.func @concat(%x: tensor<1x2x4xi8>, %y: tensor<1x2x5xi8>) -> tensor<1x4x4xi8> {
  // expected-error @+1 {{an input has shape [1, 2, 5], the result [1, 4, 4]}}
  %j = vta.concat %x, %y {axis = 1 : i64} : (tensor<1x2x4xi8>, tensor<1x2x5xi8>) -> tensor<1x4x4xi8>
  return %j : tensor<1x4x4xi8>
}

// -----

func.func @concat(%x: tensor<1x2x4xi8>) -> tensor<1x5x4xi8> {
  // expected-error @+1 {{the inputs have 4 together along the axis, the result has 5}}
  %j = vta.concat %x, %x {axis = 1 : i64} : (tensor<1x2x4xi8>, tensor<1x2x4xi8>) -> tensor<1x5x4xi8>
  return %j : tensor<1x5x4xi8>
}

// -----

func.func @concat() -> tensor<1x5x4xi8> {
  // expected-error @+1 {{needs an input}}
  %j = "vta.concat"() {axis = 1 : i64} : () -> tensor<1x5x4xi8>
  return %j : tensor<1x5x4xi8>
}

// -----

func.func @slice(%x: tensor<1x2x4xi8>) -> tensor<1x1x4xi8> {
  // expected-error @+1 {{axis is 3, legal: 0 to 2}}
  %s = vta.slice %x {axis = 3 : i64, start = 0 : i64} : tensor<1x2x4xi8> -> tensor<1x1x4xi8>
  return %s : tensor<1x1x4xi8>
}

// -----

func.func @slice(%x: tensor<1x2x4xi8>) -> tensor<1x2x3xi8> {
  // expected-error @+1 {{the extents in front of the axis must be 1}}
  %s = vta.slice %x {axis = 2 : i64, start = 0 : i64} : tensor<1x2x4xi8> -> tensor<1x2x3xi8>
  return %s : tensor<1x2x3xi8>
}

// -----

func.func @slice(%x: tensor<1x2x4xi8>) -> tensor<1x1x3xi8> {
  // expected-error @+1 {{the input has shape [1, 2, 4], the result [1, 1, 3]}}
  %s = vta.slice %x {axis = 1 : i64, start = 0 : i64} : tensor<1x2x4xi8> -> tensor<1x1x3xi8>
  return %s : tensor<1x1x3xi8>
}

// -----

func.func @slice(%x: tensor<1x2x4xi8>) -> tensor<1x1x4xi8> {
  // expected-error @+1 {{takes 1 from 2 on along the axis, which has 2}}
  %s = vta.slice %x {axis = 1 : i64, start = 2 : i64} : tensor<1x2x4xi8> -> tensor<1x1x4xi8>
  return %s : tensor<1x1x4xi8>
}

// -----

func.func @main(%x: tensor<1x1x8x8x1x16xi8>, %w: tensor<2x1x1x1x16x16xi8>, %p: tensor<1x2x1x16xi32>,
                %v: tensor<2x1x3x3x16x16xi8>, %r: tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  // expected-error @+1 {{takes no param operand}}
  %o = vta.chain @ref(%x) first_weight(%w : tensor<2x1x1x1x16x16xi8>)
      first_param(%p : tensor<1x2x1x16xi32>) weight(%v : tensor<2x1x3x3x16x16xi8>) residual(%r : tensor<1x2x8x8x1x16xi8>) {
        first_desc = #vta.kernel<contraction, geometry = {out_channel_blocks = 2, in_height = 8, in_width = 8,
            out_height = 8, out_width = 8}, num_params = 0>,
        desc = #vta.kernel<contraction, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2,
            in_height = 8, in_width = 8, out_height = 8, out_width = 8, kernel_height = 3, kernel_width = 3,
            pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1}, epilogue = [add residual], residual = []>,
        schedule = #vta.chain_schedule<consumer = <tile_height = 4, tile_width = 8>, producer_in_blocks = 1,
            inp_eighths = 4, wgt_eighths = 4, acc_eighths = 4>,
        layer = "a+b", op = "Conv+Conv", macs = 69632 : i64
      } : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %o : tensor<1x2x8x8x1x16xi8>
}
func.func private @ref(tensor<1x1x8x8x1x16xi8>, tensor<2x1x1x1x16x16xi8>, tensor<1x2x1x16xi32>, tensor<2x1x3x3x16x16xi8>,
    tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> attributes {vta.reference}

// -----

func.func @main(%x: tensor<1x1x8x8x1x16xi8>, %w: tensor<2x1x1x1x16x16xi8>, %p: tensor<1x2x1x16xi32>,
                %v: tensor<2x1x3x3x16x16xi8>, %r: tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  // expected-error @+1 {{needs a residual operand}}
  %o = vta.chain @ref(%x) first_weight(%w : tensor<2x1x1x1x16x16xi8>)
      first_param(%p : tensor<1x2x1x16xi32>) weight(%v : tensor<2x1x3x3x16x16xi8>) {
        first_desc = #vta.kernel<contraction, geometry = {out_channel_blocks = 2, in_height = 8, in_width = 8,
            out_height = 8, out_width = 8}, num_params = 1, epilogue = [add param 0]>,
        desc = #vta.kernel<contraction, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2,
            in_height = 8, in_width = 8, out_height = 8, out_width = 8, kernel_height = 3, kernel_width = 3,
            pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1}, epilogue = [add residual], residual = []>,
        schedule = #vta.chain_schedule<consumer = <tile_height = 4, tile_width = 8>, producer_in_blocks = 1,
            inp_eighths = 4, wgt_eighths = 4, acc_eighths = 4>,
        layer = "a+b", op = "Conv+Conv", macs = 69632 : i64
      } : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %o : tensor<1x2x8x8x1x16xi8>
}
func.func private @ref(tensor<1x1x8x8x1x16xi8>, tensor<2x1x1x1x16x16xi8>, tensor<1x2x1x16xi32>, tensor<2x1x3x3x16x16xi8>) -> tensor<1x2x8x8x1x16xi8> attributes {vta.reference}

// -----

func.func @main(%x: tensor<1x1x8x8x1x16xi8>, %w: tensor<2x1x1x1x16x16xi8>, %p: tensor<1x2x1x16xi32>,
                %v: tensor<2x1x3x3x16x16xi8>, %r: tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  // expected-error @+1 {{input has shape [1, 2, 8, 8, 1, 16], but the description needs [1, 1, 8, 8, 1, 16]}}
  %o = vta.chain @ref(%x) first_weight(%w : tensor<2x1x1x1x16x16xi8>)
      first_param(%p : tensor<1x2x1x16xi32>) weight(%v : tensor<2x1x3x3x16x16xi8>) residual(%r : tensor<1x2x8x8x1x16xi8>) {
        first_desc = #vta.kernel<contraction, geometry = {out_channel_blocks = 2, in_height = 8, in_width = 8,
            out_height = 8, out_width = 8}, num_params = 1, epilogue = [add param 0]>,
        desc = #vta.kernel<contraction, geometry = {out_channel_blocks = 2,
            in_height = 8, in_width = 8, out_height = 8, out_width = 8, kernel_height = 3, kernel_width = 3,
            pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1}, epilogue = [add residual], residual = []>,
        schedule = #vta.chain_schedule<consumer = <tile_height = 4, tile_width = 8>, producer_in_blocks = 1,
            inp_eighths = 4, wgt_eighths = 4, acc_eighths = 4>,
        layer = "a+b", op = "Conv+Conv", macs = 69632 : i64
      } : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %o : tensor<1x2x8x8x1x16xi8>
}
func.func private @ref(tensor<1x1x8x8x1x16xi8>, tensor<2x1x1x1x16x16xi8>, tensor<1x2x1x16xi32>, tensor<2x1x3x3x16x16xi8>,
    tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> attributes {vta.reference}

// -----

func.func @main(%x: tensor<1x1x8x8x1x16xi8>, %w: tensor<2x1x1x1x16x16xi8>, %p: tensor<1x2x1x16xi32>,
                %v: tensor<2x1x3x3x16x16xi8>, %r: tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> {
  // expected-error @+1 {{reference @ref has type}}
  %o = vta.chain @ref(%x) first_weight(%w : tensor<2x1x1x1x16x16xi8>)
      first_param(%p : tensor<1x2x1x16xi32>) weight(%v : tensor<2x1x3x3x16x16xi8>) residual(%r : tensor<1x2x8x8x1x16xi8>) {
        first_desc = #vta.kernel<contraction, geometry = {out_channel_blocks = 2, in_height = 8, in_width = 8,
            out_height = 8, out_width = 8}, num_params = 1, epilogue = [add param 0]>,
        desc = #vta.kernel<contraction, geometry = {in_channel_blocks = 2, out_channel_blocks = 2, groups = 2,
            in_height = 8, in_width = 8, out_height = 8, out_width = 8, kernel_height = 3, kernel_width = 3,
            pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1}, epilogue = [add residual], residual = []>,
        schedule = #vta.chain_schedule<consumer = <tile_height = 4, tile_width = 8>, producer_in_blocks = 1,
            inp_eighths = 4, wgt_eighths = 4, acc_eighths = 4>,
        layer = "a+b", op = "Conv+Conv", macs = 69632 : i64
      } : tensor<1x1x8x8x1x16xi8> -> tensor<1x2x8x8x1x16xi8>
  return %o : tensor<1x2x8x8x1x16xi8>
}
func.func private @ref(tensor<1x1x8x8x1x16xi8>, tensor<2x1x1x1x16x16xi8>, tensor<2x1x3x3x16x16xi8>,
    tensor<1x2x8x8x1x16xi8>) -> tensor<1x2x8x8x1x16xi8> attributes {vta.reference}

// -----

func.func @main(%a: tensor<1x2x1x1x1x16xi8>) -> tensor<1x2x1x1x1x16xi8> {
  // expected-error @+1 {{names 1 buffers of 2 inputs and outputs}}
  %y = vta.program @ref(%a) {
        buffers = ["a"], program = dense_resource<p> : tensor<4xi8>, layer = "a", op = "a", macs = 0 : i64
      } : (tensor<1x2x1x1x1x16xi8>) -> tensor<1x2x1x1x1x16xi8>
  return %y : tensor<1x2x1x1x1x16xi8>
}
func.func private @ref(tensor<1x2x1x1x1x16xi8>) -> tensor<1x2x1x1x1x16xi8>

// -----

func.func @main(%a: tensor<1x2x1x1x1x16xi8>) {
  // expected-error @+1 {{has no output}}
  vta.program @ref(%a) {
        buffers = ["a"], program = dense_resource<p> : tensor<4xi8>, layer = "a", op = "a", macs = 0 : i64
      } : (tensor<1x2x1x1x1x16xi8>) -> ()
  return
}
func.func private @ref(tensor<1x2x1x1x1x16xi8>)

// -----

func.func @main(%a: tensor<1x2x1x1x1x16xi8>) -> tensor<1x2x1x1x1x16xi8> {
  // expected-error @+1 {{reference @ref has type}}
  %y = vta.program @ref(%a) {
        buffers = ["a", "y"], program = dense_resource<p> : tensor<4xi8>, layer = "a", op = "a", macs = 0 : i64
      } : (tensor<1x2x1x1x1x16xi8>) -> tensor<1x2x1x1x1x16xi8>
  return %y : tensor<1x2x1x1x1x16xi8>
}
func.func private @ref(tensor<1x2x1x1x1x16xi8>) -> tensor<1x2x1x1x1x32xi8>
