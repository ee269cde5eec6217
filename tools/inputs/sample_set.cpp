#include "tools/inputs/sample_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "base/closest_name.h"
#include "base/numpy/npz.h"
#include "tools/common/files.h"
#include "tools/inputs/image.h"
#include "tools/inputs/input_files.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

/// How many samples `array` holds for an input: more than one when it has the input's extents but a
/// larger first one, or one extent more.
int64_t samplesIn(const Tensor& array, const InputSpec& spec) {
  const auto& shape = array.shape;
  if (shape.empty() || spec.shape.empty() || shape[0] == 0) return 1;
  const bool more_rows = shape.size() == spec.shape.size() && shape[0] != spec.shape[0] &&
                         shape[0] % std::max<int64_t>(1, spec.shape[0]) == 0;
  if (more_rows) return shape[0] / std::max<int64_t>(1, spec.shape[0]);
  // Pixels [samples, H, W, C] for an input [C, H, W].
  if (shape.size() == spec.shape.size() + 1) return shape[0];
  return 1;
}

/// Part `index` of `count` equal parts along the first extent.
Tensor slice(const Tensor& array, int64_t index, int64_t count) {
  if (count == 1) return array;
  Tensor part{array.dtype, array.shape, {}};
  part.shape[0] /= count;
  const size_t bytes = array.data.size() / static_cast<size_t>(count);
  const auto begin = array.data.begin() + static_cast<int64_t>(bytes) * index;
  part.data.assign(begin, begin + static_cast<int64_t>(bytes));
  return part;
}

template <typename T>
void fillIntegers(std::span<T> elements, int64_t index_extent, std::mt19937_64& random) {
  const auto end = index_extent > 0 ? static_cast<uint64_t>(index_extent) : 256;
  for (T& element : elements) element = static_cast<T>((random() & 0xff) % end);
}

Tensor randomTensor(const InputSpec& spec, std::mt19937_64& random) {
  Tensor tensor = Tensor::zeros(spec.dtype, spec.shape);
  switch (spec.dtype) {
    case DType::kF32:
      for (float& v : tensor.as<float>()) v = static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f;
      break;
    case DType::kF64:
      for (double& v : tensor.as<double>()) v = static_cast<double>(random() >> 40) * 0x1p-23 - 1.0;
      break;
    case DType::kF16:
    case DType::kBF16:
      return toFloatType(randomTensor({spec.name, DType::kF32, spec.shape, 0}, random), spec.dtype);
    case DType::kBool:
      for (std::byte& v : tensor.data) v = static_cast<std::byte>(random() & 1);
      break;
    case DType::kI8:
    case DType::kU8:
      fillIntegers(tensor.as<uint8_t>(), spec.index_extent, random);
      break;
    case DType::kI16:
    case DType::kU16:
      fillIntegers(tensor.as<uint16_t>(), spec.index_extent, random);
      break;
    case DType::kI32:
    case DType::kU32:
      fillIntegers(tensor.as<uint32_t>(), spec.index_extent, random);
      break;
    case DType::kI64:
    case DType::kU64:
      fillIntegers(tensor.as<uint64_t>(), spec.index_extent, random);
      break;
  }
  return tensor;
}

template <typename T>
Status checkFiniteElements(const Tensor& tensor) {
  const auto elements = tensor.as<T>();
  const auto found = std::ranges::find_if_not(elements, [](T v) { return std::isfinite(v); });
  if (found == elements.end()) return {};
  std::vector<int64_t> index(tensor.shape.size());
  int64_t flat = found - elements.begin();
  for (size_t axis = index.size(); axis-- > 0; flat /= tensor.shape[axis]) {
    index[axis] = flat % tensor.shape[axis];
  }
  return invalidArgument(fmt::format(
      "element {} is {}; integers cannot stand for it (--partition=cpu runs in float)", index,
      std::isnan(*found) ? "NaN"
      : *found > 0       ? "infinity"
                         : "minus infinity"));
}

Status checkFinite(const Tensor& tensor) {
  if (tensor.dtype == DType::kF32) return checkFiniteElements<float>(tensor);
  if (tensor.dtype == DType::kF64) return checkFiniteElements<double>(tensor);
  return isFloat(tensor.dtype) ? checkFinite(toFloatType(tensor, DType::kF32)) : Status();
}

/// Float types become each other, which is what NumPy's users expect; all else stays.
Tensor asFloatType(const Tensor& tensor, DType dtype) {
  return isFloat(tensor.dtype) && isFloat(dtype) ? toFloatType(tensor, dtype) : tensor;
}

int64_t elementCountOf(const InputSpec& spec) {
  return Tensor{spec.dtype, spec.shape, {}}.elementCount();
}

/// Images become channels, rows and columns. Of other inputs no file is tried as an image.
Status checkTakesImages(const InputSpec& spec) {
  if (spec.shape.size() >= 3) return {};
  const char* values = spec.index_extent > 0 ? " with the numbers of tokens" : "";
  return invalidArgument(fmt::format("an image cannot become {}; give an array (.npy){}",
                                     describe(spec.dtype, spec.shape), values));
}

/// The elements of one sample `count` times, in the shape of the input.
Tensor repeated(const Tensor& sample, const InputSpec& spec, int64_t count) {
  Tensor result{spec.dtype, spec.shape, {}};
  for (int64_t i = 0; i < count; ++i) {
    result.data.insert(result.data.end(), sample.data.begin(), sample.data.end());
  }
  return result;
}

/// Pixels [H, W, C] (or [1, H, W, C]) in 8 bits, as an image; nothing when `tensor` is not that.
std::optional<Image> asImage(const Tensor& tensor) {
  std::vector<int64_t> shape = tensor.shape;
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  if (tensor.dtype != DType::kU8 || shape.size() != 3) return std::nullopt;
  if (shape[2] != 1 && shape[2] != 3) return std::nullopt;
  Image image{
      static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2]), {}};
  const auto pixels = tensor.as<uint8_t>();
  image.pixels.assign(pixels.begin(), pixels.end());
  return image;
}

}  // namespace

std::vector<std::vector<int64_t>> shapesOf(const std::vector<InputSpec>& inputs) {
  std::vector<std::vector<int64_t>> shapes;
  for (const InputSpec& input : inputs) shapes.push_back(input.shape);
  return shapes;
}

Result<SampleSet> SampleSet::open(const std::vector<std::string>& arguments,
                                  const std::vector<InputSpec>& inputs,
                                  const Preprocess& preprocess) {
  SampleSet set;
  set.preprocess_ = preprocess;
  for (const InputSpec& input : inputs) set.ports_.push_back({input, {}});
  for (const std::string& argument : arguments) VTA_RETURN_IF_ERROR(set.addArgument(argument));
  VTA_RETURN_IF_ERROR(set.finish());
  return set;
}

SampleSet SampleSet::random(const std::vector<InputSpec>& inputs, uint64_t seed) {
  SampleSet set;
  std::mt19937_64 random(seed);
  for (const InputSpec& input : inputs) {
    auto array = std::make_shared<Tensor>(randomTensor(input, random));
    set.ports_.push_back({input, {{fmt::format("random (seed {})", seed), "", array, 0}}});
  }
  set.size_ = 1;
  return set;
}

Status SampleSet::addArgument(const std::string& argument) {
  const size_t equals = argument.find('=');
  const std::string name = equals == std::string::npos ? "" : argument.substr(0, equals);
  const auto port =
      std::ranges::find_if(ports_, [&](const Port& p) { return p.spec.name == name; });
  if (equals != std::string::npos && port != ports_.end()) {
    return addPath(*port, argument.substr(equals + 1));
  }
  const bool is_file = fs::exists(argument);
  if (extensionOf(argument) == ".npz" && (is_file || name.empty())) return addArchive(argument);
  if ((is_file || equals == std::string::npos) && ports_.size() == 1) {
    return addPath(ports_[0], argument);
  }
  if (ports_.empty()) {
    return invalidArgument(fmt::format("the model has no inputs; leave '{}' out", argument));
  }
  std::string names;
  for (const Port& p : ports_) names += (names.empty() ? "" : ", ") + p.spec.name;
  if (equals == std::string::npos) {
    return invalidArgument(
        fmt::format("the model has {} inputs ({}); say NAME={}", ports_.size(), names, argument));
  }
  const auto known = namesOf(ports_, [](const Port& p) { return p.spec.name; });
  return invalidArgument(fmt::format("the model has no input '{}'; it has: {}{}", name, names,
                                     suggestion(name, known)));
}

Status SampleSet::addPath(Port& port, const std::string& path) {
  if (fs::is_directory(path)) {
    VTA_ASSIGN_OR_RETURN(const std::vector<std::string> files, listFolder(path));
    for (const std::string& file : files) VTA_RETURN_IF_ERROR(addPath(port, file));
    return {};
  }
  if (isArrayFile(path)) {
    VTA_ASSIGN_OR_RETURN(Tensor array, readArray(path));
    return addArray(port, path, std::move(array));
  }
  if (extensionOf(path) == ".npz") {
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(path));
    auto arrays = parseNpz(file);
    if (!arrays.ok()) return arrays.status().withContext(fmt::format("'{}'", path));
    const auto found = arrays->find(port.spec.name);
    if (found != arrays->end()) return addArray(port, path, std::move(found->second));
    if (arrays->size() == 1) return addArray(port, path, std::move(arrays->begin()->second));
    return invalidArgument(fmt::format("'{}' has no array '{}'", path, port.spec.name));
  }
  if (!fs::exists(path)) return notFound(fmt::format("input '{}' does not exist", path));
  port.sources.push_back({path, path, nullptr, 0});
  return {};
}

Status SampleSet::addArchive(const std::string& path) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(path));
  auto arrays = parseNpz(file);
  if (!arrays.ok()) return arrays.status().withContext(fmt::format("'{}'", path));
  if (ports_.size() == 1 && arrays->size() == 1) {
    return addArray(ports_[0], path, std::move(arrays->begin()->second));
  }
  for (auto& [name, array] : *arrays) {
    const auto port =
        std::ranges::find_if(ports_, [&name = name](const Port& p) { return p.spec.name == name; });
    if (port == ports_.end()) {
      return invalidArgument(
          fmt::format("'{}' has an array '{}', the model has no such input", path, name));
    }
    VTA_RETURN_IF_ERROR(addArray(*port, path, std::move(array)));
  }
  return {};
}

Status SampleSet::addArray(Port& port, const std::string& name, Tensor array) {
  const int64_t count = samplesIn(array, port.spec);
  const auto shared = std::make_shared<const Tensor>(std::move(array));
  for (int64_t i = 0; i < count; ++i) {
    port.sources.push_back({count == 1 ? name : fmt::format("{}:{}", name, i), "", shared, i});
  }
  return {};
}

Status SampleSet::finish() {
  size_ = 0;
  if (ports_.empty()) size_ = 1;  // the model runs once, on nothing
  for (const Port& port : ports_) {
    size_ = std::max(size_, static_cast<int64_t>(port.sources.size()));
  }
  for (const Port& port : ports_) {
    const auto count = static_cast<int64_t>(port.sources.size());
    if (count == 0) return invalidArgument(fmt::format("no data for input '{}'", port.spec.name));
    if (count != 1 && count != size_) {
      return invalidArgument(fmt::format("input '{}' has {} samples, another input has {}",
                                         port.spec.name, count, size_));
    }
  }
  return {};
}

const std::string& SampleSet::name(int64_t index) const {
  for (const Port& port : ports_) {
    if (static_cast<int64_t>(port.sources.size()) > index) return port.sources[index].name;
  }
  static const std::string no_input = "no input";
  return ports_.empty() ? no_input : ports_.front().sources.front().name;
}

Result<TensorMap> SampleSet::load(int64_t index) const {
  TensorMap inputs;
  for (const Port& port : ports_) {
    const Source& source = port.sources[port.sources.size() == 1 ? 0 : index];
    auto tensor = loadSource(port, source);
    const Status status = !tensor.ok()         ? tensor.status()
                          : allows_non_finite_ ? Status()
                                               : checkFinite(*tensor);
    if (!status.ok()) {
      return status.withContext(fmt::format("input '{}' from '{}'", port.spec.name, source.name));
    }
    inputs[port.spec.name] = *std::move(tensor);
  }
  return inputs;
}

Result<Tensor> SampleSet::loadSource(const Port& port, const Source& source) const {
  if (!source.path.empty()) {
    VTA_RETURN_IF_ERROR(checkTakesImages(port.spec));
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(source.path));
    VTA_ASSIGN_OR_RETURN(const Image image, decodeImage(file));
    return fitImage(port.spec, image);
  }
  return fit(port.spec, slice(*source.array, source.sample, samplesIn(*source.array, port.spec)));
}

/// An image as one sample, which fills a batch by repetition: calibration takes single images.
Result<Tensor> SampleSet::fitImage(const InputSpec& spec, const Image& image) const {
  std::vector<int64_t> shape = spec.shape;
  const int64_t batch = shape.size() == 4 ? shape[0] : 1;
  if (shape.size() == 4) shape[0] = 1;
  const DType dtype = isFloat(spec.dtype) ? DType::kF32 : spec.dtype;
  VTA_ASSIGN_OR_RETURN(const Tensor tensor, imageToTensor(image, preprocess_, dtype, shape));
  return repeated(asFloatType(tensor, spec.dtype), spec, batch);
}

Result<Tensor> SampleSet::fit(const InputSpec& spec, const Tensor& given) const {
  Tensor tensor = asFloatType(given, spec.dtype);
  const int64_t count = tensor.elementCount();
  Tensor result = tensor;
  if (tensor.dtype == spec.dtype && tensor.shape == spec.shape) return result;
  // A sample without its batch extent of one, or with one too many.
  const bool only_ones = [&] {
    std::vector<int64_t> a = tensor.shape;
    std::vector<int64_t> b = spec.shape;
    while (!a.empty() && a.front() == 1) a.erase(a.begin());
    while (!b.empty() && b.front() == 1) b.erase(b.begin());
    return a == b;
  }();
  if (tensor.dtype == spec.dtype && only_ones && count > 0) {
    result.shape = spec.shape;
    return result;
  }
  const int64_t batch = spec.shape.empty() ? 1 : spec.shape[0];
  if (tensor.dtype == spec.dtype && batch > 1 && count * batch == elementCountOf(spec) &&
      tensor.shape.size() == spec.shape.size() && tensor.shape[0] == 1 &&
      std::equal(tensor.shape.begin() + 1, tensor.shape.end(), spec.shape.begin() + 1)) {
    return repeated(tensor, spec, batch);
  }
  if (const auto image = asImage(tensor); image && isFloat(spec.dtype)) {
    return fitImage(spec, *image);
  }
  return invalidArgument(fmt::format("{} given, the model wants {}",
                                     describe(given.dtype, given.shape),
                                     describe(spec.dtype, spec.shape)));
}

}  // namespace vta::tools
