#include "tests/compiler/codegen/cpu/npy.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace vta::codegen::testing {
namespace {

/// What follows `key` in the header, a Python dictionary.
std::string field(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "':");
  return at == std::string::npos ? "" : header.substr(at + key.size() + 3);
}

std::optional<DType> dtypeOfDescription(const std::string& text) {
  static constexpr std::pair<const char*, DType> kTypes[] = {
      {"f4", DType::kF32}, {"f8", DType::kF64}, {"i1", DType::kI8},  {"u1", DType::kU8},
      {"i4", DType::kI32}, {"i8", DType::kI64}, {"b1", DType::kBool}};
  const size_t begin = text.find('\'');
  if (begin == std::string::npos) return std::nullopt;
  for (const auto& [name, dtype] : kTypes) {
    if (text.compare(begin + 2, 2, name) == 0) return dtype;
  }
  return std::nullopt;
}

}  // namespace

Result<Tensor> readNpy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return notFound("no file " + path.string());
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr size_t kPreamble = 10;
  if (bytes.size() < kPreamble) return invalidArgument(path.string() + " is not an .npy file");
  const size_t length = static_cast<uint8_t>(bytes[8]) + 256 * static_cast<uint8_t>(bytes[9]);
  const std::string header = bytes.substr(kPreamble, length);
  auto dtype = dtypeOfDescription(field(header, "descr"));
  if (!dtype || field(header, "fortran_order").find("False") == std::string::npos) {
    return unsupported(path.string() + ": " + header);
  }
  const std::string shape_text = field(header, "shape");
  std::istringstream numbers(
      shape_text.substr(shape_text.find('(') + 1, shape_text.find(')') - shape_text.find('(') - 1));
  std::vector<int64_t> shape;
  std::string number;
  while (std::getline(numbers, number, ',')) {
    if (number.find_first_of("0123456789") != std::string::npos)
      shape.push_back(std::stoll(number));
  }
  Tensor tensor = Tensor::zeros(*dtype, shape);
  if (bytes.size() - kPreamble - length != tensor.data.size()) {
    return invalidArgument(path.string() + ": length does not fit its shape");
  }
  std::memcpy(tensor.data.data(), bytes.data() + kPreamble + length, tensor.data.size());
  return tensor;
}

}  // namespace vta::codegen::testing
