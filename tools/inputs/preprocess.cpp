#include "tools/inputs/preprocess.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/files.h"
#include "base/yaml_section.h"

namespace vta::tools {
namespace {

constexpr int kMaxExtent = 16384;

/// Reads keys of one YAML mapping; the first problem ends it.
class YamlReader {
 public:
  explicit YamlReader(std::string_view source_name) : source_name_(source_name) {}

  Status problem(const YAML::Node& node, const std::string& text) const {
    const YAML::Mark mark = node.Mark();
    return invalidArgument(
        fmt::format("{}:{}:{}: {}", source_name_, mark.line + 1, mark.column + 1, text));
  }

  Result<double> number(const YAML::Node& node, const std::string& key) const {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value)) {
      return problem(node, fmt::format("'{}' is not a number", key));
    }
    return value;
  }

  Result<std::vector<double>> numbers(const YAML::Node& node, const std::string& key) const {
    if (!node.IsSequence() || (node.size() != 1 && node.size() != 3)) {
      return problem(node, fmt::format("'{}' is not a list of 1 or 3 numbers", key));
    }
    std::vector<double> values;
    for (const YAML::Node& element : node) {
      VTA_ASSIGN_OR_RETURN(const double value, number(element, key));
      values.push_back(value);
    }
    return values;
  }

  template <typename T>
  Result<T> choice(const YAML::Node& node, const std::string& key,
                   const std::map<std::string, T>& choices) const {
    if (node.IsScalar()) {
      if (const auto found = choices.find(node.Scalar()); found != choices.end()) {
        return found->second;
      }
    }
    std::string names;
    for (const auto& [name, value] : choices) names += (names.empty() ? "" : ", ") + name;
    return problem(node, fmt::format("'{}' is not one of {}", key, names));
  }

 private:
  std::string source_name_;
};

Status readSize(const YamlReader& reader, const YAML::Node& node, Preprocess& out) {
  if (!node.IsSequence() || node.size() != 2) {
    return reader.problem(node, "'size' is not [height, width]");
  }
  VTA_ASSIGN_OR_RETURN(const double height, reader.number(node[0], "size"));
  VTA_ASSIGN_OR_RETURN(const double width, reader.number(node[1], "size"));
  if (height < 1 || width < 1 || height > kMaxExtent || width > kMaxExtent) {
    return reader.problem(node, fmt::format("'size' is not from 1 to {}", kMaxExtent));
  }
  out.size = {static_cast<int>(height), static_cast<int>(width)};
  return {};
}

Status readKey(const YamlReader& reader, const std::string& key, const YAML::Node& node,
               Preprocess& out) {
  using Color = Preprocess::Color;
  using Resize = Preprocess::Resize;
  if (key == "size") return readSize(reader, node, out);
  if (key == "color") {
    const std::map<std::string, Color> colors = {
        {"RGB", Color::kRgb}, {"BGR", Color::kBgr}, {"GRAY", Color::kGray}};
    VTA_ASSIGN_OR_RETURN(out.color, reader.choice(node, key, colors));
  } else if (key == "resize") {
    const std::map<std::string, Resize> modes = {{"stretch", Resize::kStretch},
                                                 {"center_crop", Resize::kCenterCrop}};
    VTA_ASSIGN_OR_RETURN(out.resize, reader.choice(node, key, modes));
  } else if (key == "scale") {
    VTA_ASSIGN_OR_RETURN(out.scale, reader.number(node, key));
  } else if (key == "mean") {
    VTA_ASSIGN_OR_RETURN(out.mean, reader.numbers(node, key));
  } else if (key == "std") {
    VTA_ASSIGN_OR_RETURN(out.std, reader.numbers(node, key));
    if (std::ranges::find(out.std, 0.0) != out.std.end()) {
      return reader.problem(node, "'std' holds a zero");
    }
  } else if (key == "crop_fraction") {
    VTA_ASSIGN_OR_RETURN(out.crop_fraction, reader.number(node, key));
    if (out.crop_fraction < 0.1 || out.crop_fraction > 1) {
      return reader.problem(node, "'crop_fraction' is not from 0.1 to 1");
    }
  } else {
    return reader.problem(node, fmt::format("unknown key '{}'; known: color, size, resize, "
                                            "crop_fraction, scale, mean, std",
                                            key));
  }
  return {};
}

Preprocess imagenetPreprocess() {
  Preprocess preprocess;
  preprocess.resize = Preprocess::Resize::kCenterCrop;
  preprocess.crop_fraction = 0.875;
  preprocess.scale = 1.0 / 255;
  preprocess.mean = {0.485, 0.456, 0.406};
  preprocess.std = {0.229, 0.224, 0.225};
  return preprocess;
}

Image fitImage(const Image& image, const Preprocess& preprocess, int height, int width) {
  if (preprocess.resize == Preprocess::Resize::kStretch) {
    return resizeImage(image, height, width);
  }
  // The factor that makes the scaled image cover the (enlarged) target.
  const double factor = std::max(height / preprocess.crop_fraction / image.height,
                                 width / preprocess.crop_fraction / image.width);
  const auto scaled = [factor](int extent, int least) {
    return std::max(least, static_cast<int>(std::lround(extent * factor)));
  };
  return cropCenter(resizeImage(image, scaled(image.height, height), scaled(image.width, width)),
                    height, width);
}

double channelValue(const std::vector<double>& values, int channel) {
  return values.size() == 1 ? values[0] : values[channel];
}

}  // namespace

Result<Preprocess> parsePreprocess(std::string_view yaml, std::string_view source_name) {
  const YamlReader reader(source_name);
  VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(yaml, source_name));
  if (!root.IsMap()) return reader.problem(root, "not a mapping of keys to values");
  Preprocess preprocess;
  std::map<std::string, bool> seen;
  for (const auto& entry : root) {
    if (!entry.first.IsScalar()) return reader.problem(entry.first, "a key is not a name");
    const std::string key = entry.first.Scalar();
    VTA_RETURN_IF_ERROR(readKey(reader, key, entry.second, preprocess));
    seen[key] = true;
  }
  for (const char* key : {"color", "resize", "scale", "mean", "std"}) {
    if (!seen.contains(key)) {
      return invalidArgument(fmt::format("{}: the key '{}' is missing", source_name, key));
    }
  }
  return preprocess;
}

Result<Preprocess> loadPreprocess(const std::string& name) {
  if (name == "imagenet") return imagenetPreprocess();
  if (name == "none") return Preprocess{};
  const auto text = readTextFile(name);
  if (!text.ok()) {
    return text.status().withContext("--preprocess is neither imagenet nor none nor a file");
  }
  return parsePreprocess(*text, name);
}

Status checkPreprocess(const std::string& name, bool has_files) {
  if (name.empty()) return {};
  if (!has_files) {
    return invalidArgument("--preprocess has no image to work on; name images with it");
  }
  const auto preprocess = loadPreprocess(name);
  return preprocess.ok() ? Status() : preprocess.status();
}

bool isImageShape(const std::vector<int64_t>& shape) {
  const size_t rank = shape.size();
  if (rank != 3 && !(rank == 4 && shape[0] == 1)) return false;
  const int64_t channels = shape[rank - 3];
  const auto fits = [](int64_t extent) { return extent >= 1 && extent <= kMaxExtent; };
  return (channels == 1 || channels == 3) && fits(shape[rank - 2]) && fits(shape[rank - 1]);
}

Result<Tensor> imageToTensor(const Image& image, const Preprocess& preprocess, DType dtype,
                             const std::vector<int64_t>& shape) {
  if (!isImageShape(shape)) {
    return invalidArgument(
        fmt::format("an image cannot become {}; give an array (.npy)", describe(dtype, shape)));
  }
  const size_t rank = shape.size();
  const int channels = static_cast<int>(shape[rank - 3]);
  const int height = static_cast<int>(shape[rank - 2]);
  const int width = static_cast<int>(shape[rank - 1]);
  if (preprocess.size && *preprocess.size != std::pair(height, width)) {
    return invalidArgument(fmt::format("preprocessing makes images of {}x{}, the model wants {}x{}",
                                       preprocess.size->first, preprocess.size->second, height,
                                       width));
  }
  if (dtype != DType::kF32 && dtype != DType::kU8) {
    return invalidArgument(fmt::format("an image cannot become {}", describe(dtype, shape)));
  }
  // A model with one channel wants grey, whatever a file without a choice says.
  const bool wants_gray = preprocess.color == Preprocess::Color::kGray;
  if (wants_gray && channels == 3) {
    return invalidArgument("preprocessing makes grey images, the model wants 3 channels");
  }
  const bool convert = channels == 1 && image.channels == 3;
  const Image fitted = fitImage(convert ? toGray(image) : image, preprocess, height, width);
  if (fitted.channels != channels) {
    return invalidArgument(fmt::format("an image of {} channel(s) cannot become {}",
                                       fitted.channels, describe(dtype, shape)));
  }
  Tensor tensor = Tensor::zeros(dtype, shape);
  const bool swap = preprocess.color == Preprocess::Color::kBgr;
  const size_t plane = static_cast<size_t>(height) * width;
  for (int c = 0; c < channels; ++c) {
    const int from = swap ? channels - 1 - c : c;
    const double mean = channelValue(preprocess.mean, channels == 1 ? 0 : c);
    const double deviation = channelValue(preprocess.std, channels == 1 ? 0 : c);
    for (size_t i = 0; i < plane; ++i) {
      const uint8_t value = fitted.pixels[i * channels + from];
      if (dtype == DType::kU8) {
        tensor.as<uint8_t>()[c * plane + i] = value;
      } else {
        tensor.as<float>()[c * plane + i] =
            static_cast<float>((value * preprocess.scale - mean) / deviation);
      }
    }
  }
  return tensor;
}

}  // namespace vta::tools
