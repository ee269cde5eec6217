#include "tools/inputs/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "tools/inputs/formats.h"

namespace vta::tools {
namespace {

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

Result<Preprocess> loadPreprocess(const std::string& name) {
  if (name == "imagenet") return imagenetPreprocess();
  if (name == "none") return Preprocess{};
  const PreprocessReader reader = findPreprocessReader();
  if (reader == nullptr) {
    return unsupported("--preprocess: this program knows imagenet and none, and reads no files");
  }
  const auto text = readTextFile(name);
  if (!text.ok()) {
    return text.status().withContext("--preprocess is neither imagenet nor none nor a file");
  }
  return reader(*text, name);
}

Result<Preprocess> choosePreprocess(const std::string& name,
                                    const std::vector<std::vector<int64_t>>& shapes) {
  if (!name.empty()) {
    const auto is_image = [](const auto& shape) { return imageForm(shape).has_value(); };
    if (std::ranges::any_of(shapes, is_image)) return loadPreprocess(name);
    return invalidArgument(
        "--preprocess: no input of the model is an image of 1 or 3 channels; leave it out");
  }
  const bool has_colour = std::ranges::any_of(shapes, [](const std::vector<int64_t>& shape) {
    const auto form = imageForm(shape);
    return form && form->channels == 3;
  });
  return loadPreprocess(has_colour ? "imagenet" : "none");
}

Status checkPreprocess(const std::string& name, bool has_files) {
  if (name.empty()) return {};
  if (!has_files) {
    return invalidArgument("--preprocess has no image to work on; name images with it");
  }
  const auto preprocess = loadPreprocess(name);
  return preprocess.ok() ? Status() : preprocess.status();
}

std::optional<ImageForm> imageForm(const std::vector<int64_t>& shape) {
  const size_t rank = shape.size();
  if (rank != 3 && !(rank == 4 && shape[0] == 1)) return std::nullopt;
  const auto fits = [](int64_t extent) { return extent >= 1 && extent <= kMaxImageExtent; };
  if (!std::all_of(shape.end() - 3, shape.end(), fits)) return std::nullopt;
  const auto extent = [&](size_t from_end) { return static_cast<int>(shape[rank - from_end]); };
  const auto are_channels = [](int count) { return count == 1 || count == 3; };
  if (are_channels(extent(3))) return ImageForm{extent(3), extent(2), extent(1), false};
  if (are_channels(extent(1))) return ImageForm{extent(1), extent(3), extent(2), true};
  return std::nullopt;
}

Result<Tensor> imageToTensor(const Image& image, const Preprocess& preprocess, DType dtype,
                             const std::vector<int64_t>& shape) {
  const auto form = imageForm(shape);
  if (!form) {
    return invalidArgument(
        fmt::format("an image cannot become {}; give an array (.npy)", describe(dtype, shape)));
  }
  const auto [channels, height, width, channels_last] = *form;
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
      const size_t place = channels_last ? i * channels + c : c * plane + i;
      if (dtype == DType::kU8) {
        tensor.as<uint8_t>()[place] = value;
      } else {
        tensor.as<float>()[place] =
            static_cast<float>((value * preprocess.scale - mean) / deviation);
      }
    }
  }
  return tensor;
}

}  // namespace vta::tools
