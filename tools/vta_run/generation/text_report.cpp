#include "tools/vta_run/generation/text_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "module/analysis/text_rows.h"

namespace vta::tools {
namespace {

using driver::Generation;
using Json = nlohmann::ordered_json;

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

double clockSeconds(const LaunchCounters& counters, const HwConfig& hw) {
  return static_cast<double>(counters.cycles) / static_cast<double>(hw.params().clock_hz);
}

/// What the accelerator's part of the runs takes at its clock.
std::string acceleratorText(const Generation& text, const HwConfig& hw) {
  std::string lines =
      fmt::format("accelerator at {:g} MHz: {:.1f} ms to the first token", hw.params().clockMhz(),
                  1e3 * clockSeconds(text.prompt_counters, hw));
  if (laterTokens(text) > 0 && text.generated_counters.cycles > 0) {
    const auto tokens = static_cast<double>(laterTokens(text));
    lines += fmt::format(", then {:.1f} tokens/s ({:.0f} cycles and {:.0f} bytes a token)",
                         tokens / clockSeconds(text.generated_counters, hw),
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

/// Of launches; null where the device counts no cycles.
Json launchesToJson(const TextReport& report, const LaunchCounters& counters) {
  if (report.hw == nullptr || !report.has_cycles) return nullptr;
  return {{"cycles", counters.cycles},
          {"ms", 1e3 * clockSeconds(counters, *report.hw)},
          {"dram_bytes", movedBytes(counters)}};
}

Json textToJson(const TextReport& report, const MadeText& text) {
  const Generation& made = text.made;
  return {{"prompt", text.prompt},
          {"text", made.text},
          {"end", driver::textEndName(made.end)},
          {"prompt_tokens", made.prompt},
          {"tokens", made.tokens},
          {"prompt_runs", made.prompt_runs},
          {"runs", made.runs - made.prompt_runs},
          {"guesses", made.drafted},
          {"right_guesses", made.accepted},
          {"vta_prompt", launchesToJson(report, made.prompt_counters)},
          {"vta", launchesToJson(report, made.generated_counters)},
          {"first_token_seconds", made.first_token_seconds},
          {"seconds", made.seconds}};
}

}  // namespace

std::string textSummary(const TextReport& report, const Generation& text) {
  const std::string ends[] = {
      "the model ended it", "a stop followed", "--max-tokens were made",
      fmt::format("the module keeps no longer text: it has read {} tokens, all but the last",
                  textCapacity(*report.module))};
  std::string lines =
      fmt::format("\n{} tokens of the prompt, {} behind it; {}\n", text.prompt.size(),
                  text.tokens.size(), ends[static_cast<size_t>(text.end)]);
  lines += draftText(text);
  if (report.hw != nullptr && report.has_cycles) lines += acceleratorText(text, *report.hw);
  return lines + fmt::format("this machine: {:.2f} s, of which {:.2f} s to the first token\n",
                             text.seconds, text.first_token_seconds);
}

std::string perplexityLine(const ReadText& read) {
  const std::string rest =
      read.all_tokens > read.tokens
          ? fmt::format(", the first of {}; --context-length takes more", read.all_tokens)
          : "";
  return fmt::format("perplexity {:.3f} over {} tokens{}\n", read.perplexity, read.tokens, rest);
}

std::string jsonTextReport(const TextReport& report) {
  Json json = {{"format", "vta-text"},
               {"version", 1},
               {"sdk_version", sdkVersion()},
               {"model", report.module->model},
               {"hw", report.hw != nullptr ? Json(report.hw->name()) : Json(nullptr)},
               {"device", report.device},
               {"clock_mhz", report.hw != nullptr ? Json(report.hw->params().clockMhz()) : Json()},
               {"warnings", report.warnings},
               {"texts", Json::array()},
               {"verified_layers", report.verified_layers}};
  for (const MadeText& text : report.texts) json["texts"].push_back(textToJson(report, text));
  if (report.read) {
    json["perplexity"] = {{"file", report.read->file},
                          {"perplexity", report.read->perplexity},
                          {"tokens", report.read->tokens},
                          {"all_tokens", report.read->all_tokens}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vta::tools
