#include "tools/common/progress/watch_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_folder.h"

namespace vta::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WatchPageTest : public ::testing::Test {
 protected:
  std::string text() const { return readTextFile(file_.string()).value(); }

  const TemporaryFolder folder_ = TemporaryFolder::create("watch-page").value();
  const std::filesystem::path file_ = folder_.path() / "watch.html";
  WatchPage page_{std::chrono::milliseconds(0)};
};

TEST_F(WatchPageTest, IsLoadedAgainUntilTheWorkHasEnded) {
  ASSERT_TRUE(page_.begin(file_, "tuning", {"layer", "best"}).ok());
  EXPECT_THAT(text(), HasSubstr("http-equiv=\"refresh\""));
  EXPECT_THAT(text(), HasSubstr("The run has begun"));
  page_.update("tune", 1, 4, "conv1, trial 3");
  EXPECT_THAT(text(), HasSubstr("tune, 1 of 4; running for 0 s"));
  EXPECT_THAT(text(), HasSubstr("<progress max=\"4\" value=\"1.000\">"));
  EXPECT_THAT(text(), HasSubstr("conv1, trial 3"));
  page_.finish("is done");
  EXPECT_THAT(text(), Not(HasSubstr("refresh")));
  EXPECT_THAT(text(), HasSubstr("The run is done after 0 s."));
  page_.update("more", 1, 2, "");
  page_.finish("again");
  EXPECT_THAT(text(), Not(HasSubstr("again")));
}

TEST_F(WatchPageTest, RowsKeepTheirPlaceAndDrawWhatChanged) {
  ASSERT_TRUE(page_.begin(file_, "tuning", {"layer", "best"}).ok());
  for (const double best : {900, 900, 700, 650}) {
    page_.setRow("conv1", {fmt::format("{}", best)}, best);
    page_.setRow("conv2", {"5"}, 5);
  }
  const std::string shown = text();
  EXPECT_THAT(shown, HasSubstr("<tr><td>conv1</td><td>650</td><td><svg"));
  EXPECT_THAT(shown, HasSubstr("aria-label=\"from 900 to 650\""));
  EXPECT_THAT(shown, HasSubstr("points=\"0.0,1.0 60.0,15.4 120.0,19.0 \""));
  EXPECT_THAT(shown, HasSubstr("<tr><td>conv2</td><td>5</td><td></td></tr>"));
  EXPECT_LT(shown.find("conv1"), shown.find("conv2"));
}

TEST_F(WatchPageTest, NamesAreOnlyText) {
  ASSERT_TRUE(page_.begin(file_, "<script>1</script>", {"\"a\""}).ok());
  page_.setRow("<img src=x>&\x1b", {"<b>"}, 1);
  page_.update("</style>", 0, 1, "<i>");
  for (const char* part : {"<script>", "<img", "<b>", "<i>", "\x1b"}) {
    EXPECT_THAT(text(), Not(HasSubstr(part)));
  }
  EXPECT_THAT(text(), HasSubstr("&lt;img src=x&gt;&amp;\\x1b"));
}

TEST_F(WatchPageTest, ErrorsOfTheFirstPageAreToldAtOnceAndLaterOnesAtTheEnd) {
  EXPECT_THAT(page_.begin(folder_.path() / "none" / "watch.html", "t", {}).message(),
              HasSubstr("--watch"));
  page_.update("tune", 1, 2, "");  // there is no page
  const std::filesystem::path inner = folder_.path() / "inner";
  std::filesystem::create_directory(inner);
  ASSERT_TRUE(page_.begin(inner / "watch.html", "t", {}).ok());
  std::filesystem::remove_all(inner);
  page_.update("tune", 1, 2, "");
  page_.finish("is done");
  EXPECT_THAT(page_.status().message(), HasSubstr("--watch"));
}

TEST_F(WatchPageTest, IsWrittenOnlyFromTimeToTime) {
  WatchPage slow(std::chrono::hours(1));
  ASSERT_TRUE(slow.begin(file_, "t", {}).ok());
  slow.update("tune", 1, 2, "");
  EXPECT_THAT(text(), HasSubstr("has begun"));
  slow.finish("is done");
  EXPECT_THAT(text(), HasSubstr("is done"));
}

}  // namespace
}  // namespace vta::tools
