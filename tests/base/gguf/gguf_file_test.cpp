#include "base/gguf/gguf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/base/gguf/gguf_writer.h"

namespace vta {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test::gguf;

GgufFile parsed(const Writer& writer) {
  auto file = GgufFile::parse(writer.bytes());
  EXPECT_TRUE(file.ok()) << file.status().message();
  return *std::move(file);
}

std::string errorOf(const Writer& writer) {
  return GgufFile::parse(writer.bytes()).status().message();
}

TEST(GgufFile, FieldsOfEveryKind) {
  Writer writer;
  writer.begin(0, 9);
  writer.text("u8").add(kU8).add<uint8_t>(200).text("i8").add(kI8).add<int8_t>(-3);
  writer.text("i16").add(kI16).add<int16_t>(-300).text("bool").add(kBool).add<uint8_t>(1);
  writer.text("f32").add(kF32).add(0.5f).text("f64").add(kF64).add(0.25);
  writer.text("i64").add(kI64).add<int64_t>(-7).text("text").add(kText).text("llama");
  writer.text("list").add(kArray).add(kText).add<uint64_t>(2).text("a").text("");
  const GgufFile file = parsed(writer);
  EXPECT_EQ(**file.integer("u8"), 200);
  EXPECT_EQ(**file.integer("i8"), -3);
  EXPECT_EQ(**file.integer("i16"), -300);
  EXPECT_EQ(**file.integer("bool"), 1);
  EXPECT_EQ(**file.number("f32"), 0.5);
  EXPECT_EQ(**file.number("f64"), 0.25);
  EXPECT_EQ(**file.integer("i64"), -7);
  EXPECT_EQ(**file.text("text"), "llama");
  EXPECT_THAT(*file.texts("list"), ElementsAre("a", ""));
  EXPECT_FALSE(file.integer("other")->has_value());
  EXPECT_TRUE(file.numbers("other")->empty());
}

TEST(GgufFile, FieldsOfAnotherKindAreErrors) {
  Writer writer;
  writer.begin(0, 2).text("text").add(kText).text("x").text("half").add(kF32).add(0.5f);
  const GgufFile file = parsed(writer);
  EXPECT_THAT(file.number("text").status().message(),
              HasSubstr("'text' of the GGUF file is not a number"));
  EXPECT_THAT(file.integer("half").status().message(), HasSubstr("is not an integer"));
  EXPECT_THAT(file.text("half").status().message(), HasSubstr("is not a text"));
  EXPECT_THAT(file.numbers("half").status().message(), HasSubstr("is not an array of numbers"));
  EXPECT_THAT(file.texts("half").status().message(), HasSubstr("is not an array of texts"));
}

TEST(GgufFile, TensorsAreRowsOfTheFirstExtent) {
  Writer writer;
  writer.begin(2, 0).tensor("a", {2, 3}, 0, 0).tensor("b", {1}, 1, 32).align();
  for (int i = 0; i < 6; ++i) writer.add(static_cast<float>(i));
  writer.align().add<uint16_t>(0x3c00);
  const GgufFile file = parsed(writer);
  EXPECT_THAT(file.tensor("a")->shape, ElementsAre(3, 2));
  EXPECT_THAT(file.floatsOf(*file.tensor("a")), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(file.floatsOf(*file.tensor("b")), ElementsAre(1));
  EXPECT_EQ(file.tensor("c"), nullptr);
}

TEST(GgufFile, AlignmentIsTheFiles) {
  Writer writer;
  writer.begin(1, 1).text("general.alignment").add(kU32).add<uint32_t>(1);
  writer.tensor("a", {1}, 0).add(7.0f);
  EXPECT_THAT(parsed(writer).floatsOf(*parsed(writer).tensor("a")), ElementsAre(7));
  Writer wrong;
  wrong.begin(0, 1).text("general.alignment").add(kU32).add<uint32_t>(0);
  EXPECT_THAT(errorOf(wrong), HasSubstr("alignment is 0"));
}

TEST(GgufFile, OtherFilesAreRefused) {
  EXPECT_THAT(errorOf(Writer().add('G')), HasSubstr("does not begin with 'GGUF'"));
  EXPECT_THAT(errorOf(Writer().begin(0, 0, 1)), HasSubstr("version 1; versions 2 and 3"));
  EXPECT_THAT(errorOf(Writer().begin(0, 0, 3u << 24)), HasSubstr("big-endian"));
}

TEST(GgufFile, WhatContradictsItselfIsRefused) {
  const auto field = [](uint32_t kind) { return Writer().begin(0, 1).text("f").add(kind); };
  EXPECT_THAT(errorOf(field(13)), HasSubstr("field 'f' has kind 13"));
  EXPECT_THAT(errorOf(field(kArray).add(kArray).add<uint64_t>(1).add<uint64_t>(0)),
              HasSubstr("has kind 9"));
  EXPECT_THAT(errorOf(field(kArray).add(kU8).add(~uint64_t{0})), HasSubstr("field 'f' has"));
  EXPECT_THAT(errorOf(field(kText).add(~uint64_t{0})), HasSubstr("ends before"));
  Writer twice;
  twice.begin(0, 2).text("f").add(kU8).add<uint8_t>(1).text("f").add(kU8).add<uint8_t>(1);
  EXPECT_THAT(errorOf(twice), HasSubstr("field 'f' twice"));
  const auto tensor = [](std::vector<uint64_t> extents, uint32_t type, uint64_t offset = 0) {
    return Writer().begin(1, 0).tensor("t", std::move(extents), type, offset).align();
  };
  EXPECT_THAT(errorOf(tensor({}, 0)), HasSubstr("has 0 axes"));
  EXPECT_THAT(errorOf(tensor({1, 1, 1, 1, 1}, 0)), HasSubstr("has 5 axes"));
  EXPECT_THAT(errorOf(tensor({0}, 0)), HasSubstr("an extent of 0"));
  EXPECT_THAT(errorOf(tensor({33}, 2)), HasSubstr("Q4_0 needs multiples of 32"));
  EXPECT_THAT(errorOf(tensor({32}, 7)), HasSubstr("type 7 of ggml"));
  EXPECT_THAT(errorOf(tensor({1}, 0)), HasSubstr("'t' does not lie inside"));
  EXPECT_THAT(errorOf(tensor({1}, 0, ~uint64_t{0})), HasSubstr("'t' does not lie inside"));
  constexpr uint64_t kMost = (uint64_t{1} << 31) - 1;
  EXPECT_THAT(errorOf(tensor({kMost, kMost, kMost}, 0)), HasSubstr("too large"));
}

TEST(GgufFile, FilesThatAreCutOffAreRefused) {
  Writer writer;
  writer.begin(1, 2).text("a").add(kU64).add<uint64_t>(1).text("b").add(kText).text("x");
  writer.tensor("t", {32, 2}, 8).align();
  for (int i = 0; i < 68; ++i) writer.add<uint8_t>(0);
  const std::vector<std::byte> whole = writer.bytes();
  ASSERT_TRUE(GgufFile::parse(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(GgufFile::parse({whole.begin(), whole.begin() + size}).ok()) << size;
  }
}

TEST(GgufFile, RandomChangesNeverCrash) {
  Writer writer;
  writer.begin(1, 2).text("a").add(kU64).add<uint64_t>(1).text("b").add(kArray).add(kF32);
  writer.add<uint64_t>(2).add(1.0f).add(2.0f).tensor("t", {256, 2}, 14).align();
  for (int i = 0; i < 420; ++i) writer.add<uint8_t>(static_cast<uint8_t>(i));
  std::mt19937 random(1);
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<std::byte> bytes = writer.bytes();
    for (int change = 0; change < 3; ++change) {
      bytes[random() % 160] = static_cast<std::byte>(random());
    }
    auto file = GgufFile::parse(std::move(bytes));
    if (!file.ok()) continue;
    for (const auto& [name, tensor] : file->tensors()) {
      EXPECT_FALSE(file->floatsOf(tensor).empty());
    }
  }
}

}  // namespace
}  // namespace vta
