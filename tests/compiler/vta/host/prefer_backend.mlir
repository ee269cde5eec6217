// RUN: vta-opt %s --vta-outline-host=prefer=gpu | FileCheck %s
// RUN: vta-opt %s --vta-outline-host | FileCheck %s --check-prefix=ALONE

// What the GPU has kernels of is for it, whatever it costs. Powers of integers of 64 bits are not.
// CHECK: call @host_0
// CHECK: call @host_1
// CHECK: func.func @host_0(%{{.*}}: tensor<4xi64>) -> tensor<4xi64> attributes {vta.backend = "gpu"}
// CHECK-NEXT: graph.binary add
// CHECK: func.func @host_1(%{{.*}}: tensor<4xi64>) -> tensor<4xi64> {
// CHECK-NEXT: graph.binary pow

// Nobody gets a GPU who does not ask.
// ALONE: func.func @host_0
// ALONE-NOT: vta.backend
func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {
  %a = graph.binary add %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %b = graph.binary pow %a, %a : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %b : tensor<4xi64>
}
