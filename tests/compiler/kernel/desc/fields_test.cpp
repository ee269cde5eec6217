#include "compiler/kernel/desc/fields.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace vta::kernel {
namespace {

/// Becomes any member of an aggregate, when the compiler only asks whether it could.
struct Anything {
  template <typename Member>
  operator Member() const;  // NOLINT(google-explicit-constructor)
};

/// Members of an aggregate: as many values as its braces take.
template <typename Struct, typename... Values>
consteval size_t countMembers() {
  if constexpr (requires { Struct{Values()..., Anything()}; }) {
    return countMembers<Struct, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

template <typename Struct>
constexpr size_t kNumFields =
    std::tuple_size_v<std::remove_const_t<decltype(kKernelFields<Struct>)>>;

TEST(Fields, TablesHaveEveryMember) {
  static_assert(countMembers<Geometry>() == kNumFields<Geometry>);
  static_assert(countMembers<Pool>() == kNumFields<Pool>);
  static_assert(countMembers<KernelDesc>() == kNumFields<KernelDesc>);
}

template <typename Struct>
void expectDistinctKeys() {
  std::set<std::string> keys;
  forEachField<Struct>([&](const auto& field) { keys.insert(field.key); });
  EXPECT_EQ(keys.size(), kNumFields<Struct>);
}

TEST(Fields, KeysAreDistinct) {
  expectDistinctKeys<Geometry>();
  expectDistinctKeys<Pool>();
  expectDistinctKeys<KernelDesc>();
}

TEST(Fields, DefaultsAreLegalSizes) {
  const Geometry defaults;
  forEachField<Geometry>([&](const auto& field) {
    if constexpr (std::is_same_v<decltype(field.member), int64_t Geometry::*>) {
      EXPECT_GE(defaults.*field.member, field.least) << field.key;
    }
  });
}

}  // namespace
}  // namespace vta::kernel
