#include "tools/vta_run/text/text_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/text/utf8.h"
#include "tools/common/command_line.h"

namespace vta::tools {

void addTextOptions(CLI::App& app, TextOptions& options) {
  constexpr uint64_t kMostTokens = 1 << 20;
  constexpr uint64_t kMostGuesses = 1023;
  driver::SamplingOptions& sampling = options.generate.sampling;
  addRepeatable(app, "--generate", options.prompts,
                "Make a text that begins so, with a language model that keeps its caches "
                "(--context-length); --seed chooses another one; may be repeated")
      ->type_name("TEXT");
  app.add_option("--perplexity", options.perplexity_file,
                 "Read a text, and tell how much its tokens surprise the model: 1 is not at all")
      ->type_name("FILE");
  app.add_option(
         "--tokenizer", options.tokenizer,
         "Of the model: tokenizer.json, tokenizer.bin of llama2.c, or a GGUF file; default: the "
         "model, if that is GGUF")
      ->type_name("FILE");
  app.add_option("--max-tokens", options.generate.max_tokens,
                 "How many tokens at most follow the prompt; default: 256")
      ->check(wholeNumber(1, kMostTokens));
  app.add_option("--temperature", sampling.temperature,
                 "Divides the scores of tokens: above 1 for surprising texts; default: 0, always "
                 "the likeliest token")
      ->check(numberFrom(0, 100));
  app.add_option("--top-k", sampling.top_k,
                 "Choose among so many of the likeliest tokens; default: all")
      ->check(wholeNumber(1, kMostTokens));
  app.add_option("--top-p", sampling.top_p,
                 "Choose among the likeliest tokens that have this probability together; default: "
                 "1, all")
      ->check(numberFrom(1e-6, 1));
  app.add_option("--speculate", options.generate.speculate,
                 "Guess so many tokens from the text so far and check them in one run: the same "
                 "text with fewer runs; default: 0. A module needs --prompt-chunk of one more")
      ->check(wholeNumber(0, kMostGuesses));
  app.add_option("--draft", options.draft_model,
                 "A small model with the same tokenizer that guesses for --speculate: a module of "
                 "vta-compile with --context-length")
      ->type_name("FILE");
  addRepeatable(app, "--stop", options.generate.stops,
                "End the text where it would go on so; may be repeated")
      ->type_name("TEXT");
}

void useTokenizerOf(const std::string& model, TextOptions& options) {
  if (!options.isText() || !options.tokenizer.empty()) return;
  if (std::filesystem::path(model).extension() == ".gguf") options.tokenizer = model;
}

std::string checkTextOptions(const TextOptions& text) {
  const driver::GenerateOptions defaults;
  const driver::SamplingOptions& sampling = text.generate.sampling;
  const std::pair<bool, const char*> of_texts[] = {
      {text.generate.max_tokens != defaults.max_tokens, "--max-tokens"},
      {sampling.temperature != defaults.sampling.temperature, "--temperature"},
      {sampling.top_k != defaults.sampling.top_k, "--top-k"},
      {sampling.top_p != defaults.sampling.top_p, "--top-p"},
      {text.generate.speculate != 0, "--speculate"},
      {!text.draft_model.empty(), "--draft"},
      {!text.generate.stops.empty(), "--stop"}};
  if (!text.tokenizer.empty() && !text.isText()) {
    return "--tokenizer needs --generate or --perplexity";
  }
  for (const auto& [is_given, option] : of_texts) {
    if (is_given && text.prompts.empty()) return fmt::format("{} needs --generate", option);
  }
  if (!text.draft_model.empty() && text.generate.speculate == 0) {
    return "--draft needs --speculate, how many tokens are guessed at a time";
  }
  for (const std::string& stop : text.generate.stops) {
    if (stop.empty()) return "--stop needs a text; an empty one would follow at once";
    if (!isUtf8(stop)) return fmt::format("--stop {}: the text is not UTF-8", stop);
  }
  if (!text.prompts.empty() && !text.perplexity_file.empty()) {
    return "--generate and --perplexity are two different runs";
  }
  if (text.isText() && text.tokenizer.empty()) {
    return fmt::format("{} needs --tokenizer, the file that the model has",
                       text.prompts.empty() ? "--perplexity" : "--generate");
  }
  return "";
}

}  // namespace vta::tools
