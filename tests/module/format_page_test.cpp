// docs/module-format.md says what the code does: its tables are those of the header, of the
// metadata's fields and of the words for contents and executors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "module/executor_kinds.h"
#include "module/metadata_fields.h"
#include "module/module_file.h"

namespace vta {
namespace {

std::string page() {
  std::ifstream file(VTA_SOURCE_DIR "/docs/module-format.md");
  EXPECT_TRUE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text from `heading` to the next heading.
std::string sectionOf(const std::string& heading) {
  const std::string text = page();
  const size_t from = text.find(heading + "\n");
  EXPECT_NE(from, std::string::npos) << heading;
  return text.substr(from, text.find("\n#", from + 1) - from);
}

// The first column of the tables in `section`, without marks for code; heads are left out.
std::vector<std::string> firstColumn(const std::string& section) {
  std::vector<std::string> cells;
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    std::string cell = line.substr(2, line.find(" |", 2) - 2);
    std::erase(cell, '`');
    cells.push_back(cell);
  }
  if (!cells.empty()) cells.erase(cells.begin());
  return cells;
}

TEST(ModuleFormatPage, HeaderIsTheStruct) {
  const std::string section = sectionOf("## Header");
  size_t offset = 0;
  const auto row = [&](std::string_view name, size_t at, size_t bytes) {
    EXPECT_EQ(at, offset) << name;
    EXPECT_NE(section.find(fmt::format("\n| {} | {} | {} |", at, bytes, name)), std::string::npos)
        << name;
    offset += bytes;
  };
#define VTA_FIELD(field) row(#field, offsetof(ModuleHeader, field), sizeof(ModuleHeader::field))
  VTA_FIELD(magic);
  VTA_FIELD(format_version);
  VTA_FIELD(header_bytes);
  VTA_FIELD(file_bytes);
  VTA_FIELD(content_hash);
  VTA_FIELD(metadata_offset);
  VTA_FIELD(metadata_bytes);
  VTA_FIELD(constants_offset);
  VTA_FIELD(constants_bytes);
  VTA_FIELD(programs_offset);
  VTA_FIELD(programs_bytes);
#undef VTA_FIELD
  EXPECT_EQ(offset, sizeof(ModuleHeader));
  EXPECT_NE(section.find(fmt::format("`{}`", std::string_view(kModuleMagic, 8))),
            std::string::npos);
  EXPECT_NE(section.find(fmt::format("| format_version | {} |", kModuleFormatVersion)),
            std::string::npos);
  EXPECT_NE(section.find(fmt::format("| header_bytes | {} |", sizeof(ModuleHeader))),
            std::string::npos);
  EXPECT_TRUE(page().starts_with(fmt::format("# Module format {}\n", kModuleFormatVersion)));
}

/// Collects the names of a structure's fields.
struct NameCollector {
  std::vector<std::string> names;
  template <typename Value>
  void operator()(std::string_view name, Value& /*value*/) {
    names.emplace_back(name);
  }
  template <typename Value, typename Names>
  void choice(std::string_view name, Value& /*value*/, const Names& /*words*/) {
    names.emplace_back(name);
  }
};

TEST(ModuleFormatPage, MetadataAreTheFieldsInTheirOrder) {
  NameCollector collector;
  const ModuleInfo info;
  metadata::moduleFields(collector, info);
  std::vector<std::string> documented;
  for (const std::string& cell : firstColumn(sectionOf("## Metadata"))) {
    std::istringstream words(cell);
    for (std::string word; std::getline(words, word, ',');) {
      documented.push_back(word.substr(word.find_first_not_of(' ')));
    }
  }
  EXPECT_EQ(documented, collector.names);
}

TEST(ModuleFormatPage, ContentsOfSpaces) {
  const std::vector<std::string> words(metadata::kContentsNames.begin(),
                                       metadata::kContentsNames.end());
  EXPECT_EQ(firstColumn(sectionOf("### Executors and spaces")), words);
}

TEST(ModuleFormatPage, KindsOfExecutors) {
  const std::string section = sectionOf("### Kinds of executors");
  std::vector<std::string> kinds;
  const auto word = [](bool is_so) { return is_so ? "yes" : "no"; };
  for (const ExecutorKind& kind : kExecutorKinds) {
    kinds.emplace_back(kind.name);
    const auto entries = metadata::kEntryTableNames[static_cast<size_t>(kind.traits.entries)];
    const std::string row =
        fmt::format("| `{}` | {} | {} | {} |", kind.name, entries,
                    word(kind.traits.links_neighbours), word(kind.traits.runs_in_background));
    EXPECT_NE(section.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(firstColumn(section), kinds);
}

}  // namespace
}  // namespace vta
