#include <algorithm>
#include <cctype>
#include <sstream>

#include "tools/common/docs/tool_text.h"

namespace vta::tools {
namespace {

/// Text that roff shows as it is.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  // A line that begins so would be a request.
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string upperCase(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

std::string optionHead(const OptionText& option) {
  std::string head;
  for (const std::string& name : option.names) {
    head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  }
  if (option.value.empty()) return head;
  const std::string value = "\\fI" + roff(option.value) + "\\fR";
  return head + (option.is_value_optional ? "[=" + value + "]" : " " + value);
}

std::string optionEntry(const OptionText& option) {
  const std::string head =
      option.names.empty() ? "\\fI" + roff(option.value) + "\\fR" : optionHead(option);
  std::string entry = ".TP\n" + head + "\n" + roff(option.description);
  if (!option.choices.empty()) {
    entry += " One of:";
    for (const std::string& choice : option.choices) entry += " " + roff(choice);
  }
  return entry + "\n";
}

/// Lines as they stand, for examples.
std::string verbatim(const std::string& text) {
  std::string result = ".nf\n";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += roff(line) + "\n";
  return result + ".fi\n";
}

std::string paragraphs(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += line.empty() ? ".PP\n" : roff(line) + "\n";
  }
  return result;
}

}  // namespace

std::string manPage(const ToolText& text, std::string_view tool, std::string_view version) {
  const std::vector<OptionText>& options = text.options;
  const std::string& description = text.description;
  std::string summary = description.substr(0, description.find_first_of(".:\n"));
  std::string page =
      ".TH " + upperCase(tool) + " 1 \"\" \"vta " + std::string(version) + "\" \"VTA SDK\"\n";
  page += ".SH NAME\n" + roff(tool) + " \\- " + roff(summary) + "\n";
  page += ".SH SYNOPSIS\n\\fB" + roff(tool) + "\\fR [\\fIoptions\\fR]";
  for (const OptionText& option : options) {
    if (option.names.empty()) page += " \\fI" + roff(option.value) + "\\fR";
  }
  page += "\n.SH DESCRIPTION\n" + paragraphs(description);
  page += ".SH OPTIONS\n";
  std::string group = "Options";
  for (const OptionText& option : options) {
    const bool is_new = option.group != group && !option.names.empty();
    if (is_new) page += ".SS " + roff(group = option.group) + "\n";
    page += optionEntry(option);
  }
  if (!text.footer.empty()) page += ".SH NOTES\n" + verbatim(text.footer);
  return page;
}

}  // namespace vta::tools
