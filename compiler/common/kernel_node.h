// Nodes that a kernel of the user's may compute.
#pragma once

namespace vta::compiler {

/// Of a private function that stands for a node of the domain vta.kernels: the name of the user's
/// kernel, a string. Nothing else calls functions before the partition.
inline constexpr const char* kKernelNodeAttr = "graph.kernel_node";

}  // namespace vta::compiler
