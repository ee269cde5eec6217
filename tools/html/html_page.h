// Pages that need no other file: a frame with data, scripts and the plotting library in it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace vta::tools {

/// What one kind of page adds to what all of them share (format.js, charts.js, page.css).
struct PageParts {
  std::string_view frame;  // HTML with the marks /*style*/, /*echarts*/, /*data*/ and /*script*/
  std::string_view style;
  std::string_view script;
};

/// The page with `data` as JSON in the element #data. Text in `data` cannot end the element.
std::string htmlPage(const PageParts& parts, const nlohmann::ordered_json& data);

/// The JSON text in #data of a page; `text` itself when it is no page.
std::string_view dataOfPage(std::string_view text);

}  // namespace vta::tools
