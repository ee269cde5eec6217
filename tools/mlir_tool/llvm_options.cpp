#include "tools/mlir_tool/llvm_options.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "llvm/Support/CommandLine.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "module/module_info.h"
#include "tools/common/commit.h"
#include "tools/common/print.h"

namespace vta::tools {
namespace {

namespace cl = llvm::cl;

constexpr const char* kPassesGroup = "Passes";
constexpr const char* kPipelinesGroup = "Pipelines";
constexpr const char* kTranslationsGroup = "Translations";
constexpr const char* kOptionsGroup = "Options";

/// The description of a translation, whose names are the words of an option without a name.
std::string translationText(const cl::Option& option, llvm::StringRef name) {
  using Requested = cl::list<const mlir::Translation*, bool, mlir::TranslationParser>;
  auto& parser = const_cast<Requested&>(static_cast<const Requested&>(option)).getParser();
  for (unsigned i = 0; i < parser.getNumOptions(); ++i) {
    if (parser.getOption(i) == name) return parser.getDescription(i).str();
  }
  return "";
}

/// A word that stands for itself: a pass, a pipeline or a translation.
OptionText wordText(const cl::Option& option, llvm::StringRef name) {
  OptionText text;
  text.names = {"--" + name.str()};
  const mlir::PassRegistryEntry* entry = mlir::PassInfo::lookup(name);
  text.group = kPassesGroup;
  if (entry == nullptr) {
    entry = mlir::PassPipelineInfo::lookup(name);
    text.group = kPipelinesGroup;
  }
  if (entry == nullptr) {
    text.group = kTranslationsGroup;
    text.description = inOneLine(translationText(option, name));
    return text;
  }
  text.value = "OPTIONS";
  text.is_value_optional = true;
  text.description = inOneLine(entry->getPassDescription().str());
  return text;
}

OptionText optionText(const cl::Option& option, llvm::StringRef name) {
  if (!option.hasArgStr()) return wordText(option, name);
  OptionText text;
  text.names = {(name.size() == 1 ? "-" : "--") + name.str()};
  const cl::ValueExpected value = option.getValueExpectedFlag();
  if (value == cl::ValueRequired || !option.ValueStr.empty()) {
    text.value = option.ValueStr.empty() ? "VALUE" : option.ValueStr.upper();
  }
  text.is_value_optional = value == cl::ValueOptional;
  text.takes_files = text.value.find("FILE") != std::string::npos;
  text.description = inOneLine(option.HelpStr.str());
  text.group = kOptionsGroup;
  return text;
}

std::string shellNames() {
  std::string names;
  for (const std::string& shell : completionShells()) names += (names.empty() ? "" : ", ") + shell;
  return names;
}

ToolText textOfTool(const std::string& description) {
  ToolText text{description, llvmOptionTexts(), ""};
  OptionText input;
  input.value = "FILE";
  input.description = "What to read; - or nothing is standard input";
  text.options.insert(text.options.begin(), std::move(input));
  return text;
}

[[noreturn]] void printAndEnd(const std::string& text) {
  printText(text);
  flushOutput();
  std::exit(outputError() == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

void hideAllButHelp() {
  for (auto& [name, option] : cl::getRegisteredOptions()) {
    if (name != "help" && name != "version") option->setHiddenFlag(cl::Hidden);
  }
}

}  // namespace

std::vector<OptionText> llvmOptionTexts() {
  std::vector<OptionText> texts;
  for (const auto& [name, option] : cl::getRegisteredOptions()) {
    if (option->getOptionHiddenFlag() == cl::NotHidden) texts.push_back(optionText(*option, name));
  }
  const std::vector<std::string> groups = {kOptionsGroup, kPassesGroup, kPipelinesGroup,
                                           kTranslationsGroup};
  std::ranges::sort(texts, {}, [&](const OptionText& text) {
    return std::pair(std::ranges::find(groups, text.group) - groups.begin(), text.names.front());
  });
  return texts;
}

void addLlvmDocuments(const char* tool, std::string description) {
  hideAllButHelp();
  cl::SetVersionPrinter(
      [tool = std::string(tool)](llvm::raw_ostream& out) { out << toolVersion(tool) << "\n"; });
  // They act when they are parsed, as --help does: all options are registered then.
  static cl::opt<bool> man("man", cl::desc("Print the manual page, for man -l -, and exit"),
                           cl::callback([tool, description](const bool&) {
                             printAndEnd(manPage(textOfTool(description), tool, sdkVersion()));
                           }));
  static cl::opt<std::string> shell(
      "completion", cl::value_desc("shell"),
      cl::desc("Print the script that completes this tool's options in a shell, and exit"),
      cl::callback([tool, description](const std::string& name) {
        const std::vector<std::string> shells = completionShells();
        if (std::ranges::find(shells, name) == shells.end()) {
          llvm::errs() << tool << ": error: --completion " << name << ": legal are " << shellNames()
                       << "\n";
          constexpr int kWrongUsage = 2;
          std::exit(kWrongUsage);
        }
        printAndEnd(completion(textOfTool(description), tool, name));
      }));
}

}  // namespace vta::tools
