#include "tools/inputs/tensor_pb.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "tools/inputs/formats.h"

namespace vta::tools {
namespace {

std::optional<DType> dtypeOf(int32_t type) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return DType::kF32;
    case onnx::TensorProto::DOUBLE:
      return DType::kF64;
    case onnx::TensorProto::FLOAT16:
      return DType::kF16;
    case onnx::TensorProto::BFLOAT16:
      return DType::kBF16;
    case onnx::TensorProto::INT8:
      return DType::kI8;
    case onnx::TensorProto::UINT8:
      return DType::kU8;
    case onnx::TensorProto::INT16:
      return DType::kI16;
    case onnx::TensorProto::UINT16:
      return DType::kU16;
    case onnx::TensorProto::INT32:
      return DType::kI32;
    case onnx::TensorProto::UINT32:
      return DType::kU32;
    case onnx::TensorProto::INT64:
      return DType::kI64;
    case onnx::TensorProto::UINT64:
      return DType::kU64;
    case onnx::TensorProto::BOOL:
      return DType::kBool;
    default:
      return std::nullopt;
  }
}

/// Copies a repeated field, narrowed to the tensor's type; false when the counts differ or an
/// element does not fit.
template <typename T, typename Field>
bool copyField(const Field& field, Tensor& tensor) {
  const auto elements = tensor.as<T>();
  if (static_cast<size_t>(field.size()) != elements.size()) return false;
  for (size_t i = 0; i < elements.size(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      if (!std::in_range<T>(field[static_cast<int>(i)])) return false;
    }
    elements[i] = static_cast<T>(field[static_cast<int>(i)]);
  }
  return true;
}

/// ONNX keeps small integer types in int32_data.
bool copyTypedData(const onnx::TensorProto& proto, Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kF32:
      return copyField<float>(proto.float_data(), tensor);
    case DType::kF64:
      return copyField<double>(proto.double_data(), tensor);
    case DType::kI64:
      return copyField<int64_t>(proto.int64_data(), tensor);
    case DType::kU32:
      return copyField<uint32_t>(proto.uint64_data(), tensor);
    case DType::kU64:
      return copyField<uint64_t>(proto.uint64_data(), tensor);
    case DType::kI32:
      return copyField<int32_t>(proto.int32_data(), tensor);
    case DType::kI16:
      return copyField<int16_t>(proto.int32_data(), tensor);
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      return copyField<uint16_t>(proto.int32_data(), tensor);
    case DType::kI8:
      return copyField<int8_t>(proto.int32_data(), tensor);
    case DType::kU8:
    case DType::kBool:
      return copyField<uint8_t>(proto.int32_data(), tensor);
  }
  return false;
}

}  // namespace

Result<std::pair<std::string, Tensor>> parseTensorProto(std::span<const std::byte> file) {
  onnx::TensorProto proto;
  if (!proto.ParseFromArray(file.data(), static_cast<int>(file.size())) || proto.data_type() == 0) {
    return invalidArgument("not an ONNX tensor (.pb)");
  }
  const auto dtype = dtypeOf(proto.data_type());
  if (!dtype) {
    return unsupported(fmt::format("ONNX element type {} of the tensor", proto.data_type()));
  }
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    return unsupported("the tensor's data lie in another file");
  }
  Tensor tensor{*dtype, {proto.dims().begin(), proto.dims().end()}, {}};
  // Sizes come from the file: only data that are there may be allocated for.
  uint64_t count = 1;
  for (const int64_t extent : tensor.shape) {
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count) ||
        count > file.size()) {
      return invalidArgument("truncated or damaged ONNX tensor");
    }
  }
  tensor.data.resize(count * dtypeBytes(*dtype));
  const std::string& raw = proto.raw_data();
  if (proto.has_raw_data() && raw.size() == tensor.data.size()) {
    std::memcpy(tensor.data.data(), raw.data(), raw.size());
  } else if (proto.has_raw_data() || !copyTypedData(proto, tensor)) {
    return invalidArgument("truncated or damaged ONNX tensor");
  }
  return std::pair(proto.name(), std::move(tensor));
}

namespace {

Result<Tensor> readTensor(std::span<const std::byte> file) {
  VTA_ASSIGN_OR_RETURN(auto named, parseTensorProto(file));
  return std::move(named.second);
}

}  // namespace
}  // namespace vta::tools

// What a program that links this reader names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_tensor_proto_files;
const bool vta_tensor_proto_files = vta::tools::registerArrayReader(".pb", vta::tools::readTensor);
}
