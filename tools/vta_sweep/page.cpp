#include "tools/vta_sweep/page.h"

#include <string_view>

#include "tools/vta_sweep/page_files.h"

namespace vta::tools {
namespace {

/// JSON that may stand inside a script element: nothing in it can end the element.
std::string scriptSafe(const nlohmann::ordered_json& json) {
  std::string result;
  for (const char c : json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string sweepPage(const nlohmann::ordered_json& results) {
  std::string page;
  std::string_view rest = kSweepPage;
  const auto fill = [&](std::string_view mark, std::string_view text) {
    const size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  };
  fill("/*echarts*/", kSweepEcharts);
  fill("/*data*/", scriptSafe(results));
  fill("/*script*/", kSweepScript);
  return page.append(rest);
}

}  // namespace vta::tools
