#include "tools/vta_sweep/page.h"

#include "tools/html/html_page.h"
#include "tools/vta_sweep/page_files.h"

namespace vta::tools {

std::string sweepPage(const nlohmann::ordered_json& results) {
  return htmlPage({kSweepPage, kSweepStyle, kSweepScript}, results);
}

}  // namespace vta::tools
