// What vta-run found out about texts, and how it is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/generate/generate.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"

namespace vta::tools {

/// A text that was made.
struct MadeText {
  std::string prompt;
  driver::Generation made;
};

/// How much a text surprises the model.
struct ReadText {
  std::string file;
  double perplexity = 0;
  size_t tokens = 0;      // that were judged
  size_t all_tokens = 0;  // of the file
};

struct TextReport {
  const ModuleInfo* module = nullptr;
  const HwConfig* hw = nullptr;  // null: nothing ran on a VTA
  std::string device;
  bool has_cycles = false;
  std::vector<std::string> warnings{};  // of making the module
  std::vector<MadeText> texts{};
  std::optional<ReadText> read{};
  uint64_t verified_layers = 0;
};

/// What a text took, in lines behind it.
std::string textSummary(const TextReport& report, const driver::Generation& text);
/// The line about a text that was read.
std::string perplexityLine(const ReadText& read);
/// Everything as one object of JSON.
std::string jsonTextReport(const TextReport& report);

}  // namespace vta::tools
