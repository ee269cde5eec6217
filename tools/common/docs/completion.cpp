#include <algorithm>
#include <string>

#include "tools/common/docs/tool_text.h"

namespace vta::tools {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Text between single quotes of a shell.
std::string inQuotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string functionName(std::string_view tool) {
  std::string name = "_" + std::string(tool);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string bashCompletion(const std::vector<OptionText>& options, std::string_view tool) {
  std::string all;
  std::string values;
  for (const OptionText& option : options) {
    for (const std::string& name : option.names) all += (all.empty() ? "" : " ") + name;
    // What follows an option with an optional value may be anything.
    if (option.names.empty() || option.value.empty() || option.is_value_optional) continue;
    values += "    " + joined(option.names, "|") + ") ";
    if (!option.choices.empty()) {
      values += "mapfile -t COMPREPLY < <(compgen -W " + inQuotes(joined(option.choices, " ")) +
                " -- \"$current\"); return ;;\n";
    } else if (option.takes_files) {
      values += "mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n";
    } else {
      values += "return ;;\n";
    }
  }
  const std::string function = functionName(tool);
  return "# bash completion of " + std::string(tool) + "\n" + function + "() {\n" +
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n" +
         "  COMPREPLY=()\n  case $previous in\n" + values +
         "    *) ;;\n  esac\n  if [[ $current == -* ]]; then\n" +
         "    mapfile -t COMPREPLY < <(compgen -W " + inQuotes(all) +
         " -- \"$current\")\n  else\n" +
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n  fi\n}\n" +
         "complete -o filenames -F " + function + " " + std::string(tool) + "\n";
}

std::string zshAction(const OptionText& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices, " ") + ")";
  return option.takes_files || option.names.empty() ? "_files" : " ";
}

/// Text inside a specification, whose brackets and colons separate its parts.
std::string inSpec(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// "*--hw=[description]:FILE:_files"
std::string zshSpec(const OptionText& option, const std::string& name) {
  std::string spec = "*" + name;
  const bool has_value = !option.value.empty();
  if (option.is_value_optional) {
    spec += "=-";
  } else if (has_value) {
    spec += name.starts_with("--") ? "=" : "+";
  }
  spec += "[" + inSpec(option.description) + "]";
  if (!has_value) return spec;
  return spec + (option.is_value_optional ? "::" : ":") + inSpec(option.value) + ":" +
         zshAction(option);
}

std::string zshCompletion(const std::vector<OptionText>& options, std::string_view tool) {
  std::string text = "#compdef " + std::string(tool) + "\n_arguments -s";
  const auto add = [&](const std::string& spec) { text += " \\\n  " + inQuotes(spec); };
  for (const OptionText& option : options) {
    if (option.names.empty()) add("*:" + inSpec(option.value) + ":_files");
    for (const std::string& name : option.names) add(zshSpec(option, name));
  }
  return text + "\n";
}

std::string fishCompletion(const std::vector<OptionText>& options, std::string_view tool) {
  std::string text = "# fish completion of " + std::string(tool) + "\n";
  for (const OptionText& option : options) {
    if (option.names.empty()) continue;
    text += "complete -c " + std::string(tool);
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.value.empty() && !option.is_value_optional) text += " -r";
    if (!option.choices.empty()) text += " -f -a " + inQuotes(joined(option.choices, " "));
    text += " -d " + inQuotes(option.description) + "\n";
  }
  return text;
}

}  // namespace

std::string completion(const ToolText& text, std::string_view tool, std::string_view shell) {
  const std::vector<OptionText>& options = text.options;
  if (shell == "zsh") return zshCompletion(options, tool);
  return shell == "fish" ? fishCompletion(options, tool) : bashCompletion(options, tool);
}

}  // namespace vta::tools
