#include "compiler/kernel/desc/stored_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::kernel {

void PrintTo(const StoredRun& run, std::ostream* out) {
  *out << run.first << " +" << run.count << " at " << run.stored;
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int64_t> places(const StoredAxis& axis) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < axis.extent; ++i) all.push_back(axis.placeAt(i));
  return all;
}

TEST(StoredAxis, CropsAnInterleavedImage) {
  const StoredAxis axis{3, 2, 1, 4};
  EXPECT_THAT(places(axis), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(axis.runs(0, 3, 0), ElementsAre(StoredRun{1, 2, 1}));
  EXPECT_THAT(axis.runs(0, 3, 1), ElementsAre(StoredRun{0, 2, 0}));
  EXPECT_THAT(axis.runs(2, 1, 1), IsEmpty());
}

TEST(StoredAxis, RepeatsTheEdge) {
  const StoredAxis axis{3, 1, -2, 6, Border::kEdge};
  EXPECT_THAT(places(axis), ElementsAre(0, 0, 0, 1, 2, 2));
  EXPECT_THAT(axis.runs(0, 3, 0), ElementsAre(StoredRun{0, 1, 0}, StoredRun{0, 1, 1},
                                              StoredRun{0, 3, 2}, StoredRun{2, 1, 5}));
  EXPECT_THAT(axis.runs(1, 1, 0), ElementsAre(StoredRun{1, 1, 3}));
}

TEST(StoredAxis, MirrorsAtTheEdge) {
  const StoredAxis axis{4, 1, -3, 10, Border::kReflect};
  EXPECT_THAT(places(axis), ElementsAre(3, 2, 1, 0, 1, 2, 3, 2, 1, 0));
  EXPECT_THAT(
      axis.runs(0, 4, 0),
      ElementsAre(StoredRun{3, 1, 0}, StoredRun{2, 1, 1}, StoredRun{1, 1, 2}, StoredRun{0, 4, 3},
                  StoredRun{2, 1, 7}, StoredRun{1, 1, 8}, StoredRun{0, 1, 9}));
}

TEST(StoredAxis, MirrorsASingleRow) {
  EXPECT_THAT(places({1, 1, 0, 2, Border::kReflect}), ElementsAre(0, 0));
}

TEST(StoredAxis, RollsAnImage) {
  const StoredAxis axis{5, 1, -2, 5, Border::kWrap};
  EXPECT_THAT(places(axis), ElementsAre(3, 4, 0, 1, 2));
  EXPECT_THAT(axis.runs(0, 5, 0), ElementsAre(StoredRun{3, 2, 0}, StoredRun{0, 3, 2}));
}

TEST(StoredAxis, WrapsInterleavedPlaces) {
  const StoredAxis axis{2, 2, -1, 6, Border::kWrap};
  EXPECT_THAT(places(axis), ElementsAre(3, 0, 1, 2, 3, 0));
  EXPECT_THAT(axis.runs(0, 2, 0), ElementsAre(StoredRun{0, 2, 1}, StoredRun{0, 1, 5}));
  EXPECT_THAT(axis.runs(0, 2, 1), ElementsAre(StoredRun{1, 1, 0}, StoredRun{0, 2, 2}));
}

}  // namespace
}  // namespace vta::kernel
