#include "tools/vta_report/report_page.h"

#include <fmt/format.h>

#include "tools/html/html_page.h"
#include "tools/vta_report/page_files.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

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
  return htmlPage({kPageTemplate, kPageStyle, kPageScript}, {{"reports", reports}});
}

Result<std::vector<Json>> readReports(std::string_view text) {
  const Json json = Json::parse(dataOfPage(text), nullptr, false);
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
