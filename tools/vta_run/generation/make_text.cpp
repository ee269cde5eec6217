// vta-run --generate and --perplexity.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/files.h"
#include "driver/generate/draft_model.h"
#include "driver/generate/generate.h"
#include "module/analysis/text_rows.h"
#include "tools/common/print.h"
#include "tools/vta_run/generation/text_report.h"
#include "tools/vta_run/report.h"
#include "tools/vta_run/runner.h"

namespace vta::tools {
namespace {

/// Reads as much of the text as the module keeps.
Result<ReadText> readFileText(const RunOptions& options, const driver::Tokenizer& tokenizer,
                              const ModuleInfo& info, driver::TextGenerator& generator) {
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(options.text.perplexity_file));
  const std::string file = fmt::format("'{}'", options.text.perplexity_file);
  auto encoded = tokenizer.encode(text);
  if (!encoded.ok()) return encoded.status().withContext(file);
  const size_t all = encoded->size();
  encoded->resize(std::min(all, static_cast<size_t>(textCapacity(info)) + 1));
  const auto surprise = generator.meanSurprise(*encoded);
  if (!surprise.ok()) return surprise.status().withContext(file);
  // Nothing stands in front of the first token that could judge it.
  return ReadText{options.text.perplexity_file, std::exp(*surprise), encoded->size() - 1, all - 1};
}

/// Shows the text as it comes, unless all is to be one object.
Result<MadeText> generateText(const RunOptions& options, const std::string& prompt,
                              driver::TextGenerator& generator, driver::DraftModel* draft) {
  driver::GenerateOptions generate = options.text.generate;
  if (draft != nullptr) generate.draft = std::bind_front(&driver::DraftModel::draft, draft);
  generate.sampling.seed = options.seed;
  bool is_begun = false;
  const auto show = [&](std::string_view piece) {
    if (!is_begun) printText(prompt);
    is_begun = true;
    printText(piece);
    flushOutput();
  };
  const driver::TextSink sink = options.json ? driver::TextSink() : show;
  auto made = generator.generate(prompt, generate, sink);
  if (!made.ok()) {
    const bool is_one = options.text.prompts.size() == 1;
    return is_one ? made.status() : made.status().withContext(fmt::format("'{}'", prompt));
  }
  if (!is_begun && !options.json) printText(prompt);
  return MadeText{prompt, *std::move(made)};
}

/// Each text as if it were the only one.
Status generateTexts(const RunOptions& options, Runner& runner, driver::TextGenerator& generator,
                     driver::DraftModel* draft, TextReport& report) {
  for (const std::string& prompt : options.text.prompts) {
    if (!report.texts.empty()) VTA_RETURN_IF_ERROR(runner.shortenText(0));
    if (!report.texts.empty() && !options.json) printText("\n");
    VTA_ASSIGN_OR_RETURN(MadeText text, generateText(options, prompt, generator, draft));
    if (!options.json) printText("\n" + textSummary(report, text.made));
    report.texts.push_back(std::move(text));
  }
  return {};
}

/// Reads with the module of --draft.
Result<driver::DraftModel> openDraft(const RunOptions& options, const driver::Tokenizer& tokenizer,
                                     Runner& draft) {
  const auto run = [&](const TensorMap& inputs) { return draft.run(inputs); };
  const auto shorten = [&](int64_t length) { return draft.shortenText(length); };
  auto model = driver::DraftModel::create(draft.info(), tokenizer, run, shorten);
  if (!model.ok()) {
    return model.status().withContext(fmt::format("--draft '{}'", options.text.draft_model));
  }
  return model;
}

}  // namespace

Status makeText(const RunOptions& options, const driver::Tokenizer& tokenizer, Runner& runner,
                Runner* draft, const std::vector<std::string>& warnings) {
  TextReport report = {&runner.info(), runner.hw(), runner.deviceName(), runner.hasCycles(),
                       warnings};
  const auto run = [&](const TensorMap& inputs) {
    auto result = runner.run(inputs);
    if (result.ok()) report.verified_layers += result->verified_steps;
    return result;
  };
  const auto shorten = [&](int64_t length) { return runner.shortenText(length); };
  auto generator = driver::TextGenerator::create(runner.info(), tokenizer, run, shorten);
  if (!generator.ok()) {
    return generator.status().withContext(
        fmt::format("'{}' with --tokenizer '{}'", options.model, options.text.tokenizer));
  }
  if (options.text.prompts.empty()) {
    VTA_ASSIGN_OR_RETURN(report.read, readFileText(options, tokenizer, runner.info(), *generator));
    if (!options.json) printText(perplexityLine(*report.read));
  } else {
    std::optional<driver::DraftModel> guesses;
    if (draft != nullptr) {
      VTA_ASSIGN_OR_RETURN(auto opened, openDraft(options, tokenizer, *draft));
      guesses.emplace(std::move(opened));
    }
    VTA_RETURN_IF_ERROR(
        generateTexts(options, runner, *generator, guesses ? &*guesses : nullptr, report));
  }
  if (options.json) {
    printRaw(jsonTextReport(report));
  } else if (options.verify) {
    printText(verifiedLine(report.verified_layers, runner.info()));
  }
  return {};
}

}  // namespace vta::tools
