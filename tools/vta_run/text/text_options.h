// Options of vta-run that make a text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "driver/generate/generate.h"

namespace vta::tools {

struct TextOptions {
  std::vector<std::string> prompts;  // none: no text is made
  std::string perplexity_file;       // empty: none
  std::string tokenizer;
  std::string draft_model;  // a module that guesses; empty: guesses are from the text
  driver::GenerateOptions generate;

  /// Whether the model reads or makes a text.
  bool isText() const { return !prompts.empty() || !perplexity_file.empty(); }
};

/// --generate and what belongs to it.
void addTextOptions(CLI::App& app, TextOptions& options);

/// Takes the tokenizer that a model in GGUF has inside, unless another one was given.
void useTokenizerOf(const std::string& model, TextOptions& options);

/// What is wrong with them; empty when nothing is.
std::string checkTextOptions(const TextOptions& options);

}  // namespace vta::tools
