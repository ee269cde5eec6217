// A node whose operator is of a library of the user's (include/vta/operator.h), as the compiler
// knows it and as compiled code carries it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace vta {

struct OperatorAttribute {
  enum class Kind : uint8_t { kIntegers, kFloats, kText };  // as vta_operator_attribute_kind
  std::string name{};
  Kind kind = Kind::kIntegers;
  std::vector<int64_t> integers{};
  std::vector<uint32_t> floats{};  // their bits
  std::string text{};
};

/// The type of a tensor. An absent one is an optional input that the node does not have.
struct OperatorTensor {
  bool is_absent = false;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape{};

  int64_t elementCount() const;
};

struct OperatorNode {
  std::string domain{}, name{};  // of the operator
  std::string node{};            // of the node, for messages
  std::vector<OperatorAttribute> attributes{};
  std::vector<OperatorTensor> inputs{}, outputs{};
};

/// "my.domain.Scale", or "Scale" in ONNX's default domain.
std::string operatorName(std::string_view domain, std::string_view name);

std::vector<std::byte> encodeOperatorNode(const OperatorNode& node);

/// Errors: bytes that are no node.
Result<OperatorNode> decodeOperatorNode(std::span<const std::byte> bytes);

}  // namespace vta
