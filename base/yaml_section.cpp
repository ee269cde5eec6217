#include "base/yaml_section.h"

#include <yaml-cpp/eventhandler.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "base/closest_name.h"

namespace vta {

namespace {

/// Remembers where a document begins.
class DocumentStart final : public YAML::EventHandler {
 public:
  const YAML::Mark& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  YAML::Mark mark_;
};

/// Where the second document begins, if there is one. YAML::LoadAll would tell, too, but on some
/// broken texts it finds documents without end.
std::optional<YAML::Mark> secondDocument(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart start;
  if (!parser.HandleNextDocument(start) || !parser.HandleNextDocument(start)) return std::nullopt;
  return start.mark();
}

}  // namespace

Result<YAML::Node> loadYaml(std::string_view text, std::string_view source) {
  try {  // yaml-cpp reports syntax errors no other way
    const std::string copy(text);
    const YAML::Node document = YAML::Load(copy);
    const std::optional<YAML::Mark> second = secondDocument(copy);
    if (!second) return document;
    return invalidArgument(
        fmt::format("{}:{}:{}: a second YAML document begins; the file must have one", source,
                    second->line + 1, second->column + 1));
  } catch (const YAML::Exception& error) {
    return invalidArgument(fmt::format("{}:{}:{}: not valid YAML: {}", source, error.mark.line + 1,
                                       error.mark.column + 1, error.msg));
  }
}

std::string YamlSection::place(const YAML::Node& node) const {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return source_;
  return fmt::format("{}:{}:{}", source_, mark.line + 1, mark.column + 1);
}

Result<YAML::Node> YamlSection::node(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const YAML::Node value = node_[std::string(key)];
  if (value.IsDefined()) return value;
  return invalidArgument(fmt::format("{}: key {} is missing", place(), key));
}

Result<std::string> YamlSection::text(std::string_view key) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node value, node(key));
  if (value.IsScalar()) return value.Scalar();
  return invalidArgument(fmt::format("{}: {} must be a single value", place(value), key));
}

Result<int> YamlSection::integer(std::string_view key) {
  VTA_ASSIGN_OR_RETURN(const std::string digits, text(key));
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [ptr, ec] = std::from_chars(digits.data(), end, value);
  if (!digits.empty() && ec == std::errc() && ptr == end) return value;
  return invalidArgument(
      fmt::format("{}: {} is \"{}\"; it must be an integer", placeOf(key), key, digits));
}

Result<double> YamlSection::number(std::string_view key, double above, double max) {
  VTA_ASSIGN_OR_RETURN(const std::string digits, text(key));
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [ptr, ec] = std::from_chars(digits.data(), end, value);
  if (!digits.empty() && ec == std::errc() && ptr == end && value > above && value <= max) {
    return value;
  }
  return invalidArgument(fmt::format("{}: {} is \"{}\"; legal: a number above {} and at most {}",
                                     placeOf(key), key, digits, above, max));
}

Status YamlSection::checkAllKnown() const {
  std::vector<std::string> seen;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      return invalidArgument(fmt::format("{}: unknown key {}; legal keys: {}{}", place(entry.first),
                                         key, fmt::join(known_, ", "),
                                         suggestion(key, namesOf(known_))));
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      return invalidArgument(fmt::format("{}: key {} appears twice", place(entry.first), key));
    }
    seen.push_back(key);
  }
  return {};
}

}  // namespace vta
