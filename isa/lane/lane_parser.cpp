#include "isa/lane/lane_parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

namespace vta {
namespace {

constexpr size_t kMostParams = 4;
constexpr int kMostBits = 64;

bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$' || c == '-';
}

/// A word, a sign of punctuation, or the end of a line.
struct Token {
  std::string_view text;  // empty at the end
  size_t column = 1;
};

/// The tokens of a line: names with their "%" or "@", "->", and single characters.
std::vector<Token> tokensOf(std::string_view line) {
  std::vector<Token> tokens;
  line = line.substr(0, line.find("//"));
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    if (line.substr(at).starts_with("->")) {
      end = at + 2;
    } else if (line[at] == '%' || line[at] == '@' || isNameChar(line[at])) {
      while (end < line.size() && isNameChar(line[end]) && line.substr(end, 2) != "->") ++end;
    }
    tokens.push_back({line.substr(at, end - at), at + 1});
    at = end;
  }
  return tokens;
}

class LaneParser {
 public:
  LaneParser(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  Result<LaneFunction> run() {
    if (!nextLine()) return error("the file has no function; begin with func.func @NAME(%x: i32)");
    VTA_RETURN_IF_ERROR(readHeader());
    while (true) {
      if (!nextLine() || peek().text == "}") {
        return error("the function has no return; end it with return %z : i32");
      }
      if (peek().text == "return" || peek().text == "func.return") break;
      VTA_RETURN_IF_ERROR(readStep());
    }
    VTA_RETURN_IF_ERROR(readReturn());
    if (nextLine()) return error("there is something behind the function; a file has one function");
    return std::move(function_);
  }

 private:
  /// Goes to the next line that has a token.
  bool nextLine() {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      ++line_;
      tokens_ = tokensOf(text_.substr(0, end));
      line_size_ = end;
      at_ = 0;
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (!tokens_.empty()) return true;
    }
    return false;
  }

  Token peek() const { return at_ < tokens_.size() ? tokens_[at_] : Token{{}, line_size_ + 1}; }
  Token take() {
    const Token token = peek();
    if (at_ < tokens_.size()) ++at_;
    return token;
  }

  Status errorAt(const Token& token, std::string_view what) const {
    return invalidArgument(
        fmt::format("{}:{}:{}: {}", source_, std::max(line_, 1), token.column, what));
  }
  Status error(std::string_view what) const { return errorAt(peek(), what); }

  Status expect(std::string_view text) {
    const Token token = take();
    if (token.text == text) return {};
    return errorAt(token, fmt::format("expected \"{}\"{}", text, foundText(token)));
  }
  static std::string foundText(const Token& token) {
    return token.text.empty() ? ", and the line ends" : fmt::format(" before \"{}\"", token.text);
  }

  Status expectEnd() const {
    if (peek().text.empty()) return {};
    return error(fmt::format("expected the end of the line before \"{}\"", peek().text));
  }

  /// "i32".
  Status readType(int& width_bits) {
    const Token token = take();
    const std::string_view digits = token.text.substr(std::min<size_t>(1, token.text.size()));
    const auto [end, ec] =
        std::from_chars(digits.data(), digits.data() + digits.size(), width_bits);
    const bool is_type = token.text.starts_with('i') && ec == std::errc() &&
                         end == digits.data() + digits.size() && width_bits >= 1 &&
                         width_bits <= kMostBits;
    if (is_type) return {};
    return errorAt(token, fmt::format("expected a type{}; legal: i1 to i64", foundText(token)));
  }

  Status readLaneType(std::string_view what) {
    int width_bits = 0;
    const Token token = peek();
    VTA_RETURN_IF_ERROR(readType(width_bits));
    if (width_bits == kLaneBits) return {};
    return errorAt(token,
                   fmt::format("{} is {}; legal: i32, the type of a lane", what, token.text));
  }

  Status define(const Token& name) {
    if (!name.text.starts_with('%') || name.text.size() < 2) {
      return errorAt(name,
                     fmt::format("expected the name of a value, such as %x{}", foundText(name)));
    }
    const auto value = static_cast<uint16_t>(values_.size());
    if (values_.emplace(name.text, value).second) return {};
    return errorAt(name, fmt::format("{} is defined twice", name.text));
  }

  /// func.func @NAME(%x: i32, ...) -> i32 {
  Status readHeader() {
    VTA_RETURN_IF_ERROR(expect("func.func"));
    const Token name = take();
    if (!name.text.starts_with('@') || name.text.size() < 2) {
      return errorAt(
          name, fmt::format("expected the function's name, such as @absdiff{}", foundText(name)));
    }
    function_.name = name.text.substr(1);
    VTA_RETURN_IF_ERROR(expect("("));
    while (peek().text != ")") {
      if (!values_.empty()) VTA_RETURN_IF_ERROR(expect(","));
      const Token param = take();
      VTA_RETURN_IF_ERROR(define(param));
      if (values_.size() > kMostParams) {
        return errorAt(param, fmt::format("more than {} parameters", kMostParams));
      }
      VTA_RETURN_IF_ERROR(expect(":"));
      VTA_RETURN_IF_ERROR(readLaneType(fmt::format("parameter {}", param.text)));
    }
    function_.num_params = values_.size();
    for (const std::string_view text : {")", "->"}) VTA_RETURN_IF_ERROR(expect(text));
    VTA_RETURN_IF_ERROR(readLaneType("the result"));
    VTA_RETURN_IF_ERROR(expect("{"));
    return expectEnd();
  }

  Status readOperand(uint16_t& value) {
    const Token token = take();
    const auto found = values_.find(token.text);
    if (found == values_.end()) {
      return errorAt(token, token.text.starts_with('%')
                                ? fmt::format("{} is not defined above", token.text)
                                : fmt::format("expected a value, such as %x{}", foundText(token)));
    }
    value = found->second;
    return {};
  }

  /// %NAME = OPERATION ...
  Status readStep() {
    const Token name = take();
    VTA_RETURN_IF_ERROR(expect("="));
    const Token operation = take();
    const auto known = laneOpcodes();
    const auto found = std::ranges::find(known, operation.text, &LaneOpcodeInfo::name);
    if (found == known.end()) return errorAt(operation, unknownOperation(operation));
    if (function_.steps.size() == kMaxLaneSteps) {
      return errorAt(name, fmt::format("more than {} operations", kMaxLaneSteps));
    }
    LaneStep step;
    step.opcode = found->opcode;
    step.line = line_;
    VTA_RETURN_IF_ERROR(step.opcode == LaneOpcode::kConstant ? readConstant(step)
                                                             : readOperands(*found, step));
    VTA_RETURN_IF_ERROR(expectEnd());
    VTA_RETURN_IF_ERROR(define(name));
    function_.steps.push_back(step);
    return {};
  }

  static std::string unknownOperation(const Token& operation) {
    std::vector<std::string_view> names;
    for (const LaneOpcodeInfo& info : laneOpcodes()) names.push_back(info.name);
    return fmt::format("unknown operation \"{}\"; legal: {}", operation.text,
                       fmt::join(names, ", "));
  }

  /// "true", "false", or "-5 : i32".
  Status readConstant(LaneStep& step) {
    const Token token = take();
    if (token.text == "true" || token.text == "false") {
      step.width_bits = 1;
      step.constant = token.text == "true" ? -1 : 0;
      return {};
    }
    const char* const end = token.text.data() + token.text.size();
    const auto [ptr, ec] = std::from_chars(token.text.data(), end, step.constant);
    if (ec != std::errc() || ptr != end || token.text.empty()) {
      return errorAt(token, fmt::format("expected an integer of 64 bits{}", foundText(token)));
    }
    VTA_RETURN_IF_ERROR(expect(":"));
    VTA_RETURN_IF_ERROR(readType(step.width_bits));
    return checkConstant(token, step);
  }

  /// MLIR takes -2^(w-1) to 2^w - 1.
  Status checkConstant(const Token& token, LaneStep& step) const {
    const int unused = kMostBits - step.width_bits;
    const auto raw = static_cast<uint64_t>(step.constant);
    const auto wrapped = static_cast<int64_t>(raw << unused) >> unused;
    const bool fits =
        wrapped == step.constant || (step.constant > 0 && raw << unused >> unused == raw);
    step.constant = wrapped;
    if (fits) return {};
    return errorAt(token, fmt::format("{} does not fit i{}", token.text, step.width_bits));
  }

  Status readOperands(const LaneOpcodeInfo& info, LaneStep& step) {
    if (step.opcode == LaneOpcode::kCompare) VTA_RETURN_IF_ERROR(readPredicate(step));
    for (int i = 0; i < info.operands; ++i) {
      if (i > 0) VTA_RETURN_IF_ERROR(expect(","));
      VTA_RETURN_IF_ERROR(readOperand(step.operands[static_cast<size_t>(i)]));
    }
    if (peek().text == "overflow") {
      return error("overflow flags have no meaning here, where all results wrap; leave them out");
    }
    VTA_RETURN_IF_ERROR(expect(":"));
    const Token type = peek();
    int width_bits = 0;
    VTA_RETURN_IF_ERROR(readType(width_bits));
    for (int i = 0; i < info.operands; ++i) {
      const bool is_condition = step.opcode == LaneOpcode::kSelect && i == 0;
      VTA_RETURN_IF_ERROR(
          checkWidth(type, step.operands[static_cast<size_t>(i)], is_condition ? 1 : width_bits));
    }
    step.width_bits = step.opcode == LaneOpcode::kCompare ? 1 : width_bits;
    return info.operands == 1 ? readConversion(width_bits, step) : Status();
  }

  Status checkWidth(const Token& type, uint16_t value, int width_bits) const {
    const int actual = function_.widthOf(value);
    if (actual == width_bits) return {};
    return errorAt(
        type, fmt::format("an operand is i{}, and the operation needs i{}", actual, width_bits));
  }

  Status readPredicate(LaneStep& step) {
    const Token token = take();
    std::vector<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(LanePredicate::kUge); ++i) {
      step.predicate = static_cast<LanePredicate>(i);
      names.push_back(lanePredicateName(step.predicate));
      if (names.back() == token.text) return expect(",");
    }
    return errorAt(token, fmt::format("unknown comparison \"{}\"; legal: {}", token.text,
                                      fmt::join(names, ", ")));
  }

  /// "to i64" behind the type of the operand.
  Status readConversion(int from_bits, LaneStep& step) {
    VTA_RETURN_IF_ERROR(expect("to"));
    const Token type = peek();
    VTA_RETURN_IF_ERROR(readType(step.width_bits));
    const bool narrows = step.opcode == LaneOpcode::kTrunc;
    if (narrows ? step.width_bits < from_bits : step.width_bits > from_bits) return {};
    return errorAt(type, fmt::format("{} from i{} to i{}; the result has to be {}",
                                     laneOpcodeInfo(step.opcode).name, from_bits, step.width_bits,
                                     narrows ? "narrower" : "wider"));
  }

  /// return %z : i32, and the closing brace.
  Status readReturn() {
    take();
    const Token value = peek();
    VTA_RETURN_IF_ERROR(readOperand(function_.result));
    VTA_RETURN_IF_ERROR(expect(":"));
    VTA_RETURN_IF_ERROR(readLaneType("the result"));
    VTA_RETURN_IF_ERROR(checkWidth(value, function_.result, kLaneBits));
    VTA_RETURN_IF_ERROR(expectEnd());
    if (!nextLine()) return error("the function has no }");
    VTA_RETURN_IF_ERROR(expect("}"));
    return expectEnd();
  }

  std::string_view text_;
  std::string source_;
  int line_ = 0;
  size_t line_size_ = 0;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  std::map<std::string, uint16_t, std::less<>> values_;
  LaneFunction function_;
};

}  // namespace

Result<LaneFunction> parseLaneFunction(std::string_view text, std::string_view source) {
  return LaneParser(text, source).run();
}

}  // namespace vta
