// The schema of vta-run --json, made from a table of its members.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/vta_run/report.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

/// A member by its place: names between dots, "[]" for each element of an array. `type` lists JSON
/// types with "|" between them; a "?" behind them: the member may be absent.
struct Member {
  std::string_view place;
  std::string_view type;
  std::string_view text;
};

constexpr std::string_view kUnit =
    "what the unit did, in cycles; null where cycles are not counted";
constexpr std::string_view kTop = "the likeliest classes of a classifier, or empty";
constexpr std::string_view kEnergy =
    "picojoules on the VTA, an estimate; null where nothing ran there";

constexpr Member kMembers[] = {
    {"format", "string", "always vta-run"},
    {"version", "integer", "of this format"},
    {"sdk_version", "string", "of the tool"},
    {"model", "string", "file name of the model"},
    {"hw", "string|null", "name of the accelerator's configuration; null: nothing ran on a VTA"},
    {"device", "string", "device and its options, for example cycle:timing-only"},
    {"clock_mhz", "number|null", "clock of the accelerator, by its configuration"},
    {"clock_warning", "string|null", "why the configuration may not reach its clock"},
    {"warnings", "array",
     "what was assumed, ignored or left out on the way to the module, as on standard error"},
    {"warnings[]", "string", ""},
    {"area_estimate", "object|null",
     "FPGA resources of the whole core, an estimate (docs/sweep.md)"},
    {"area_estimate.lut", "number", "look-up tables"},
    {"area_estimate.ff", "number", "flip-flops"},
    {"area_estimate.dsp", "number", "DSP blocks"},
    {"area_estimate.bram36", "number", "block RAMs of 36 Kb"},
    {"area_estimate.uram", "number", "UltraRAMs"},
    {"outputs", "array", "of the first sample"},
    {"outputs[].name", "string", "of the model's output"},
    {"outputs[].shape", "array", "extents"},
    {"outputs[].shape[]", "integer", ""},
    {"outputs[].dtype", "string", "element type"},
    {"outputs[].file", "string|null", "where --output wrote it"},
    {"outputs[].top", "array", kTop},
    {"outputs[].top[].index", "integer", "of the class"},
    {"outputs[].top[].score", "number", "its value in the output"},
    {"outputs[].top[].label", "string|null", "its name in --labels"},
    {"outputs[].reference", "object?", "how it differs from --reference"},
    {"outputs[].reference.max_abs", "number", "largest difference"},
    {"outputs[].reference.mean_abs", "number", "mean difference"},
    {"outputs[].reference.different", "integer", "number of elements that differ"},
    {"layers", "array",
     "a row for each step of the module, and on the CPU for each layer in it; cycles_in_run and ms "
     "are of the run, other figures of the layer by itself"},
    {"layers[].name", "string", "nodes of the model"},
    {"layers[].op", "string", "operators of the model"},
    {"layers[].where", "string",
     "the machine that runs it: vta, cpu, or the name of another executor of the module"},
    {"layers[].reason", "string", "the schedule, or why the layer runs on the CPU"},
    {"layers[].macs", "integer", "multiply-accumulates"},
    {"layers[].convolutions", "array", "on a CPU or GPU: what of the layer has a schedule"},
    {"layers[].convolutions[].name", "string", "node of the model"},
    {"layers[].convolutions[].schedule", "string", "tuned schedule or default schedule"},
    {"layers[].cycles", "integer|null",
     "of the layer by itself, in a launch of its own; null where the device counts none"},
    {"layers[].cycles_in_run", "integer|null",
     "its share of totals.cycles: in the run layers overlap with their neighbours"},
    {"layers[].roofline_cycles", "integer|null", "least cycles that array and bus allow"},
    {"layers[].array_at_most", "object|null", "how busy the multipliers can be at best"},
    {"layers[].array_at_most.utilisation", "number|null", "share from 0 to 1; null without MACs"},
    {"layers[].array_at_most.limit", "string", "array, lanes, ALU, reading or writing"},
    {"layers[].fetch", "object|null", kUnit},
    {"layers[].load", "object|null", kUnit},
    {"layers[].compute", "object|null", kUnit},
    {"layers[].store", "object|null", kUnit},
    {"layers[].compute_waits_for_load", "integer", "cycles"},
    {"layers[].compute_waits_for_store", "integer", "cycles"},
    {"layers[].dram_read_bytes", "integer", "by the accelerator"},
    {"layers[].dram_write_bytes", "integer", "by the accelerator"},
    {"layers[].uops", "integer", "micro-ops of GEMM and ALU"},
    {"layers[].energy_pj_estimate", "object|null", kEnergy},
    {"layers[].ms", "number|null",
     "on the VTA: cycles_in_run at the clock; elsewhere: as measured here; null: no cycles are "
     "counted"},
    {"layers[].copy_ms", "number|null",
     "of ms: copies between the memories of the host and the GPU, as measured here, beside the "
     "work of other steps where the GPU can; null on the VTA and the CPU"},
    {"layers[].kernels", "array", "on a GPU that records times: one after the other"},
    {"layers[].kernels[].name", "string", "node of the model"},
    {"layers[].kernels[].ms", "number", "as the GPU measures it"},
    {"layers[].wall_seconds", "number", "that this machine took; a simulation is part of it"},
    {"totals", "object", "over all layers"},
    {"totals.macs", "integer", "multiply-accumulates"},
    {"totals.macs_on_vta", "integer", "those on the VTA"},
    {"totals.crossings", "integer|null", "tensors that go from the VTA to the CPU and back"},
    {"totals.cycles", "integer|null",
     "of the accelerator in one run, as without --json: less than the layers by themselves"},
    {"totals.fast_rescaling_cycles", "integer?",
     "cycles with --rescaling=fast, with --profile of a quantised model that is rescaled exactly"},
    {"totals.shares_are_estimated", "boolean",
     "the device does not record when layers end: layers[].cycles_in_run is in proportion"},
    {"totals.energy_pj_estimate", "object|null", kEnergy},
    {"totals.vta_ms", "number|null", "cycles at the clock"},
    {"totals.cpu_ms", "number", "as measured here"},
    {"totals.frames_per_second", "number|null", "of all machines one after the other"},
    {"totals.steps", "integer", "of the module; one on the CPU may be several layers"},
    {"totals.cpu_steps", "integer", "those on the CPU"},
    {"totals.machines", "array", "each machine that runs steps"},
    {"totals.machines[].name", "string", "as in layers[].where"},
    {"totals.machines[].kind", "string", "cpu, vta, or another kind of executor"},
    {"totals.machines[].steps", "integer", "of the module"},
    {"totals.machines[].ms", "number|null", "as in layers[].ms"},
    {"totals.machines[].copy_ms", "number|null", "as in layers[].copy_ms"},
    {"energy_table", "object?", "where the energy figures come from"},
    {"energy_table.name", "string", "of the table"},
    {"energy_table.node", "string", "process and supply voltage"},
    {"energy_table.sources", "array", "publications"},
    {"energy_table.sources[]", "string", ""},
    {"seconds", "object", "wall time on this machine; a simulation's says nothing of the VTA"},
    {"seconds.import", "number", "reading the model"},
    {"seconds.quantise", "number", "choosing integer ranges"},
    {"seconds.compile", "number", "compiling"},
    {"seconds.load", "number", "loading the module"},
    {"seconds.run", "number", "a sample, with the simulation if there is one"},
    {"peak_memory_bytes", "integer", "of this process"},
    {"verified_layers", "integer", "layers that --verify has compared, over all samples"},
    {"batch", "object?", "over several samples"},
    {"batch.samples", "integer", "number of samples"},
    {"batch.seconds", "number", "wall time of all"},
    {"batch.samples_per_second", "number", "by wall time"},
    {"batch.score", "object?", "against --labels-csv"},
    {"batch.score.scored", "integer", "samples with a label"},
    {"batch.score.top1", "number", "share from 0 to 1"},
    {"batch.score.top5", "number", "share from 0 to 1"},
    {"batch.float_score", "object?", "the same of the float model"},
    {"batch.float_score.scored", "integer", "samples with a label"},
    {"batch.float_score.top1", "number", "share from 0 to 1"},
    {"batch.float_score.top5", "number", "share from 0 to 1"},
    {"batch.float_agreement", "number?", "share of samples with the float model's class"},
    {"batch.results", "array", "of each sample"},
    {"batch.results[].file", "string", "its name"},
    {"batch.results[].top", "array", kTop},
    {"batch.results[].top[].index", "integer", "of the class"},
    {"batch.results[].top[].score", "number", "its value in the output"},
    {"batch.results[].top[].label", "string|null", "its name in --labels"},
};

/// Objects of the same members stand at several places.
constexpr std::array<Member, 5> kUnitMembers = {{
    {"instructions", "integer", "that retired"},
    {"busy", "integer", "cycles of work"},
    {"stall_token", "integer", "cycles of waiting for another unit"},
    {"stall_memory", "integer", "cycles of waiting for memory or the bus"},
    {"stall_hazard", "integer", "cycles of waiting for an earlier result or an engine"},
}};
constexpr std::array<Member, 5> kEnergyMembers = {{
    {"total", "number", "sum of the others"},
    {"dram", "number", "DRAM"},
    {"sram", "number", "scratchpads"},
    {"arithmetic", "number", "GEMM and ALU"},
    {"static", "number", "leakage and clocks; 0 where the table has none"},
}};

Json typeOf(std::string_view types) {
  Json names = Json::array();
  while (!types.empty()) {
    const std::string_view name = types.substr(0, types.find('|'));
    names.push_back(name);
    types.remove_prefix(std::min(types.size(), name.size() + 1));
  }
  return names.size() == 1 ? names[0] : names;
}

Json emptySchema(std::string_view types, std::string_view text) {
  Json schema = {{"type", typeOf(types)}};
  if (!text.empty()) schema["description"] = text;
  if (types.starts_with("object")) {
    schema["properties"] = Json::object();
    schema["required"] = Json::array();
    schema["additionalProperties"] = false;
  }
  return schema;
}

/// The elements' schema of an array; objects unless a member says otherwise.
Json& itemsOf(Json& array) {
  if (!array.contains("items")) array["items"] = emptySchema("object", "");
  return array["items"];
}

void addMember(Json& root, const Member& member) {
  Json* schema = &root;
  std::string_view place = member.place;
  while (true) {
    std::string_view name = place.substr(0, place.find('.'));
    place.remove_prefix(std::min(place.size(), name.size() + 1));
    const bool is_items = name.ends_with("[]");
    if (is_items) name.remove_suffix(2);
    const bool is_last = place.empty();
    std::string_view types = member.type;
    const bool is_optional = types.ends_with("?");
    if (is_optional) types.remove_suffix(1);
    if (is_last && !is_items) {
      (*schema)["properties"][std::string(name)] = emptySchema(types, member.text);
      if (!is_optional) (*schema)["required"].push_back(name);
      return;
    }
    schema = &(*schema)["properties"][std::string(name)];
    if (!is_items) continue;
    if (is_last) {
      (*schema)["items"] = emptySchema(types, member.text);
      return;
    }
    schema = &itemsOf(*schema);
  }
}

template <size_t kCount>
void addMembers(Json& object, const std::array<Member, kCount>& members) {
  for (const Member& member : members) addMember(object, member);
}

}  // namespace

std::string jsonReportSchema() {
  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "vta-run --json"},
      {"description",
       "What vta-run found out about a model, format version " + std::to_string(kRunVersion) +
           ". New members may come without a new version. A run that fails prints an "
           "object with the format vta-error instead."}};
  schema.update(emptySchema("object", ""));
  schema["additionalProperties"] = true;
  for (const Member& member : kMembers) addMember(schema, member);
  Json& layer = schema["properties"]["layers"]["items"]["properties"];
  for (const char* unit : {"fetch", "load", "compute", "store"}) {
    addMembers(layer[unit], kUnitMembers);
  }
  addMembers(layer["energy_pj_estimate"], kEnergyMembers);
  addMembers(schema["properties"]["totals"]["properties"]["energy_pj_estimate"], kEnergyMembers);
  schema["properties"]["format"]["const"] = kRunFormat;
  schema["properties"]["version"]["const"] = kRunVersion;
  return schema.dump(2) + "\n";
}

}  // namespace vta::tools
