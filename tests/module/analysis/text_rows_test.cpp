#include "module/analysis/text_rows.h"

#include <gtest/gtest.h>

namespace vta {
namespace {

/// Caches of nine rows beside those of a run.
ModuleInfo moduleWithRows(int64_t run_words) {
  ModuleInfo info;
  info.tensors = {{"keys", DType::kF32, {2, 9, 3}}, {"new keys", DType::kF32, {2, run_words, 3}}};
  info.context = {9 + run_words, 0, {{0, 1, 1}}};
  return info;
}

TEST(TextRows, AModuleThatKeepsNothingReadsOneInput) {
  EXPECT_EQ(mostWordsOfRun(ModuleInfo()), 1);
  EXPECT_EQ(textCapacity(ModuleInfo()), 0);
}

TEST(TextRows, ATextHasRoomForOneWordBehindTheCaches) {
  for (const int64_t run_words : {1, 2, 32}) {
    EXPECT_EQ(mostWordsOfRun(moduleWithRows(run_words)), run_words);
    EXPECT_EQ(textCapacity(moduleWithRows(run_words)), 10);
  }
}

}  // namespace
}  // namespace vta
