// GgufFile: the file format of llama.cpp's models. Fields by name, and tensors.
//
// Source of the format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2
// and 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace vta {

/// A field: a number, a text, or an array of either.
using GgufValue = std::variant<double, std::string, std::vector<double>, std::vector<std::string>>;

/// How elements are written, with the numbers that files have for it.
enum class GgufType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ8_0 = 8,
  kQ4_K = 12,
  kQ6_K = 14,
  kBf16 = 30,
};

/// "Q4_0", ...
std::string_view toString(GgufType type);
/// "F32, F16, ..." of all types.
std::string ggufTypeNames();

/// Elements that are written together, and the bytes they take.
struct GgufBlock {
  int64_t elements = 1;
  int64_t bytes = 0;
};
GgufBlock blockOf(GgufType type);

struct GgufTensor {
  std::string name;
  GgufType type = GgufType::kF32;
  /// Of rows of elements that lie side by side: the last extent is that of a row. Rows consist of
  /// whole blocks.
  std::vector<int64_t> shape;
  uint64_t offset_bytes = 0;  // in the file
  uint64_t bytes = 0;
};

/// A file in memory, which it owns. Every tensor lies inside.
class GgufFile {
 public:
  /// Whether `bytes` begin as such a file does.
  static bool isOne(std::span<const std::byte> bytes);

  /// Errors (kInvalidArgument): a file that is cut off or damaged, of another version or order of
  /// bytes; kUnsupported: a type of elements other than those above, with the tensor's name.
  static Result<GgufFile> parse(std::vector<std::byte> bytes);

  /// The field of that name; null: there is none.
  const GgufValue* find(const std::string& name) const;

  /// The field's value; nothing when it is not there. Errors: it is of another kind, or no integer.
  Result<std::optional<int64_t>> integer(const std::string& name) const;
  Result<std::optional<double>> number(const std::string& name) const;
  Result<std::optional<std::string>> text(const std::string& name) const;
  /// Empty when it is not there.
  Result<std::vector<double>> numbers(const std::string& name) const;
  Result<std::vector<std::string>> texts(const std::string& name) const;

  /// By name; null: there is none.
  const GgufTensor* tensor(const std::string& name) const;
  const std::map<std::string, GgufTensor>& tensors() const { return tensors_; }

  /// The blocks of one of this file's tensors.
  std::span<const std::byte> bytesOf(const GgufTensor& tensor) const {
    return std::span(bytes_).subspan(tensor.offset_bytes, tensor.bytes);
  }

  /// All elements as floats, row by row. float32 holds each of them: a scale of 16 bits times a few
  /// bits.
  std::vector<float> floatsOf(const GgufTensor& tensor) const;

 private:
  /// Gives tensors their places behind the header. Errors: one does not lie in the file.
  Status place(uint64_t header_bytes);

  std::vector<std::byte> bytes_;
  std::map<std::string, GgufValue> fields_;
  std::map<std::string, GgufTensor> tensors_;
};

}  // namespace vta
