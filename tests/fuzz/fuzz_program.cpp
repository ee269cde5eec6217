// Program files: read, checked, verified, printed, assembled again and, where the work is bounded,
// run on the functional model in checked mode.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/hash.h"
#include "isa/program/program.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "sim/functional/functional_model.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/sim/functional/flat_dram.h"

namespace vta {
namespace {

constexpr uint64_t kMostDramBytes = 1 << 16;
constexpr uint64_t kMostSteps = 1 << 12;  // micro-ops and elements of one run

HwConfig smallConfig(bool wide) {
  HwParams params;
  params.name = "fuzz";
  params.batch = 1;
  params.block_in = params.block_out = 4;
  params.uop_buf_bytes = 1024;
  params.inp_buf_bytes = params.wgt_buf_bytes = 4096;
  params.acc_buf_bytes = wide ? 65536 : 16384;  // more accumulators than the base encoding counts
  params.ext_qmul = params.ext_clip = params.ext_pad_min = wide;
  params.command_queue_depth = params.token_queue_depth = 16;
  const auto hw = HwConfig::create(params);
  if (!hw.ok()) std::abort();
  return *hw;
}

/// Makes header and checksum fit, so that mutations reach what is behind them.
void repair(std::vector<std::byte>& file, const HwConfig& hw) {
  constexpr size_t kChecksum = 16, kChecksummedFrom = 24;
  if (file.size() < kChecksummedFrom + 8) return;
  const uint64_t fingerprint = hw.fingerprint();
  std::memcpy(file.data() + kChecksummedFrom, &fingerprint, sizeof(fingerprint));
  file[10] = static_cast<std::byte>(hw.encoding());
  const uint64_t checksum = hashBytes(std::span(file).subspan(kChecksummedFrom));
  std::memcpy(file.data() + kChecksum, &checksum, sizeof(checksum));
}

uint64_t stepsOf(const Instruction& insn) {
  if (insn.opcode == Opcode::kLoad || insn.opcode == Opcode::kStore) {
    const MemInsn& mem = insn.mem();
    return uint64_t{mem.y_size} * mem.x_size;
  }
  const auto loops = [](const auto& compute) {
    const uint64_t uops = compute.uop_end > compute.uop_bgn ? compute.uop_end - compute.uop_bgn : 0;
    return uops * compute.iter_out * compute.iter_in;
  };
  if (insn.opcode == Opcode::kGemm) return loops(insn.gemm());
  if (insn.opcode == Opcode::kAlu) return loops(insn.alu());
  return 1;
}

bool isBounded(const Program& program) {
  uint64_t steps = 0, bytes = 0;
  for (const Instruction& insn : program.instructions) {
    steps += std::min(stepsOf(insn), kMostSteps + 1);
  }
  for (const BufferDecl& buffer : program.buffers) {
    bytes += std::min(buffer.size_bytes, kMostDramBytes + 1) + 4096;
  }
  return steps <= kMostSteps && bytes <= kMostDramBytes;
}

void simulate(const Program& program, const HwConfig& hw) {
  std::vector<uint64_t> addresses;
  uint64_t end = 0;
  for (const BufferDecl& buffer : program.buffers) {
    end = (end + 1023) / 1024 * 1024;
    addresses.push_back(end);
    end += buffer.size_bytes;
  }
  const auto stream = encodeInstructionStream(program, hw, addresses);
  const auto uops = encodeUopStream(program, hw);
  if (!stream.ok() || !uops.ok()) return;
  sim::test::FlatDram dram(std::vector<std::byte>(end + 1));
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].kind != BufferKind::kUop) continue;
    const size_t count = std::min<size_t>(uops->size(), program.buffers[i].size_bytes);
    std::copy_n(uops->begin(), count, dram.bytes().begin() + static_cast<int64_t>(addresses[i]));
  }
  // Models are costly to make.
  static std::array<std::unique_ptr<sim::FunctionalModel>, 2> models;
  auto& model = models[hw.params().ext_qmul ? 1 : 0];
  if (!model) model = *sim::FunctionalModel::create(hw, {.checked = true});
  model->reset();
  const sim::FunctionalRun result = model->run(*stream, {}, dram);
  // What the verifier accepts may not fault, even where reads of what nobody wrote are faults.
  if (result.fault && verifyProgram(program, hw, {.uninitialised_reads = true}).empty()) {
    std::abort();
  }
}

void run(std::span<const uint8_t> data) {
  if (data.size() < 2) return;
  static const std::array<HwConfig, 2> kConfigs = {smallConfig(false), smallConfig(true)};
  const HwConfig& hw = kConfigs[data[0] & 1];
  const auto bytes = std::as_bytes(data.subspan(1));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  if (data[0] & 2) repair(file, hw);
  const auto program = deserializeProgram(file, hw);
  if (!program.ok() || !checkProgramStructure(*program, hw).ok()) return;
  const auto assembled = assemble(disassembleProgram(*program, hw), "fuzz", hw);
  if (assembled.ok() && !serializeProgram(*assembled, hw).ok()) std::abort();
  if (!isBounded(*program)) return;
  simulate(*program, hw);
}

}  // namespace
}  // namespace vta

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vta::run({data, size});
  return 0;
}
