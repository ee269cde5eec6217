#include "web/estimate/requests.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "explore/sweep/network/outline_key.h"
#include "explore/sweep/network/outline_text.h"
#include "web/estimate/describe.h"
#include "web/estimate/example_program.h"
#include "web/estimate/network_estimate.h"
#include "web/estimate/program_steps.h"

namespace vta::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHardwareFile = "hardware.yaml";
constexpr const char* kMemoryFile = "memory.yaml";

/// The network that estimates are for.
std::optional<compiler::ModuleOutline>& network() {
  static std::optional<compiler::ModuleOutline> outline;
  return outline;
}

Json errorJson(const Status& status, std::string_view in) {
  return {{"error", status.message()}, {"in", in}};
}

/// The text of a key that a request has, else "".
std::string textOf(const Json& request, const char* key) {
  const auto found = request.find(key);
  return found != request.end() && found->is_string() ? found->get<std::string>() : "";
}

Json hardwareJson(const std::string& yaml) {
  const auto hw = parseHwConfig(yaml, kHardwareFile);
  if (!hw.ok()) return errorJson(hw.status(), "hardware");
  return {{"name", hw->name()},
          {"summary", hw->summary()},
          {"values", valuesJson(*hw)},
          {"outline", sweep::acceleratorText(*hw)},
          {"area", areaJson(*hw)}};
}

/// A name is one word; anything else is YAML.
Result<sim::MemoryConfig> memoryOf(const std::string& text) {
  if (text.find_first_of(" :\n{") == std::string::npos) return sim::builtinMemory(text);
  return sim::parseMemoryConfig(text, kMemoryFile);
}

Json estimateJson(const Json& request) {
  if (!network()) return errorJson(invalidArgument("no network is chosen yet"), "network");
  const auto hw = parseHwConfig(textOf(request, "yaml"), kHardwareFile);
  if (!hw.ok()) return errorJson(hw.status(), "hardware");
  const auto memory = memoryOf(textOf(request, "memory"));
  if (!memory.ok()) return errorJson(memory.status(), "memory");
  const auto estimate =
      estimateNetwork(*network(), {*hw, *memory, textOf(request, "effort") == "simulated"});
  return estimate.ok() ? *estimate : errorJson(estimate.status(), "network");
}

Json exampleJson(const Json& request) {
  const auto hw = parseHwConfig(textOf(request, "yaml"), kHardwareFile);
  if (!hw.ok()) return errorJson(hw.status(), "hardware");
  const auto threads = request.find("virtual_threads");
  const bool has_two = threads != request.end() && *threads == 2;
  const auto assembler = exampleProgram(*hw, has_two ? 2 : 1);
  if (!assembler.ok()) return errorJson(assembler.status(), "program");
  return {{"assembler", *assembler}};
}

Json stepsJson(const Json& request) {
  const auto hw = parseHwConfig(textOf(request, "yaml"), kHardwareFile);
  if (!hw.ok()) return errorJson(hw.status(), "hardware");
  const auto memory = memoryOf(textOf(request, "memory"));
  if (!memory.ok()) return errorJson(memory.status(), "memory");
  auto steps = stepProgram(textOf(request, "assembler"), *hw, *memory);
  return steps.ok() ? *std::move(steps) : errorJson(steps.status(), "program");
}

}  // namespace

std::string useNetwork(std::string_view outline) {
  auto decoded = sweep::decodeOutline(outline);
  if (!decoded.ok()) return errorJson(decoded.status(), "network").dump();
  network() = *std::move(decoded);
  return "{}";
}

std::string answer(std::string_view request) {
  const Json json = Json::parse(request, nullptr, false);
  const std::string ask = json.is_object() ? textOf(json, "ask") : "";
  if (ask == "describe") return description().dump();
  if (ask == "hardware") return hardwareJson(textOf(json, "yaml")).dump();
  if (ask == "estimate") return estimateJson(json).dump();
  if (ask == "example") return exampleJson(json).dump();
  if (ask == "steps") return stepsJson(json).dump();
  const Status unknown = invalidArgument("\"ask\" is \"" + ask +
                                         "\"; legal: describe, hardware, estimate, example, steps");
  return errorJson(unknown, "request").dump();
}

}  // namespace vta::web
