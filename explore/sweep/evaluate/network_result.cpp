#include "explore/sweep/evaluate/network_result.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/text/json_reason.h"

namespace vta::sweep {
namespace {

using Json = nlohmann::ordered_json;

Json countersJson(const LaunchCounters& c) {
  return {c.cycles,
          c.fetch.values(),
          c.load.values(),
          c.compute.values(),
          c.store.values(),
          c.gemm_uops,
          c.alu_uops,
          c.compute_waits_for_load_cycles,
          c.compute_waits_for_store_cycles};
}

LaunchCounters countersOf(const Json& json) {
  const auto unit = [&json](size_t i) {
    return UnitCounters::fromValues(json.at(i).get<std::array<uint64_t, 7>>());
  };
  LaunchCounters c;
  c.cycles = json.at(0);
  c.fetch = unit(1);
  c.load = unit(2);
  c.compute = unit(3);
  c.store = unit(4);
  c.gemm_uops = json.at(5);
  c.alu_uops = json.at(6);
  c.compute_waits_for_load_cycles = json.at(7);
  c.compute_waits_for_store_cycles = json.at(8);
  return c;
}

template <typename Events>
auto eventMembers(Events& e) {
  return std::array{&e.dram_read_bytes,
                    &e.dram_write_bytes,
                    &e.uop.read_bits,
                    &e.uop.write_bits,
                    &e.inp.read_bits,
                    &e.inp.write_bits,
                    &e.wgt.read_bits,
                    &e.wgt.write_bits,
                    &e.acc.read_bits,
                    &e.acc.write_bits,
                    &e.out.read_bits,
                    &e.out.write_bits,
                    &e.macs,
                    &e.alu_adds,
                    &e.alu_multiplies};
}

Json eventsJson(const sim::EnergyEvents& events) {
  Json json = Json::array();
  for (const uint64_t* member : eventMembers(events)) json.push_back(*member);
  return json;
}

sim::EnergyEvents eventsOf(const Json& json) {
  sim::EnergyEvents events;
  const auto members = eventMembers(events);
  for (size_t i = 0; i < members.size(); ++i) *members[i] = json.at(i);
  return events;
}

Status wrongText(const std::string& what) {
  return invalidArgument(fmt::format("this is no result of a network: {}", what));
}

}  // namespace

std::string encodeTime(const NetworkTime& time) {
  const Json json = {{"counters", countersJson(time.counters)},
                     {"events", eventsJson(time.events)},
                     {"launches", time.launches},
                     {"macs_on_vta", time.macs_on_vta},
                     {"macs_on_cpu", time.macs_on_cpu},
                     {"kernels", time.kernels},
                     {"host_steps", time.host_steps},
                     {"program_bytes", time.program_bytes},
                     {"activation_bytes", time.activation_bytes}};
  return json.dump();
}

Result<NetworkTime> decodeTime(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    NetworkTime time;
    time.counters = countersOf(json.at("counters"));
    time.events = eventsOf(json.at("events"));
    time.launches = json.at("launches");
    time.macs_on_vta = json.at("macs_on_vta");
    time.macs_on_cpu = json.at("macs_on_cpu");
    time.kernels = json.at("kernels");
    time.host_steps = json.at("host_steps");
    time.program_bytes = json.at("program_bytes");
    time.activation_bytes = json.at("activation_bytes");
    return time;
  } catch (const nlohmann::json::exception& error) {
    return wrongText(jsonReason(error.what()));
  }
}

std::string encodeLayers(const std::vector<LayerTime>& layers) {
  Json json = Json::array();
  for (const LayerTime& layer : layers) {
    json.push_back({layer.layer, layer.macs, countersJson(layer.counters)});
  }
  return json.dump();
}

Result<std::vector<LayerTime>> decodeLayers(std::string_view text) {
  try {
    std::vector<LayerTime> layers;
    for (const Json& layer : Json::parse(text)) {
      layers.push_back(
          {layer.at(0).get<std::string>(), layer.at(1).get<int64_t>(), countersOf(layer.at(2))});
    }
    return layers;
  } catch (const nlohmann::json::exception& error) {
    return wrongText(jsonReason(error.what()));
  }
}

}  // namespace vta::sweep
