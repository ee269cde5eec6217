#include "compiler/tile/tile_lowering.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "compiler/tile/copy_elision.h"
#include "compiler/tile/program/tile_text.h"
#include "compiler/tile/tile_builder.h"
#include "sim/cycle/program_timer.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::tile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Write = std::function<void(TileBuilder&)>;

Result<Program> lowered(const Write& write, const HwConfig& hw = HwConfig::makeDefault()) {
  TileBuilder k("kernel", hw);
  write(k);
  Result<TileProgram> program = k.finish();
  EXPECT_TRUE(program.ok()) << program.status().message();
  return lowerTiles(*std::move(program), hw);
}

std::string mistakeOf(const Write& write, const HwConfig& hw = HwConfig::makeDefault()) {
  return lowered(write, hw).status().message();
}

int64_t loadsInto(const Program& program, MemoryType memory) {
  return std::count_if(program.instructions.begin(), program.instructions.end(),
                       [&](const Instruction& insn) {
                         return insn.opcode == Opcode::kLoad && insn.mem().memory_type == memory;
                       });
}

// y = x w^T with tiles of this many rows, columns and steps.
Write product(int64_t m, int64_t n, int64_t k_all, int64_t stages) {
  return [=](TileBuilder& k) {
    const Tensor x = k.input("x", MemoryType::kInp, {m, k_all});
    const Tensor w = k.input("w", MemoryType::kWgt, {2 * n, k_all});
    const Tensor y = k.output("y", {m, 2 * n});
    k.loop({"n", 2 * n, n, stages}, [&](const Affine& at) {
      Tile acc = k.zeros({m, n});
      const Tile rows = k.load(x, {0, 0}, {m, k_all});
      k.dot(acc, rows, k.load(w, {at, 0}, {n, k_all}));
      k.store(y, {0, at}, acc);
    });
  };
}

TEST(TileLowering, SaysWhatDoesNotFit) {
  EXPECT_EQ(mistakeOf(product(300, 4, 1, 2)),
            "kernel: ACC of default has 2048 elements, 131072 bytes; the tiles need 2400 elements, "
            "153600 bytes (t0 2 slots of 300x4); with one stage they need 1200 elements, 76800 "
            "bytes, which fits");
  EXPECT_THAT(mistakeOf(product(40, 1, 100, 1)),
              HasSubstr("INP of default has 2048 elements, 32768 bytes; the tiles need 4000 "
                        "elements, 64000 bytes (t1 1 slot of 40x100); even with one stage they "
                        "need 4000 elements, 64000 bytes: make tiles smaller by a factor of 2"));
  EXPECT_THAT(mistakeOf(product(1, 30, 40, 1)), HasSubstr("WGT of default has 1024 elements"));
}

TEST(TileLowering, SaysWhenTokensDoNotFit) {
  const HwConfig hw = kernel::testing::withParams([](HwParams& p) { p.token_queue_depth = 5; });
  EXPECT_TRUE(lowered(product(4, 4, 4, 2), hw).ok());
  EXPECT_THAT(mistakeOf(product(4, 4, 4, 3), hw),
              HasSubstr("the tiles have 6 slots in INP and WGT, and the token queues of default "
                        "have room for 5: use fewer stages or fewer tiles"));
}

TEST(TileLowering, RefusesOutputsThatAreNotStoredOnce) {
  EXPECT_EQ(mistakeOf([](TileBuilder& k) {
              const Tensor y = k.output("y", {2, 4});
              k.store(y, {0, 0}, k.zeros({1, 4}));
              k.store(y, {1, 0}, k.zeros({1, 3}));
            }),
            "kernel: 1 of 8 elements of 'y' are never stored, the first is y[1, 3]");
  EXPECT_EQ(mistakeOf([](TileBuilder& k) {
              const Tensor y = k.output("y", {4});
              k.loop({"i", 4, 1}, [&](const Affine& i) { k.store(y, {i * 0}, k.zeros({2})); });
            }),
            "kernel: i = 1: race: y[0] is stored twice; each element of an output has to be "
            "stored once");
  EXPECT_THAT(mistakeOf([](TileBuilder& k) {
                const Tensor y = k.output("y", {7});
                k.loop({"i", 8, 4}, [&](const Affine& i) { k.store(y, {i}, k.zeros({4})); });
              }),
              HasSubstr("i = 4: a store reaches elements 4 to 7 of axis 0 of 'y', which has 7"));
}

TEST(TileLowering, RefusesPaddingThatLoadsCannotMake) {
  const auto load = [](const Shape& tensor, const std::vector<Affine>& begin, const Shape& shape,
                       MemoryType memory) {
    return mistakeOf([&](TileBuilder& k) { k.load(k.input("x", memory, tensor), begin, shape); });
  };
  EXPECT_EQ(load({4, 4, 4}, {0, -1, -2}, {4, 6, 8}, MemoryType::kInp), "");
  EXPECT_THAT(load({4, 4, 4}, {-1, 0, 0}, {4, 4, 4}, MemoryType::kInp),
              HasSubstr("reaches 1 elements beside axis 0 of 'x'; only its two last axes"));
  EXPECT_THAT(load({4, 4}, {0, -16}, {4, 20}, MemoryType::kInp), HasSubstr("15 at each side"));
  EXPECT_THAT(load({4, 4}, {4, 0}, {2, 4}, MemoryType::kInp), HasSubstr("and none in it"));
  EXPECT_THAT(load({4, 4}, {0, 2}, {4, 4}, MemoryType::kWgt), HasSubstr("weights have no padding"));
}

TEST(TileLowering, LoadsAgainOnlyWhatIsNoLongerThere) {
  const Result<Program> program = lowered(product(4, 4, 4, 2));
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(loadsInto(*program, MemoryType::kInp), 1);
  EXPECT_EQ(loadsInto(*program, MemoryType::kWgt), 2);

  // What has been changed is loaded again.
  const Result<Program> changed = lowered([](TileBuilder& k) {
    const Tensor x = k.input("x", MemoryType::kAcc, {4});
    const Tensor y = k.output("y", {8});
    k.loop({"i", 8, 4}, [&](const Affine& i) { k.store(y, {i}, k.load(x, {0}, {4}) >> 1); });
  });
  ASSERT_TRUE(changed.ok()) << changed.status().message();
  EXPECT_EQ(loadsInto(*changed, MemoryType::kAcc), 2);
}

// In a long reduction the ALU has less to do: it multiplies the next tile by 0 in front of the
// operations on this one.
TEST(TileLowering, ClearsTheNextTileAhead) {
  const auto opcodes = [](const HwConfig& hw) {
    std::vector<std::string> names;
    const Result<Program> program = lowered(
        [](TileBuilder& k) {
          const Tensor x = k.input("x", MemoryType::kInp, {4, 8});
          const Tensor w = k.input("w", MemoryType::kWgt, {12, 8});
          const Tensor y = k.output("y", {4, 12});
          const Tile rows = k.load(x, {0, 0}, {4, 8});
          k.loop({"n", 12, 4, 2}, [&](const Affine& n) {
            Tile acc = k.zeros({4, 4});
            k.dot(acc, rows, k.load(w, {n, 0}, {4, 8}));
            k.store(y, {0, n}, acc >> 1);
          });
        },
        hw);
    for (const Instruction& insn : program->instructions) {
      if (insn.opcode == Opcode::kAlu) names.emplace_back(aluOpcodeName(insn.alu().alu_opcode));
      if (insn.opcode == Opcode::kGemm) names.emplace_back(insn.gemm().reset ? "reset" : "gemm");
    }
    return names;
  };
  EXPECT_THAT(opcodes(HwConfig::makeDefault()),
              ElementsAre("reset", "gemm", "reset", "SHR", "gemm", "MUL", "SHR", "gemm", "SHR"));
  EXPECT_THAT(opcodes(kernel::testing::compatHw()),
              ElementsAre("reset", "gemm", "SHR", "reset", "gemm", "SHR", "reset", "gemm", "SHR"));
}

TEST(TileLowering, CopiesOnlyWhatIsReadLater) {
  TileBuilder k("kernel", HwConfig::makeDefault());
  const Tensor y = k.output("y", {4});
  const Tile start = k.zeros({4});
  const Tile twice = (start + 3) * 2;
  k.store(y, {0}, k.maximum(twice, twice >> 1));
  TileProgram program = *k.finish();
  elideCopies(program);
  EXPECT_EQ(toText(program), R"(kernel kernel
  output y: OUT 4
  t0: ACC 4 = 0
  t0 = add(t0, 3)
  t0 = mul(t0, 2)
  t3: ACC 4 = t0
  t3 = shr(t3, 1)
  t0 = max(t0, t3)
  store y[0] = t0
)");
}

TEST(TileLowering, CopiesInLoopsWhatLivesAroundThem) {
  TileBuilder k("kernel", HwConfig::makeDefault());
  const Tensor y = k.output("y", {8});
  const Tile start = k.zeros({4});
  k.loop({"i", 8, 4}, [&](const Affine& i) { k.store(y, {i}, start + 1); });
  TileProgram program = *k.finish();
  elideCopies(program);
  EXPECT_THAT(toText(program), HasSubstr("t1: ACC 4 = t0"));
}

TEST(TileLowering, ShowsWhenInstructionsRun) {
  const HwConfig hw = HwConfig::makeDefault();
  const Result<Program> program = lowered(product(4, 4, 4, 2));
  ASSERT_TRUE(program.ok()) << program.status().message();
  Recording recording;
  const auto counters = sim::ProgramTimer::create(hw)->run(*program, &recording);
  ASSERT_TRUE(counters.ok()) << counters.status().message();
  const std::string text = timelineText(*program, recording);
  EXPECT_THAT(text, HasSubstr(std::to_string(counters->cycles) + " cycles; #: busy"));
  EXPECT_THAT(text, HasSubstr("compute |"));
  EXPECT_THAT(text, HasSubstr("finish"));
}

}  // namespace
}  // namespace vta::tile
