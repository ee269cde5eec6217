#include "tools/vta_report/report_page.h"

#include <fmt/format.h>

#include "tools/vta_report/page_files.h"

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

/// The JSON text of a page, or `text` itself when it is no page.
std::string_view dataOf(std::string_view text) {
  // The plotting library stands before the data and may hold anything.
  const size_t begin = text.rfind(kDataBegin);
  if (begin == std::string_view::npos) return text;
  text.remove_prefix(begin + kDataBegin.size());
  return text.substr(0, text.find(kDataEnd));
}

Status checkReport(const Json& report) {
  if (!report.is_object() || report.value("format", "") != kReportFormat) {
    return invalidArgument("it is no report; vta-run --report writes one");
  }
  const Json version = report.value("version", Json());
  if (version != kReportVersion) {
    return invalidArgument(
        fmt::format("the report has version {}, this program reads version {}; write it again "
                    "with the vta-run of this program",
                    version.dump(), kReportVersion));
  }
  return {};
}

}  // namespace

std::string reportPage(const std::vector<Json>& reports) {
  std::string page;
  std::string_view rest = kPageTemplate;
  const auto fill = [&](std::string_view mark, std::string_view text) {
    const size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  };
  fill("/*style*/", kPageStyle);
  fill("/*echarts*/", kEchartsScript);
  fill("/*data*/", scriptSafe({{"reports", reports}}));
  fill("/*script*/", kPageScript);
  return page.append(rest);
}

Result<std::vector<Json>> readReports(std::string_view text) {
  const Json json = Json::parse(dataOf(text), nullptr, false);
  std::vector<Json> reports;
  if (json.is_object() && json.contains("reports") && json["reports"].is_array()) {
    for (const Json& report : json["reports"]) reports.push_back(report);
  } else {
    reports.push_back(json);
  }
  if (reports.empty()) reports.emplace_back();
  for (const Json& report : reports) VTA_RETURN_IF_ERROR(checkReport(report));
  return reports;
}

}  // namespace vta::tools
