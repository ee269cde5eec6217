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

/// The words that compgen takes for the values of an option.
std::string compgenWords(const OptionText& option, bool with_files) {
  std::string words;
  if (with_files) words += " -f";
  if (!option.choices.empty()) words += " -W " + inQuotes(joined(option.choices, " "));
  return words;
}

std::string compgenCall(const std::string& words) {
  return "mapfile -t COMPREPLY < <(compgen" + words + " -- \"$current\")";
}

std::string bashCompletion(const std::vector<OptionText>& options, std::string_view tool) {
  std::string all;
  std::string values;
  for (const OptionText& option : options) {
    for (const std::string& name : option.names) all += (all.empty() ? "" : " ") + name;
    if (option.names.empty() || option.value.empty()) continue;
    values += "    " + joined(option.names, "|") + ") ";
    const std::string words = compgenWords(option, option.takes_files);
    const std::string call = words.empty() ? "" : compgenCall(words) + "; ";
    if (option.is_value_optional) {  // behind a blank another argument may follow as well
      const std::string others = compgenCall(compgenWords(option, true));
      values += "if [[ $equals ]]; then " + (call.empty() ? ": ; " : call) +
                "elif [[ $current == -* ]]; then " + compgenCall(" -W \"$options\"") + "; else " +
                others + "; fi; return ;;\n";
    } else {
      values += call + "return ;;\n";
    }
  }
  const std::string function = functionName(tool);
  // Readline makes the = of --option=value a word of its own.
  return "# bash completion of " + std::string(tool) + "\n" + function + "() {\n" +
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n" +
         "  local equals= options=" + inQuotes(all) + "\n" +
         "  if [[ $current == = ]]; then\n    equals=1 current=\n" +
         "  elif [[ $previous == = && $COMP_CWORD -ge 2 ]]; then\n" +
         "    equals=1 previous=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n" +
         "  COMPREPLY=()\n  case $previous in\n" + values +
         "    *) ;;\n  esac\n  if [[ $current == -* ]]; then\n    " +
         compgenCall(" -W \"$options\"") + "\n  else\n    " + compgenCall(" -f") +
         "\n  fi\n}\ncomplete -o filenames -F " + function + " " + std::string(tool) + "\n";
}

std::string zshAction(const OptionText& option) {
  const std::string names = "(" + joined(option.choices, " ") + ")";
  const bool has_files = option.takes_files || option.names.empty();
  if (option.choices.empty()) return has_files ? "_files" : " ";
  if (!has_files) return names;
  return "{_alternative \"names\\:name\\:" + names + "\" \"files\\:file\\:_files\"}";
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
    if (!option.choices.empty()) {
      // -f: no files beside them.
      text += std::string(option.takes_files ? "" : " -f") + " -a " +
              inQuotes(joined(option.choices, " "));
    }
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
