// How an image becomes a model's input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "tools/inputs/image.h"

namespace vta::tools {

/// ((value * scale) - mean) / std for each channel, in the order of the model's input.
struct Preprocess {
  enum class Color : uint8_t { kRgb, kBgr, kGray };
  enum class Resize : uint8_t {
    kStretch,     // to the size, whatever the shape
    kCenterCrop,  // the shorter side to size / crop_fraction, then the middle
  };
  Color color = Color::kRgb;
  std::optional<std::pair<int, int>> size;  // height, width; none: the model's input
  Resize resize = Resize::kStretch;
  double crop_fraction = 1.0;
  double scale = 1.0;
  std::vector<double> mean = {0.0};  // one value, or one per channel
  std::vector<double> std = {1.0};
};

/// The largest height and width of an image.
inline constexpr int kMaxImageExtent = 16384;

/// `name` is "imagenet" (RGB, middle 7/8, the usual mean and deviation), "none" (values 0 to 255 as
/// they are, stretched), or a YAML file, which not every program reads (inputs/formats.h). Errors:
/// unknown, missing or ill-typed keys, with their place.
Result<Preprocess> loadPreprocess(const std::string& name);
Result<Preprocess> parsePreprocess(std::string_view yaml, std::string_view source_name);

/// `name` as for loadPreprocess; empty: "imagenet" where one of the input `shapes` is an image of
/// three channels, otherwise "none". Errors: those of loadPreprocess, a name without an image.
Result<Preprocess> choosePreprocess(const std::string& name,
                                    const std::vector<std::vector<int64_t>>& shapes);

/// For an option that may be empty: it can be loaded, and there are files for it to work on.
/// Errors: those of loadPreprocess, no files.
Status checkPreprocess(const std::string& name, bool has_files);

/// How an input holds an image.
struct ImageForm {
  int channels = 0, height = 0, width = 0;
  bool channels_last = false;
};

/// The form of an input of shape [1, C, H, W], or [1, H, W, C] as TensorFlow has it, with 1 or 3
/// channels, or of these without the batch; nothing for what no image can become. What can be read
/// both ways has its channels first.
std::optional<ImageForm> imageForm(const std::vector<int64_t>& shape);

/// The input of this type and shape. Errors: a shape that is no image's, another size than the
/// file's, a colour with another number of channels, a type other than float32 and uint8.
Result<Tensor> imageToTensor(const Image& image, const Preprocess& preprocess, DType dtype,
                             const std::vector<int64_t>& shape);

}  // namespace vta::tools
