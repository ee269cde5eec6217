// RUN: not vta-opt %s --vta-partition=hw=%configs/hw/none.yaml 2>&1 | FileCheck %s
// CHECK: error: {{.*}}none.yaml
func.func @main() {
  return
}
