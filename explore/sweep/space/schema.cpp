// The JSON schema of sweeps.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "explore/sweep/space/sweep_config.h"
#include "explore/sweep/space/value_text.h"
#include "explore/tune/search/registry.h"
#include "isa/config/clock_estimate.h"

namespace vta::sweep {
namespace {

using Json = nlohmann::ordered_json;

Json listOf(Json items) {
  return {{"type", "array"}, {"minItems", 1}, {"items", std::move(items)}};
}

Json described(Json schema, const std::string& text) {
  schema["description"] = text;
  return schema;
}

Json oneOrMore(Json item) {
  Json list = listOf(item);
  return {{"anyOf", {std::move(item), std::move(list)}}};
}

Json numberOrText() { return {{"type", {"number", "string"}}}; }

/// The values of one key of the grid.
Json axisSchema(const Parameter* parameter) {
  Json value = numberOrText();
  if (parameter != nullptr && parameter->kind == ParameterKind::kSet) {
    value = {{"type", "array"}, {"items", {{"enum", parameter->names}}}};
  } else if (parameter != nullptr && parameter->kind == ParameterKind::kChoice) {
    value = {{"type", {"string", "boolean"}}};
  }
  Json map = {{"type", "object"},
              {"additionalProperties", false},
              {"properties",
               {{"values", listOf(value)},
                {"from", numberOrText()},
                {"to", numberOrText()},
                {"step", numberOrText()},
                {"factor", numberOrText()},
                {"when", {{"type", {"string", "boolean", "number"}}}},
                {"otherwise", value}}}};
  return {{"anyOf", {listOf(value), std::move(map)}}};
}

Json gridSchema() {
  Json keys = Json::object();
  for (const Parameter& parameter : parameters()) {
    if (parameter.kind == ParameterKind::kText) continue;
    keys[parameter.fullKey()] = described(
        axisSchema(&parameter), fmt::format("{}; legal: {}", parameter.doc, legalText(parameter)));
  }
  return {{"type", "object"},
          {"properties", std::move(keys)},
          {"patternProperties", {{"^[A-Za-z_][A-Za-z0-9_]*$", axisSchema(nullptr)}}},
          {"additionalProperties", false},
          {"description",
           "the values of each parameter, or of a variable of the sweep's own: a list, or a range "
           "with from, to and one of step and factor; the space is their product"}};
}

Json accuracySchema() {
  const Json text = {{"type", "string"}};
  Json map = {{"type", "object"},
              {"additionalProperties", false},
              {"required", {"samples"}},
              {"properties",
               {{"samples", described(oneOrMore(text),
                                      "images, arrays (.npy, .npz), or folders "
                                      "with them; NAME=PATH for one of several "
                                      "inputs")},
                {"calibrate", described(oneOrMore(text),
                                        "data like these that integer ranges come "
                                        "from; without it, the samples")},
                {"preprocess", described(text,
                                         "imagenet, none, or a file: how images become "
                                         "inputs")},
                {"labels", described(text, "a file with lines FILE,CLASS, one for each sample")}}}};
  return described(std::move(map),
                   "what the accuracy of the network's integers is measured on, once for each way "
                   "of quantising");
}

Json modelSchema() {
  Json map = {
      {"type", "object"},
      {"additionalProperties", false},
      {"required", {"file"}},
      {"properties",
       {{"file", {{"type", "string"}}},
        {"name", {{"type", "string"}}},
        {"weight", {{"type", "number"}, {"exclusiveMinimum", 0}}},
        {"dimensions", {{"type", "object"}, {"additionalProperties", {{"type", "integer"}}}}},
        {"batch_dimension", {{"type", "string"}}},
        {"accuracy", accuracySchema()}}}};
  return oneOrMore(Json{{"anyOf", {Json{{"type", "string"}}, std::move(map)}}});
}

Json clockSchema() {
  Json devices = Json::array();
  for (const ClockEstimate& estimate : estimateClock(HwParams()))
    devices.push_back(estimate.device);
  Json map = {{"type", "object"},
              {"additionalProperties", false},
              {"required", {"estimate"}},
              {"properties",
               {{"estimate", {{"enum", std::move(devices)}}}, {"filled", {{"type", "boolean"}}}}}};
  return {{"anyOf", {Json{{"type", "number"}, {"minimum", 1}}, std::move(map)}},
          {"description",
           "MHz, or the clock that the timing estimate gives on a device, three quarters full or "
           "not"}};
}

Json calibrationSchema() {
  const Json text = {{"type", "string"}};
  Json design = {
      {"type", "object"},
      {"additionalProperties", false},
      {"required", {"hw"}},
      {"properties",
       {{"hw", described(text, "the configuration that was implemented: a file")},
        {"utilization", described(text, "its report of report_utilization: a text file")},
        {"timing", described(text, "its report of report_timing_summary: a text file")},
        {"clock",
         described(text, "the core's clock in the timing report, where it has several")}}}};
  return described(listOf(std::move(design)),
                   "reports of Vivado that scale the estimates of resources and clock");
}

Json schedulesSchema() {
  Json searchers = Json::array();
  for (const tune::SearcherKind& kind : tune::searcherKinds()) searchers.push_back(kind.name);
  Json map = {{"type", "object"},
              {"additionalProperties", false},
              {"required", {"searcher"}},
              {"properties",
               {{"searcher", {{"enum", std::move(searchers)}}},
                {"trials", {{"type", "integer"}, {"minimum", 1}}}}}};
  return {{"anyOf", {Json{{"enum", {"estimated", "simulated", "searched"}}}, std::move(map)}},
          {"description",
           "how each point's schedules are chosen: by the analytic model, by simulating its best, "
           "or by a searcher of the tuner with so many trials for each kernel"}};
}

Json searchSchema() {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"method"}},
          {"properties",
           {{"method", {{"enum", searchMethods()}}},
            {"evaluations", {{"type", "integer"}, {"minimum", 1}}},
            {"population", {{"type", "integer"}, {"minimum", 5}}},
            {"seed", {{"type", "integer"}, {"minimum", 0}}}}}};
}

}  // namespace

std::string sweepSchema() {
  const Json text = {{"type", "string"}};
  const Json expressions = oneOrMore({{"type", {"string", "boolean", "number"}}});
  const Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "VTA sweep"},
      {"type", "object"},
      {"additionalProperties", false},
      {"required", {"models"}},
      {"properties",
       {{"name", described(text, "in reports; without it, the name of the file")},
        {"base", described(text,
                           "the configuration that the grid changes: a file, relative to this "
                           "one; without it, the default")},
        {"grid", gridSchema()},
        {"derive",
         {{"type", "object"},
          {"additionalProperties", {{"type", {"string", "number"}}}},
          {"description",
           "parameters and variables that follow from others: an expression each, in order"}}},
        {"constraints",
         described(expressions,
                   "expressions that have to hold, over parameters and results, such "
                   "as fits(xc7z020) or latency_ms < 20")},
        {"models", modelSchema()},
        {"batch", described(oneOrMore({{"type", "integer"}, {"minimum", 1}}),
                            "sizes that each model's batch_dimension gets")},
        {"memories", described(oneOrMore(text),
                               "names of DRAM models, or files relative to this "
                               "one; without it, simple")},
        {"clock", clockSchema()},
        {"calibration", calibrationSchema()},
        {"energy", described(text, "a table of configs/energy by its name, or a file")},
        {"schedules", schedulesSchema()},
        {"lut_margin",
         {{"type", "number"},
          {"exclusiveMinimum", -1},
          {"maximum", 0.9},
          {"description",
           "share of a device's LUTs and flip-flops that fits() leaves free; below "
           "0, so many more are allowed than there are"}}},
        {"objectives", described(expressions,
                                 "expressions to minimise; those with - in front are "
                                 "maximised")},
        {"search", searchSchema()}}}};
  return schema.dump(2) + "\n";
}

}  // namespace vta::sweep
