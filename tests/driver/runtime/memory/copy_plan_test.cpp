#include "driver/runtime/memory/copy_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>

namespace vta::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Contents = SpaceInfo::Contents;

constexpr uint32_t kHost = 0, kFirst = 1, kSecond = 2;  // executors, and their memories

/// A module with tensors of 64 bytes in one space, and a plan's view of its actions.
class Plan {
 public:
  Plan() {
    info_.executors.resize(3);
    for (const Contents contents :
         {Contents::kActivations, Contents::kState, Contents::kConstants}) {
      SpaceInfo& space = info_.spaces.emplace_back();
      space.contents = contents;
      space.executor = kFirst;
    }
  }

  uint32_t tensor(Contents contents = Contents::kActivations) {
    TensorInfo tensor;
    tensor.space = contents == Contents::kActivations ? 0 : contents == Contents::kState ? 1 : 2;
    tensor.offset_bytes = 64 * info_.tensors.size();
    tensor.size_bytes = 64;
    info_.tensors.push_back(tensor);
    return static_cast<uint32_t>(info_.tensors.size() - 1);
  }
  uint32_t part(uint32_t whole, uint64_t offset_bytes, uint64_t size_bytes) {
    TensorInfo tensor = info_.tensors[whole];
    tensor.part_of = static_cast<int32_t>(whole);
    tensor.offset_bytes += offset_bytes;
    tensor.size_bytes = size_bytes;
    info_.tensors.push_back(tensor);
    return static_cast<uint32_t>(info_.tensors.size() - 1);
  }
  void input(uint32_t tensor) { port(info_.inputs, tensor); }
  void output(uint32_t tensor) { port(info_.outputs, tensor); }

  void act(uint32_t executor, ActionTensors tensors, std::vector<uint32_t> host_reads = {}) {
    actions_.push_back({executor, 0, 1, 0, false, {}});
    tensors_.push_back(std::move(tensors));
    host_reads_.push_back(std::move(host_reads));
  }
  void actInBackground(uint32_t executor, ActionTensors tensors) {
    act(executor, std::move(tensors));
    actions_.back().in_background = true;
  }
  void waitFor(uint32_t executor, uint32_t count) {
    actions_.back().waits.push_back({executor, count});
  }

  CopyPlan make(std::initializer_list<uint32_t> memories = {kHost, kFirst, kSecond}) const {
    std::vector<PlannedAction> planned;
    for (size_t i = 0; i < actions_.size(); ++i) {
      const uint32_t memory = memories.begin()[actions_[i].executor];
      planned.push_back({&actions_[i], memory, tensors_[i], host_reads_[i]});
    }
    return planCopies(info_, planned, 3);
  }
  const ModuleInfo& info() const { return info_; }
  const std::vector<ActionInfo>& actions() const { return actions_; }
  const ActionTensors& tensorsOf(size_t action) const { return tensors_[action]; }

 private:
  static void port(std::vector<PortInfo>& ports, uint32_t tensor) {
    PortInfo& port = ports.emplace_back();
    port.name = fmt::format("{}", ports.size());
    port.tensor = tensor;
  }

  ModuleInfo info_;
  std::vector<ActionInfo> actions_;
  std::vector<ActionTensors> tensors_;
  std::vector<std::vector<uint32_t>> host_reads_;
};

/// "0: 64+64 from host" for each copy of each action.
std::vector<std::string> textOf(const CopyPlan& plan) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < plan.actions.size(); ++i) {
    for (const SpaceRange& range : plan.actions[i].from_host) {
      lines.push_back(fmt::format("{}: {}+{} from host", i, range.offset_bytes, range.size_bytes));
    }
    for (const SpaceRange& range : plan.actions[i].to_host) {
      lines.push_back(fmt::format("{}: {}+{} to host", i, range.offset_bytes, range.size_bytes));
    }
  }
  return lines;
}

TEST(CopyPlan, CopiesWhatAnotherMachineReads) {
  Plan plan;
  const uint32_t in = plan.tensor(), middle = plan.tensor(), out = plan.tensor();
  plan.input(in);
  plan.output(out);
  plan.act(kFirst, {{in}, {middle}});
  plan.act(kSecond, {{middle}, {out}});
  EXPECT_THAT(textOf(plan.make()), ElementsAre("0: 0+64 from host", "0: 64+64 to host",
                                               "1: 64+64 from host", "1: 128+64 to host"));
}

TEST(CopyPlan, CopiesNothingThatStaysWhereItIs) {
  Plan plan;
  const uint32_t in = plan.tensor(), a = plan.tensor(), b = plan.tensor(), c = plan.tensor();
  plan.input(in);
  plan.output(c);
  plan.act(kHost, {{in}, {a}});
  plan.act(kFirst, {{a}, {b}});
  plan.act(kFirst, {{a, b}, {c}});  // both are there by now
  const CopyPlan made = plan.make();
  EXPECT_THAT(textOf(made), ElementsAre("1: 64+64 from host", "2: 192+64 to host"));
  EXPECT_FALSE(made.places[kFirst][in]);
  EXPECT_TRUE(made.places[kFirst][a]);
  EXPECT_FALSE(made.places[kHost][b]);
  EXPECT_FALSE(made.places[kSecond][a]);
}

TEST(CopyPlan, ExecutorsOnOneMachineShareItsMemory) {
  Plan plan;
  const uint32_t a = plan.tensor(), b = plan.tensor();
  plan.act(kFirst, {{}, {a}});
  plan.act(kSecond, {{a}, {b}});
  EXPECT_THAT(textOf(plan.make({kHost, kFirst, kFirst})), IsEmpty());
  EXPECT_THAT(textOf(plan.make({kHost, kHost, kHost})), IsEmpty());
}

TEST(CopyPlan, WhatIsWrittenAgainIsCopiedAgain) {
  Plan plan;
  const uint32_t in = plan.tensor(), a = plan.tensor(), b = plan.tensor();
  plan.input(in);
  plan.act(kHost, {{in}, {a}});
  plan.act(kFirst, {{a}, {b}});
  plan.act(kHost, {{in}, {a}});
  plan.act(kFirst, {{a}, {b}});
  EXPECT_THAT(textOf(plan.make()), ElementsAre("1: 64+64 from host", "3: 64+64 from host"));
}

TEST(CopyPlan, OnlyTheLastWriterCopies) {
  Plan plan;
  const uint32_t a = plan.tensor();
  plan.output(a);
  plan.act(kFirst, {{}, {a}});
  plan.act(kFirst, {{}, {a}});
  EXPECT_THAT(textOf(plan.make()), ElementsAre("1: 0+64 to host"));
}

TEST(CopyPlan, OfPartsOnlyThoseThatAreElsewhere) {
  Plan plan;
  const uint32_t whole = plan.tensor(), out = plan.tensor();
  const uint32_t head = plan.part(whole, 0, 16), middle = plan.part(whole, 16, 16),
                 tail = plan.part(whole, 32, 32);
  plan.act(kHost, {{}, {head}});
  plan.act(kHost, {{}, {middle}});
  plan.act(kFirst, {{}, {tail}});
  plan.act(kFirst, {{whole}, {out}});
  plan.act(kHost, {{middle, tail}, {}});
  EXPECT_THAT(textOf(plan.make()), ElementsAre("2: 32+32 to host", "3: 0+32 from host"));
}

TEST(CopyPlan, ReferencesReadOnTheHostAtOnce) {
  Plan plan;
  const uint32_t a = plan.tensor(), b = plan.tensor();
  plan.act(kFirst, {{}, {a}});
  plan.act(kFirst, {{a}, {b}}, {a, b});
  EXPECT_THAT(textOf(plan.make()), ElementsAre("0: 0+64 to host", "1: 64+64 to host"));
}

TEST(CopyPlan, AnActionInTheBackgroundCountsOnNoOtherThatMayStillRun) {
  Plan plan;
  const uint32_t in = plan.tensor(), a = plan.tensor(), b = plan.tensor();
  plan.input(in);
  plan.actInBackground(kFirst, {{in}, {a}});
  plan.actInBackground(kSecond, {{in}, {b}});
  // On one machine: nobody waits for the first one, so that the second one copies by itself.
  EXPECT_THAT(textOf(plan.make({kHost, kFirst, kFirst})),
              ElementsAre("0: 0+64 from host", "1: 0+64 from host"));
  plan.waitFor(kFirst, 1);
  EXPECT_THAT(textOf(plan.make({kHost, kFirst, kFirst})), ElementsAre("0: 0+64 from host"));
}

TEST(CopyPlan, BackgroundActionsOfOneExecutorTakeTurns) {
  Plan plan;
  const uint32_t in = plan.tensor(), a = plan.tensor(), b = plan.tensor();
  plan.input(in);
  plan.actInBackground(kFirst, {{in}, {a}});
  plan.actInBackground(kFirst, {{in}, {b}});
  EXPECT_THAT(textOf(plan.make()), ElementsAre("0: 0+64 from host"));
}

TEST(CopyPlan, StateStaysWhereOneMachineUsesItAlone) {
  Plan plan;
  const uint32_t state = plan.tensor(Contents::kState), a = plan.tensor();
  plan.act(kFirst, {{state}, {a}});
  plan.act(kFirst, {{a}, {state}});
  const CopyPlan made = plan.make();
  EXPECT_THAT(textOf(made), IsEmpty());
  ASSERT_EQ(made.state.size(), 1u);
  EXPECT_EQ(made.state[0].memory, kFirst);
}

TEST(CopyPlan, StateGoesToItsReaderOfTheNextRun) {
  Plan plan;
  const uint32_t state = plan.tensor(Contents::kState), a = plan.tensor(), b = plan.tensor();
  plan.act(kFirst, {{state}, {a}});
  plan.act(kSecond, {{b}, {state}});
  const CopyPlan made = plan.make();
  EXPECT_THAT(textOf(made), ElementsAre("0: 0+64 from host", "1: 0+64 to host"));
  EXPECT_EQ(made.state[0].memory, kHost);
}

TEST(CopyPlan, StateThatNobodyWritesAndConstantsAreEverywhere) {
  Plan plan;
  const uint32_t state = plan.tensor(Contents::kState), a = plan.tensor(),
                 constant = plan.tensor(Contents::kConstants);
  plan.act(kFirst, {{state, constant}, {a}});
  plan.act(kSecond, {{state, constant}, {a}});
  const CopyPlan made = plan.make();
  EXPECT_THAT(textOf(made), IsEmpty());
  EXPECT_TRUE(made.places[kSecond][constant]);
}

TEST(CopyPlan, NobodyGetsAConstantThatAnActionClaimsToWrite) {
  Plan plan;
  const uint32_t constant = plan.tensor(Contents::kConstants), a = plan.tensor();
  plan.output(constant);
  plan.act(kFirst, {{}, {constant}});
  plan.act(kSecond, {{constant}, {a}});
  EXPECT_THAT(textOf(plan.make()), IsEmpty());
}

TEST(CopyPlan, OutputsMayBeStateAndInputs) {
  Plan plan;
  const uint32_t in = plan.tensor(), state = plan.tensor(Contents::kState);
  plan.input(in);
  plan.output(in);
  plan.output(state);
  plan.act(kFirst, {{in}, {state}});
  EXPECT_THAT(textOf(plan.make()), ElementsAre("0: 0+64 from host", "0: 64+64 to host"));
}

TEST(CopyPlan, WhatNobodyHasWrittenIsNotCopied) {
  Plan plan;
  const uint32_t a = plan.tensor(), b = plan.tensor();
  plan.output(b);
  plan.act(kFirst, {{a}, {}});
  EXPECT_THAT(textOf(plan.make()), IsEmpty());
}

/// Runs a plan with numbers in place of bytes: each write makes a new one.
class Machine {
 public:
  Machine(const Plan& plan, const CopyPlan& copies) : plan_(plan), copies_(copies) {
    for (auto& memory : memories_) memory.assign(64 * plan.info().tensors.size(), 0);
    newest_ = memories_[kHost];
  }
  void run() {
    // Runs leave no activations to each other.
    for (const TensorInfo& tensor : plan_.info().tensors) {
      if (plan_.info().spaceOf(tensor).contents == Contents::kState) continue;
      std::fill_n(newest_.begin() + static_cast<int64_t>(tensor.offset_bytes), tensor.size_bytes,
                  0);
    }
    for (const PortInfo& port : plan_.info().inputs) write(port.tensor, kHost);
    for (size_t i = 0; i < plan_.actions().size(); ++i) {
      const uint32_t memory = plan_.actions()[i].executor;
      for (const SpaceRange& range : copies_.actions[i].from_host) copy(range, kHost, memory);
      for (const uint32_t tensor : plan_.tensorsOf(i).reads) expectNewest(tensor, memory);
      for (const uint32_t tensor : plan_.tensorsOf(i).writes) write(tensor, memory);
      for (const SpaceRange& range : copies_.actions[i].to_host) copy(range, memory, kHost);
    }
    for (const PortInfo& port : plan_.info().outputs) expectNewest(port.tensor, kHost);
    for (const auto& [range, memory] : copies_.state) {
      for (uint64_t i = 0; i < range.size_bytes; ++i) {
        EXPECT_EQ(memories_[memory][range.offset_bytes + i], newest_[range.offset_bytes + i]);
      }
    }
  }

 private:
  void write(uint32_t tensor, uint32_t memory) {
    ++number_;
    const TensorInfo& place = plan_.info().tensors[tensor];
    for (uint64_t i = 0; i < place.size_bytes; ++i) {
      memories_[memory][place.offset_bytes + i] = newest_[place.offset_bytes + i] = number_;
    }
  }
  void copy(const SpaceRange& range, uint32_t from, uint32_t to) {
    for (uint64_t i = 0; i < range.size_bytes; ++i) {
      memories_[to][range.offset_bytes + i] = memories_[from][range.offset_bytes + i];
    }
  }
  void expectNewest(uint32_t tensor, uint32_t memory) {
    const TensorInfo& place = plan_.info().tensors[tensor];
    for (uint64_t i = 0; i < place.size_bytes; ++i) {
      const uint64_t at = place.offset_bytes + i;
      // What no run has written yet may be anything, but for state.
      const bool is_state = plan_.info().spaceOf(place).contents == Contents::kState;
      if (newest_[at] == 0 && !is_state) continue;
      ASSERT_EQ(memories_[memory][at], newest_[at]) << "tensor " << tensor << " in " << memory;
    }
  }

  const Plan& plan_;
  const CopyPlan& copies_;
  std::vector<int> memories_[3];
  std::vector<int> newest_;
  int number_ = 0;
};

// Tensors of different spaces have different bytes here, so that one array is all of them.
TEST(CopyPlan, RandomPlansGiveEveryReaderTheNewestValue) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t count) {
    return std::uniform_int_distribution<uint32_t>(0, count - 1)(random);
  };
  for (int repetition = 0; repetition < 500; ++repetition) {
    SCOPED_TRACE(repetition);
    Plan plan;
    std::vector<uint32_t> all;
    for (int i = 0; i < 4; ++i) {
      all.push_back(plan.tensor(below(3) == 0 ? Contents::kState : Contents::kActivations));
    }
    const std::vector<uint32_t> wholes = all;
    for (const uint32_t whole : wholes) {
      if (below(2) == 0) continue;
      const uint32_t cut = 1 + below(63);
      all.push_back(plan.part(whole, 0, cut));
      all.push_back(plan.part(whole, cut, 64 - cut));
    }
    plan.input(wholes.front());
    for (int i = 0; i < 12; ++i) {
      ActionTensors tensors;
      for (uint32_t k = below(3); k > 0; --k) tensors.reads.push_back(all[below(all.size())]);
      tensors.writes.push_back(all[below(all.size())]);
      plan.act(below(3), tensors);
    }
    plan.output(wholes.back());
    const CopyPlan copies = plan.make();
    Machine machine(plan, copies);
    for (int run = 0; run < 3; ++run) machine.run();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace vta::driver
