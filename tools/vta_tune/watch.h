// How far a search is: for the terminal, and for the page of --watch.
#pragma once

#include "base/status.h"
#include "explore/tune/tuner/tuner.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/progress/watch_page.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// Writes the first page, if --watch names one.
Status beginWatching(const TuneToolOptions& options, WatchPage& page);

/// `line` tells `page` what it is told itself.
void showProgress(ProgressLine& line, WatchPage& page, const tune::TuneProgress& progress);

/// Writes the last page. `status` is how the search ended.
void endWatching(WatchPage& page, const Status& status);

}  // namespace vta::tools
