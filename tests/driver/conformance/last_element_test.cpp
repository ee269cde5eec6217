// The last element of a scratchpad is legal and the one behind it is not, also where depths are no
// powers of two.
#include <fmt/format.h>

#include <bit>

#include "tests/driver/conformance/fault_case.h"

namespace vta::driver::conformance {
namespace {

class LastElementTest : public FaultCase {};

// Writes what loads from element 0 on read, of each memory `count` elements and more.
void fillMemory(Machine& machine, uint32_t count) {
  machine.writeUops(std::vector<Uop>(count));
  for (const MemoryType type : {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc}) {
    machine.writeLanes(type, 0, Lanes(size_t{count} * machine.lanesOf(type), 1));
  }
}

TEST_P(LastElementTest, TransfersEndAtTheLastElement) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  for (const char* name : {"odd-depths-2x8x4", "odd-depths-wide-2x2x2"}) {
    const HwConfig hw = rtlTestConfig(name);
    for (const MemoryType type : {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt,
                                  MemoryType::kAcc, MemoryType::kAcc8, MemoryType::kOut}) {
      const uint32_t depth = hw.depthElems(type);
      EXPECT_FALSE(std::has_single_bit(depth));
      for (const uint32_t first : {depth - 2, depth - 1}) {
        SCOPED_TRACE(std::string(memoryTypeName(type)) + " from " + std::to_string(first));
        Machine machine(spec(), hw);
        fillMemory(machine, 2);
        const MemInsn two = row(type, first, 0, 2);
        const bool is_out = type == MemoryType::kOut;
        if (is_out) {
          machine.add(
              Instruction::load(row(MemoryType::kAcc, depth - 2, 0, 2), {.push_next = true}));
          machine.add(Instruction::store(two, {.pop_prev = true, .push_prev = true}));
        } else {
          machine.add(Instruction::load(two));
        }
        machine.add(Instruction::finish({.pop_next = is_out}));
        if (first == depth - 2) {
          EXPECT_FALSE(machine.launch().fault.has_value());
        } else {
          expectFault(machine, FaultKind::kSramBounds, is_out ? 1 : 0, "", std::to_string(depth));
        }
      }
    }
  }
}

TEST_P(LastElementTest, IndexesEndAtTheLastElement) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  const HwConfig hw = rtlTestConfig("odd-depths-2x8x4");
  const Uop last = {hw.depthElems(MemoryType::kAcc) - 1, hw.depthElems(MemoryType::kInp) - 1,
                    hw.depthElems(MemoryType::kWgt) - 1};
  const auto reaches = [](const char* operand, uint32_t index) {
    return fmt::format("{} index reaches {}", operand, index + 1);
  };
  const struct {
    Uop uop;
    std::string reason;  // empty: it is legal
  } cases[] = {
      {last, ""},
      {{last.dst_idx + 1, last.src_idx, last.wgt_idx}, reaches("dst", last.dst_idx)},
      {{last.dst_idx, last.src_idx + 1, last.wgt_idx}, reaches("src", last.src_idx)},
      {{last.dst_idx, last.src_idx, last.wgt_idx + 1}, reaches("wgt", last.wgt_idx)},
  };
  for (const auto& [uop, reason] : cases) {
    SCOPED_TRACE(reason);
    Machine machine(spec(), hw);
    fillMemory(machine, 1);
    machine.writeUops({uop});
    machine.add(Instruction::load(row(MemoryType::kUop, 0, 0, 1)));
    machine.add(Instruction::load(row(MemoryType::kInp, last.src_idx, 0, 1)));
    machine.add(Instruction::load(row(MemoryType::kWgt, last.wgt_idx, 0, 1), {.push_next = true}));
    machine.add(Instruction::load(row(MemoryType::kAcc, last.dst_idx, 0, 1)));
    machine.add(Instruction::gemm(gemmOnce(), {.pop_prev = true}));
    machine.add(Instruction::finish());
    if (reason.empty()) {
      EXPECT_FALSE(machine.launch().fault.has_value());
    } else {
      expectFault(machine, FaultKind::kSramBounds, 4, "gemm", reason);
    }
  }
}

TEST_P(LastElementTest, LoopsAndMicroOpsEndAtTheLastElement) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  const HwConfig hw = rtlTestConfig("odd-depths-2x8x4");
  const uint32_t accs = hw.depthElems(MemoryType::kAcc);
  const uint32_t uops = hw.depthElems(MemoryType::kUop);
  for (const uint32_t more : {0u, 1u}) {
    Machine machine(spec(), hw);
    fillMemory(machine, accs);
    machine.add(Instruction::load(row(MemoryType::kUop, uops - 1, 0, 1)));
    machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, accs)));
    AluInsn alu = immediateOnce(AluOpcode::kAdd);
    alu.uop_bgn = uops - 1;
    alu.uop_end = uops;
    alu.iter_in = accs + more;
    alu.dst_factor_in = 1;
    machine.add(Instruction::alu(alu));
    machine.add(Instruction::finish());
    if (more == 0) {
      EXPECT_FALSE(machine.launch().fault.has_value());
    } else {
      expectFault(machine, FaultKind::kSramBounds, 2, "alu",
                  fmt::format("dst index reaches {}", accs));
    }
    ComputeProgram past(spec(), hw, {{}});
    alu.uop_bgn = 0;
    alu.uop_end = uops + 1;
    past.machine().add(Instruction::alu(alu));
    past.machine().add(Instruction::finish());
    expectFault(past.machine(), FaultKind::kSramBounds, 1, "alu",
                fmt::format("uop_end is {}", uops + 1));
  }
}

TEST_P(LastElementTest, DepthwiseGemmsReadUpToTheLastInput) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  for (const HwConfig& hw : configs()) {
    if (!hw.params().ext_depthwise) continue;
    SCOPED_TRACE(hw.summary());
    const auto taps = static_cast<uint32_t>(hw.params().depthwise_taps);
    const uint32_t depth = hw.depthElems(MemoryType::kInp);
    for (const uint32_t src : {depth - taps, depth - taps + 1}) {
      ComputeProgram program(spec(), hw, {{0, src, 0}});
      Machine& machine = program.machine();
      machine.writeLanes(MemoryType::kInp, 0, Lanes(machine.lanesOf(MemoryType::kInp) * taps, 1));
      machine.writeLanes(MemoryType::kWgt, 0, Lanes(machine.lanesOf(MemoryType::kWgt), 1));
      machine.add(Instruction::load(row(MemoryType::kInp, depth - taps, 0, taps)));
      machine.add(Instruction::load(row(MemoryType::kWgt, 0, 0, 1), {.push_next = true}));
      GemmInsn gemm = gemmOnce();
      gemm.reset = gemm.depthwise = true;
      gemm.taps = taps;
      machine.add(Instruction::gemm(gemm, {.pop_prev = true}));
      machine.add(Instruction::finish());
      if (src + taps <= depth) {
        EXPECT_FALSE(machine.launch().fault.has_value());
      } else {
        expectFault(machine, FaultKind::kSramBounds, 3, "gemm", std::to_string(depth));
      }
    }
  }
}

VTA_INSTANTIATE_CONFORMANCE(LastElementTest);

}  // namespace
}  // namespace vta::driver::conformance
