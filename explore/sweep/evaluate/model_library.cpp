#include "explore/sweep/evaluate/model_library.h"

#include <fmt/format.h>

#include <span>

#include "base/files.h"
#include "base/hash.h"
#include "explore/sweep/network/outline_key.h"
#include "explore/sweep/network/outline_text.h"

namespace vta::sweep {
namespace {

std::string dimensionsText(const ModelEntry& entry, int64_t batch) {
  std::string text = fmt::format("batch {}={}", entry.batch_dimension, batch);
  for (const auto& [name, value] : entry.dimensions) text += fmt::format(" {}={}", name, value);
  return text;
}

}  // namespace

std::string ModelLibrary::quantizeKey(const ModelEntry& entry, int64_t batch, const HwConfig& hw) {
  return fmt::format("{} {} {}", entry.file.string(), dimensionsText(entry, batch),
                     quantizerText(hw.params()));
}

Result<std::string> ModelLibrary::hashOf(const ModelEntry& entry) {
  std::string& hash = hashes_[entry.file.string()];
  if (hash.empty()) {
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(entry.file));
    hash = fmt::format("{:016x}-{}", hashBytes(bytes), bytes.size());
  }
  return hash;
}

Result<std::string> ModelLibrary::outlineKey(const ModelEntry& entry, int64_t batch,
                                             const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const std::string hash, hashOf(entry));
  return fmt::format("{} {} {}", hash, dimensionsText(entry, batch), acceleratorText(hw));
}

Result<std::string> ModelLibrary::integersKey(const ModelEntry& entry, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const std::string hash, hashOf(entry));
  return fmt::format("{} {} {}", hash, dimensionsText(entry, 1), quantizerText(hw.params()));
}

Result<LoadedModel> ModelLibrary::load(const ModelEntry& entry, int64_t batch) {
  const std::string key = entry.file.string() + dimensionsText(entry, batch);
  auto found = loaded_.find(key);
  if (found == loaded_.end()) found = loaded_.emplace(key, loader_(entry, batch)).first;
  return found->second;
}

Status ModelLibrary::prepare(const ModelEntry& entry, int64_t batch, const HwConfig& hw,
                             const compiler::Progress& progress) {
  const std::string key = quantizeKey(entry, batch, hw);
  if (const auto found = quantized_.find(key); found != quantized_.end()) {
    return found->second.status();
  }
  const auto quantize = [&]() -> Prepared {
    if (progress) progress("import", 0, 1);
    VTA_ASSIGN_OR_RETURN(const LoadedModel loaded, load(entry, batch));
    compiler::CompileOptions options;
    options.hw = hw;
    options.quantize = loaded.quantize;
    compiler::hearProgress(options, progress);
    return loaded.model->quantize(options);
  };
  return quantized_.emplace(key, quantize()).first->second.status();
}

Result<std::string> ModelLibrary::outline(const ModelEntry& entry, int64_t batch,
                                          const HwConfig& hw) {
  const auto found = quantized_.find(quantizeKey(entry, batch, hw));
  if (found == quantized_.end()) return internalError("the model is not prepared");
  VTA_ASSIGN_OR_RETURN(const std::shared_ptr<const compiler::Model> model, found->second);
  compiler::CompileOptions options;
  options.hw = hw;
  VTA_ASSIGN_OR_RETURN(const compiler::ModuleOutline outline, model->outline(options));
  return encodeOutline(outline);
}

}  // namespace vta::sweep
