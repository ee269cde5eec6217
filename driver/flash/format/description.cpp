#include "driver/flash/format/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>

#include "driver/flash/format/ports.h"

namespace vta::flash {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr double kMaxClockMhz = 1000;

/// The keys of an object one by one. The first error stays.
class Section {
 public:
  Section(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) fail("", "is no object");
  }

  const Status& status() const { return status_; }

  std::string text(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return "";
    std::string found = value->is_string() ? value->get<std::string>() : "\n";
    // It goes into files that other tools read line by line.
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    if (std::ranges::none_of(found, is_control)) return found;
    fail(key, "has to be a text of one line");
    return "";
  }

  double number(const char* key, double above, double max) {
    const Json* value = find(key);
    if (value == nullptr) return 0;
    const double found = value->is_number() ? value->get<double>() : above;
    if (!(found > above && found <= max)) {
      fail(key, fmt::format("has to be a number above {} and up to {}", above, max));
    }
    return found;
  }

  /// A number, or a text in hexadecimal: JSON has no hexadecimal numbers, and 64 bits do not fit
  /// into those of every reader.
  uint64_t word(const char* key, uint64_t max) {
    const Json* value = find(key);
    if (value == nullptr) return 0;
    uint64_t found = 0;
    bool is_legal = value->is_number_unsigned();
    if (is_legal) found = value->get<uint64_t>();
    if (value->is_string()) is_legal = fromHex(value->get<std::string>(), found);
    if (!is_legal || found > max) {
      fail(key,
           fmt::format("has to be a number from 0 to 0x{:x}, or such a text in hexadecimal", max));
    }
    return found;
  }

  /// Zero where there is no such key.
  uint64_t wordIfThere(const char* key, uint64_t max) {
    return object_.contains(key) ? word(key, max) : 0;
  }

  /// False where there is no such key.
  bool flagIfThere(const char* key) { return object_.contains(key) && flag(key); }

  bool flag(const char* key) {
    const Json* value = find(key);
    if (value != nullptr && !value->is_boolean()) fail(key, "has to be true or false");
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }

  Section section(const char* key) {
    static const Json kEmpty = Json::object();
    const Json* value = find(key);
    return {value == nullptr ? kEmpty : *value, place_ + "." + key};
  }

  void each(const char* key, const std::function<void(Section&)>& take) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return fail(key, "has to be a list");
    for (size_t i = 0; i < value->size(); ++i) {
      Section entry((*value)[i], fmt::format("{}.{}[{}]", place_, key, i));
      take(entry);
      keep(entry.status());
    }
  }

  void keep(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  /// Takes over what a table said, with this place.
  void check(const Status& status) { keep(status.withContext(place_)); }

  void fail(const std::string& key, const std::string& problem) {
    keep(invalidArgument(fmt::format("{}{}{} {}", place_, key.empty() ? "" : ".", key, problem)));
  }

 private:
  static bool fromHex(const std::string& text, uint64_t& value) {
    if (!text.starts_with("0x")) return false;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + 2, end, value, 16);
    return error == std::errc() && rest == end;
  }

  const Json* find(const char* key) {
    if (!status_.ok()) return nullptr;
    const auto found = object_.find(key);
    if (found == object_.end()) fail(key, "is missing");
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
  std::string place_;
  Status status_;
};

HardwareIdentity readIdentity(Section section, Section& parent) {
  HardwareIdentity identity;
  constexpr uint64_t kWord = 0xffffffff;
  identity.id = static_cast<uint32_t>(section.word("id", kWord));
  identity.version = static_cast<uint32_t>(section.word("version", kWord));
  identity.fingerprint = section.word("fingerprint", UINT64_MAX);
  identity.config = static_cast<uint32_t>(section.word("config", kWord));
  identity.depths = static_cast<uint32_t>(section.word("depths", kWord));
  // Hardware of older descriptions has no such registers: they read as zero.
  identity.last_uop_inp = static_cast<uint32_t>(section.wordIfThere("last_uop_inp", kWord));
  identity.last_wgt_acc = static_cast<uint32_t>(section.wordIfThere("last_wgt_acc", kWord));
  identity.extension_bits = static_cast<uint32_t>(section.word("extensions", kWord));
  parent.keep(section.status());
  return identity;
}

FpgaFamily readFamily(Section& root) {
  const std::string name = root.text("family");
  for (const FpgaFamily family : {FpgaFamily::kZynq7000, FpgaFamily::kZynqMp}) {
    if (name == familyName(family)) return family;
  }
  root.fail("family", fmt::format("'{}' is neither zynq nor zynqmp", name));
  return FpgaFamily::kZynq7000;
}

void readPort(Section& entry, BoardDescription& description) {
  PortNeed port{entry.text("name"), static_cast<int>(entry.number("width_bits", 0, 1024)),
                entry.flag("coherent")};
  if (!entry.status().ok()) return;
  entry.check(checkPort(description.family, port.name, port.width_bits));
  description.ports.push_back(std::move(port));
}

}  // namespace

Result<BoardDescription> parseDescription(std::string_view json, std::string_view source) {
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return invalidArgument(fmt::format("{}: not JSON", source));
  BoardDescription description;
  Section root(parsed, std::string(source));
  if (root.word("format", 1000) != kFormat) {
    root.fail("format", fmt::format("is not {}, which this version reads", kFormat));
  }
  description.board = root.text("board");
  description.family = readFamily(root);
  description.part = root.text("part");
  description.reference_mhz = root.number("reference_mhz", 0, kMaxClockMhz);
  Section registers = root.section("registers");
  description.registers_address = registers.word("address", UINT64_MAX);
  description.registers_bytes = registers.word("bytes", uint64_t{1} << 32);
  root.keep(registers.status());
  if (description.registers_bytes < 4096 || description.registers_address % 4096 != 0) {
    root.fail("registers", "has to name whole pages of 4096 bytes");
  }
  description.interrupt_spi = static_cast<int>(root.word("interrupt_spi", 1019));
  root.each("clocks", [&](Section& entry) {
    description.clocks.push_back({entry.text("name"), entry.number("mhz", 0, kMaxClockMhz),
                                  entry.flagIfThere("multiplied")});
    if (entry.status().ok())
      entry.check(checkClock(description.family, description.clocks.back().name));
  });
  root.each("ports", [&](Section& entry) { readPort(entry, description); });
  description.identity = readIdentity(root.section("identity"), root);
  if (!root.status().ok()) return root.status();
  return description;
}

}  // namespace vta::flash
