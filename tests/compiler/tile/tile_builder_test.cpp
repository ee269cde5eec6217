#include "compiler/tile/tile_builder.h"

#include <gmock/gmock.h>

#include <functional>

#include "compiler/tile/program/tile_text.h"
#include "compiler/tile/tile_lowering.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::tile {
namespace {

using ::testing::HasSubstr;

class TileBuilderTest : public ::testing::Test {
 protected:
  // The first mistake of what `write` writes.
  static std::string mistakeOf(const std::function<void(TileBuilder&)>& write,
                               const HwConfig& hw = HwConfig::makeDefault()) {
    TileBuilder k("kernel", hw);
    write(k);
    return k.finish().status().message();
  }
};

TEST_F(TileBuilderTest, IndicesAreSumsOfVariables) {
  const Affine m = Affine::variable(0), n = Affine::variable(1);
  const Affine index = n * 3 + m - 2 + m;
  const int64_t values[] = {10, 100};
  EXPECT_EQ(index.at(values), 2 * 10 + 3 * 100 - 2);
  EXPECT_EQ((index - m * 2 - n * 3), Affine(-2));
  EXPECT_TRUE((m * 0).terms().empty());
}

TEST_F(TileBuilderTest, WritesAMatrixProduct) {
  TileBuilder k("matmul", HwConfig::makeDefault());
  const Tensor x = k.input("x", MemoryType::kInp, {4, 8});
  const Tensor w = k.input("w", MemoryType::kWgt, {8, 8});
  const Tensor y = k.output("y", {4, 8});
  k.loop({"n", 8, 4, 2}, [&](const Affine& n) {
    Tile acc = k.zeros({4, 4});
    k.loop({"k", 8, 2, 2}, [&](const Affine& at) {
      const Tile rows = k.load(x, {0, at}, {4, 2});
      k.dot(acc, rows, k.load(w, {n, at}, {4, 2}));
    });
    k.store(y, {0, n}, k.clip(acc >> 8, -128, 127));
  });
  const Result<TileProgram> program = k.finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(toText(*program), R"(kernel matmul
  input x: INP 4x8
  input w: WGT 8x8
  output y: OUT 4x8
  for n in range(0, 8, 4), 2 stages:
    t0: ACC 4x4 = 0
    for k in range(0, 8, 2), 2 stages:
      t1: INP 4x2 = load x[0, k]
      t2: WGT 4x2 = load w[n, k]
      t0 += dot(t1, t2, "mk,nk->mn")
    t3: ACC 4x4 = t0
    t3 = shr(t3, 8)
    t4: ACC 4x4 = t3
    t4 = clip(t4, -128, 127)
    store y[0, n] = t4
)");
}

TEST_F(TileBuilderTest, ShowsPartsAndIndices) {
  TileBuilder k("parts", HwConfig::makeDefault());
  const Tensor x = k.input("x", MemoryType::kAcc, {8, 4});
  const Tensor m = k.input("m", MemoryType::kAcc, {4});
  const Tensor y = k.output("y", {4, 4});
  k.loop({"i", 8, 4}, [&](const Affine& i) {
    const Tile rows = k.load(x, {i, 0}, {4, 4});
    Tile sum = rows.slice(0, 0, 2, 2) + rows.slice(0, 1, 2, 2);
    sum = k.qmul(sum, k.load(m, {0}, {4}), 7);
    k.store(y, {Affine(0), 0}, sum);
  });
  EXPECT_THAT(toText(*k.finish()), HasSubstr(R"(    t1: ACC 2x4 = t0[from 0: 2 by 8, 4 by 1]
    t1 = add(t1, t0[from 4: 2 by 8, 4 by 1])
    t2: ACC 4 = load m[0]
    t3: ACC 2x4 = t1
    t3 = qmul(t3, t2[from 0: 2 by 0, 4 by 1], 7)
)"));
}

TEST_F(TileBuilderTest, RefusesTensorsThatCannotBe) {
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.input("x", MemoryType::kOut, {1}); }),
              HasSubstr("cannot be of OUT"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.input("x", MemoryType::kUop, {1}); }),
              HasSubstr("'x' is of UOP; INP, WGT, ACC, ACC_8BIT and OUT are possible"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.input("x", MemoryType::kInp, {4, 0});
              }),
              HasSubstr("'x' has the shape 4x0"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.input("x", MemoryType::kInp, {1 << 20, 1 << 20});
              }),
              HasSubstr("more than addresses reach"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.input("x", MemoryType::kInp, {1});
                k.output("x", {1});
              }),
              HasSubstr("two tensors 'x'"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.input("x", MemoryType::kAcc8, {1}); },
                        kernel::testing::compatHw()),
              HasSubstr("compat cannot load int8 into ACC; use a tensor of ACC"));
}

TEST_F(TileBuilderTest, RefusesLoopsThatTilesDoNotDivide) {
  EXPECT_EQ(mistakeOf([](TileBuilder& k) {
              k.loop({"m", 250, 16}, [](const Affine&) {});
            }),
            "kernel: loop m: steps of 16 do not divide 250; 10 and 25 do");
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.loop({"m", 7, 4}, [](const Affine&) {});
              }),
              HasSubstr("1 and 7 do"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.loop({"m", 8, 0}, [](const Affine&) {});
              }),
              HasSubstr("both have to be positive"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.loop({"m", 8, 4, 9}, [](const Affine&) {});
              }),
              HasSubstr("loop m has 9 stages; 1 to 8 are possible"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.beginLoop({"m", 8, 4});
              }),
              HasSubstr("loop m has not ended"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.endLoop(); }), HasSubstr("has not begun"));
}

TEST_F(TileBuilderTest, RefusesLoadsAndStoresOfOtherTensors) {
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.load(k.output("y", {4}), {0}, {4}); }),
              HasSubstr("'y' is stored and cannot be loaded"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.store(k.input("x", MemoryType::kAcc, {4}), {0}, k.zeros({4}));
              }),
              HasSubstr("'x' is an input and cannot be stored"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.store(k.output("y", {4, 4}), {0}, k.zeros({4}));
              }),
              HasSubstr("'y' has 2 axes; the box has 1 indices and the shape 4"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.load(Tensor{3}, {0}, {4}); }),
              HasSubstr("a tensor that this kernel does not have"));
  EXPECT_THAT(
      mistakeOf([](TileBuilder& k) { k.load(k.input("x", MemoryType::kAcc, {4}), {0}, {0}); }),
      HasSubstr("extents begin at 1"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.store(k.output("y", {4}), {0}, Tile()); }),
              HasSubstr("a tile that this kernel does not have"));
}

TEST_F(TileBuilderTest, RefusesTilesOfLoopsThatHaveEnded) {
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                const Tensor y = k.output("y", {4});
                Tile kept;
                k.loop({"k", 4, 1}, [&](const Affine&) { kept = k.zeros({4}); });
                k.store(y, {0}, kept);
              }),
              HasSubstr("t0 was made in loop k, which has ended; make it in front of the loop"));
}

TEST_F(TileBuilderTest, RefusesOtherProducts) {
  const auto product = [](const Shape& x, const Shape& w, const Shape& acc, const char* axes) {
    return mistakeOf([&](TileBuilder& k) {
      const Tile inp = k.load(k.input("x", MemoryType::kInp, x), std::vector<Affine>(x.size()), x);
      const Tile wgt = k.load(k.input("w", MemoryType::kWgt, w), std::vector<Affine>(w.size()), w);
      Tile sum = k.zeros(acc);
      k.dot(sum, inp, wgt, axes);
    });
  };
  EXPECT_EQ(product({2, 3}, {4, 3}, {2, 4}, "mk,nk->mn"), "");
  EXPECT_THAT(product({2, 3}, {4, 3}, {2, 4}, "mk;nk"), HasSubstr("are not like \"mk,nk->mn\""));
  EXPECT_THAT(product({2, 3}, {4, 3}, {2, 4}, "mkh,nk->mn"),
              HasSubstr("the first factor has the shape 2x3, but \"mkh\" names 3 axes"));
  EXPECT_THAT(product({2, 3}, {4, 5}, {2, 4}, "mk,nk->mn"),
              HasSubstr("axis k has 5 elements in the second factor, but 3 elsewhere"));
  EXPECT_THAT(product({2, 3}, {4, 3}, {2, 4}, "mm,nk->mn"), HasSubstr("has axis m twice"));
  EXPECT_THAT(product({2, 3}, {4, 3}, {2, 4}, "mk,nk->mz"), HasSubstr("axis z of the sum"));
  EXPECT_THAT(product({1, 1, 1, 1}, {1, 1, 1}, {1}, "abcd,efg->a"), HasSubstr("has 7 axes"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                Tile sum = k.zeros({4});
                k.dot(sum, sum, sum, "a,b->a");
              }),
              HasSubstr("dot, the first factor: t0 lies in ACC, but has to lie in INP"));
}

TEST_F(TileBuilderTest, RefusesOperationsThatHardwareLacks) {
  const HwConfig compat = kernel::testing::compatHw();
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.zeros({4}) * 3; }, compat),
              HasSubstr("compat has no MUL: published hardware has MIN, MAX, ADD and SHR"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.zeros({4}) >> 16; }, compat),
              HasSubstr("SHR has the number 16; -16 to 15 are possible"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.qmul(k.zeros({4}), k.zeros({4}), 3); }, compat),
              HasSubstr("compat has no QMUL: add the extension to the configuration"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.zeros({4}) + 32768; }),
              HasSubstr("ADD has the number 32768; -32768 to 32767 are possible; load larger"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.qmul(k.zeros({4}), k.zeros({4}), 63); }),
              HasSubstr("QMUL has the number 63; 0 to 62"));
  EXPECT_THAT(
      mistakeOf([](TileBuilder& k) { k.combinedImmediate(AluOpcode::kQmul, k.zeros({4}), 3); }),
      HasSubstr("QMUL takes a tile as second operand"));
  EXPECT_THAT(
      mistakeOf([](TileBuilder& k) { k.combinedImmediate(AluOpcode::kLut, k.zeros({4}), 0); }),
      HasSubstr("LUT is not an operation of tiles"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.clip(k.zeros({4}), 5, 4); }),
              HasSubstr("clip: 5 is above 4"));
}

TEST_F(TileBuilderTest, RefusesTablesThatCannotBe) {
  const std::vector<int8_t> zeros(256, 0), ones(256, 1);
  const HwConfig hw = kernel::testing::withParams([](HwParams& p) { p.ext_lut = true; });
  const auto lookUp = [](const std::vector<int8_t>& first, const std::vector<int8_t>& second) {
    return [=](TileBuilder& k) { k.lookUp(k.lookUp(k.zeros({4}), first), second); };
  };
  EXPECT_EQ(mistakeOf(lookUp(zeros, zeros), hw), "");
  EXPECT_THAT(mistakeOf(lookUp(zeros, ones), hw), HasSubstr("a kernel has one table"));
  EXPECT_THAT(mistakeOf(lookUp({1, 2}, zeros), hw),
              HasSubstr("a table has 2 results; 256 are needed, for -128 to 127"));
  EXPECT_THAT(mistakeOf(lookUp(zeros, zeros)),
              HasSubstr("default has no tables: add the extension `lut`"));
}

TEST_F(TileBuilderTest, RefusesOperandsThatDoNotFit) {
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.zeros({4}) + k.zeros({3}); }),
              HasSubstr("a tile of 4 cannot be combined with one of 3"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                Tile row = k.zeros({4});
                Tile part = row.slice(0, 0, 3);
                part += row.slice(0, 1, 3);
              }),
              HasSubstr("ADD reads elements of a tile that it writes at other places"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.zeros({4}).slice(0, 2, 3); }),
              HasSubstr("a slice of 3 elements from 2 on in steps of 1 along axis 0 leaves"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.zeros({4, 2}).squeeze(0);
              }),
              HasSubstr("axis 0 of a tile of 4x2 cannot be left out"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) { k.zeros({4}).expand(2); }),
              HasSubstr("cannot have one more axis at 2"));
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                k.zeros({1, 1, 1, 1, 1, 1, 1});
              }),
              HasSubstr("up to 6 axes"));
}

}  // namespace
}  // namespace vta::tile
