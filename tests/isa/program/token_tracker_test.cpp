#include "isa/program/token_tracker.h"

#include <gtest/gtest.h>

#include "isa/program/text/assembler.h"

namespace vta {
namespace {

// Builds a stream whose instructions are told apart by their unit only.
class Stream {
 public:
  void load(std::initializer_list<SramAccess> accesses, int pieces = 1) {
    MemInsn mem;
    mem.memory_type = MemoryType::kInp;
    add(Instruction::load(mem), accesses, pieces);
  }
  void compute(std::initializer_list<SramAccess> accesses) { add(Instruction::gemm({}), accesses); }
  void store(std::initializer_list<SramAccess> accesses) {
    MemInsn mem;
    mem.memory_type = MemoryType::kOut;
    add(Instruction::store(mem), accesses);
  }
  const Tokens& tokens(size_t i) const { return insns_[i].tokens; }
  int pushes() const {
    int count = 0;
    for (const Instruction& insn : insns_) count += insn.tokens.push_prev + insn.tokens.push_next;
    return count;
  }

 private:
  void add(const Instruction& insn, std::initializer_list<SramAccess> accesses, int pieces = 1) {
    const auto first = static_cast<uint32_t>(insns_.size());
    insns_.insert(insns_.end(), pieces, insn);
    tracker_.add(insns_, first, first + pieces - 1, std::span(accesses.begin(), accesses.size()));
  }

  std::vector<Instruction> insns_;
  TokenTracker tracker_;
};

constexpr SramAccess kWriteA{Sram::kInp, 0, 8, true}, kReadA{Sram::kInp, 0, 8, false};
constexpr SramAccess kWriteB{Sram::kInp, 8, 16, true}, kReadB{Sram::kInp, 8, 16, false};

TEST(TokenTracker, OrdersReadAfterWriteAndWriteAfterRead) {
  Stream s;
  s.load({kWriteA});
  s.compute({kReadA});
  s.load({kWriteA});
  EXPECT_EQ(s.tokens(0), (Tokens{.push_next = true}));
  EXPECT_EQ(s.tokens(1), (Tokens{.pop_prev = true, .push_prev = true}));
  EXPECT_EQ(s.tokens(2), (Tokens{.pop_next = true}));
}

TEST(TokenTracker, DisjointRegionsNeedNoTokens) {
  Stream s;
  s.load({kWriteA});
  s.compute({kReadB});
  s.load({{Sram::kWgt, 0, 8, true}});
  EXPECT_EQ(s.pushes(), 0);
}

TEST(TokenTracker, ReadersDoNotWaitForReaders) {
  Stream s;
  s.compute({{Sram::kAcc, 0, 4, false}});
  s.store({{Sram::kAcc, 0, 4, false}});
  EXPECT_EQ(s.pushes(), 0);
}

TEST(TokenTracker, OneTokenForTheLatestOfSeveralProducers) {
  Stream s;
  s.load({kWriteA});
  s.load({kWriteB});
  s.compute({kReadA, kReadB});
  EXPECT_EQ(s.pushes(), 1);
  EXPECT_TRUE(s.tokens(1).push_next);
}

TEST(TokenTracker, AnEarlierTokenMakesALaterOneRedundant) {
  Stream s;
  s.load({kWriteA});
  s.load({kWriteB});
  s.compute({kReadB});
  s.compute({kReadA});  // load of B is after load of A
  EXPECT_EQ(s.pushes(), 1);
  EXPECT_FALSE(s.tokens(3).pop_prev);
}

TEST(TokenTracker, OverlappingRangesAreFoundByTheirParts) {
  Stream s;
  s.load({kWriteA});
  s.load({kWriteB});
  s.compute({{Sram::kInp, 4, 12, false}});
  s.load({{Sram::kInp, 2, 5, true}});
  s.load({{Sram::kInp, 0, 2, true}});  // never read
  EXPECT_TRUE(s.tokens(2).push_prev);
  EXPECT_TRUE(s.tokens(3).pop_next);
  EXPECT_FALSE(s.tokens(4).pop_next);
}

TEST(TokenTracker, TasksOfSeveralInstructionsWaitFirstAndSignalLast) {
  Stream s;
  s.load({kWriteA}, 3);
  s.compute({kReadA});
  s.load({kWriteA}, 2);
  EXPECT_FALSE(s.tokens(0).push_next);
  EXPECT_TRUE(s.tokens(2).push_next);
  EXPECT_TRUE(s.tokens(4).pop_next);
  EXPECT_FALSE(s.tokens(5).pop_next);
}

TEST(TokenTracker, FinishWaitsForTheLastStore) {
  std::vector<Instruction> insns;
  TokenTracker tracker;
  MemInsn mem;
  mem.memory_type = MemoryType::kOut;
  const SramAccess read{Sram::kAcc, 0, 4, false};
  for (int i = 0; i < 2; ++i) {
    insns.push_back(Instruction::store(mem));
    tracker.add(insns, i, i, std::span(&read, 1));
  }
  insns.push_back(Instruction::finish());
  tracker.addAfterUnit(insns, 2, Unit::kStore);
  EXPECT_FALSE(insns[0].tokens.push_prev);
  EXPECT_TRUE(insns[1].tokens.push_prev);
  EXPECT_TRUE(insns[2].tokens.pop_next);
}

}  // namespace
}  // namespace vta
