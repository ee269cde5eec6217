// SampleSet: the model inputs that options name, one set of tensors for each run of the model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "tools/inputs/image.h"
#include "tools/inputs/preprocess.h"

namespace vta::tools {

/// An input of the model that samples are for.
struct InputSpec {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  int64_t index_extent = 0;  // see PortInfo in module/module_info.h
};

std::vector<std::vector<int64_t>> shapesOf(const std::vector<InputSpec>& inputs);

/// Samples are loaded one by one, so that a folder of images takes the memory of one.
class SampleSet {
 public:
  /// `arguments` are "NAME=PATH" or, for a model with one input, "PATH". A path is an image, a
  /// .npy, a .npz (arrays by input name) or, in programs that read it, an ONNX .pb; a folder or
  /// several arguments for one input are so many samples. An array with a larger first extent than
  /// the input's holds several samples. Inputs must have equally many samples, or one, which then
  /// serves every run. Other float types and byte orders become what the model wants. Errors name
  /// the file.
  static Result<SampleSet> open(const std::vector<std::string>& arguments,
                                const std::vector<InputSpec>& inputs, const Preprocess& preprocess);

  /// Seeded random inputs: floats from -1 to 1, integers over the type's range (at most 0 to 255),
  /// indices within what they select from.
  static SampleSet random(const std::vector<InputSpec>& inputs, uint64_t seed);

  int64_t size() const { return size_; }

  /// What sample `index` is called: its file, with ":k" when that holds several. A model without
  /// inputs has one sample, which is empty.
  const std::string& name(int64_t index) const;

  /// Errors name the input and the file; among them NaN and infinity, with the index of the
  /// element.
  Result<TensorMap> load(int64_t index) const;

  /// From now on load() takes NaN and infinity: float arithmetic has rules for them, integers
  /// cannot stand for them.
  void allowNonFinite() { allows_non_finite_ = true; }

 private:
  /// Where one tensor comes from: a file, or one sample of an array in memory.
  struct Source {
    std::string name;
    std::string path;  // empty: `array`
    std::shared_ptr<const Tensor> array;
    int64_t sample = 0;
  };
  struct Port {
    InputSpec spec;
    std::vector<Source> sources;
  };

  Status addArgument(const std::string& argument);
  Status addPath(Port& port, const std::string& path);
  Status addArchive(const std::string& path);
  Status addArray(Port& port, const std::string& name, Tensor array);
  Status finish();
  Result<Tensor> loadSource(const Port& port, const Source& source) const;
  Result<Tensor> fitImage(const InputSpec& spec, const Image& image) const;
  Result<Tensor> fit(const InputSpec& spec, const Tensor& given) const;

  std::vector<Port> ports_;
  Preprocess preprocess_;
  int64_t size_ = 0;
  bool allows_non_finite_ = false;
};

}  // namespace vta::tools
