// Drives a Verilated vta_compute: command queue, tokens, read DMA and operand memories, with random
// delays.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/spec/accumulator.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/narrow_weights.h"
#include "sim/functional/dma_engine.h"
#include "tests/hw/compute_stream.h"
#include "tests/hw/ports.h"

namespace vta::hw::test {

/// How the surroundings behave.
struct BenchOptions {
  bool random_delays = true;  // else commands, tokens and DMA data are there at once
  uint32_t seed = 1;
};

/// What happened, in cycles from the start of `run`.
struct BenchResult {
  std::vector<uint64_t> retired;  // cycle of each instruction, in order
  std::vector<uint64_t> gemm_accesses;
  std::vector<uint64_t> alu_accesses;
  std::optional<uint32_t> fault;  // the instruction's number
  uint64_t busy_cycles = 0;
  uint64_t hazard_cycles = 0;
};

/// `Model` is the Verilated class of one configuration.
template <typename Model>
class ComputeBench {
 public:
  explicit ComputeBench(const HwConfig& hw) : hw_(hw), model_(std::make_unique<Model>()) {
    model_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) clock();
    model_->rst_ni = 1;
    model_->next_avail_i = model_->prev_avail_i = 1;
    model_->others_idle_i = 1;
  }

  /// Runs the instructions from `first` on until all have retired or a fault stops them. INP and
  /// WGT are those of `pads`.
  BenchResult run(const ComputeStream& stream, size_t first, const sim::Scratchpads& pads,
                  const BenchOptions& options) {
    random_.seed(options.seed);
    options_ = options;
    model_->halt_i = 0;
    model_->clear_i = 1;
    clock();
    model_->clear_i = 0;
    loads_.clear();
    operations_.clear();
    BenchResult result;
    size_t next = first;
    const uint64_t limit_cycles = 2'000'000;
    for (uint64_t cycle = 0; cycle < limit_cycles; ++cycle) {
      if (result.retired.size() + first == stream.instructions.size()) return result;
      offerCommand(stream, next);
      driveTokens();
      driveDma(stream);
      model_->eval();
      if (model_->retire_valid_o) result.retired.push_back(cycle);
      if (model_->gemm_uop_o) result.gemm_accesses.push_back(cycle);
      if (model_->alu_uop_o) result.alu_accesses.push_back(cycle);
      // unit_events_t: retired, busy, stall_token, stall_memory, stall_hazard from the top.
      result.busy_cycles += model_->events_o >> 3 & 1;
      result.hazard_cycles += model_->events_o & 1;
      const bool fault = faultValid();
      if (fault) result.fault = faultNumber();
      step(next, pads);
      if (fault) return result;
    }
    ADD_FAILURE() << "no end after " << limit_cycles << " cycles; retired "
                  << result.retired.size();
    return result;
  }

  /// Reads one element of OUT.
  std::vector<std::byte> readOut(uint32_t element) {
    model_->cmd_valid_i = 0;
    model_->out_re_i = 1;
    model_->out_raddr_i = element;
    clock();
    model_->out_re_i = 0;
    std::vector<std::byte> bytes(hw_.elemBytes(MemoryType::kOut));
    model_->eval();
    getPort(model_->out_rdata_o, bytes);
    return bytes;
  }

 private:
  // One operation of the DMA: a write, or nothing.
  struct Operation {
    bool writes = false;
    bool last = false;
    bool is_uop = false;
    uint32_t element = 0;
    std::vector<std::byte> data{};
  };

  bool chance(uint32_t one_in) { return options_.random_delays && random_() % one_in == 0; }

  void clock() {
    // clk2x_i rises with each edge of clk_i.
    for (const int level : {1, 0}) {
      model_->clk_i = level;
      model_->clk2x_i = 1;
      model_->eval();
      model_->clk2x_i = 0;
      model_->eval();
    }
  }

  // fault_t: valid, code (4), number (32) from the top.
  bool faultValid() const { return (static_cast<uint64_t>(model_->fault_o) >> 36 & 1) != 0; }
  uint32_t faultNumber() const { return static_cast<uint32_t>(model_->fault_o); }

  // mem_cmd_t: the number is the topmost field.
  size_t dmaNumber() const {
    constexpr int kLsb = 116;
    const uint64_t low = model_->dma_cmd_o.at(kLsb / 32) >> kLsb % 32;
    const uint64_t high = static_cast<uint64_t>(model_->dma_cmd_o.at(kLsb / 32 + 1))
                          << (32 - kLsb % 32);
    return static_cast<uint32_t>(low | high);
  }

  // What the DMA does for a load, element by element.
  void appendOperations(const MemInsn& mem, const ComputeStream& stream) {
    const uint64_t count = sim::sramElems(Opcode::kLoad, mem);
    if (count == 0) {
      operations_.push_back({.last = true});
      return;
    }
    const uint32_t row_elems = mem.x_pad_0 + mem.x_size + mem.x_pad_1;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t y = i / row_elems - mem.y_pad_0;  // wraps in the padding above
      const uint32_t x = i % row_elems - mem.x_pad_0;
      Operation operation{.writes = true, .last = i + 1 == count, .element = mem.sram_base + i};
      operation.is_uop = mem.memory_type == MemoryType::kUop;
      operation.data = elementData(mem, x, y, stream);
      operations_.push_back(std::move(operation));
    }
  }

  std::vector<std::byte> elementData(const MemInsn& mem, uint32_t x, uint32_t y,
                                     const ComputeStream& stream) const {
    const bool is_data = y < mem.y_size && x < mem.x_size;
    const std::byte* source = nullptr;
    if (is_data) {
      const uint64_t row = sim::rowAddress(mem, y, {}, hw_);
      source = stream.dram.bytes().data() + row + size_t{x} * hw_.elemBytes(mem.memory_type);
    }
    if (mem.memory_type == MemoryType::kUop) {
      std::vector<std::byte> data(static_cast<size_t>(hw_.uopBytes()));
      if (is_data) std::memcpy(data.data(), source, data.size());
      return data;
    }
    const int width_bits = hw_.params().acc_width_bits;
    const auto width = static_cast<size_t>(width_bits);
    const bool is_byte = mem.memory_type == MemoryType::kAcc8;
    const bool is_min = mem.pad_kind == PadKind::kMin;
    const int32_t pad = !is_min ? 0 : is_byte ? -128 : accumulatorRange(width_bits).least;
    const size_t lanes = hw_.elemBytes(MemoryType::kAcc) / 4;
    std::vector<std::byte> data((lanes * width + 7) / 8);
    for (size_t lane = 0; lane < lanes; ++lane) {
      int32_t value = pad;
      if (is_data && is_byte) value = static_cast<int8_t>(source[lane]);
      if (is_data && !is_byte) std::memcpy(&value, source + 4 * lane, 4);
      for (size_t bit = 0; bit < width; ++bit) {
        const size_t at = lane * width + bit;
        data[at / 8] |= static_cast<std::byte>((static_cast<uint32_t>(value) >> bit & 1) << at % 8);
      }
    }
    return data;
  }

  void offerCommand(const ComputeStream& stream, size_t next) {
    const bool there = next < stream.instructions.size();
    // What is at the head of a queue stays there.
    if (!there) {
      model_->cmd_valid_i = 0;
    } else if (!model_->cmd_valid_i || popped_) {
      model_->cmd_valid_i = !chance(4);
    }
    if (!model_->cmd_valid_i) return;
    std::vector<std::byte> bytes;
    EXPECT_TRUE(encodeInstruction(stream.instructions[next], hw_, bytes).ok());
    const auto number = static_cast<uint32_t>(next);
    const auto* number_bytes = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), number_bytes, number_bytes + sizeof(number));
    setPort(model_->cmd_i, bytes);
  }

  void driveTokens() {
    if (!options_.random_delays) return;
    model_->prev_avail_i = random_() % 4 != 0;
    model_->next_avail_i = random_() % 4 != 0;
  }

  void driveDma(const ComputeStream& stream) {
    model_->dma_ready_i = loads_.size() < 4 && !chance(3);
    model_->uop_we_i = model_->acc_we_i = model_->dma_done_i = 0;
    if (operations_.empty() && !loads_.empty()) {
      appendOperations(stream.instructions[loads_.front()].mem(), stream);
      return;  // a start takes a cycle
    }
    if (operations_.empty() || chance(3)) return;
    const bool is_uop = operations_.front().writes && operations_.front().is_uop;
    // One write takes several micro-ops where a beat of the bus holds several.
    const uint32_t lanes =
        std::max(1u, static_cast<uint32_t>(hw_.params().axi_data_width_bits / 8 / hw_.uopBytes()));
    size_t count = is_uop ? 1 + random_() % lanes : 1;
    count = std::min(count, operations_.size());
    std::vector<std::byte> data;
    for (size_t i = 0; i < count; ++i) {
      data.insert(data.end(), operations_[i].data.begin(), operations_[i].data.end());
    }
    if (is_uop) {
      model_->uop_we_i = 1;
      model_->uop_waddr_i = operations_.front().element;
      model_->uop_wcount_i = count;
      setPort(model_->uop_wdata_i, data);
    } else if (operations_.front().writes) {
      model_->acc_we_i = 1;
      model_->acc_waddr_i = operations_.front().element;
      setPort(model_->acc_wdata_i, data);
    }
    model_->dma_done_i = operations_[count - 1].last;
    if (model_->dma_done_i) loads_.pop_front();
    operations_.erase(operations_.begin(),
                      operations_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  // The cycle ends: what the outputs ask for happens.
  void step(size_t& next, const sim::Scratchpads& pads) {
    if (model_->dma_valid_o && model_->dma_ready_i) {
      loads_.push_back(dmaNumber());
    }
    popped_ = model_->cmd_pop_o;
    if (popped_) ++next;
    const bool inp_re = model_->inp_re_o;
    const bool wgt_re = model_->wgt_re_o;
    const uint32_t inp = model_->inp_raddr_o;
    const uint32_t wgt = model_->wgt_raddr_o;
    clock();
    if (inp_re) {
      const std::vector<int8_t> data = inputs(pads, inp);
      setPort(model_->inp_rdata_i, std::as_bytes(std::span(data)));
    }
    if (wgt_re) {
      const std::vector<int8_t> data =
          packWeights({pads.wgt(wgt), pads.wgtElemWeights()}, hw_.params().wgt_width_bits);
      setPort(model_->wgt_rdata_i, std::as_bytes(std::span(data)));
    }
  }

  // The elements of INP from `first` on that the GEMM core reads at once.
  std::vector<int8_t> inputs(const sim::Scratchpads& pads, uint32_t first) const {
    std::vector<int8_t> data;
    for (uint32_t i = 0; i < inpReadElems(hw_.params()); ++i) {
      const int8_t* const elem = pads.inp((first + i) % hw_.depthElems(MemoryType::kInp));
      data.insert(data.end(), elem, elem + hw_.elemBytes(MemoryType::kInp));
    }
    return data;
  }

  HwConfig hw_;
  std::unique_ptr<Model> model_;
  BenchOptions options_;
  std::mt19937 random_;
  std::deque<size_t> loads_;  // instruction numbers, started
  std::deque<Operation> operations_;
  bool popped_ = false;
};

}  // namespace vta::hw::test
