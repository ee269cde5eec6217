#include "tools/html/html_page.h"

#include "tools/html/shared_files.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDataBegin = R"(<script type="application/json" id="data">)";
constexpr std::string_view kDataEnd = "</script>";

/// JSON that may stand inside a script element: nothing in it can end the element.
std::string scriptSafe(const Json& json) {
  std::string result;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string htmlPage(const PageParts& parts, const Json& data) {
  std::string page;
  std::string_view rest = parts.frame;
  const auto goTo = [&](std::string_view mark) {
    const size_t at = rest.find(mark);
    page.append(rest.substr(0, at));
    rest.remove_prefix(at + mark.size());
  };
  goTo("/*style*/");
  page.append(kSharedStyle).append(parts.style);
  goTo("/*echarts*/");
  page.append(kEchartsScript);
  goTo("/*data*/");
  page.append(scriptSafe(data));
  goTo("/*script*/");
  page.append(kSharedScript).append(parts.script);
  return page.append(rest);
}

std::string_view dataOfPage(std::string_view text) {
  // The plotting library stands before the data and may hold anything.
  const size_t begin = text.rfind(kDataBegin);
  if (begin == std::string_view::npos) return text;
  text.remove_prefix(begin + kDataBegin.size());
  return text.substr(0, text.find(kDataEnd));
}

}  // namespace vta::tools
