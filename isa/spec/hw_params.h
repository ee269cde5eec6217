// HwParams: the values of all configuration parameters. isa/spec/parameters.h describes each.
#pragma once

#include <cstdint>
#include <string>

#include "isa/spec/user_operations.h"

namespace vta {

/// What the products of the GEMM core are made of. Results and cycles are the same.
enum class Multipliers : uint8_t {
  kPacked,        // two products of one input in a DSP block
  kDoublePumped,  // the same at twice the clock: four products in a DSP block
  kSingle,        // one product in a DSP block
  kLut,           // LUTs
};

/// What a scratchpad is made of. Results and cycles are the same.
enum class RamStyle : uint8_t {
  kAuto,         // what the synthesis tool chooses
  kBlock,        // block RAM
  kDistributed,  // LUTs
  kUltra,        // UltraRAM, which larger UltraScale+ devices have
};

/// Where the compute unit has registers. Results are the same, cycles are not.
enum class Pipeline : uint8_t {
  kFast,     // the stages that the highest clock needs
  kRelaxed,  // fewer, for slow clocks
};

/// The parameters of one accelerator, as a YAML file gives them. Not validated: HwConfig::create
/// does that. The initial values are the defaults of keys that a file leaves out; together they are
/// configs/hw/default.yaml.
struct HwParams {
  std::string name = "default";

  // GEMM core: BATCH x BLOCK_IN x BLOCK_OUT multiply-accumulates a cycle.
  int batch = 1;
  int block_in = 16;
  int block_out = 16;
  Multipliers multipliers = Multipliers::kPacked;

  // Operand widths.
  int inp_width_bits = 8;
  int wgt_width_bits = 8;
  int acc_width_bits = 32;
  int out_width_bits = 8;

  // On-chip buffers.
  uint64_t uop_buf_bytes = 32 * 1024;
  uint64_t inp_buf_bytes = 32 * 1024;
  uint64_t wgt_buf_bytes = 256 * 1024;
  uint64_t acc_buf_bytes = 128 * 1024;
  RamStyle inp_ram = RamStyle::kAuto;
  RamStyle wgt_ram = RamStyle::kAuto;
  RamStyle acc_ram = RamStyle::kAuto;

  // Instruction set.
  bool ext_qmul = true;
  bool ext_clip = true;
  bool ext_pad_min = true;
  bool ext_prelu = false;
  bool ext_requant = false;
  bool ext_depthwise = false;
  bool ext_lut = false;
  bool ext_transpose = false;
  bool ext_handover = false;
  int qmul_multiplier_bits = 18;
  int depthwise_taps = 4;
  bool compat_0_0_2 = false;  // programs must stay inside what published 0.0.2 hardware runs
  UserOperations operations;  // of the ALU, defined outside of this project

  // Queues: instructions per unit, tokens per dependence queue.
  int command_queue_depth = 512;
  int token_queue_depth = 512;

  // Memory interface and clock.
  int axi_data_width_bits = 64;
  int axi_addr_width_bits = 32;
  int axi_outstanding_bursts = 8;
  int axi_max_burst_beats = 16;
  int axi_ports = 1;
  int64_t clock_hz = 100'000'000;  // files say it in MHz, with decimals

  // Micro-architecture.
  bool concurrent_compute = true;
  int alu_passes = 1;
  int acc_banks = 4;
  Pipeline pipeline = Pipeline::kFast;
  bool hls_timing = false;  // simulated cycles are those of the published HLS core, not of the RTL

  double clockMhz() const { return static_cast<double>(clock_hz) / 1e6; }

  bool operator==(const HwParams&) const = default;
};

}  // namespace vta
