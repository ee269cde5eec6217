#include "tools/common/short_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/common/print.h"

namespace vta::tools {
namespace {

constexpr std::string_view kGap = "...";
// Names can be as long as files are; of these the two ends are compared.
constexpr size_t kMostCompared = 1000;
constexpr size_t kLeastHead = 4;  // what a name begins with helps to find it

/// The characters of UTF-8 text.
std::vector<std::string_view> charactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    characters.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return characters;
}

using Characters = std::vector<std::string_view>;

std::string joined(const Characters& characters, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) text += characters[i];
  return text;
}

/// Cuts names that are alike up to `same_begin` and from `same_end` characters before their end.
std::string cutAround(const Characters& name, size_t same_begin, size_t same_end, size_t most) {
  const size_t kept = most - kGap.size();
  const size_t from_difference = name.size() - same_begin;
  if (from_difference + kLeastHead <= kept) {
    const size_t tail = std::max(from_difference, kept / 2);
    return joined(name, 0, kept - tail) + std::string(kGap) +
           joined(name, name.size() - tail, name.size());
  }
  const size_t to_difference = name.size() - same_end;
  if (to_difference + kLeastHead <= kept) {
    const size_t head = std::max(to_difference, kept / 2);
    return joined(name, 0, head) + std::string(kGap) +
           joined(name, name.size() - (kept - head), name.size());
  }
  // Both ends and what begins with the first difference.
  const size_t parts = most - 2 * kGap.size();
  const size_t head = std::min(kLeastHead, parts / 4);
  const size_t tail = head;
  const size_t middle = parts - head - tail;
  const size_t begin = std::max(std::min(same_begin, name.size() - tail - middle), head);
  return joined(name, 0, head) + std::string(kGap) + joined(name, begin, begin + middle) +
         std::string(kGap) + joined(name, name.size() - tail, name.size());
}

size_t commonBegin(const Characters& a, const Characters& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

size_t commonEnd(const Characters& a, const Characters& b) {
  return static_cast<size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first -
                             a.rbegin());
}

/// A name on its way to be short.
struct Name {
  std::string text;  // escaped, at most kMostCompared characters
  std::string cut;
};

/// Cuts those names anew that look alike; false when there are none.
bool separate(std::vector<Name>& names, size_t most) {
  std::map<std::string, std::vector<Name*>> alike;
  for (Name& name : names) alike[name.cut].push_back(&name);
  bool has_changed = false;
  for (const auto& [cut, group] : alike) {
    if (group.size() < 2) continue;
    const Characters first = charactersOf(group[0]->text);
    size_t same_begin = first.size();
    size_t same_end = first.size();
    for (const Name* name : group) {
      const Characters other = charactersOf(name->text);
      same_begin = std::min({same_begin, commonBegin(first, other), other.size()});
      same_end = std::min({same_end, commonEnd(first, other), other.size()});
    }
    for (Name* name : group) {
      const Characters characters = charactersOf(name->text);
      if (characters.size() <= most) continue;
      std::string again = cutAround(characters, same_begin, same_end, most);
      has_changed = has_changed || again != name->cut;
      name->cut = std::move(again);
    }
  }
  return has_changed;
}

/// Numbers for names that still look alike.
void numberRest(std::vector<Name>& names, size_t most) {
  std::set<std::string> taken;
  for (Name& name : names) {
    for (size_t number = 2; !taken.insert(name.cut).second; ++number) {
      const std::string suffix = fmt::format("~{}", number);
      name.cut = printableName(name.text, most - suffix.size()) + suffix;
    }
  }
}

}  // namespace

std::vector<std::string> shortNames(std::span<const std::string> names, size_t most) {
  std::map<std::string_view, size_t> places;
  std::vector<Name> different;
  for (const std::string& name : names) {
    if (!places.emplace(name, different.size()).second) continue;
    different.push_back({printableName(name, kMostCompared), printableName(name, most)});
  }
  // Names of a group that was cut anew may be alike again; then they differ further to the right.
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds && separate(different, most); ++round) {
  }
  numberRest(different, most);
  std::vector<std::string> cuts;
  for (const std::string& name : names) cuts.push_back(different[places.at(name)].cut);
  return cuts;
}

}  // namespace vta::tools
