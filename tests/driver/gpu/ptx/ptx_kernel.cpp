#include "tests/driver/gpu/ptx/ptx_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace vta::driver::test {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t;") + 1 - begin);
}

/// At `separator`, but not inside of braces.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '{') ++depth;
    if (i < text.size() && text[i] == '}') --depth;
    if (i < text.size() && (text[i] != separator || depth > 0)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

template <typename T>
T numberIn(std::string_view text, int base = 10) {
  T number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

class PtxParser {
 public:
  Result<PtxKernel> parse(std::string_view text) {
    readLines(text);
    for (const std::string_view line : lines_) {
      VTA_RETURN_IF_ERROR(declaration(line));
    }
    for (const std::string_view line : lines_) {
      const Status status = instructions(line);
      if (!status.ok()) return status.withContext(std::string(line));
    }
    for (auto& [index, label] : branches_) {
      if (!labels_.contains(label)) return invalidArgument("there is no label " + label);
      kernel_.instructions[index].target = labels_[label];
    }
    kernel_.registers = registers_.size();
    return std::move(kernel_);
  }

 private:
  /// Instructions for tensor cores are several lines.
  void readLines(std::string_view text) {
    std::string open;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const bool continues = !open.empty() || trimmed(line).starts_with("mma.");
      open += continues && !open.empty() ? " " : "";
      open += trimmed(line);
      if (continues && line.find(';') == std::string_view::npos) continue;
      lines_.push_back(std::move(open));
      open.clear();
    }
  }

  /// Parameters, shared memory, sizes, and labels by the number of instructions in front of them.
  Status declaration(std::string_view line) {
    if (line.starts_with(".reqntid")) {
      const auto parts = split(line.substr(8), ',');
      for (size_t i = 0; i < parts.size() && i < 3; ++i) {
        kernel_.workgroup_size[i] = numberIn<uint32_t>(parts[i]);
      }
    }
    size_t at = 0;
    while ((at = line.find(".param .u64 ", at)) != std::string_view::npos) {
      std::string_view name = line.substr(at + 12);
      name = name.substr(0, name.find_first_of(",) "));
      parameters_.emplace(name, static_cast<int>(parameters_.size()));
      at += 12;
    }
    if (line.starts_with(".shared") || line.starts_with(".extern .shared")) {
      const size_t open = line.find('['), space = line.rfind(' ', open);
      const size_t align = line.find(".align ");
      const uint64_t alignment_bytes =
          align == std::string_view::npos ? 16 : numberIn<uint64_t>(line.substr(align + 7));
      kernel_.shared_bytes =
          (kernel_.shared_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
      shared_[std::string(line.substr(space + 1, open - space - 1))] = kernel_.shared_bytes;
      kernel_.shared_bytes += numberIn<uint64_t>(line.substr(open + 1));
    }
    return {};
  }

  /// Lines such as "{ .reg .b32 tmp; mov.b64 {tmp, %r2}, %rd3; }" are several.
  Status instructions(std::string_view line) {
    if (!line.starts_with("{ ")) return instruction(line);
    line = trimmed(line.substr(1, line.rfind('}') - 1));
    for (const std::string_view part : split(line, ';')) VTA_RETURN_IF_ERROR(instruction(part));
    return {};
  }

  Status instruction(std::string_view line) {
    if (line.ends_with(':')) {
      labels_[std::string(line.substr(0, line.size() - 1))] = kernel_.instructions.size();
      return {};
    }
    const bool is_other = line.empty() || line[0] == '.' || line[0] == '{' || line[0] == '}' ||
                          line[0] == '(' || line[0] == ')' || line.starts_with("//");
    if (is_other) return {};
    PtxInstruction made;
    if (line[0] == '@') {
      made.is_negated = line[1] == '!';
      const size_t end = line.find_first_of(" \t");
      const size_t begin = made.is_negated ? 2 : 1;
      made.predicate = static_cast<int>(registerOf(line.substr(begin, end - begin)));
      line = trimmed(line.substr(end));
    }
    const size_t name_end = line.find_first_of(" \t");
    PtxLine parts;
    for (const std::string_view part : split(line.substr(0, name_end), '.')) {
      parts.name.emplace_back(part);
    }
    const std::string_view rest = name_end == std::string_view::npos ? "" : line.substr(name_end);
    return add(made, parts, rest);
  }

  Status add(PtxInstruction& made, PtxLine& parts, std::string_view rest) {
    using Kind = PtxInstruction::Kind;
    if (parts.name[0] == "bra") {
      made.kind = Kind::kBranch;
      branches_.emplace_back(kernel_.instructions.size(), std::string(trimmed(rest)));
    } else if (parts.name[0] == "ret") {
      made.kind = Kind::kReturn;
    } else if (parts.name[0] == "bar" || parts.name[0] == "barrier") {
      made.kind = Kind::kBarrier;
    } else {
      for (const std::string_view operand : split(rest, ',')) readOperand(operand, parts);
      made.run_warp = ptxWarpOperation(parts);
      if (made.run_warp) {
        made.kind = Kind::kWarp;
      } else if (made.run_warp = ptxGroupOperation(parts); made.run_warp) {
        made.kind = Kind::kGroup;
      } else {
        made.run = ptxOperation(parts);
      }
      if (!made.run && !made.run_warp) return unsupported("an instruction that nobody runs here");
    }
    kernel_.instructions.push_back(std::move(made));
    return {};
  }

  void readOperand(std::string_view text, PtxLine& parts) {
    int64_t offset = 0;
    int parameter = -1;
    std::vector<PtxOperand> operands;
    if (text.starts_with('[')) {
      text = trimmed(text.substr(1, text.size() - 2));
      if (const size_t plus = text.find('+'); plus != std::string_view::npos) {
        offset = numberIn<int64_t>(trimmed(text.substr(plus + 1)));
        text = trimmed(text.substr(0, plus));
      }
      if (const auto found = parameters_.find(std::string(text)); found != parameters_.end()) {
        parameter = found->second;
      }
    }
    if (text.starts_with('{')) {
      for (const std::string_view part : split(text.substr(1, text.size() - 2), ',')) {
        operands.push_back(operand(part));
      }
    } else {
      operands.push_back(operand(text));
    }
    parts.operands.push_back(std::move(operands));
    parts.offsets.push_back(offset);
    parts.parameters.push_back(parameter);
  }

  PtxOperand operand(std::string_view text) {
    PtxOperand result;
    static const std::vector<std::string_view> kSpecials = {"%tid.x",   "%tid.y",   "%tid.z",
                                                            "%ctaid.x", "%ctaid.y", "%ctaid.z",
                                                            "%ntid.x",  "%ntid.y",  "%ntid.z"};
    if (const auto special = std::ranges::find(kSpecials, text); special != kSpecials.end()) {
      result.kind = PtxOperand::Kind::kSpecial;
      result.index = static_cast<size_t>(special - kSpecials.begin());
    } else if (const auto shared = shared_.find(std::string(text)); shared != shared_.end()) {
      result.number = shared->second;
    } else if (text.starts_with("0f") || text.starts_with("0d") || text.starts_with("0x")) {
      result.number = numberIn<uint64_t>(text.substr(2), 16);
    } else if (text.find_first_not_of("-0123456789") == std::string_view::npos) {
      result.number = static_cast<uint64_t>(numberIn<int64_t>(text));
    } else {
      result.kind = PtxOperand::Kind::kRegister;
      result.index = registerOf(text);
    }
    return result;
  }

  size_t registerOf(std::string_view name) {
    return registers_.emplace(name, registers_.size()).first->second;
  }

  PtxKernel kernel_;
  std::vector<std::string> lines_;
  std::map<std::string, int> parameters_;
  std::map<std::string, uint64_t> shared_;
  std::map<std::string, size_t> registers_, labels_;
  std::vector<std::pair<size_t, std::string>> branches_;
};

enum class Stop : uint8_t { kBarrier, kEnd, kWarp, kGroup };

/// Up to the next barrier, the next instruction of a whole warp or group, or the end.
Stop runUntilStop(const std::vector<PtxInstruction>& instructions, PtxInvocation& at) {
  using Kind = PtxInstruction::Kind;
  while (at.next < instructions.size() && at.error.empty()) {
    const PtxInstruction& instruction = instructions[at.next++];
    if (instruction.predicate >= 0 &&
        (at.registers[instruction.predicate] != 0) == instruction.is_negated) {
      continue;
    }
    switch (instruction.kind) {
      case Kind::kPlain:
        instruction.run(at);
        break;
      case Kind::kBranch:
        at.next = instruction.target;
        break;
      case Kind::kBarrier:
        return Stop::kBarrier;
      case Kind::kReturn:
        return Stop::kEnd;
      case Kind::kWarp:
        return Stop::kWarp;
      case Kind::kGroup:
        return Stop::kGroup;
    }
  }
  return Stop::kEnd;
}

struct WarpStop {
  uint32_t ended = 0;  // invocations
  bool waits_for_group = false;
};

/// Up to the next barrier, the next instruction of four warps, or the end.
Result<WarpStop> runWarpUntilStop(const std::vector<PtxInstruction>& instructions, PtxWarp warp) {
  for (;;) {
    uint32_t ended = 0;
    size_t of_warp = 0, of_group = 0;
    bool is_same = true;
    for (PtxInvocation& invocation : warp) {
      const Stop stop = runUntilStop(instructions, invocation);
      if (!invocation.error.empty()) return invalidArgument(invocation.error);
      if (stop == Stop::kEnd) ++ended;
      if (stop == Stop::kWarp) ++of_warp;
      if (stop == Stop::kGroup) ++of_group;
      is_same = is_same && invocation.next == warp.front().next;
    }
    if (of_warp + of_group == 0) return WarpStop{ended};
    if (std::max(of_warp, of_group) != kPtxWarp || !is_same) {
      return invalidArgument("an instruction of a warp that not all its invocations reach");
    }
    if (of_group > 0) return WarpStop{0, true};
    instructions[warp.front().next - 1].run_warp(warp);
    if (!warp.front().error.empty()) return invalidArgument(warp.front().error);
  }
}

/// Up to the next barrier or the end of four warps, or as many as there are; the number of
/// invocations that have ended.
Result<uint32_t> runGroupUntilStop(const std::vector<PtxInstruction>& instructions, PtxWarp group) {
  for (;;) {
    uint32_t ended = 0;
    size_t waiting = 0;
    bool is_same = true;
    for (size_t first = 0; first < group.size(); first += kPtxWarp) {
      const PtxWarp warp = group.subspan(first, std::min(kPtxWarp, group.size() - first));
      VTA_ASSIGN_OR_RETURN(const WarpStop stop, runWarpUntilStop(instructions, warp));
      ended += stop.ended;
      if (stop.waits_for_group) waiting += kPtxWarp;
      is_same = is_same && warp.front().next == group.front().next;
    }
    if (waiting == 0) return ended;
    if (waiting != kPtxGroup || !is_same) {
      return invalidArgument("an instruction of four warps that not all of them reach");
    }
    instructions[group.front().next - 1].run_warp(group);
    if (!group.front().error.empty()) return invalidArgument(group.front().error);
  }
}

}  // namespace

bool PtxLine::has(std::string_view part) const {
  return std::ranges::find(name, part) != name.end();
}

Result<PtxKernel> PtxKernel::parse(std::string_view text) { return PtxParser().parse(text); }

Status PtxKernel::run(const std::array<uint32_t, 3>& workgroups,
                      std::span<const PtxRange> ranges) const {
  const auto& size = workgroup_size;
  const uint32_t count = size[0] * size[1] * size[2];
  const uint64_t groups = uint64_t{1} * workgroups[0] * workgroups[1] * workgroups[2];
  std::vector<std::byte> shared(shared_bytes);
  for (uint64_t group = 0; group < groups; ++group) {
    std::vector<PtxInvocation> invocations(count);
    std::ranges::fill(shared, std::byte{0xCD});  // what nobody has written is nonsense
    for (uint32_t i = 0; i < count; ++i) {
      const auto x = static_cast<uint32_t>(group % workgroups[0]);
      const auto y = static_cast<uint32_t>(group / workgroups[0] % workgroups[1]);
      const auto z = static_cast<uint32_t>(group / workgroups[0] / workgroups[1]);
      invocations[i] = {std::vector<uint64_t>(registers),
                        {i % size[0], i / size[0] % size[1], i / size[0] / size[1], x, y, z,
                         size[0], size[1], size[2]},
                        ranges,
                        shared};
    }
    for (bool is_over = false; !is_over;) {
      uint32_t ended = 0;
      for (uint32_t first = 0; first < count; first += kPtxGroup) {
        const PtxWarp group(&invocations[first], std::min<size_t>(kPtxGroup, count - first));
        VTA_ASSIGN_OR_RETURN(const uint32_t of_group, runGroupUntilStop(instructions, group));
        ended += of_group;
      }
      if (ended != 0 && ended != count) {
        return invalidArgument("a barrier that not all invocations reach");
      }
      is_over = ended == count;
    }
  }
  return {};
}

}  // namespace vta::driver::test
