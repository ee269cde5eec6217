// The models of a sweep: imported and quantised once, outlined once for each shape of accelerator.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "compiler/compile.h"
#include "explore/sweep/space/sweep_config.h"

namespace vta::sweep {

/// Imports a model and gives the samples for its quantisation.
struct LoadedModel {
  std::shared_ptr<const compiler::Model> model;
  compiler::QuantizeOptions quantize;
};
using ModelLoader = std::function<Result<LoadedModel>(const ModelEntry& entry, int64_t batch)>;

class ModelLibrary {
 public:
  explicit ModelLibrary(ModelLoader loader) : loader_(std::move(loader)) {}

  /// Everything that an outline depends on: the model's bytes, its dimensions and what of `hw`
  /// quantisation and partition look at. Error: the file cannot be read.
  Result<std::string> outlineKey(const ModelEntry& entry, int64_t batch, const HwConfig& hw);

  /// As outlineKey, of the integers alone and of a run with one input.
  Result<std::string> integersKey(const ModelEntry& entry, const HwConfig& hw);

  /// The imported model and the samples for its quantisation. Errors: those of the loader, which
  /// later calls repeat.
  Result<LoadedModel> load(const ModelEntry& entry, int64_t batch);

  /// Quantises the model for accelerators like `hw`, unless that is done. `progress`, which may be
  /// empty, hears of it. Errors: those of the loader and of Model::quantize, which later calls
  /// repeat.
  Status prepare(const ModelEntry& entry, int64_t batch, const HwConfig& hw,
                 const compiler::Progress& progress = {});

  /// The outline (outline_text.h) of a model that is prepared. In a process of its own: constants
  /// that are packed for `hw` stay in memory.
  Result<std::string> outline(const ModelEntry& entry, int64_t batch, const HwConfig& hw);

 private:
  using Prepared = Result<std::shared_ptr<const compiler::Model>>;
  static std::string quantizeKey(const ModelEntry& entry, int64_t batch, const HwConfig& hw);
  Result<std::string> hashOf(const ModelEntry& entry);

  ModelLoader loader_;
  std::map<std::string, std::string> hashes_;  // of files
  std::map<std::string, Result<LoadedModel>> loaded_;
  std::map<std::string, Prepared> quantized_;
};

}  // namespace vta::sweep
