#include "compiler/module/constant_pool.h"

#include <gtest/gtest.h>

namespace vta::compiler {
namespace {

TEST(ConstantPool, AlignsAndSharesEqualConstants) {
  ConstantPool pool;
  const std::vector<std::byte> a(100, std::byte{1});
  std::vector<std::byte> b = a;
  b[99] = std::byte{2};
  EXPECT_EQ(pool.add(a), 0u);
  EXPECT_EQ(pool.add(b), 128u);
  EXPECT_EQ(pool.add(a), 0u);
  EXPECT_EQ(pool.add(b), 128u);
  // A prefix is another constant.
  EXPECT_EQ(pool.add(std::span(a).first(50)), 256u);
  const std::vector<std::byte> section = pool.take();
  EXPECT_EQ(section.size(), 306u);
  EXPECT_EQ(section[128 + 99], std::byte{2});
  EXPECT_TRUE(pool.take().empty());
}

}  // namespace
}  // namespace vta::compiler
