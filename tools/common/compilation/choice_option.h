// A command-line option with a few named values.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "base/closest_name.h"
#include "tools/common/names/choices.h"

namespace vta::tools {

/// An option whose value is one of `names`. CLI11 has this too, but its message for other values
/// prints the enumeration's numbers.
template <typename T>
void addChoice(CLI::App& app, const char* option, T& value, const char* description,
               const std::map<std::string, T>& names) {
  app.add_option_function<std::string>(
         option, [&value, names](const std::string& name) { value = names.at(name); }, description)
      ->check(OneOf(namesOf(names, [](const auto& entry) { return entry.first; })))
      ->type_name("NAME");
}

}  // namespace vta::tools
