#include "explore/sweep/space/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>
#include <utility>

#include "base/closest_name.h"

namespace vta::sweep {
namespace {

constexpr const char* kNameCharacters =
    "0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// fits(DEVICE) as the name of a value, of the same length, so that columns stay.
std::string withoutCalls(const std::string& text) {
  static const std::regex kFits(R"(\bfits\(\s*([A-Za-z_][A-Za-z0-9_]*)\s*\))");
  return std::regex_replace(text, kFits, "fits.$1 ");
}

Status wrongExpression(const std::string& text, const mu::ParserError& error) {
  return invalidArgument(fmt::format("\"{}\" is no expression: {} (column {})", text,
                                     error.GetMsg(), error.GetPos() + 1));
}

}  // namespace

std::string fitsName(std::string_view device) { return fmt::format("fits.{}", device); }

struct Expression::Parser {
  mu::Parser parser;
  std::map<std::string, double> variables;  // nodes do not move
};

Expression::Expression(std::string text, std::unique_ptr<Parser> parser)
    : text_(std::move(text)), parser_(std::move(parser)) {
  for (const auto& [name, value] : parser_->variables) names_.push_back(name);
}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

Result<Expression> Expression::parse(std::string_view text) {
  auto parser = std::make_unique<Parser>();
  try {  // muParser reports errors no other way
    parser->parser.DefineNameChars(kNameCharacters);
    parser->parser.SetExpr(withoutCalls(std::string(text)));
    for (const auto& [name, place] : parser->parser.GetUsedVar()) parser->variables[name] = 1;
    for (auto& [name, value] : parser->variables) parser->parser.DefineVar(name, &value);
    (void)parser->parser.Eval();
  } catch (const mu::ParserError& error) {
    return wrongExpression(std::string(text), error);
  }
  return Expression(std::string(text), std::move(parser));
}

Result<double> Expression::evaluate(const Values& values) {
  for (auto& [name, value] : parser_->variables) {
    const auto found = values.find(name);
    if (found == values.end()) {
      return invalidArgument(fmt::format("\"{}\": {} has no value", text_, name));
    }
    value = found->second;
  }
  try {
    const double result = parser_->parser.Eval();
    if (std::isfinite(result)) return result;
    return invalidArgument(fmt::format("\"{}\" is {}: no number", text_, result));
  } catch (const mu::ParserError& error) {
    return wrongExpression(text_, error);
  }
}

Status Expression::checkNames(std::span<const std::string> known) const {
  for (const std::string& name : names_) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string prefix = name.substr(0, name.find('.') + 1);
    std::vector<std::string> related;
    for (const std::string& other : known) {
      if (!prefix.empty() && other.starts_with(prefix)) related.push_back(other);
    }
    if (related.empty()) related.assign(known.begin(), known.end());
    // Those that begin alike are first.
    std::ranges::stable_sort(related, std::greater(), [&](const std::string& other) {
      return std::ranges::mismatch(name, other).in1 - name.begin();
    });
    return invalidArgument(fmt::format("\"{}\": unknown name {}; known: {}{}", text_, name,
                                       fmt::join(related, ", "), suggestion(name, namesOf(known))));
  }
  return {};
}

}  // namespace vta::sweep
