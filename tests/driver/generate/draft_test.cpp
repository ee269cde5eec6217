#include "driver/generate/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace vta::driver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tokens = std::vector<int64_t>;

TEST(Draft, GoesOnAsBehindTheLastTokens) {
  EXPECT_THAT(draftFromText(Tokens{1, 2, 3, 4, 1, 2}, 2), ElementsAre(3, 4));
  EXPECT_THAT(draftFromText(Tokens{1, 2, 3, 4, 1, 2}, 1), ElementsAre(3));
}

TEST(Draft, MoreTokensInCommonCountMoreThanALaterPlace) {
  EXPECT_THAT(draftFromText(Tokens{1, 2, 7, 5, 2, 8, 1, 2}, 1), ElementsAre(7));
  EXPECT_THAT(draftFromText(Tokens{9, 2, 7, 5, 2, 8, 1, 2}, 1), ElementsAre(8)) << "the latest";
}

TEST(Draft, ReachesOverTheEndOfTheText) {
  EXPECT_THAT(draftFromText(Tokens{1, 2, 3, 1, 2, 3}, 5), ElementsAre(1, 2, 3, 1, 2));
  EXPECT_THAT(draftFromText(Tokens{5, 4, 4}, 3), ElementsAre(4, 4, 4));
}

TEST(Draft, KnowsNothingOfNewTokens) {
  EXPECT_THAT(draftFromText(Tokens{1, 2, 3}, 4), IsEmpty());
  EXPECT_THAT(draftFromText(Tokens{1}, 4), IsEmpty());
  EXPECT_THAT(draftFromText(Tokens{}, 4), IsEmpty());
  EXPECT_THAT(draftFromText(Tokens{1, 1}, 0), IsEmpty());
}

}  // namespace
}  // namespace vta::driver
