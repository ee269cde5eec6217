// Reads a map of a YAML file key by key, so that every error names the place and the legal keys.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta {

/// The one document of `text`; null when that is empty. Errors: not YAML, more documents; both
/// begin with the place in `source`.
Result<YAML::Node> loadYaml(std::string_view text, std::string_view source);

/// A map whose keys are taken one by one; what is left at the end is unknown. Errors are
/// kInvalidArgument and begin with "file:line:column".
class YamlSection {
 public:
  /// `node` is a map; `source` is the file's name in errors.
  YamlSection(const YAML::Node& node, std::string source)
      : node_(node), source_(std::move(source)) {}

  /// "file:line:column" of `node`.
  std::string place(const YAML::Node& node) const;
  /// Of the value of `key`, which is there.
  std::string placeOf(std::string_view key) const { return place(node_[std::string(key)]); }
  /// Of the map itself.
  std::string place() const { return place(node_); }
  const std::string& source() const { return source_; }

  /// Names keys that will be asked for, so that checkAllKnown can go first: a misspelt key is then
  /// reported as such, not as a missing one.
  void expect(std::string_view key) { known_.emplace_back(key); }

  bool has(std::string_view key) const { return node_[std::string(key)].IsDefined(); }

  /// The value of `key`, of whatever kind. Error: it is missing.
  Result<YAML::Node> node(std::string_view key);
  /// Error: also when it is not a single value.
  Result<std::string> text(std::string_view key);
  Result<int> integer(std::string_view key);
  /// Above `above` and at most `max`.
  Result<double> number(std::string_view key, double above, double max);

  /// Error: a key that nobody asked for, or one that appears twice.
  Status checkAllKnown() const;

 private:
  YAML::Node node_;
  std::string source_;
  std::vector<std::string> known_;
};

}  // namespace vta
