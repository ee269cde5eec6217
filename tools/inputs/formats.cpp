#include "tools/inputs/formats.h"

#include <map>
#include <string>

namespace vta::tools {
namespace {

struct Formats {
  std::map<std::string, ArrayReader, std::less<>> arrays;
  PreprocessReader preprocess = nullptr;
};

Formats& formats() {
  static Formats known;
  return known;
}

}  // namespace

bool registerArrayReader(std::string_view extension, ArrayReader reader) {
  formats().arrays.emplace(extension, reader);
  return true;
}

ArrayReader findArrayReader(std::string_view extension) {
  const auto found = formats().arrays.find(extension);
  return found == formats().arrays.end() ? nullptr : found->second;
}

bool registerPreprocessReader(PreprocessReader reader) {
  formats().preprocess = reader;
  return true;
}

PreprocessReader findPreprocessReader() { return formats().preprocess; }

}  // namespace vta::tools
