// RUN: vta-opt %s --host-results-to-arguments --verify-diagnostics
// RUN: vta-opt %s --host-cpu-block-channels --verify-diagnostics

// expected-error @+1 {{the first argument is not the host context}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
