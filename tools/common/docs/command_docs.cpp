#include "tools/common/docs/command_docs.h"

#include <sstream>

#include "tools/common/names/choices.h"

namespace vta::tools {
namespace {

bool namesFiles(const std::string& type) {
  const auto holds = [&](const char* word) { return type.find(word) != std::string::npos; };
  return holds("FILE") || holds("DIR") || holds("PREFIX");
}

OptionText textOf(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  const std::string type = withoutNames(option.get_type_name());
  const bool is_flag = option.get_items_expected_max() == 0;
  if (!is_flag) text.value = type.substr(0, type.find(':'));
  text.is_value_optional = !is_flag && option.get_items_expected_min() == 0;
  if (text.value.starts_with("[=")) {  // as the help writes an optional value
    text.value = text.value.substr(2, text.value.size() - 3);
    text.is_value_optional = true;
  }
  text.takes_files = namesFiles(type);
  text.choices = namesFor(option);
  if (is_flag && !text.choices.empty()) {  // a flag that may have a value
    for (const std::string& choice : text.choices) {
      text.value += (text.value.empty() ? "" : "|") + choice;
    }
    text.is_value_optional = true;
  }
  text.description = inOneLine(option.get_description());
  text.group = option.get_group();
  return text;
}

}  // namespace

std::string inOneLine(const std::string& text) {
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) line += line.empty() ? word : " " + word;
  return line;
}

std::vector<OptionText> optionTexts(const CLI::App& app) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) texts.push_back(textOf(*option));
  }
  return texts;
}

ToolText toolText(const CLI::App& app) {
  return {app.get_description(), optionTexts(app), app.get_footer()};
}

std::vector<std::string> completionShells() { return {"bash", "zsh", "fish"}; }

}  // namespace vta::tools
