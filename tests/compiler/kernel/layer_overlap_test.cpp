// Chains of random kernels whose activations share one arena at random places: overlapped, they
// leave the arena as they do one after the other, whatever order the units take.
//
// VTA_KERNEL_SEED=<n> replays one case; VTA_KERNEL_CASES=<n> sets how many run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/lower.h"
#include "compiler/launch/overlap.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "tests/compiler/kernel/interpreter.h"
#include "tests/compiler/kernel/random_kernel.h"

namespace vta::kernel::testing {
namespace {

constexpr uint64_t kDefaultCases = 400;

bool isActivation(const BufferDecl& buffer) {
  return buffer.kind == BufferKind::kInput || buffer.kind == BufferKind::kOutput;
}

struct Chain {
  Program program;  // with barriers; its last buffer is the arena
  std::vector<std::vector<uint8_t>> buffers;
};

// A place for each activation; a kernel's output lies clear of what it reads.
std::vector<uint64_t> randomPlaces(Rng& rng, const Program& program, uint64_t align,
                                   uint64_t arena_bytes) {
  std::vector<uint64_t> places(program.buffers.size(), 0);
  for (size_t i = 0; i < places.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    if (!isActivation(buffer)) continue;
    for (bool clear = false; !clear;) {
      places[i] = pick(rng, 0, static_cast<int64_t>((arena_bytes - buffer.size_bytes) / align)) *
                  static_cast<int64_t>(align);
      clear = true;
      for (size_t j = 0; j < i; ++j) {
        const BufferDecl& other = program.buffers[j];
        if (!isActivation(other) || other.kind == buffer.kind) continue;
        clear = clear && (places[i] + buffer.size_bytes <= places[j] ||
                          places[j] + other.size_bytes <= places[i]);
      }
    }
  }
  return places;
}

// Puts the activations of a program into the arena, at their places.
void moveToArena(Program& program, const HwConfig& hw, const std::vector<uint64_t>& places,
                 uint64_t arena_bytes, uint32_t align) {
  const auto arena = static_cast<uint32_t>(program.buffers.size());
  for (Relocation& r : program.relocations) {
    if (!isActivation(program.buffers[r.buffer])) continue;
    MemInsn& mem = program.instructions[r.instruction].mem();
    mem.dram_base += static_cast<uint32_t>(places[r.buffer] / hw.elemBytes(mem.memory_type));
    r.buffer = arena;
  }
  for (BufferDecl& buffer : program.buffers) buffer.name.clear();
  program.buffers.push_back({"arena", BufferKind::kScratch, arena_bytes, align});
}

Chain randomChain(Rng& rng, const HwConfig& hw) {
  const uint32_t align = std::max(hw.elemBytes(MemoryType::kInp), hw.elemBytes(MemoryType::kOut));
  std::vector<Program> programs;
  std::vector<std::vector<std::vector<uint8_t>>> contents;
  uint64_t largest = 0;
  for (int64_t layers = pick(rng, 2, 5); layers > 0; --layers) {
    const KernelDesc desc = randomKernel(rng, hw);
    const Result<Schedule> schedule = randomSchedule(rng, desc, hw);
    if (!schedule.ok()) continue;
    const Result<Program> program = lower(desc, *schedule, hw, {.from_top = pick(rng, 0, 1) == 1});
    EXPECT_TRUE(program.ok()) << program.status().message();
    contents.push_back(makeBuffers(*program, hw, randomOperands(rng, desc, hw)));
    uint64_t total = 0;
    for (const BufferDecl& b : program->buffers) total += isActivation(b) ? b.size_bytes : 0;
    largest = std::max(largest, total);
    programs.push_back(*program);
  }
  // Two activations, wherever they lie, leave a gap for a third one.
  const uint64_t arena_bytes = (3 * largest / align + 8) * align;
  for (size_t i = 0; i < programs.size(); ++i) {
    moveToArena(programs[i], hw, randomPlaces(rng, programs[i], align, arena_bytes), arena_bytes,
                align);
    contents[i].emplace_back();
  }
  Chain chain;
  const Result<LinkedProgram> linked = linkPrograms(programs, hw);
  EXPECT_TRUE(linked.ok()) << linked.status().message();
  chain.program = linked->program;
  chain.buffers.resize(chain.program.buffers.size());
  for (size_t k = 0; k < programs.size(); ++k) {
    for (size_t i = 0; i < contents[k].size(); ++i) {
      chain.buffers[linked->buffer_maps[k][i]] = contents[k][i];
    }
  }
  for (size_t i = 0; i < chain.buffers.size(); ++i) {
    const BufferDecl& buffer = chain.program.buffers[i];
    if (buffer.name != "arena") continue;
    chain.buffers[i].resize(buffer.size_bytes);
    for (uint8_t& byte : chain.buffers[i]) byte = static_cast<uint8_t>(rng());
  }
  return chain;
}

void checkChain(uint64_t seed) {
  Rng rng(seed);
  const HwConfig hw = randomHw(rng);
  SCOPED_TRACE("replay with VTA_KERNEL_SEED=" + std::to_string(seed) + " on " + hw.summary());
  const Chain chain = randomChain(rng, hw);
  auto expected = chain.buffers;
  ASSERT_EQ(interpret(chain.program, hw, expected, seed), "");

  const std::vector<uint64_t> addresses(chain.program.buffers.size(), 0);
  const Program overlapped = compiler::overlapLayers(chain.program, hw, addresses);
  const Status legal = verifyProgramStatus(overlapped, hw);
  ASSERT_TRUE(legal.ok()) << legal.message() << disassembleProgram(overlapped, hw);
  for (uint64_t run = 0; run < 3; ++run) {
    auto actual = chain.buffers;
    ASSERT_EQ(interpret(overlapped, hw, actual, seed + run), "");
    ASSERT_EQ(actual, expected) << disassembleProgram(overlapped, hw);
  }
}

uint64_t fromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(LayerOverlap, RandomChainsGiveTheSameResults) {
  const uint64_t only = fromEnvironment("VTA_KERNEL_SEED", 0);
  if (only != 0) return checkChain(only);
  for (uint64_t seed = 1; seed <= fromEnvironment("VTA_KERNEL_CASES", kDefaultCases); ++seed) {
    checkChain(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace vta::kernel::testing
