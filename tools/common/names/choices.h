// Values of options that have names: they are checked, suggested, and completed by shells.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace vta::tools {

/// The names that there are when they are asked for.
using Names = std::function<std::vector<std::string>()>;

/// Shells offer these names for an option whose value may be something else, too, such as a file.
/// Whoever takes the value says what is wrong with it.
class Offered final : public CLI::Validator {
 public:
  explicit Offered(Names names);
  explicit Offered(std::vector<std::string> names);
};

/// The same for values that `rename` changes; it returns an error text for what cannot be.
class Renamed final : public CLI::Validator {
 public:
  Renamed(std::function<std::string(std::string&)> rename, Names names);
};

/// The value is one of these names. The error of another one suggests the closest.
class OneOf final : public CLI::Validator {
 public:
  explicit OneOf(std::vector<std::string> names);
};

/// The names that such a validator of `option` has; empty without one.
std::vector<std::string> namesFor(const CLI::Option& option);

/// `type`, the text of an option's type, without the names that these validators add to it.
std::string withoutNames(const std::string& type);

}  // namespace vta::tools
