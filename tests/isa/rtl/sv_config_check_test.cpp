// The RTL's elaboration check and HwConfig::create accept and refuse the same configurations.
#include "isa/rtl/sv_config_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_folder.h"
#include "isa/config/hw_config.h"
#include "isa/spec/alu_operations.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/parameters.h"
#include "tests/isa/config/random_config.h"

namespace vta {
namespace {

using Constants = std::map<std::string, int64_t>;

// Terms of the conditions that svConfigCheck writes: "3", "vta_pkg::Batch", "2 *
// vta_pkg::InpLanes", "vta_pkg::InpDepth % vta_pkg::InpLanes".
int64_t valueOf(const std::string& term, const Constants& constants) {
  static const std::regex remainder(R"((.*) % (.*))");
  std::smatch match;
  if (std::regex_match(term, match, remainder)) {
    return valueOf(match[1], constants) % valueOf(match[2], constants);
  }
  static const std::regex part(R"((\d+)|vta_pkg::(\w+))");
  int64_t product = 1;
  for (std::sregex_iterator it(term.begin(), term.end(), part), end; it != end; ++it) {
    product *= (*it)[1].matched ? std::stoll((*it)[1]) : constants.at((*it)[2]);
  }
  return product;
}

// One of the conditions joined by "||"; one that is joined by "&&" with a flag counts as both.
bool holds(const std::string& condition, const Constants& constants) {
  static const std::regex with_flag(R"(vta_pkg::(\w+) && (.*))");
  static const std::regex no_flag(R"(!vta_pkg::(\w+))");
  static const std::regex comparison(R"((.*) (<|>|!=) (.*))");
  static const std::regex not_power(R"(\s*!is_power_of_2\((.*)\)\s*)");
  std::smatch match;
  if (std::regex_match(condition, match, with_flag)) {
    return constants.at(match[1]) != 0 && holds(match[2], constants);
  }
  if (std::regex_match(condition, match, no_flag)) return constants.at(match[1]) == 0;
  if (std::regex_match(condition, match, not_power)) {
    const int64_t value = valueOf(match[1], constants);
    return value <= 0 || (value & (value - 1)) != 0;
  }
  EXPECT_TRUE(std::regex_match(condition, match, comparison)) << condition;
  const int64_t left = valueOf(match[1], constants);
  const int64_t right = valueOf(match[3], constants);
  return match[2] == "<" ? left < right : match[2] == ">" ? left > right : left != right;
}

// The messages of the conditions that stop elaboration with these constants.
std::vector<std::string> stopsOf(const std::string& check, const Constants& constants) {
  static const std::regex stop(R"re(if \((.*)\)\n  begin : \w+\n    \$error\("(.*)"\);)re");
  static const std::regex bars(R"( \|\| )");
  std::vector<std::string> messages;
  for (std::sregex_iterator it(check.begin(), check.end(), stop), end; it != end; ++it) {
    const std::string all = (*it)[1];
    for (std::sregex_token_iterator c(all.begin(), all.end(), bars, -1), last; c != last; ++c) {
      if (!holds(*c, constants)) continue;
      messages.push_back((*it)[2]);
      break;
    }
  }
  return messages;
}

// Bytes of a micro-op: what the base encoding has no room for has the wide one (docs/isa.md).
int uopBytes(const HwParams& params) {
  const auto log_depth = [&](MemoryType type) {
    const MemoryInfo& memory = memoryInfo(type);
    const uint64_t elem_bytes = std::max<uint64_t>(1, memory.elemBytes(params, 4));
    return static_cast<int>(std::bit_width(params.*memory.buf_bytes / elem_bytes)) - 1;
  };
  const int inp = log_depth(MemoryType::kInp);
  const int wgt = log_depth(MemoryType::kWgt);
  const int acc = log_depth(MemoryType::kAcc);
  constexpr int kMostUops = 16;
  const int uop = log_depth(MemoryType::kUop);
  if (uop > kMostUops) return 4;  // illegal before there is a choice
  const bool is_base =
      uop <= 13 && acc <= 11 && acc + inp + wgt <= 32 && acc + std::max(acc, inp) + wgt <= 32;
  return is_base ? 4 : 8;
}

// The constants of the package, also where a configuration is illegal.
Constants constantsOf(const HwParams& params) {
  Constants constants;
  for (const Parameter& parameter : parameters()) {
    if (parameter.sv_name.empty()) continue;
    constants[std::string(parameter.sv_name)] = parameter.access.get(params);
  }
  for (const IsaExtension& extension : isaExtensions()) {
    constants[std::string(extension.sv_name)] = params.*extension.member ? 1 : 0;
  }
  for (const MemoryInfo& memory : memories()) {
    const std::string name(memory.sv_name);
    int64_t elem_bytes = static_cast<int64_t>(memory.elemBytes(params, uopBytes(params)));
    constants[name + "ElemBits"] = 8 * elem_bytes;
    elem_bytes = std::max<int64_t>(1, elem_bytes);  // weights of less than a byte
    constants[name + "Depth"] = static_cast<int64_t>(params.*memory.buf_bytes) / elem_bytes;
    constants[name + "Lanes"] = std::max<int64_t>(1, params.axi_data_width_bits / 8 / elem_bytes);
  }
  const bool depthwise = params.ext_depthwise;
  constants["DepthwiseProducts"] = depthwise ? 2 * params.depthwise_taps : 0;
  constants["TransposeWidth"] = params.ext_transpose ? 8 : 0;
  constants["TableWidth"] = params.ext_lut ? 32 : 0;
  constants["RequantShiftLsb"] = params.acc_width_bits - 6;
  constants["InpBanks"] = std::max<int64_t>(constants["InpLanes"], inpReadBanks(params));
  const auto acc_depth = static_cast<uint64_t>(constants["AccDepth"]);
  constants["AccFilledBanks"] =
      std::max<int64_t>(1, std::min<int64_t>(params.acc_banks, std::bit_floor(acc_depth)));
  return constants;
}

// Parameters each at or near the ends of its range, any extensions, multipliers and RAMs;
// scratchpads of any depth, so that both encodings occur.
HwParams edgeParams(test::Rng& rng) {
  HwParams params;
  for (const IsaExtension& extension : isaExtensions()) {
    // Others need qmul and clip.
    params.*extension.member = test::uniform(rng, 0, extension.is_original ? 4 : 2) != 1;
  }
  for (const Parameter& p : parameters()) {
    if (p.sv_name.empty() && !p.memory) continue;
    if (p.kind == ParameterKind::kChoice) {
      p.access.set(params, test::uniform(rng, 0, static_cast<int64_t>(p.names.size()) - 1));
    }
    if (p.kind == ParameterKind::kInteger && test::uniform(rng, 0, 2) == 0) {
      const int64_t candidates[] = {
          p.legal.min, p.legal.min, p.legal.max, p.legal.max, p.legal.min - 1, p.legal.max + 1, 3};
      const int64_t value =
          candidates[test::uniform(rng, 0, test::uniform(rng, 0, 3) == 0 ? 6 : 3)];
      // Elements of no bytes have no depth.
      if (p.section == "gemm" && value < 1) continue;
      if (p.section == "operands" && value < p.legal.min) continue;
      p.access.set(params, value);
    }
    if (p.memory) {
      const int64_t power = int64_t{1}
                            << test::uniform(rng, 0, test::uniform(rng, 0, 1) == 0 ? 6 : 17);
      const int64_t depth = test::uniform(rng, 0, 1) == 0 ? power : test::uniform(rng, 1, power);
      // A micro-op has 8 bytes in the wide encoding, and in the base encoding as many bytes are
      // twice as deep. Both are legal: an illegal configuration does not say which one it has.
      constexpr int64_t kMostUops = 1 << 15;
      const bool is_uop = *p.memory == MemoryType::kUop;
      const int64_t elems = is_uop ? std::clamp<int64_t>(depth, 2, kMostUops) : depth;
      p.access.set(params,
                   elems * static_cast<int64_t>(memoryInfo(*p.memory).elemBytes(params, 8)));
    }
  }
  return params;
}

TEST(SvConfigCheck, RefusesWhatHwConfigRefuses) {
  const std::string check = svConfigCheck();
  test::Rng rng(21);
  int legal = 0;
  int illegal = 0;
  int wide = 0;
  int no_power = 0;  // configurations with a depth that is no power of two
  std::map<std::string_view, int> with;
  for (int round = 0; round < 10000; ++round) {
    const HwParams params = edgeParams(rng);
    const Result<HwConfig> hw = HwConfig::create(params);
    const std::vector<std::string> stops = stopsOf(check, constantsOf(params));
    ASSERT_EQ(hw.ok(), stops.empty()) << (hw.ok() ? stops.front() : hw.status().message()) << "\n"
                                      << (hw.ok() ? hw->toYaml() : "");
    ++(hw.ok() ? legal : illegal);
    if (hw.ok()) {
      wide += hw->encoding() == Encoding::kWide ? 1 : 0;
      no_power += std::ranges::any_of(memories(), [&](const MemoryInfo& memory) {
        return !std::has_single_bit(hw->depthElems(memory.type));
      });
      for (const IsaExtension& extension : isaExtensions()) {
        with[extension.name] += params.*extension.member ? 1 : 0;
      }
      continue;
    }
    // Both name the same parameter first.
    const std::string key = hw.status().message().substr(0, hw.status().message().find(' '));
    bool named = false;
    for (const std::string& stop : stops) named = named || stop.starts_with(key);
    EXPECT_TRUE(named) << hw.status().message();
  }
  EXPECT_GT(legal, 500);
  EXPECT_GT(illegal, 500);
  EXPECT_GT(wide, 50);
  EXPECT_GT(no_power, 100);
  for (const IsaExtension& extension : isaExtensions()) {
    EXPECT_GT(with[extension.name], 50) << extension.name;
  }
}

// The same with Verilator's elaboration in place of this test's reading of the text.
TEST(SvConfigCheck, ElaborationStopsWhereHwConfigRefuses) {
  if (std::system("verilator --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "verilator is not installed";
  }
  const auto folder = TemporaryFolder::create("sv_config_check_test");
  ASSERT_TRUE(folder.ok()) << folder.status().message();
  const std::string check = svConfigCheck();
  std::ofstream(folder->path() / "vta_config_check.sv") << check;
  test::Rng rng(22);
  int missing[2] = {8, 8};  // of illegal ones and of legal ones
  for (int round = 0; round < 2000 && missing[0] + missing[1] > 0; ++round) {
    const HwParams params = edgeParams(rng);
    const Constants constants = constantsOf(params);
    const bool is_legal = HwConfig::create(params).ok();
    const std::vector<std::string> stops = stopsOf(check, constants);
    if (missing[is_legal ? 1 : 0] == 0) continue;
    --missing[is_legal ? 1 : 0];
    std::ofstream package(folder->path() / "vta_pkg.sv");
    package << "// verilator lint_off UNUSEDPARAM\npackage vta_pkg;\n";
    for (const auto& [name, value] : constants) {
      const bool is_flag = std::ranges::find(isaExtensions(), std::string_view(name),
                                             &IsaExtension::sv_name) != isaExtensions().end();
      package << fmt::format("  localparam {} {} = {};\n", is_flag ? "bit" : "int unsigned", name,
                             value);
    }
    package << "endpackage\n";
    package.close();
    const std::string command = fmt::format(
        "cd '{}' && verilator --lint-only --top-module vta_config_check vta_pkg.sv "
        "vta_config_check.sv >log 2>&1",
        folder->path().string());
    const bool elaborates = std::system(command.c_str()) == 0;
    std::ifstream file(folder->path() / "log");
    const std::string log{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(elaborates, is_legal) << log;
    for (const std::string& stop : stops) {
      EXPECT_NE(log.find(stop), std::string::npos) << stop << "\n" << log;
    }
  }
  EXPECT_EQ(missing[0] + missing[1], 0);
}

TEST(SvConfigCheck, FileInTheTreeIsTheGeneratedOne) {
  std::ifstream file(VTA_SOURCE_DIR "/hw/vta_rtl/core/vta_config_check.sv");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, svConfigCheck())
      << "to write it: vta-info --rtl-config-check > hw/vta_rtl/core/vta_config_check.sv";
}

}  // namespace
}  // namespace vta
