#include "module/operators/operator_node.h"

#include <array>
#include <numeric>

#include "module/field_archive.h"

namespace vta {
namespace {

constexpr std::array kDTypes = {DType::kF32, DType::kF64, DType::kI8,  DType::kU8,
                                DType::kI16, DType::kU16, DType::kI32, DType::kU32,
                                DType::kI64, DType::kU64, DType::kBool};
constexpr std::array kKinds = {OperatorAttribute::Kind::kIntegers, OperatorAttribute::Kind::kFloats,
                               OperatorAttribute::Kind::kText};

/// The fields, in their order.
struct NodeFields {
  template <typename Archive, typename T>
  void operator()(Archive& archive, T& value) const {
    fields(archive, value);
  }

 private:
  template <typename Archive, typename T>
  requires std::is_same_v<std::remove_const_t<T>, OperatorAttribute>
  static void fields(Archive& archive, T& attribute) {
    archive("name", attribute.name);
    archive.choice("kind", attribute.kind, kKinds);
    archive("integers", attribute.integers);
    archive("floats", attribute.floats);
    archive("text", attribute.text);
  }
  template <typename Archive, typename T>
  requires std::is_same_v<std::remove_const_t<T>, OperatorTensor>
  static void fields(Archive& archive, T& tensor) {
    archive("is_absent", tensor.is_absent);
    archive.choice("dtype", tensor.dtype, kDTypes);
    archive("shape", tensor.shape);
  }
  template <typename Archive, typename T>
  requires std::is_same_v<std::remove_const_t<T>, OperatorNode>
  static void fields(Archive& archive, T& node) {
    archive("domain", node.domain);
    archive("name", node.name);
    archive("node", node.node);
    archive("attributes", node.attributes);
    archive("inputs", node.inputs);
    archive("outputs", node.outputs);
  }
};

}  // namespace

int64_t OperatorTensor::elementCount() const {
  return is_absent ? 0 : std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
}

std::string operatorName(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : fmt::format("{}.{}", domain, name);
}

std::vector<std::byte> encodeOperatorNode(const OperatorNode& node) {
  FieldWriter<NodeFields> writer;
  writer("node", node);
  return writer.take();
}

Result<OperatorNode> decodeOperatorNode(std::span<const std::byte> bytes) {
  FieldReader<NodeFields> reader("node of an own operator", bytes);
  OperatorNode node;
  reader("node", node);
  VTA_RETURN_IF_ERROR(reader.finish());
  return node;
}

}  // namespace vta
