#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tools/vta_run/profile.h"

namespace vta::tools {
namespace {

std::string csvField(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string profileCsv(const RunReport& report) {
  std::string text =
      "layer,operator,on,macs,gemm_uops,alu_uops,read_bytes,write_bytes,cycles,cycles_in_run,"
      "vta_ms,host_ms,copy_ms,"
      "roofline_percent,limited_by,busy_percent,wait_load_percent,wait_store_percent,"
      "wait_bus_percent,wait_hazard_percent,wait_fetch_percent,energy_pj,dram_pj,note\n";
  for (const LayerReport& row : report.layers) {
    const LayerInfo& layer = *row.layer;
    const LaunchCounters& c = row.counters;
    text += fmt::format("{},{},{},{},", csvField(layer.name), csvField(layer.op),
                        csvField(row.machine->name), layer.macs);
    text +=
        fmt::format("{},{},{},{},", c.gemm_uops, c.alu_uops, dramReadBytes(c), c.store.write_bytes);
    const std::string ms = fmt::format("{:.6f}", stepMilliseconds(report, row));
    if (c.cycles > 0) {
      const ComputeShares s = computeShares(c);
      text +=
          fmt::format("{},{},{},,,{:.2f},{},", c.cycles, row.cycles_in_run, ms,
                      100 * rooflineShare(report, layer.macs, c), limitOf(report, layer.macs, c));
      text += fmt::format("{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},", s.busy, s.token_from_load,
                          s.token_from_store, s.bus, s.hazard, s.fetch);
    } else {
      const std::string copies =
          row.hasCopies() ? fmt::format("{:.6f}", 1000 * row.copy_seconds) : "";
      text += fmt::format(",,,{},{},,,,,,,,,", row.isOnVta() ? "" : ms, copies);
    }
    text += row.energy ? fmt::format("{:.1f},{:.1f},", row.energy->totalPj(), row.energy->dram_pj)
                       : ",,";
    text += csvField(layer.reason) + "\n";
  }
  return text;
}

}  // namespace vta::tools
