#include "isa/config/extension_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_folder.h"
#include "isa/spec/user_operation.h"
#include "tests/isa/spec/user_operations.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescription =
    "kind: alu\nname: absdiff\ncode: 12\noperand: tensor_or_immediate\nimmediate: number\n"
    "latency_cycles: 2\ncost: {luts: 96}\nmeaning: the distance of x and y\n";

class ExtensionFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = scratch_.path() / "absdiff.vtax";
    fs::create_directory(folder_);
    write("extension.yaml", kDescription);
    write("semantics.mlir", absdiffText().semantics);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  /// extension.yaml with one line in place of another.
  void change(const std::string& line, const std::string& other) const {
    std::string text = kDescription;
    text.replace(text.find(line), line.size(), other);
    write("extension.yaml", text);
  }
  std::string refusal() const {
    const auto operation = loadExtension(folder_);
    return operation.ok() ? "" : operation.status().message();
  }
  void expectRefusal(const std::string& message) const {
    EXPECT_NE(refusal().find(message), std::string::npos) << message << "\n" << refusal();
  }

  TemporaryFolder scratch_ = *TemporaryFolder::create("vta-extension");
  fs::path folder_;
};

TEST_F(ExtensionFolderTest, IsRead) {
  const auto operation = loadExtension(folder_);
  ASSERT_TRUE(operation.ok()) << operation.status().message();
  EXPECT_EQ((*operation)->text.name, "absdiff");
  EXPECT_EQ((*operation)->text.latency_cycles, 2);
  EXPECT_EQ((*operation)->text.cost.luts, 96);
  EXPECT_EQ((*operation)->text.meaning, "the distance of x and y");
  EXPECT_EQ((*operation)->evaluate(3, 10, 0), 7);
}

TEST_F(ExtensionFolderTest, AConfigurationNamesIt) {
  const fs::path file = scratch_.path() / "hw.yaml";
  std::ofstream(file) << "name: mine\noperations: [absdiff.vtax]\n";
  const auto hw = loadHwConfig(file);
  ASSERT_TRUE(hw.ok()) << hw.status().message();
  EXPECT_NE(findUserOperation(hw->params(), static_cast<AluOpcode>(12)), nullptr);
  const auto added =
      withExtensions(HwConfig::makeDefault(), std::vector<std::string>{folder_.string()});
  ASSERT_TRUE(added.ok()) << added.status().message();
  EXPECT_TRUE(added->isProgramCompatible(*hw));

  // The text of a configuration has the operation in it.
  const auto again = parseHwConfig(hw->toYaml(), "again");
  ASSERT_TRUE(again.ok()) << again.status().message() << hw->toYaml();
  EXPECT_EQ(again->params(), hw->params());
  EXPECT_EQ(again->toYaml(), hw->toYaml());

  const auto nowhere = parseHwConfig("operations: [absdiff.vtax]\n", "text");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(
      nowhere.status().message().find("text:1:14: operations names the folder \"absdiff.vtax\""),
      std::string::npos);
  std::ofstream(file) << "operations: [other.vtax]\n";
  const auto missing = loadHwConfig(file);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find("hw.yaml:1:14: "), std::string::npos);
  EXPECT_NE(missing.status().message().find("other.vtax: no such folder"), std::string::npos);
}

TEST_F(ExtensionFolderTest, FilesAreThere) {
  fs::remove(folder_ / "semantics.mlir");
  expectRefusal(
      "semantics.mlir is missing; an extension is a folder with extension.yaml and semantics.mlir");
  fs::remove(folder_ / "extension.yaml");
  expectRefusal("extension.yaml is missing");
  fs::remove_all(folder_);
  expectRefusal("absdiff.vtax: no such folder");
}

TEST_F(ExtensionFolderTest, SaysWhereTheDescriptionIsWrong) {
  change("code: 12", "code: 2");
  expectRefusal("extension.yaml:3:7: code is 2, which ADD has; free: 7, 12, 13, 14, 15");
  change("code: 12", "code: many");
  expectRefusal("extension.yaml:3:7: ");
  change("name: absdiff", "name: max");
  expectRefusal("extension.yaml:2:7: name \"max\" is taken");
  change("kind: alu", "kind: gemm");
  expectRefusal("extension.yaml:1:7: kind is \"gemm\"; legal: alu");
  change("operand: tensor_or_immediate", "operand: vector");
  expectRefusal(
      "extension.yaml:4:10: operand is \"vector\"; legal: tensor_or_immediate, tensor, immediate");
  change("immediate: number\n", "immediate: shift\n");
  expectRefusal("extension.yaml:4:10: operand is \"tensor_or_immediate\" and immediate \"shift\"");
  change("latency_cycles: 2", "latency: 2");
  expectRefusal("latency");
  change("cost: {luts: 96}", "cost: {lut: 96}");
  expectRefusal("extension.yaml:7");
  change("cost: {luts: 96}", "cost: 96");
  expectRefusal("extension.yaml:7:7: cost must be a map");
  change("name: absdiff\n", "");
  expectRefusal("name");
  write("extension.yaml", "kind: [");
  expectRefusal("extension.yaml");
  write("extension.yaml", "- a\n");
  expectRefusal("extension.yaml: an operation must be a map");
  write("extension.yaml", "");
  expectRefusal("extension.yaml");
}

TEST_F(ExtensionFolderTest, SaysWhereTheSemanticsAreWrong) {
  write("semantics.mlir",
        "func.func @absdiff(%x: i32, %y: i32) -> i32 {\n  %z = call @system(%x)\n");
  expectRefusal("semantics.mlir:2:8: unknown operation \"call\"; legal: arith.constant");
}

TEST_F(ExtensionFolderTest, SaysWhichFolderDoesNotFit) {
  const fs::path second = scratch_.path() / "second.vtax";
  fs::copy(folder_, second, fs::copy_options::recursive);
  const auto hw = withExtensions(HwConfig::makeDefault(),
                                 std::vector<std::string>{folder_.string(), second.string()});
  ASSERT_FALSE(hw.ok());
  EXPECT_EQ(hw.status().message(), second.string() + ": operations has \"absdiff\" twice");
  HwParams published;
  published.ext_qmul = published.ext_clip = published.ext_pad_min = false;
  published.compat_0_0_2 = true;
  EXPECT_FALSE(
      withExtensions(*HwConfig::create(published), std::vector<std::string>{folder_.string()})
          .ok());
}

TEST_F(ExtensionFolderTest, ListsInsideAConfigurationAreChecked) {
  const auto refused = [](const std::string& text) {
    const auto hw = parseHwConfig(text, "hw.yaml");
    return hw.ok() ? std::string() : hw.status().message();
  };
  EXPECT_NE(refused("operations: 3\n").find("hw.yaml:1:13: operations must be a list"),
            std::string::npos);
  EXPECT_NE(
      refused("operations:\n  - {kind: alu, name: f, code: 12, operand: tensor, immediate: zero}\n")
          .find("hw.yaml:2:5: "),
      std::string::npos);
  EXPECT_NE(refused("operations:\n  - {kind: alu, name: f, code: 12, operand: tensor, immediate: "
                    "zero, semantics: g}\n")
                .find("semantics of \"f\":1:1: expected \"func.func\""),
            std::string::npos);
  EXPECT_NE(refused("operation: []\n").find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace vta
