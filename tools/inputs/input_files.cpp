#include "tools/inputs/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

#include "base/numpy/npy.h"
#include "base/numpy/npz.h"
#include "tools/common/files.h"
#include "tools/inputs/formats.h"

namespace vta::tools {

namespace fs = std::filesystem;

std::string extensionOf(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return extension;
}

bool isArrayFile(const std::string& path) {
  const std::string extension = extensionOf(path);
  return extension == ".npy" || extension == ".pb";
}

Result<std::vector<std::string>> listFolder(const std::string& folder) {
  constexpr const char* kExtensions[] = {".jpg", ".jpeg", ".png", ".npy", ".pb"};
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    const bool known = std::ranges::find(kExtensions, extensionOf(path)) != std::end(kExtensions);
    std::error_code broken_link;
    if (known && it->is_regular_file(broken_link)) files.push_back(path);
  }
  if (error) return ioError(fmt::format("cannot read '{}': {}", folder, error.message()));
  if (files.empty()) {
    return invalidArgument(
        fmt::format("folder '{}' has no file of type .jpg, .jpeg, .png, .npy or .pb", folder));
  }
  std::ranges::sort(files);
  return files;
}

Result<Tensor> readArray(const std::string& path) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(path));
  Result<Tensor> array = [&]() -> Result<Tensor> {
    if (extensionOf(path) == ".npy") return parseNpy(file);
    if (const ArrayReader reader = findArrayReader(extensionOf(path))) return reader(file);
    return unsupported("this program does not read such files; give an array as .npy");
  }();
  if (!array.ok()) return array.status().withContext(fmt::format("'{}'", path));
  return array;
}

namespace {

using Shapes = std::map<std::string, std::vector<int64_t>>;

void addShapes(const std::string& name, std::string path, Shapes& shapes) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const auto files = listFolder(path);
    if (!files.ok()) return;
    path = files->front();
  }
  if (isArrayFile(path)) {
    if (auto array = readArray(path); array.ok()) shapes[name] = array->shape;
    return;
  }
  if (extensionOf(path) != ".npz") return;
  const auto file = readFile(path);
  if (!file.ok()) return;
  const auto arrays = parseNpz(*file);
  if (!arrays.ok()) return;
  for (const auto& [array_name, array] : *arrays) shapes[array_name] = array.shape;
  if (arrays->size() == 1) shapes[name] = arrays->begin()->second.shape;
}

}  // namespace

std::map<std::string, std::vector<int64_t>> arrayShapes(const std::vector<std::string>& arguments) {
  Shapes shapes;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    std::error_code error;
    if (equals == std::string::npos || fs::exists(argument, error)) {
      addShapes("", argument, shapes);
    } else {
      addShapes(argument.substr(0, equals), argument.substr(equals + 1), shapes);
    }
  }
  return shapes;
}

std::map<std::string, std::vector<int64_t>> sampleShapes(
    const std::vector<std::string>& arguments) {
  Shapes shapes = arrayShapes(arguments);
  for (auto& [name, shape] : shapes) {
    if (shape.size() > 1) shape[0] = 1;
  }
  return shapes;
}

}  // namespace vta::tools
