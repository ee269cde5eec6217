#include "tools/vta_flash/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json infoJson(const flash::BitstreamFile& file) {
  const flash::Bitstream& bitstream = file.bitstream;
  Json json = {{"file", file.path.string()}, {"format", formatName(bitstream.format)}};
  if (bitstream.header) {
    json["design"] = bitstream.header->design;
    json["part"] = bitstream.header->part;
    json["built"] = bitstream.header->date + " " + bitstream.header->time;
    json["partial"] = bitstream.header->isPartial();
  }
  if (bitstream.container) {
    json["platform"] = bitstream.container->platform;
    json["uuid"] = bitstream.container->uuid;
    json["sections"] = bitstream.container->sections.size();
  }
  if (bitstream.configuration) {
    const uint32_t idcode = bitstream.configuration->idcode.value_or(0);
    const flash::FpgaDie* die = flash::findDieOfBitstream(idcode);
    json["idcode"] = fmt::format("0x{:08x}", idcode);
    json["die"] = die != nullptr ? Json(die->name) : Json(nullptr);
    json["words_swapped"] = bitstream.configuration->order == flash::WordOrder::kSwapped;
    json["compressed"] = bitstream.configuration->is_compressed;
    json["frame_words"] = bitstream.configuration->frame_words;
  }
  if (file.description) {
    json["board"] = file.description->board;
    json["hardware"] = describeIdentity(file.description->identity);
    json["fingerprint"] = fmt::format("0x{:016x}", file.description->identity.fingerprint);
  }
  return json;
}

std::string lines(const Json& json) {
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{:<14} {}\n", key,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

}  // namespace

std::string infoText(const flash::BitstreamFile& file, bool json) {
  const Json info = infoJson(file);
  return json ? dump(info) : lines(info);
}

std::string flashText(const flash::FlashReport& report, bool json) {
  Json result = {{"via", viaName(report.via)}};
  if (!report.die.empty()) {
    result["device"] = report.die;
    result["device_from"] = report.die_source;
  }
  if (!report.firmware.empty()) result["firmware"] = report.firmware;
  for (const flash::NeedReport& need : report.needs) {
    const std::string state = !need.warning.empty() ? need.warning
                              : need.was_set        ? "set"
                                                    : "as it was";
    result[need.what] = need.found.empty() ? state : fmt::format("{} ({})", need.found, state);
  }
  if (report.identity) {
    result["hardware"] = describeIdentity(*report.identity);
    result["hardware_from"] = report.identity_source;
  }
  result["verified"] = report.identity.has_value();
  return json ? dump(result) : lines(result);
}

std::string testText(const HwConfig& hw, const driver::SelfTestReport& report, bool json) {
  if (!json) return fmt::format("{}\n{}", hw.summary(), report.text());
  Json result = {{"hardware", hw.summary()}, {"passed", report.passed()}, {"steps", Json::array()}};
  for (const driver::SelfTestStep& step : report.steps) {
    result["steps"].push_back({{"name", step.name},
                               {"outcome", selfTestOutcomeName(step.outcome)},
                               {"detail", step.detail},
                               {"seconds", step.seconds}});
  }
  return dump(result);
}

std::string listText(const flash::Installed& installed, bool json) {
  if (json) {
    Json list = {{"manager", installed.manager},
                 {"state", installed.manager_state},
                 {"overlays", installed.overlays},
                 {"uio", installed.uio},
                 {"firmware", Json::array()}};
    for (const auto& file : installed.firmware) {
      list["firmware"].push_back(
          {{"file", file.file}, {"bytes", file.size_bytes}, {"content", file.content}});
    }
    return dump(list);
  }
  std::string text =
      installed.manager.empty()
          ? "no FPGA manager\n"
          : fmt::format("FPGA manager: {}, {}\n", installed.manager, installed.manager_state);
  for (const std::string& overlay : installed.overlays)
    text += fmt::format("overlay: {}\n", overlay);
  for (const std::string& uio : installed.uio) text += uio + "\n";
  if (installed.firmware.empty()) return text + "no bitstreams installed\n";
  Table table({{"firmware"}, {"size", Table::Align::kRight}, {"content"}});
  for (const auto& file : installed.firmware) {
    table.addRow({file.file, formatBytes(file.size_bytes), file.content});
  }
  return text + table.toString();
}

}  // namespace vta::tools
