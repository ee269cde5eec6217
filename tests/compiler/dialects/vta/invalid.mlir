// RUN: vta-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{kernel description: unknown key `colour`}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", colour = 1 : i64},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{kernel description: `kind` has the unknown value 'fft'}}
  %o = vta.kernel @ref(%x) {desc = {kind = "fft"},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{geometry: `in_width` is not an integer}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {in_width = "x"}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{epilogue: a step is not a dictionary}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", epilogue = [1]},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{epilogue: `imm` is out of range}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", epilogue = [{op = "add", imm = 4294967296 : i64}]},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{holds something that is not an array of steps}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", residual = [1]},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{schedule: unknown key `speed`}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {}}, schedule = {speed = 1 : i64},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{needs a weight operand}}
  %o = vta.kernel @ref(%x) {desc = {kind = "contraction"},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %w: tensor<1x1x1x1x16x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{takes no weight operand}}
  %o = vta.kernel @ref(%x) weight(%w : tensor<1x1x1x1x16x16xi8>) {desc = {kind = "elementwise", geometry = {}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{needs a param operand}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", num_params = 1 : i64},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{needs a residual operand}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", residual = [[]]},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{activations must have rank 6}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{groups do not divide the channel blocks}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {groups = 2 : i64}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{input has shape [1, 1, 1, 1, 1, 16], but the description needs [1, 1, 1, 3, 1, 16]}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {in_width = 3 : i64}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{output has shape [1, 1, 1, 1, 1, 16], but the description needs [1, 1, 1, 3, 1, 16]}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {out_width = 3 : i64}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %w: tensor<1x1x1x1x8x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{weight has shape [1, 1, 1, 1, 8, 16], but the description needs [1, 1, 1, 1, 16, 16]}}
  %o = vta.kernel @ref(%x) weight(%w : tensor<1x1x1x1x8x16xi8>) {desc = {kind = "contraction"},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %p: tensor<1x1x1x16xi32>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{param has shape [1, 1, 1, 16], but the description needs [2, 1, 1, 16]}}
  %o = vta.kernel @ref(%x) param(%p : tensor<1x1x1x16xi32>) {desc = {kind = "elementwise", num_params = 2 : i64},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>, %r: tensor<1x1x1x2x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{residual has shape [1, 1, 1, 2, 1, 16], but the description needs [1, 1, 1, 1, 1, 16]}}
  %o = vta.kernel @ref(%x) residual(%r : tensor<1x1x1x2x1x16xi8>) {desc = {kind = "elementwise", residual = [[]]},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{the last window reaches past the padded input}}
  %o = vta.kernel @ref(%x) {desc = {kind = "max_pool", geometry = {kernel_width = 2 : i64}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}
func.func private @ref(tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8>

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{reference @ref is not a function}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {}},
      layer = "l", op = "Add", macs = 0 : i64} : tensor<1x1x1x1x1x16xi8> -> tensor<1x1x1x1x1x16xi8>
  return %o : tensor<1x1x1x1x1x16xi8>
}

// -----

func.func @main(%x: tensor<1x1x1x1x1x16xi8>) -> tensor<1x1x1x1x1x16xi8> {
  // expected-error @+1 {{reference @ref has type}}
  %o = vta.kernel @ref(%x) {desc = {kind = "elementwise", geometry = {}},
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
