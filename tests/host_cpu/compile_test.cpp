// Targets, the object's shape, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "llvm/Object/ELFObjectFile.h"
#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

constexpr const char* kAdd = R"(
  func.func @f(%x: tensor<2000x100xf32>, %y: tensor<2000x100xf32>) -> tensor<2000x100xf32> {
    %z = graph.binary add %x, %y
      : (tensor<2000x100xf32>, tensor<2000x100xf32>) -> tensor<2000x100xf32>
    %e = graph.unary exp %z : (tensor<2000x100xf32>) -> tensor<2000x100xf32>
    return %e : tensor<2000x100xf32> })";

std::unique_ptr<llvm::object::ObjectFile> openObject(const CompiledCode& code, size_t index = 0) {
  const std::span<const std::byte> object = code.objects().at(index);
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
      llvm::StringRef(reinterpret_cast<const char*>(object.data()), object.size()), "object"));
  EXPECT_TRUE(static_cast<bool>(file));
  return std::move(*file);
}

// Global symbols that the objects define, or that none of them defines, in order.
std::vector<std::string> symbols(const CompiledCode& code, bool undefined) {
  std::set<std::string> visible, hidden, missing;
  for (size_t i = 0; i < code.objects().size(); ++i) {
    const auto file = openObject(code, i);
    for (const auto& symbol : file->symbols()) {
      const uint32_t flags = *symbol.getFlags();
      if ((flags & llvm::object::SymbolRef::SF_Global) == 0) continue;
      const bool is_missing = flags & llvm::object::SymbolRef::SF_Undefined;
      const bool is_hidden = llvm::object::ELFSymbolRef(symbol).getOther() == llvm::ELF::STV_HIDDEN;
      (is_missing ? missing : is_hidden ? hidden : visible).insert(symbol.getName()->str());
    }
  }
  if (!undefined) return {visible.begin(), visible.end()};
  std::erase_if(missing, [&](const std::string& name) {
    return visible.contains(name) || hidden.contains(name);
  });
  return {missing.begin(), missing.end()};
}

TEST(CompileTest, EveryKnownTarget) {
  const std::pair<const char*, llvm::Triple::ArchType> targets[] = {
      {"x86_64-linux-gnu", llvm::Triple::x86_64},
      {"aarch64-linux-gnu", llvm::Triple::aarch64},
      {"armv7-linux-gnueabihf", llvm::Triple::arm}};
  for (const auto& [triple, arch] : targets) {
    CodeOptions options;
    options.target.triple = triple;
    auto object = compileText(kAdd, options);
    ASSERT_TRUE(object.ok()) << triple << ": " << object.status().message();
    EXPECT_EQ(openObject(*object)->getArch(), arch);
    EXPECT_EQ(symbols(*object, false), std::vector<std::string>{"f"}) << triple;
    for (const std::string& name : symbols(*object, true)) {
      EXPECT_TRUE(name == "expf" || name == "memcpy" || name == "aligned_alloc" || name == "free" ||
                  name == "_GLOBAL_OFFSET_TABLE_" || name.starts_with("__aeabi_unwind"))
          << triple << " needs " << name;
    }
  }
}

// Functions are divided among objects that are compiled side by side, the same ones every time.
TEST(CompileTest, SeveralFunctionsAreSeveralObjects) {
  std::string text;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) {
    names.emplace_back("f");
    names.back() += std::to_string(i);
    text += "func.func @";
    text += names.back();
    text += R"((%x: tensor<100xf32>) -> tensor<100xf32> {
      %e = graph.unary exp %x : (tensor<100xf32>) -> tensor<100xf32>
      return %e : tensor<100xf32> })";
  }
  const auto code = compileText(text);
  ASSERT_TRUE(code.ok()) << code.status().message();
  EXPECT_GT(code->objects().size(), 1u);
  EXPECT_LE(code->objects().size(), 32u);
  std::ranges::sort(names);
  EXPECT_EQ(symbols(*code, false), names);
  EXPECT_EQ(objectsOf(*compileText(text)), objectsOf(*code));
}

TEST(CompileTest, UnknownTargetsAreErrorsThatNameTheKnown) {
  for (const char* triple :
       {"vax-dec-ultrix", "x86_64-pc-windows-msvc", "arm-linux-gnueabi", "?"}) {
    CodeOptions options;
    options.target.triple = triple;
    auto object = compileText(kAdd, options);
    ASSERT_FALSE(object.ok()) << triple;
    EXPECT_EQ(object.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(object.status().message().find(triple), std::string::npos);
    EXPECT_NE(object.status().message().find("armv7-linux-gnueabihf"), std::string::npos);
  }
  CodeOptions options;
  options.target.cpu = "pdp11";
  auto object = compileText(kAdd, options);
  ASSERT_FALSE(object.ok());
  EXPECT_NE(object.status().message().find("unknown CPU 'pdp11'"), std::string::npos);
}

TEST(CompileTest, LargeConstantsStayOutside) {
  const Tensor large = randomTensor(DType::kF32, {5000}, 1);
  auto object = compileText(
      "func.func @f(%x: tensor<5000xf32>) -> tensor<5000xf32> { %c = arith.constant " +
      mlirConstant(large) +
      "\n%y = graph.binary add %x, %c : (tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xf32>\n"
      "return %y : tensor<5000xf32> }\n"
      "func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }");
  ASSERT_TRUE(object.ok()) << object.status().message();
  ASSERT_EQ(object->constants["f"].size(), 1u);
  EXPECT_EQ(object->constants["f"][0].data, large.data);
  EXPECT_TRUE(object->constants["g"].empty());
  for (const std::span<const std::byte> each : object->objects()) {
    EXPECT_LT(each.size(), large.data.size());
  }
}

TEST(CompileTest, ThreadsDoNotChangeResults) {
  const Tensor x = randomTensor(DType::kF32, {2000, 100}, 1);
  const Tensor y = randomTensor(DType::kF32, {2000, 100}, 2);
  CodeOptions sequential;
  sequential.parallel = false;
  auto one = compileAndRun(kAdd, {x, y}, sequential), many = compileAndRun(kAdd, {x, y});
  ASSERT_TRUE(one.ok() && many.ok());
  EXPECT_EQ((*one)[0].data, (*many)[0].data);
}

TEST(CompileTest, OptimisationDoesNotChangeResults) {
  const Tensor x = randomTensor(DType::kF32, {2000, 100}, 1);
  const Tensor y = randomTensor(DType::kF32, {2000, 100}, 2);
  auto optimised = compileAndRun(kAdd, {x, y});
  ASSERT_TRUE(optimised.ok());
  for (const CodeQuality quality : {CodeQuality::kDraft, CodeQuality::kQuick}) {
    CodeOptions options;
    options.quality = quality;
    auto plain = compileAndRun(kAdd, {x, y}, options);
    ASSERT_TRUE(plain.ok()) << plain.status().message();
    EXPECT_EQ((*plain)[0].data, (*optimised)[0].data);
  }
}

// The order of a float sum is left to LLVM, whose passes choose it.
TEST(CompileTest, QuickCodeSumsInTheSameOrder) {
  const char* text = R"(
    func.func @f(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
      %y = graph.softmax %x {axis = 1 : i64} : (tensor<64x32xf32>) -> tensor<64x32xf32>
      return %y : tensor<64x32xf32> })";
  const Tensor x = randomTensor(DType::kF32, {64, 32}, 1);
  CodeOptions options;
  options.quality = CodeQuality::kQuick;
  auto quick = compileAndRun(text, {x}, options), full = compileAndRun(text, {x});
  ASSERT_TRUE(quick.ok() && full.ok());
  EXPECT_EQ((*quick)[0].data, (*full)[0].data);
}

TEST(CompileTest, OlderCpusAgree) {
  const char* text = R"(
    func.func @f(%x: tensor<1x4x9x9xi8>, %w: tensor<20x4x3x3xi8>) -> tensor<1x20x7x7xi32> {
      %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>} : (tensor<1x4x9x9xi8>, tensor<20x4x3x3xi8>)
        -> tensor<1x20x7x7xi32>
      return %y : tensor<1x20x7x7xi32> })";
  const Tensor x = randomTensor(DType::kI8, {1, 4, 9, 9}, 1, -128, 127);
  const Tensor w = randomTensor(DType::kI8, {20, 4, 3, 3}, 2, -128, 127);
  auto expected = compileAndRun(text, {x, w});
  ASSERT_TRUE(expected.ok());
#if defined(__x86_64__)
  for (const char* cpu : {"x86-64", "haswell"}) {
    CodeOptions options;
    options.target.cpu = cpu;
    auto actual = compileAndRun(text, {x, w}, options);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    EXPECT_EQ((*actual)[0].data, (*expected)[0].data) << cpu;
  }
#endif
}

TEST(CompileTest, PrivateFunctionsAreInlined) {
  auto results = compileAndRun(R"(
    func.func private @twice(%x: tensor<2xi32>) -> tensor<2xi32> {
      %y = graph.binary add %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      return %y : tensor<2xi32> }
    func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
      %a = call @twice(%x) : (tensor<2xi32>) -> tensor<2xi32>
      %b = call @twice(%a) : (tensor<2xi32>) -> tensor<2xi32>
      return %b : tensor<2xi32> })",
                               {tensorOfValues<int32_t>(DType::kI32, {2}, {1, -5})});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(valuesOf<int32_t>((*results)[0]), (std::vector<int32_t>{4, -20}));
}

TEST(CompileTest, SignaturesThatCannotBeCompiled) {
  auto dynamic = compileText(
      "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : "
      "tensor<?xf32> }");
  ASSERT_FALSE(dynamic.ok());
  EXPECT_NE(dynamic.status().message().find("tensor<?xf32>"), std::string::npos);
  auto external = compileText("func.func private @f(tensor<4xf32>) -> tensor<4xf32>");
  ASSERT_FALSE(external.ok());
  EXPECT_NE(external.status().message().find("one block"), std::string::npos);
}

TEST(HostExecutableTest, MemoryThatIsNotThereIsAnError) {
  // 2^48 bytes: more than a process has addresses for.
  const std::string text = R"(
    func.func @f(%x: tensor<8388608x1xf32>, %y: tensor<1x8388608xf32>) -> tensor<1x1xf32> {
      %z = graph.matmul %x, %y
          : (tensor<8388608x1xf32>, tensor<1x8388608xf32>) -> tensor<8388608x8388608xf32>
      %m = graph.reduce max %z {axes = array<i64: 0, 1>}
          : (tensor<8388608x8388608xf32>) -> tensor<1x1xf32>
      return %m : tensor<1x1xf32> })";
  const auto results = compileAndRun(
      text, {Tensor::zeros(DType::kF32, {8388608, 1}), Tensor::zeros(DType::kF32, {1, 8388608})});
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(results.status().message(),
              ::testing::HasSubstr(
                  "there is not enough memory: its intermediate results take 28147497671"));
}

TEST(HostExecutableTest, MemoryThatATargetCannotAddressIsAnErrorOfTheCompiler) {
  CodeOptions options;
  options.target.triple = "armv7-unknown-linux-gnueabihf";
  const std::string text = R"(
    func.func @f(%x: tensor<65536x1xf32>, %y: tensor<1x65536xf32>) -> tensor<1x1xf32> {
      %z = graph.matmul %x, %y
          : (tensor<65536x1xf32>, tensor<1x65536xf32>) -> tensor<65536x65536xf32>
      %m = graph.reduce max %z {axes = array<i64: 0, 1>}
          : (tensor<65536x65536xf32>) -> tensor<1x1xf32>
      return %m : tensor<1x1xf32> })";
  EXPECT_THAT(
      compileText(text, options).status().message(),
      ::testing::HasSubstr("bytes of memory at once, more than the 32-bit target can address"));
}

TEST(HostExecutableTest, WrongCallsAreErrors) {
  auto module = CompiledText::create(kAdd);
  ASSERT_TRUE(module.ok());
  auto unknown = module->run("g", {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), StatusCode::kNotFound);
  auto few = module->run("f", {Tensor::zeros(DType::kF32, {2000, 100})});
  ASSERT_FALSE(few.ok());
  EXPECT_NE(few.status().message().find("takes 2 inputs and 1 results; got 2 pointers"),
            std::string::npos);
  CodeOptions foreign;
  foreign.target.triple = "aarch64-linux-gnu";
  auto other = CompiledText::create(kAdd, foreign);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.status().message().find("cannot run in this process"), std::string::npos);
}

}  // namespace
}  // namespace vta::codegen::testing
