// vta-run --generate.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "driver/generate/generate.h"
#include "module/analysis/text_rows.h"
#include "tools/common/print.h"
#include "tools/vta_run/report.h"
#include "tools/vta_run/runner.h"

namespace vta::tools {
namespace {

using driver::Generation;

uint64_t movedBytes(const LaunchCounters& counters) {
  uint64_t bytes = 0;
  for (const UnitCounters* unit :
       {&counters.fetch, &counters.load, &counters.compute, &counters.store}) {
    bytes += unit->read_bytes + unit->write_bytes;
  }
  return bytes;
}

/// Tokens that runs behind the prompt have read.
int64_t laterTokens(const Generation& text) { return text.runs - text.prompt_runs + text.accepted; }

/// What the accelerator's part of the runs takes at its clock.
std::string acceleratorText(const Generation& text, const HwConfig& hw) {
  const double clock_hz = static_cast<double>(hw.params().clock_hz);
  const auto seconds = [&](const LaunchCounters& counters) {
    return static_cast<double>(counters.cycles) / clock_hz;
  };
  std::string lines = fmt::format("accelerator at {:g} MHz: {:.1f} ms to the first token",
                                  hw.params().clockMhz(), 1e3 * seconds(text.prompt_counters));
  if (laterTokens(text) > 0 && text.generated_counters.cycles > 0) {
    const auto tokens = static_cast<double>(laterTokens(text));
    lines += fmt::format(", then {:.1f} tokens/s ({:.0f} cycles and {:.0f} bytes a token)",
                         tokens / seconds(text.generated_counters),
                         static_cast<double>(text.generated_counters.cycles) / tokens,
                         static_cast<double>(movedBytes(text.generated_counters)) / tokens);
  }
  return lines + "\n";
}

/// How many tokens a run has made, where some were guessed.
std::string draftText(const Generation& text) {
  const int64_t runs = text.runs - text.prompt_runs;
  if (text.drafted == 0 || runs == 0) return "";
  return fmt::format("{:.2f} tokens a run: {} of {} guesses were right\n",
                     static_cast<double>(laterTokens(text)) / static_cast<double>(runs),
                     text.accepted, text.drafted);
}

std::string textSummary(const Generation& text, const Runner& runner) {
  const std::string ends[] = {
      "the model ended it", "a stop followed", "--max-tokens were made",
      fmt::format("the module keeps no longer text: it has read {} tokens, all but the last",
                  textCapacity(runner.info()))};
  std::string lines =
      fmt::format("\n{} tokens of the prompt, {} behind it; {}\n", text.prompt.size(),
                  text.tokens.size(), ends[static_cast<size_t>(text.end)]);
  lines += draftText(text);
  if (runner.hw() != nullptr && runner.hasCycles()) lines += acceleratorText(text, *runner.hw());
  return lines + fmt::format("this machine: {:.2f} s, of which {:.2f} s to the first token\n",
                             text.seconds, text.first_token_seconds);
}

/// Of as much of the text as the module keeps.
Status showPerplexity(const RunOptions& options, const driver::Tokenizer& tokenizer,
                      const ModuleInfo& info, driver::TextGenerator& generator) {
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(options.text.perplexity_file));
  const std::string file = fmt::format("'{}'", options.text.perplexity_file);
  auto encoded = tokenizer.encode(text);
  if (!encoded.ok()) return encoded.status().withContext(file);
  const size_t all = encoded->size();
  encoded->resize(std::min(all, static_cast<size_t>(textCapacity(info)) + 1));
  const auto surprise = generator.meanSurprise(*encoded);
  if (!surprise.ok()) return surprise.status().withContext(file);
  print("perplexity {:.3f} over {} tokens", std::exp(*surprise), encoded->size() - 1);
  print("{}\n", all > encoded->size()
                    ? fmt::format(", the first of {}; --context-length takes more", all - 1)
                    : "");
  return {};
}

Status generateText(const RunOptions& options, const Runner& runner,
                    driver::TextGenerator& generator) {
  driver::GenerateOptions generate = options.text.generate;
  generate.sampling.seed = options.seed;
  const std::string& prompt = *options.text.prompt;
  bool is_begun = false;
  const auto show = [&](std::string_view piece) {
    if (!is_begun) printText(prompt);
    is_begun = true;
    printText(piece);
    flushOutput();
  };
  VTA_ASSIGN_OR_RETURN(const Generation text, generator.generate(prompt, generate, show));
  if (!is_begun) printText(prompt);
  printText("\n" + textSummary(text, runner));
  return {};
}

}  // namespace

Status makeText(const RunOptions& options, const driver::Tokenizer& tokenizer, Runner& runner) {
  uint64_t verified_layers = 0;
  const auto run = [&](const TensorMap& inputs) {
    auto result = runner.run(inputs);
    if (result.ok()) verified_layers += result->verified_steps;
    return result;
  };
  const auto shorten = [&](int64_t length) { return runner.shortenText(length); };
  auto generator = driver::TextGenerator::create(runner.info(), tokenizer, run, shorten);
  if (!generator.ok()) {
    return generator.status().withContext(
        fmt::format("'{}' with --tokenizer '{}'", options.model, options.text.tokenizer));
  }
  VTA_RETURN_IF_ERROR(options.text.prompt
                          ? generateText(options, runner, *generator)
                          : showPerplexity(options, tokenizer, runner.info(), *generator));
  if (options.verify) printText(verifiedLine(verified_layers, runner.info()));
  return {};
}

}  // namespace vta::tools
