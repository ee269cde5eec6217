#include "base/gguf/gguf_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/bytes/byte_reader.h"

namespace vta {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr uint64_t kUsualAlignment = 32;
constexpr size_t kMostAxes = 4;

/// Numbers that files have for the kinds of fields.
enum FieldKind : uint32_t { kString = 8, kArray = 9 };

Status damaged(std::string_view what) {
  return invalidArgument(fmt::format("the GGUF file is cut off or damaged: {}", what));
}

/// Reads one value behind the other.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t position() const { return at_; }
  uint64_t left() const { return bytes_.size() - at_; }

  template <typename T>
  Result<T> read(std::string_view what) {
    const auto value = readAt<T>(bytes_, at_);
    if (!value) return damaged(fmt::format("it ends before {}", what));
    at_ += sizeof(T);
    return *value;
  }

  Result<std::string> text(std::string_view what) {
    VTA_ASSIGN_OR_RETURN(const uint64_t size, read<uint64_t>(what));
    if (size > left()) return damaged(fmt::format("it ends before {}", what));
    const char* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    at_ += size;
    return std::string(begin, size);
  }

  Result<GgufValue> value(uint32_t kind, const std::string& name) {
    if (kind == kString) return widened(text(name));
    if (kind == kArray) return array(name);
    return widened(number(kind, name));
  }

 private:
  template <typename T>
  static Result<GgufValue> widened(Result<T> value) {
    if (!value.ok()) return value.status();
    return GgufValue(*std::move(value));
  }

  template <typename T>
  Result<double> as(const std::string& name) {
    VTA_ASSIGN_OR_RETURN(const T value, read<T>(name));
    return static_cast<double>(value);
  }

  /// Integers of 64 bits beyond 2^53 are rounded; no field of a model is so large.
  Result<double> number(uint32_t kind, const std::string& name) {
    using Read = Result<double> (Reader::*)(const std::string&);
    static constexpr std::array<Read, 13> kReads = {&Reader::as<uint8_t>,
                                                    &Reader::as<int8_t>,
                                                    &Reader::as<uint16_t>,
                                                    &Reader::as<int16_t>,
                                                    &Reader::as<uint32_t>,
                                                    &Reader::as<int32_t>,
                                                    &Reader::as<float>,
                                                    &Reader::as<uint8_t>,
                                                    nullptr,
                                                    nullptr,
                                                    &Reader::as<uint64_t>,
                                                    &Reader::as<int64_t>,
                                                    &Reader::as<double>};
    if (kind >= kReads.size() || kReads[kind] == nullptr) {
      return damaged(fmt::format("field '{}' has kind {}", name, kind));
    }
    return (this->*kReads[kind])(name);
  }

  Result<GgufValue> array(const std::string& name) {
    VTA_ASSIGN_OR_RETURN(const uint32_t kind, read<uint32_t>(name));
    VTA_ASSIGN_OR_RETURN(const uint64_t count, read<uint64_t>(name));
    if (count > left()) return damaged(fmt::format("field '{}' has {} values", name, count));
    if (kind == kString) {
      return elements<std::string>(count, [&] { return text(name); });
    }
    return elements<double>(count, [&] { return number(kind, name); });
  }

  template <typename T, typename ReadOne>
  static Result<GgufValue> elements(uint64_t count, ReadOne read_one) {
    std::vector<T> values;
    for (uint64_t i = 0; i < count; ++i) {
      VTA_ASSIGN_OR_RETURN(T value, read_one());
      values.push_back(std::move(value));
    }
    return GgufValue(std::move(values));
  }

  std::span<const std::byte> bytes_;
  uint64_t at_ = 0;
};

/// Bytes of all elements. Errors: rows of partial blocks, more than a file can have.
Result<uint64_t> bytesOfShape(const GgufTensor& tensor) {
  const GgufBlock block = blockOf(tensor.type);
  if (tensor.shape.back() % block.elements != 0) {
    return damaged(fmt::format("tensor '{}' has rows of {} elements, and {} needs multiples of {}",
                               tensor.name, tensor.shape.back(), toString(tensor.type),
                               block.elements));
  }
  int64_t bytes = tensor.shape.back() / block.elements;
  bool overflows = __builtin_mul_overflow(bytes, block.bytes, &bytes);
  for (size_t axis = 0; axis + 1 < tensor.shape.size(); ++axis) {
    overflows |= __builtin_mul_overflow(bytes, tensor.shape[axis], &bytes);
  }
  if (overflows) return damaged(fmt::format("tensor '{}' is too large", tensor.name));
  return static_cast<uint64_t>(bytes);
}

Result<GgufTensor> readTensor(Reader& reader) {
  GgufTensor tensor;
  VTA_ASSIGN_OR_RETURN(tensor.name, reader.text("the name of a tensor"));
  VTA_ASSIGN_OR_RETURN(const uint32_t axes, reader.read<uint32_t>(tensor.name));
  if (axes < 1 || axes > kMostAxes) {
    return damaged(fmt::format("tensor '{}' has {} axes", tensor.name, axes));
  }
  tensor.shape.resize(axes);
  for (uint32_t axis = 0; axis < axes; ++axis) {
    VTA_ASSIGN_OR_RETURN(const uint64_t extent, reader.read<uint64_t>(tensor.name));
    if (extent < 1 || extent > std::numeric_limits<int32_t>::max()) {
      return damaged(fmt::format("tensor '{}' has an extent of {}", tensor.name, extent));
    }
    // The file begins with the extent of a row.
    tensor.shape[axes - 1 - axis] = static_cast<int64_t>(extent);
  }
  VTA_ASSIGN_OR_RETURN(const uint32_t type, reader.read<uint32_t>(tensor.name));
  tensor.type = static_cast<GgufType>(type);
  if (toString(tensor.type).empty()) {
    return unsupported(
        fmt::format("tensor '{}' has elements of type {} of ggml, which is not supported; {} are "
                    "(llama-quantize writes them)",
                    tensor.name, type, ggufTypeNames()));
  }
  VTA_ASSIGN_OR_RETURN(tensor.offset_bytes, reader.read<uint64_t>(tensor.name));
  VTA_ASSIGN_OR_RETURN(tensor.bytes, bytesOfShape(tensor));
  return tensor;
}

Status checkVersion(uint32_t version) {
  if (version == 2 || version == 3) return {};
  if (version == __builtin_bswap32(2) || version == __builtin_bswap32(3)) {
    return unsupported("the GGUF file has the order of bytes of big-endian machines");
  }
  return unsupported(
      fmt::format("the GGUF file has version {}; versions 2 and 3 are supported", version));
}

}  // namespace

bool GgufFile::isOne(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<GgufFile> GgufFile::parse(std::vector<std::byte> bytes) {
  if (!isOne(bytes)) return invalidArgument("no GGUF file: it does not begin with 'GGUF'");
  GgufFile file;
  file.bytes_ = std::move(bytes);
  Reader reader(std::span(file.bytes_).subspan(kMagic.size()));
  VTA_ASSIGN_OR_RETURN(const uint32_t version, reader.read<uint32_t>("its version"));
  VTA_RETURN_IF_ERROR(checkVersion(version));
  VTA_ASSIGN_OR_RETURN(const uint64_t tensors, reader.read<uint64_t>("the number of tensors"));
  VTA_ASSIGN_OR_RETURN(const uint64_t fields, reader.read<uint64_t>("the number of fields"));
  for (uint64_t i = 0; i < fields; ++i) {
    VTA_ASSIGN_OR_RETURN(std::string name, reader.text("the name of a field"));
    VTA_ASSIGN_OR_RETURN(const uint32_t kind, reader.read<uint32_t>(name));
    VTA_ASSIGN_OR_RETURN(GgufValue value, reader.value(kind, name));
    if (!file.fields_.emplace(name, std::move(value)).second) {
      return damaged(fmt::format("it has field '{}' twice", name));
    }
  }
  for (uint64_t i = 0; i < tensors; ++i) {
    VTA_ASSIGN_OR_RETURN(GgufTensor tensor, readTensor(reader));
    const std::string name = tensor.name;
    if (!file.tensors_.emplace(name, std::move(tensor)).second) {
      return damaged(fmt::format("it has tensor '{}' twice", name));
    }
  }
  VTA_RETURN_IF_ERROR(file.place(kMagic.size() + reader.position()));
  return file;
}

Status GgufFile::place(uint64_t header_bytes) {
  VTA_ASSIGN_OR_RETURN(const std::optional<int64_t> given, integer("general.alignment"));
  const uint64_t alignment = given ? static_cast<uint64_t>(*given) : kUsualAlignment;
  if (alignment < 1 || alignment > uint64_t{1} << 20) {
    return damaged(fmt::format("its alignment is {}", alignment));
  }
  const uint64_t begin = (header_bytes + alignment - 1) / alignment * alignment;
  for (auto& [name, tensor] : tensors_) {
    const uint64_t size = begin <= bytes_.size() ? bytes_.size() - begin : 0;
    if (tensor.offset_bytes > size || tensor.bytes > size - tensor.offset_bytes) {
      return damaged(fmt::format("tensor '{}' does not lie inside", name));
    }
    tensor.offset_bytes += begin;
  }
  return {};
}

const GgufValue* GgufFile::find(const std::string& name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? nullptr : &found->second;
}

const GgufTensor* GgufFile::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

namespace {

/// The field as a T; null: it is not there.
template <typename T>
Result<const T*> fieldAs(const GgufFile& file, const std::string& name, std::string_view kind) {
  const GgufValue* value = file.find(name);
  if (value == nullptr) return static_cast<const T*>(nullptr);
  if (const T* held = std::get_if<T>(value)) return held;
  return invalidArgument(fmt::format("field '{}' of the GGUF file is not {}", name, kind));
}

}  // namespace

Result<std::optional<double>> GgufFile::number(const std::string& name) const {
  VTA_ASSIGN_OR_RETURN(const double* value, fieldAs<double>(*this, name, "a number"));
  return value == nullptr ? std::optional<double>() : *value;
}

Result<std::optional<int64_t>> GgufFile::integer(const std::string& name) const {
  VTA_ASSIGN_OR_RETURN(const std::optional<double> value, number(name));
  if (!value) return std::optional<int64_t>();
  constexpr double kMost = 1LL << 53;
  if (std::abs(*value) > kMost || *value != std::floor(*value)) {
    return invalidArgument(fmt::format("field '{}' of the GGUF file is not an integer", name));
  }
  return std::optional(static_cast<int64_t>(*value));
}

Result<std::optional<std::string>> GgufFile::text(const std::string& name) const {
  VTA_ASSIGN_OR_RETURN(const std::string* value, fieldAs<std::string>(*this, name, "a text"));
  return value == nullptr ? std::optional<std::string>() : *value;
}

Result<std::vector<double>> GgufFile::numbers(const std::string& name) const {
  using List = std::vector<double>;
  VTA_ASSIGN_OR_RETURN(const List* list, fieldAs<List>(*this, name, "an array of numbers"));
  return list == nullptr ? List() : *list;
}

Result<std::vector<std::string>> GgufFile::texts(const std::string& name) const {
  using List = std::vector<std::string>;
  VTA_ASSIGN_OR_RETURN(const List* list, fieldAs<List>(*this, name, "an array of texts"));
  return list == nullptr ? List() : *list;
}

}  // namespace vta
