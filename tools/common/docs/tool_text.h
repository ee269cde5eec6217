// What manual pages and shell completion say about a tool, wherever its options come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

/// An option as documents show it.
struct OptionText {
  std::vector<std::string> names;  // "-i", "--input"; empty: a positional argument
  std::string value;               // "FILE"; empty: the option takes none
  bool is_value_optional = false;  // "--sim" and "--sim=NAME"
  bool takes_files = false;        // its value may be the path of a file or folder
  std::vector<std::string>
      choices;              // names that its value may be; all of them unless it takes files
  std::string description;  // in one line
  std::string group;        // its heading in the help
};

struct ToolText {
  std::string description;  // its first sentence is the summary
  std::vector<OptionText> options;
  std::string footer;  // shown as it stands
};

/// A page for man in section 1. `version` is the SDK's.
std::string manPage(const ToolText& text, std::string_view tool, std::string_view version);

/// Shells that completion() knows: "bash", "zsh", "fish".
std::vector<std::string> completionShells();
/// A script that completes the command line of `tool` in `shell`, one of completionShells().
std::string completion(const ToolText& text, std::string_view tool, std::string_view shell);

/// Text whose words are on one line, with one space between them.
std::string inOneLine(const std::string& text);

}  // namespace vta::tools
