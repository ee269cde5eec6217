#include "compiler/tile/file/kernel_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <span>

#include "base/temporary_folder.h"
#include "compiler/tile/program/tile_text.h"
#include "compiler/tile/tile_check.h"
#include "compiler/tile/tile_lowering.h"
#include "tests/compiler/tile/random_tiles.h"

namespace vta::tile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class KernelFileTest : public ::testing::Test {
 protected:
  KernelFileTest() {
    TileBuilder k("scale", hw_);
    const Tensor x = k.input("x", MemoryType::kAcc, {4, 2});
    const Tensor y = k.output("y", {4, 2});
    k.loop({"i", 4, 2, 2}, [&](const Affine& i) {
      k.store(y, {i, 0}, k.clip(k.load(x, {i, 0}, {2, 2}) * 3, -100, 100));
    });
    kernel_ = {*k.finish(), ElementSizes::of(hw_), {{"factor", 3}}};
    text_ = kernelsToYaml(std::span(&kernel_, 1));
  }

  /// The text with its only `from` replaced by `to`.
  std::string with(const std::string& from, const std::string& to) const {
    const size_t at = text_.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in\n" << text_;
    EXPECT_EQ(text_.find(from, at + 1), std::string::npos) << from;
    return std::string(text_).replace(at, from.size(), to);
  }

  static std::string errorOf(const std::string& text) {
    const Status status = parseKernels(text, "k.yaml").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  }

  /// What checkTiles says of the text, which is well-formed.
  std::string mistakeOf(const std::string& text) const {
    const auto kernels = parseKernels(text, "k.yaml");
    EXPECT_TRUE(kernels.ok()) << kernels.status().message();
    if (!kernels.ok()) return "";
    return checkTiles(kernels->front().program, hw_).message();
  }

  HwConfig hw_ = HwConfig::makeDefault();
  TileKernel kernel_;
  std::string text_;
};

TEST_F(KernelFileTest, ReadsWhatItWrites) {
  const auto kernels = parseKernels(text_, "k.yaml");
  ASSERT_TRUE(kernels.ok()) << kernels.status().message();
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().elements, kernel_.elements);
  EXPECT_EQ(kernels->front().numbers, kernel_.numbers);
  EXPECT_EQ(toText(kernels->front().program), toText(kernel_.program));
  EXPECT_TRUE(checkTiles(kernels->front().program, hw_).ok());
}

TEST_F(KernelFileTest, AFileHoldsSeveralKernels) {
  const std::vector<TileKernel> both = {kernel_, kernel_};
  const auto folder = TemporaryFolder::create("kernels");
  ASSERT_TRUE(folder.ok());
  const std::filesystem::path file = folder->path() / "k.yaml";
  std::ofstream(file) << kernelsToYaml(both);
  const auto kernels = readKernels(file);
  ASSERT_TRUE(kernels.ok()) << kernels.status().message();
  EXPECT_EQ(kernelsToYaml(*kernels), kernelsToYaml(both));
  EXPECT_EQ(readKernels(folder->path() / "none.yaml").status().code(), StatusCode::kNotFound);
}

TEST_F(KernelFileTest, KernelsWithATableAreTheSameProgram) {
  const auto hw = parseHwConfig("name: tables\nisa: {extensions: [qmul, clip, lut]}\n", "hw");
  ASSERT_TRUE(hw.ok()) << hw.status().message();
  TileBuilder k("negate", *hw);
  const Tensor x = k.input("x", MemoryType::kAcc8, {4});
  const Tensor y = k.output("y", {4});
  std::vector<int8_t> results;
  for (int i = -128; i < 128; ++i) results.push_back(static_cast<int8_t>(-std::max(i, -127)));
  k.store(y, {0}, k.lookUp(k.load(x, {0}, {4}), results));
  const TileKernel kernel = {*k.finish(), ElementSizes::of(*hw), {}};
  const auto read = parseKernels(kernelsToYaml(std::span(&kernel, 1)), "k.yaml");
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Status checked = checkTiles(read->front().program, *hw);
  ASSERT_TRUE(checked.ok()) << checked.message();
  EXPECT_EQ(*lowerTiles(read->front().program, *hw), *lowerTiles(kernel.program, *hw));
  EXPECT_THAT(checkTiles(read->front().program, hw_).message(), HasSubstr("default has no tables"));
}

TEST_F(KernelFileTest, RandomKernelsAreTheSameProgram) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    testing::Rng rng(seed);
    const auto program = testing::randomTiles(rng, hw_);
    if (!program.ok()) continue;
    const TileKernel kernel = {*program, ElementSizes::of(hw_), {}};
    const auto read = parseKernels(kernelsToYaml(std::span(&kernel, 1)), "k.yaml");
    ASSERT_TRUE(read.ok()) << read.status().message();
    const Status checked = checkTiles(read->front().program, hw_);
    ASSERT_TRUE(checked.ok()) << checked.message();
    const auto expected = lowerTiles(kernel.program, hw_);
    const auto lowered = lowerTiles(read->front().program, hw_);
    ASSERT_EQ(lowered.ok(), expected.ok());
    if (!expected.ok()) continue;
    EXPECT_EQ(*lowered, *expected);
  }
}

// Whatever becomes of a text: it is refused, or it is a kernel that can be lowered or refused.
TEST_F(KernelFileTest, DamagedTextsDoNoHarm) {
  testing::Rng rng(7);
  const auto product = testing::randomTiles(rng, hw_);
  ASSERT_TRUE(product.ok());
  const TileKernel kernels[] = {kernel_, {*product, ElementSizes::of(hw_), {}}};
  const std::string whole = kernelsToYaml(kernels);
  int accepted = 0;
  for (int i = 0; i < 600; ++i) {
    std::string text = whole;
    for (int change = 0; change < 1 + i % 3; ++change) {
      const auto at = static_cast<size_t>(kernel::testing::pick(rng, 0, std::ssize(text) - 1));
      const bool is_digit = text[at] >= '0' && text[at] <= '9';
      text[at] = is_digit ? static_cast<char>('0' + kernel::testing::pick(rng, 0, 9))
                          : static_cast<char>(kernel::testing::pick(rng, 1, 126));
    }
    const auto read = parseKernels(text, "k.yaml");
    if (!read.ok()) continue;
    for (const TileKernel& kernel : *read) {
      if (!checkTiles(kernel.program, hw_).ok()) continue;
      ++accepted;
      (void)lowerTiles(kernel.program, hw_);
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST_F(KernelFileTest, MistakesHaveAPlace) {
  EXPECT_THAT(errorOf("[]"), "k.yaml:1:1: a file of kernels must be a map");
  EXPECT_THAT(errorOf("format: 1\n"), "k.yaml:1:1: key kernels is missing");
  EXPECT_THAT(errorOf(with("format: 1", "format: 9")),
              "k.yaml:2:9: the file has format 9, and this version reads 1: write it anew with "
              "vta.tile.save");
  EXPECT_THAT(errorOf(with("kernels:\n", "kernel:\n")), HasSubstr("key kernels is missing"));
  EXPECT_THAT(
      errorOf(with("batch: 1", "batch: 0")),
      AllOf(StartsWith("k.yaml:5:"), HasSubstr("batch is \"0\"; a whole number from 1 to")));
  EXPECT_THAT(errorOf(with("batch: 1", "rows: 1")), HasSubstr("key batch is missing"));
  EXPECT_THAT(errorOf(with("\"factor\": 3", "[]: 3")), HasSubstr("a number's name must be"));
  EXPECT_THAT(errorOf(with("\"factor\": 3", "factor: three")), HasSubstr("numbers is \"three\""));
  EXPECT_THAT(errorOf(with("memory: OUT", "memory: DISK")), HasSubstr("there is no memory DISK"));
  EXPECT_THAT(errorOf(with("name: \"y\", ", "name: \"y\", size: 3, ")),
              HasSubstr("unknown key size; legal keys: name, memory, shape, contents"));
  EXPECT_THAT(errorOf(with("memory: OUT", "contents: 0g, memory: OUT")),
              HasSubstr("contents must be bytes of two hexadecimal digits"));
  EXPECT_THAT(errorOf(with("memory: OUT", "contents: abc, memory: OUT")),
              HasSubstr("contents must be bytes"));
  EXPECT_THAT(errorOf(with("loop: \"i\"", "while: \"i\"")),
              HasSubstr("a statement is one of loop, load, zero, copy, alu, dot and store"));
  EXPECT_THAT(errorOf(with("{load: 0, tensor: 0", "{load: 99, tensor: 0")),
              HasSubstr("tile 99 does not exist"));
  EXPECT_THAT(errorOf(with("{load: 0, tensor: 0", "{load: 0, tensor: -1")),
              HasSubstr("tensor is \"-1\""));
  EXPECT_THAT(errorOf(with("alu: MUL", "alu: POW")), HasSubstr("there is no ALU operation POW"));
  EXPECT_THAT(errorOf(with("to: [1, 0, [2, 2], [2, 1]], number: 3", "to: [1], number: 3")),
              HasSubstr("to must be a part of a tile: [tile, first element, extents, distances]"));
  EXPECT_THAT(errorOf(with("{store: 1, at: [[0, 0, 1]", "{store: 1, at: [[0, 7, 1]")),
              HasSubstr("an index must be a number and pairs of a loop and a factor"));
  EXPECT_THAT(errorOf("kernels: [\n"), HasSubstr("not valid YAML"));
}

TEST_F(KernelFileTest, ShortTextsOfManyStatementsAreRefused) {
  const std::string start = text_.substr(0, text_.find("    body:\n"));
  std::string deep =
      start + "    body: &b\n      - {loop: i, count: 1, step: 1, stages: 1, body: *b}\n";
  EXPECT_THAT(errorOf(deep), HasSubstr("more than 32 loops in each other"));
  std::string wide = start + "    body: [&a0 {loop: i, count: 1, step: 1, stages: 1, body: []}";
  for (int i = 1; i < 8; ++i) {
    wide += fmt::format(", &a{} {{loop: i, count: 1, step: 1, stages: 1, body: [", i);
    for (int copy = 0; copy < 12; ++copy)
      wide += fmt::format("{}*a{}", copy > 0 ? ", " : "", i - 1);
    wide += "]}";
  }
  EXPECT_THAT(errorOf(wide + "]\n"), HasSubstr("statements"));
}

TEST_F(KernelFileTest, NumbersAreChecked) {
  EXPECT_EQ(mistakeOf(text_), "");
  EXPECT_THAT(mistakeOf(with("count: 2", "count: 0")), HasSubstr("loop i runs 0 times"));
  EXPECT_THAT(mistakeOf(with("count: 2", "count: 99999999")), HasSubstr("statements run"));
  EXPECT_THAT(mistakeOf(with("stages: 2", "stages: 9")), HasSubstr("1 to 8 are possible"));
  EXPECT_THAT(mistakeOf(with("{load: 0, tensor: 0", "{load: 0, tensor: 5")),
              HasSubstr("tensor 5 does not exist"));
  EXPECT_THAT(mistakeOf(with("{load: 0, tensor: 0", "{load: 0, tensor: 1")),
              HasSubstr("'y' is stored and cannot be loaded"));
  EXPECT_THAT(mistakeOf(with("{load: 0, tensor: 0", "{load: 1, tensor: 0")),
              HasSubstr("has not been made"));
  EXPECT_THAT(mistakeOf(with("to: [1, 0, [2, 2], [2, 1]], number: 3",
                             "to: [1, 1, [2, 2], [2, 1]], number: 3")),
              HasSubstr("a part of tile 1 leaves it"));
  EXPECT_THAT(mistakeOf(with("to: [1, 0, [2, 2], [2, 1]], number: 3",
                             "to: [1, 0, [2, 2], [1, 1]], number: 3")),
              HasSubstr("has an element twice"));
  EXPECT_THAT(mistakeOf(with("number: 3", "number: 70000")), HasSubstr("MUL has the number 70000"));
  EXPECT_THAT(mistakeOf(with("alu: MUL", "alu: PRELU")), HasSubstr("PRELU"));
  EXPECT_THAT(mistakeOf(with("alu: MUL", "alu: LUT")), HasSubstr("default has no tables"));
  EXPECT_THAT(mistakeOf(with("{store: 1, at: [[0, 0, 1]", "{store: 0, at: [[0, 0, 1]")),
              HasSubstr("tensor 0 is not an output"));
  EXPECT_THAT(mistakeOf(with("{store: 1, at: [[0, 0, 1]", "{store: 1, at: [[0, 0, 4294967296]")),
              HasSubstr("an index of 'y' is too large"));
  EXPECT_THAT(mistakeOf(with("memory: OUT, shape: [4, 2]", "memory: ACC, shape: [4, 2]")),
              HasSubstr("no tensor is an output"));
  EXPECT_THAT(mistakeOf(with("memory: OUT", "contents: 00, memory: OUT")),
              HasSubstr("the constant 'y' has 1 bytes"));
}

// Statements that a text cannot have in one piece: the builder's rules, without the builder.
TEST_F(KernelFileTest, TilesAreReadWhereTheyAreAlive) {
  TileProgram program = kernel_.program;
  auto& loop = std::get<LoopOp>(program.body[0].op);
  program.body.push_back(loop.body.back());
  EXPECT_THAT(checkTiles(program, hw_).message(), HasSubstr("in a loop that has ended"));
  program = kernel_.program;
  program.body.push_back(program.body[0]);
  EXPECT_THAT(checkTiles(program, hw_).message(), HasSubstr("which is another one's or none"));
  program = kernel_.program;
  program.tiles[0].loop = kNoLoop;
  EXPECT_THAT(checkTiles(program, hw_).message(), HasSubstr("is not of the loop that makes it"));
  program = kernel_.program;
  program.tiles[0].shape = {int64_t{1} << 40};
  EXPECT_THAT(checkTiles(program, hw_).message(), HasSubstr("tile 0 has the shape"));
  program = kernel_.program;
  program.tiles[0].scratchpad = MemoryType::kOut;
  EXPECT_THAT(checkTiles(program, hw_).message(), HasSubstr("is not of INP, WGT or ACC"));
  program.tiles[0].scratchpad = MemoryType::kInp;
  EXPECT_THAT(checkTiles(program, hw_).message(), HasSubstr("tile 0 is of INP, but ACC is needed"));
}

}  // namespace
}  // namespace vta::tile
