#include "compiler/frontend/onnx/tensor_proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/files.h"
#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/shapes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {
namespace {

using mlir::DenseElementsAttr;
using mlir::RankedTensorType;
using onnx::TensorProto;

size_t bytesPerElement(mlir::Type type) {
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

Status wrongCount(std::string_view what, size_t expected, size_t found) {
  return invalidArgument(
      fmt::format("its shape needs {} {}, but {} are there", expected, what, found));
}

Result<DenseElementsAttr> fromBytes(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  size_t expected = type.getNumElements() * bytesPerElement(type.getElementType());
  if (bytes.size() != expected) return wrongCount("bytes", expected, bytes.size());
  if (!type.getElementType().isInteger(1)) {
    // An empty tensor would otherwise look like a broken splat.
    if (expected == 0) return DenseElementsAttr::get(type, llvm::ArrayRef<mlir::Attribute>());
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  llvm::SmallVector<bool> values(bytes.begin(), bytes.end());
  return DenseElementsAttr::get(type, values);
}

/// Elements stored in one of the typed fields, converted to `T`.
template <typename T, typename Field>
Result<DenseElementsAttr> fromField(RankedTensorType type, const Field& field) {
  if (field.size() != type.getNumElements()) {
    return wrongCount("elements", type.getNumElements(), field.size());
  }
  if constexpr (std::is_integral_v<T>) {
    const auto odd = std::ranges::find_if_not(field, [](auto v) { return std::in_range<T>(v); });
    if (odd != field.end()) {
      return invalidArgument(fmt::format(
          "its element {} is {}; its type has values from {} to {}", odd - field.begin(), *odd,
          int64_t{std::numeric_limits<T>::min()}, uint64_t{std::numeric_limits<T>::max()}));
    }
  }
  std::vector<T> values(field.begin(), field.end());
  return fromBytes(type, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

Result<DenseElementsAttr> fromFields(RankedTensorType type, const TensorProto& tensor) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return fromField<float>(type, tensor.float_data());
    case TensorProto::DOUBLE:
      return fromField<double>(type, tensor.double_data());
    case TensorProto::INT64:
      return fromField<int64_t>(type, tensor.int64_data());
    case TensorProto::UINT64:
      return fromField<uint64_t>(type, tensor.uint64_data());
    case TensorProto::UINT32:
      return fromField<uint32_t>(type, tensor.uint64_data());
    case TensorProto::INT32:
      return fromField<int32_t>(type, tensor.int32_data());
    case TensorProto::INT16:
      return fromField<int16_t>(type, tensor.int32_data());
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return fromField<uint16_t>(type, tensor.int32_data());
    case TensorProto::INT8:
      return fromField<int8_t>(type, tensor.int32_data());
    default:  // of bool and 8 bits
      return fromField<uint8_t>(type, tensor.int32_data());
  }
}

Result<uint64_t> parseNumber(const std::map<std::string, std::string>& entries,
                             const std::string& key, uint64_t otherwise) {
  auto entry = entries.find(key);
  if (entry == entries.end()) return otherwise;
  const std::string& text = entry->second;
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return invalidArgument(fmt::format("external data's {} '{}' is not a number", key, text));
  }
  return value;
}

/// The file of external data. It lies in the model's directory, also when symbolic links on the way
/// are followed: a model from elsewhere may not read what it likes.
Result<std::filesystem::path> resolveLocation(const std::string& location,
                                              const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  const fs::path relative = location;
  const auto outside = [&](const char* remedy) {
    return invalidArgument(fmt::format(
        "external data '{}' is not a path inside the model's directory{}", location, remedy));
  };
  const bool leaves = relative.is_absolute() || std::ranges::find(relative, "..") != relative.end();
  const bool has_nul = location.find('\0') != std::string::npos;
  if (relative.empty() || leaves || has_nul) return outside("");
  const fs::path path = directory / relative;
  std::error_code error;
  const fs::path root = fs::canonical(directory.empty() ? "." : directory, error);
  const fs::path real = error ? fs::path() : fs::canonical(path, error);
  if (error) return path;  // it does not exist, and opening it says so
  if (std::ranges::mismatch(root, real).in1 != root.end()) {
    return outside("; a symbolic link leads out of it: copy the file there");
  }
  VTA_RETURN_IF_ERROR(requireRegularFile(path));
  return path;
}

/// A part of a file. What is large is mapped and not read: of files of many gigabytes only the
/// pages that are used come into memory.
using FilePart = std::unique_ptr<llvm::MemoryBuffer>;

llvm::ArrayRef<char> bytesOf(const FilePart& part) {
  return {part->getBufferStart(), part->getBufferSize()};
}

/// The bytes of external data, of which there are `expected`.
Result<FilePart> openExternal(const TensorProto& tensor, size_t expected,
                              const std::filesystem::path& directory) {
  std::map<std::string, std::string> entries;
  for (const auto& entry : tensor.external_data()) entries[entry.key()] = entry.value();
  VTA_ASSIGN_OR_RETURN(const std::filesystem::path path,
                       resolveLocation(entries["location"], directory));
  VTA_ASSIGN_OR_RETURN(uint64_t offset, parseNumber(entries, "offset", 0));
  VTA_ASSIGN_OR_RETURN(uint64_t length, parseNumber(entries, "length", expected));
  if (length != expected) return wrongCount("bytes", expected, length);
  std::error_code error;
  uint64_t size_bytes = std::filesystem::file_size(path, error);
  if (!error && (offset > size_bytes || size_bytes - offset < length)) {
    return invalidArgument(
        fmt::format("external data file '{}' ends before byte {}", path.string(), offset + length));
  }
  auto part = llvm::MemoryBuffer::getFileSlice(path.string(), length, offset);
  if (error || !part) {
    return notFound(
        fmt::format("external data file '{}' cannot be read; it belongs beside the "
                    "model",
                    path.string()));
  }
  return std::move(*part);
}

Result<DenseElementsAttr> fromExternal(RankedTensorType type, const TensorProto& tensor,
                                       const std::filesystem::path& directory) {
  const size_t expected = type.getNumElements() * bytesPerElement(type.getElementType());
  VTA_ASSIGN_OR_RETURN(const FilePart part, openExternal(tensor, expected, directory));
  return fromBytes(type, bytesOf(part));
}

// Numbers of TensorProto::DataType that this version of the library does not name (ONNX 1.16).
constexpr int32_t kUint4 = 21;
constexpr int32_t kInt4 = 22;

/// Two elements a byte, the first in the low bits; an odd one at the end has a byte of its own.
Result<std::vector<char>> fourBitBytes(const TensorProto& tensor, size_t count,
                                       const std::filesystem::path& directory) {
  const size_t expected = (count + 1) / 2;
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    VTA_ASSIGN_OR_RETURN(const FilePart part, openExternal(tensor, expected, directory));
    return bytesOf(part).vec();
  }
  std::vector<char> bytes;
  if (tensor.has_raw_data()) {
    bytes.assign(tensor.raw_data().begin(), tensor.raw_data().end());
  } else {
    bytes.assign(tensor.int32_data().begin(), tensor.int32_data().end());
  }
  if (bytes.size() != expected) return wrongCount("bytes", expected, bytes.size());
  return bytes;
}

/// As 8-bit elements.
Result<DenseElementsAttr> fromFourBits(RankedTensorType type, const TensorProto& tensor,
                                       const std::filesystem::path& directory) {
  const auto count = static_cast<size_t>(type.getNumElements());
  VTA_ASSIGN_OR_RETURN(const std::vector<char> packed, fourBitBytes(tensor, count, directory));
  std::vector<char> values(count);
  for (size_t i = 0; i < count; ++i) {
    const int bits = packed[i / 2] >> (i % 2 * 4) & 0xf;
    const bool is_negative = tensor.data_type() == kInt4 && bits >= 8;
    values[i] = static_cast<char>(is_negative ? bits - 16 : bits);
  }
  return fromBytes(type, values);
}

/// Ok when the elements are stored once, and here whole.
Status checkStorage(const TensorProto& tensor) {
  if (tensor.has_segment()) {
    return unsupported("it is a segment of a tensor; store the tensor in one piece");
  }
  const std::pair<const char*, bool> places[] = {
      {"raw_data", tensor.has_raw_data()},
      {"float_data", tensor.float_data_size() > 0},
      {"double_data", tensor.double_data_size() > 0},
      {"int32_data", tensor.int32_data_size() > 0},
      {"int64_data", tensor.int64_data_size() > 0},
      {"uint64_data", tensor.uint64_data_size() > 0},
      {"string_data", tensor.string_data_size() > 0},
      {"external data", tensor.data_location() == TensorProto::EXTERNAL}};
  const char* first = nullptr;
  for (const auto& [name, is_used] : places) {
    if (!is_used) continue;
    if (first != nullptr) {
      return invalidArgument(fmt::format("it has elements twice, in {} and in {}", first, name));
    }
    first = name;
  }
  return {};
}

/// "INT4", or the number of a type that is not known.
std::string typeName(int32_t onnx_type) {
  constexpr const char* kLaterNames[] = {"FLOAT8E4M3FN",   "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
                                         "FLOAT8E5M2FNUZ", "UINT4",          "INT4",
                                         "FLOAT4E2M1"};
  constexpr int32_t kFirstLater = 17;
  if (TensorProto::DataType_IsValid(onnx_type)) {
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnx_type));
  }
  const int32_t later = onnx_type - kFirstLater;
  if (later >= 0 && later < std::ssize(kLaterNames)) return kLaterNames[later];
  return std::to_string(onnx_type);
}

}  // namespace

bool isFourBit(const TensorProto& tensor) {
  return tensor.data_type() == kInt4 || tensor.data_type() == kUint4;
}

Result<mlir::Type> elementType(int32_t onnx_type, mlir::MLIRContext& context) {
  mlir::Builder builder(&context);
  switch (onnx_type) {
    case TensorProto::FLOAT:
      return mlir::Type(builder.getF32Type());
    case TensorProto::DOUBLE:
      return mlir::Type(builder.getF64Type());
    case TensorProto::FLOAT16:
      return mlir::Type(builder.getF16Type());
    case TensorProto::BFLOAT16:
      return mlir::Type(builder.getBF16Type());
    case TensorProto::INT8:
      return mlir::Type(builder.getI8Type());
    case TensorProto::INT16:
      return mlir::Type(builder.getI16Type());
    case TensorProto::INT32:
      return mlir::Type(builder.getI32Type());
    case TensorProto::INT64:
      return mlir::Type(builder.getI64Type());
    case TensorProto::UINT8:
      return mlir::Type(builder.getIntegerType(8, false));
    case TensorProto::UINT16:
      return mlir::Type(builder.getIntegerType(16, false));
    case TensorProto::UINT32:
      return mlir::Type(builder.getIntegerType(32, false));
    case TensorProto::UINT64:
      return mlir::Type(builder.getIntegerType(64, false));
    case TensorProto::BOOL:
      return mlir::Type(builder.getI1Type());
    default:
      break;
  }
  return unsupported(fmt::format("element type {} is not supported; convert the model to float32",
                                 typeName(onnx_type)));
}

Result<mlir::Type> computedType(int32_t onnx_type, bool keeps_double, mlir::MLIRContext& context) {
  VTA_ASSIGN_OR_RETURN(mlir::Type type, elementType(onnx_type, context));
  if (!mlir::isa<mlir::FloatType>(type) || (keeps_double && type.isF64())) return type;
  return mlir::Type(mlir::Float32Type::get(&context));
}

DenseElementsAttr withElements(DenseElementsAttr elements, mlir::Type type) {
  if (!mlir::isa<mlir::FloatType>(type) || elements.getElementType() == type) return elements;
  const graph::ConstantTensor given(elements);
  graph::ConstantTensor result(given.type().clone(type));
  result.setDoubles(given.asDoubles());
  return result.toAttribute();
}

Result<DenseElementsAttr> toAttribute(const TensorProto& tensor,
                                      const std::filesystem::path& directory,
                                      mlir::MLIRContext& context) {
  VTA_RETURN_IF_ERROR(checkStorage(tensor));
  // Of four bits those of 8 bits have the values.
  const int32_t stored = tensor.data_type();
  const int32_t computed = stored == kInt4    ? TensorProto::INT8
                           : stored == kUint4 ? TensorProto::UINT8
                                              : stored;
  VTA_ASSIGN_OR_RETURN(mlir::Type element_type, elementType(computed, context));
  graph::Shape shape(tensor.dims().begin(), tensor.dims().end());
  int64_t count = graph::elementCount(shape);
  // What follows computes sizes in bytes.
  if (count < 0 || count > (int64_t{1} << 40)) {
    return invalidArgument("its shape " + graph::shapeText(shape) + " is not legal");
  }
  auto type = RankedTensorType::get(shape, element_type);
  if (isFourBit(tensor)) return fromFourBits(type, tensor, directory);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    return fromExternal(type, tensor, directory);
  }
  if (tensor.has_raw_data()) {
    return fromBytes(type, {tensor.raw_data().data(), tensor.raw_data().size()});
  }
  return fromFields(type, tensor);
}

}  // namespace vta::compiler
