// YAML form of HwConfig.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>
#include <vector>

#include "isa/config/hw_config.h"

namespace vta {
namespace {

std::string placeOf(std::string_view source, const YAML::Mark& mark) {
  if (mark.is_null()) return std::string(source);
  return fmt::format("{}:{}:{}", source, mark.line + 1, mark.column + 1);
}

// A scalar of one key: where it stands and what it says.
struct Scalar {
  std::string place;
  std::string key;
  std::string text;

  Status error(std::string_view what) const {
    return invalidArgument(fmt::format("{}: {} is \"{}\"; {}", place, key, text, what));
  }
};

Result<uint64_t> parseUnsigned(const Scalar& scalar, std::string_view digits,
                               std::string_view legal) {
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [ptr, ec] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || ec != std::errc() || ptr != end) return scalar.error(legal);
  return value;
}

Status readInt(const Scalar& scalar, int& out) {
  VTA_ASSIGN_OR_RETURN(const uint64_t value,
                       parseUnsigned(scalar, scalar.text, "it must be an integer of 0 or more"));
  if (value > 1'000'000) return scalar.error("it must be an integer up to 1000000");
  out = static_cast<int>(value);
  return {};
}

// "32KiB", "1MiB" or a plain number of bytes.
Status readSize(const Scalar& scalar, uint64_t& out) {
  constexpr std::string_view kLegal = "it must be a size such as 32KiB, 1MiB or 32768";
  std::string_view digits = scalar.text;
  uint64_t unit = 1;
  if (digits.ends_with("KiB")) unit = 1024;
  if (digits.ends_with("MiB")) unit = 1024 * 1024;
  if (unit > 1) digits.remove_suffix(3);
  VTA_ASSIGN_OR_RETURN(const uint64_t value, parseUnsigned(scalar, digits, kLegal));
  if (value > (uint64_t{1} << 40) / unit) return scalar.error("it must be at most 1 TiB");
  out = value * unit;
  return {};
}

Status readBool(const Scalar& scalar, bool& out) {
  if (scalar.text != "true" && scalar.text != "false") {
    return scalar.error("it must be true or false");
  }
  out = scalar.text == "true";
  return {};
}

Status readCompat(const Scalar& scalar, bool& out) {
  if (scalar.text != "none" && scalar.text != "0.0.2") {
    return scalar.error("it must be none or 0.0.2");
  }
  out = scalar.text == "0.0.2";
  return {};
}

// One key of the file: its section ("" at the top) and what to do with its node.
struct KeyReader {
  std::string_view section;
  std::string_view key;
  std::function<Status(const YAML::Node&, std::string_view full_key)> read;

  std::string fullKey() const {
    return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
  }
};

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view source) : source_(source) { buildTable(); }

  Result<HwParams> read(const YAML::Node& root) {
    if (!root.IsMap()) {
      return invalidArgument(fmt::format(
          "{}: a hardware configuration must be a map with the keys {}", source_, keysIn("")));
    }
    VTA_RETURN_IF_ERROR(checkKeys(root, ""));
    for (const KeyReader& reader : readers_) {
      const YAML::Node section = reader.section.empty() ? root : root[std::string(reader.section)];
      const YAML::Node node = section[std::string(reader.key)];
      if (!node.IsDefined()) {
        return invalidArgument(fmt::format("{}: key {} is missing",
                                           placeOf(source_, section.Mark()), reader.fullKey()));
      }
      marks_.emplace_back(reader.fullKey(), node.Mark());
      VTA_RETURN_IF_ERROR(reader.read(node, reader.fullKey()));
    }
    return params_;
  }

  // Where the key that `message` begins with stands, for errors of HwConfig::create.
  std::string placeOfKeyIn(std::string_view message) const {
    for (const auto& [key, mark] : marks_) {
      if (message.starts_with(key + " ")) return placeOf(source_, mark);
    }
    return std::string(source_);
  }

 private:
  template <typename T>
  void add(std::string_view section, std::string_view key, T& target,
           Status (*parse)(const Scalar&, T&)) {
    readers_.push_back(
        {section, key,
         [this, &target, parse](const YAML::Node& node, std::string_view full_key) -> Status {
           VTA_ASSIGN_OR_RETURN(const Scalar scalar, scalarOf(node, full_key));
           return parse(scalar, target);
         }});
  }

  void buildTable() {
    HwParams& p = params_;
    add<std::string>("", "name", p.name, [](const Scalar& scalar, std::string& out) -> Status {
      out = scalar.text;
      return {};
    });
    add("gemm", "batch", p.batch, readInt);
    add("gemm", "block_in", p.block_in, readInt);
    add("gemm", "block_out", p.block_out, readInt);
    add("operands", "inp_width_bits", p.inp_width_bits, readInt);
    add("operands", "wgt_width_bits", p.wgt_width_bits, readInt);
    add("operands", "acc_width_bits", p.acc_width_bits, readInt);
    add("operands", "out_width_bits", p.out_width_bits, readInt);
    add("buffers", "uop_buf_bytes", p.uop_buf_bytes, readSize);
    add("buffers", "inp_buf_bytes", p.inp_buf_bytes, readSize);
    add("buffers", "wgt_buf_bytes", p.wgt_buf_bytes, readSize);
    add("buffers", "acc_buf_bytes", p.acc_buf_bytes, readSize);
    readers_.push_back(
        {"isa", "extensions", [this](const YAML::Node& node, std::string_view full_key) {
           return readExtensions(node, full_key);
         }});
    add("isa", "qmul_multiplier_bits", p.qmul_multiplier_bits, readInt);
    add("isa", "compat", p.compat_0_0_2, readCompat);
    add("queues", "command_depth", p.command_queue_depth, readInt);
    add("queues", "token_depth", p.token_queue_depth, readInt);
    add("axi", "data_width_bits", p.axi_data_width_bits, readInt);
    add("axi", "addr_width_bits", p.axi_addr_width_bits, readInt);
    add("axi", "outstanding_bursts", p.axi_outstanding_bursts, readInt);
    add("", "clock_mhz", p.clock_mhz, readInt);
    add("compute", "concurrent", p.concurrent_compute, readBool);
  }

  Result<Scalar> scalarOf(const YAML::Node& node, std::string_view full_key) const {
    const std::string place = placeOf(source_, node.Mark());
    if (!node.IsScalar()) {
      return invalidArgument(fmt::format("{}: {} must be a single value", place, full_key));
    }
    return Scalar{place, std::string(full_key), node.Scalar()};
  }

  Status readExtensions(const YAML::Node& node, std::string_view full_key) {
    if (!node.IsSequence()) {
      return invalidArgument(fmt::format("{}: {} must be a list such as [qmul, clip, pad_min]",
                                         placeOf(source_, node.Mark()), full_key));
    }
    for (const YAML::Node& item : node) {
      VTA_ASSIGN_OR_RETURN(const Scalar scalar, scalarOf(item, full_key));
      bool* flag = scalar.text == "qmul"      ? &params_.ext_qmul
                   : scalar.text == "clip"    ? &params_.ext_clip
                   : scalar.text == "pad_min" ? &params_.ext_pad_min
                                              : nullptr;
      if (flag == nullptr) return scalar.error("known extensions: qmul, clip, pad_min");
      if (*flag) return scalar.error("it is listed twice");
      *flag = true;
    }
    return {};
  }

  bool isSection(std::string_view name) const {
    return std::any_of(readers_.begin(), readers_.end(),
                       [&](const KeyReader& reader) { return reader.section == name; });
  }

  // The legal keys of `section`, for messages.
  std::string keysIn(std::string_view section) const {
    std::vector<std::string_view> keys;
    for (const KeyReader& reader : readers_) {
      const bool nested = section.empty() && !reader.section.empty();
      if (!nested && reader.section != section) continue;
      const std::string_view key = nested ? reader.section : reader.key;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return fmt::format("{}", fmt::join(keys, ", "));
  }

  bool isKnown(std::string_view section, std::string_view key) const {
    if (section.empty() && !key.empty() && isSection(key)) return true;
    return std::any_of(readers_.begin(), readers_.end(), [&](const KeyReader& reader) {
      return reader.section == section && reader.key == key;
    });
  }

  // Unknown and repeated keys of `map`, its sections included; sections that are no maps or are
  // missing.
  Status checkKeys(const YAML::Node& map, std::string_view section) {
    std::vector<std::string> seen;
    for (const auto& entry : map) {
      const std::string place = placeOf(source_, entry.first.Mark());
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
      const std::string shown = section.empty() ? key : fmt::format("{}.{}", section, key);
      if (!isKnown(section, key)) {
        return invalidArgument(fmt::format("{}: unknown key {}; legal keys{}: {}", place, shown,
                                           section.empty() ? "" : fmt::format(" of {}", section),
                                           keysIn(section)));
      }
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        return invalidArgument(fmt::format("{}: key {} appears twice", place, shown));
      }
      seen.push_back(key);
      if (!section.empty() || !isSection(key)) continue;
      if (!entry.second.IsMap()) {
        return invalidArgument(
            fmt::format("{}: {} must be a map with the keys {}", place, key, keysIn(key)));
      }
      VTA_RETURN_IF_ERROR(checkKeys(entry.second, key));
    }
    if (!section.empty()) return {};
    for (const KeyReader& reader : readers_) {
      const std::string wanted(reader.section.empty() ? reader.key : reader.section);
      if (std::find(seen.begin(), seen.end(), wanted) == seen.end()) {
        return invalidArgument(fmt::format("{}: key {} is missing", source_, wanted));
      }
    }
    return {};
  }

  std::string source_;
  HwParams params_;
  std::vector<KeyReader> readers_;
  std::vector<std::pair<std::string, YAML::Mark>> marks_;
};

std::string sizeText(uint64_t bytes) {
  if (bytes % (1024 * 1024) == 0) return fmt::format("{}MiB", bytes / (1024 * 1024));
  if (bytes % 1024 == 0) return fmt::format("{}KiB", bytes / 1024);
  return fmt::format("{}", bytes);
}

}  // namespace

std::string HwConfig::toYaml() const {
  const HwParams& p = params_;
  std::vector<std::string_view> extensions;
  if (p.ext_qmul) extensions.push_back("qmul");
  if (p.ext_clip) extensions.push_back("clip");
  if (p.ext_pad_min) extensions.push_back("pad_min");
  return fmt::format(
      "name: \"{}\"\n"
      "gemm: {{batch: {}, block_in: {}, block_out: {}}}\n"
      "operands: {{inp_width_bits: {}, wgt_width_bits: {}, acc_width_bits: {}, "
      "out_width_bits: {}}}\n"
      "buffers: {{uop_buf_bytes: {}, inp_buf_bytes: {}, wgt_buf_bytes: {}, acc_buf_bytes: {}}}\n"
      "isa: {{extensions: [{}], qmul_multiplier_bits: {}, compat: {}}}\n"
      "queues: {{command_depth: {}, token_depth: {}}}\n"
      "axi: {{data_width_bits: {}, addr_width_bits: {}, outstanding_bursts: {}}}\n"
      "clock_mhz: {}\n"
      "compute: {{concurrent: {}}}\n",
      p.name, p.batch, p.block_in, p.block_out, p.inp_width_bits, p.wgt_width_bits,
      p.acc_width_bits, p.out_width_bits, sizeText(p.uop_buf_bytes), sizeText(p.inp_buf_bytes),
      sizeText(p.wgt_buf_bytes), sizeText(p.acc_buf_bytes), fmt::join(extensions, ", "),
      p.qmul_multiplier_bits, p.compat_0_0_2 ? "0.0.2" : "none", p.command_queue_depth,
      p.token_queue_depth, p.axi_data_width_bits, p.axi_addr_width_bits, p.axi_outstanding_bursts,
      p.clock_mhz, p.concurrent_compute);
}

Result<HwConfig> parseHwConfig(std::string_view yaml_text, std::string_view source_name) {
  try {
    const YAML::Node root = YAML::Load(std::string(yaml_text));
    ConfigReader reader(source_name);
    VTA_ASSIGN_OR_RETURN(const HwParams params, reader.read(root));
    Result<HwConfig> config = HwConfig::create(params);
    if (config.ok()) return config;
    return config.status().withContext(reader.placeOfKeyIn(config.status().message()));
  } catch (const YAML::Exception& error) {
    return invalidArgument(
        fmt::format("{}: not valid YAML: {}", placeOf(source_name, error.mark), error.msg));
  }
}

Result<HwConfig> loadHwConfig(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) {
    return notFound(fmt::format("{}: no such hardware configuration file", path.string()));
  }
  if (std::filesystem::is_directory(path, ec)) {
    return invalidArgument(
        fmt::format("{} is a directory; give a hardware configuration file", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.is_open() || file.bad()) return ioError(fmt::format("{}: cannot read", path.string()));
  return parseHwConfig(text.str(), path.string());
}

}  // namespace vta
