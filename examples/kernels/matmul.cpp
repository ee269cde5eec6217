// A matrix product as a tile kernel and as a kernel of the compiler, lowered, verified, timed and
// run.
#include <cstdint>
#include <iostream>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/tile/program/tile_reference.h"
#include "compiler/tile/tile_builder.h"
#include "compiler/tile/tile_lowering.h"
#include "driver/device_registry.h"
#include "driver/run_program.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "sim/cycle/program_timer.h"

namespace {

constexpr int64_t kBlocks = 16;  // 256 values on hardware with blocks of 16

/// y = x w^T, four blocks of y at a time.
vta::Result<vta::tile::TileProgram> matmul(const vta::HwConfig& hw) {
  using namespace vta::tile;
  TileBuilder k("matmul", hw);
  const Tensor x = k.input("x", vta::MemoryType::kInp, {1, kBlocks});
  const Tensor w = k.input("w", vta::MemoryType::kWgt, {kBlocks, kBlocks});
  const Tensor y = k.output("y", {1, kBlocks});
  const Tile row = k.load(x, {0, 0}, {1, kBlocks});
  k.loop({"n", kBlocks, 4, 2}, [&](const Affine& n) {
    Tile acc = k.zeros({1, 4});
    k.dot(acc, row, k.load(w, {n, 0}, {4, kBlocks}));
    k.store(y, {0, n}, k.clip(acc >> 8, 0, 127));
  });
  return k.finish();
}

/// Whether the functional simulator gives the bytes of the reference.
vta::Result<bool> agrees(const vta::tile::TileProgram& tiles, const vta::Program& program,
                         const vta::HwConfig& hw) {
  std::vector<std::vector<uint8_t>> expected;
  for (const vta::tile::TensorDecl& tensor : tiles.tensors) {
    std::vector<uint8_t> bytes(vta::tile::elemsOf(tensor.shape) * hw.elemBytes(tensor.memory));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + i / 251);
    expected.push_back(std::move(bytes));
  }
  std::vector<std::vector<uint8_t>> buffers = expected;
  buffers.resize(program.buffers.size());
  vta::tile::runTileReference(tiles, hw, expected);
  VTA_ASSIGN_OR_RETURN(const auto device, vta::driver::createDevice("functional:checked", hw));
  VTA_RETURN_IF_ERROR(vta::driver::runProgram(*device, program, buffers).status());
  return buffers[2] == expected[2];
}

/// The same with what the compiler has for it.
vta::Result<vta::Program> builtIn(const vta::HwConfig& hw) {
  vta::kernel::KernelDesc desc;
  desc.name = "built_in";
  desc.geometry.in_channel_blocks = desc.geometry.out_channel_blocks = kBlocks;
  vta::kernel::ScheduleChooser chooser(hw);
  VTA_ASSIGN_OR_RETURN(const auto chosen, chooser.choose(desc));
  return vta::kernel::lower(desc, chosen.schedule, hw);
}

vta::Status run() {
  const vta::HwConfig hw = vta::HwConfig::makeDefault();
  VTA_ASSIGN_OR_RETURN(const auto tiles, matmul(hw));
  VTA_ASSIGN_OR_RETURN(const vta::Program program, vta::tile::lowerTiles(tiles, hw));
  VTA_ASSIGN_OR_RETURN(const bool same, agrees(tiles, program, hw));
  VTA_ASSIGN_OR_RETURN(const vta::Program other, builtIn(hw));
  VTA_RETURN_IF_ERROR(vta::verifyProgramStatus(other, hw));
  VTA_ASSIGN_OR_RETURN(const vta::Program again,
                       vta::assemble(vta::disassembleProgram(program, hw), "matmul", hw));
  VTA_ASSIGN_OR_RETURN(vta::sim::ProgramTimer timer, vta::sim::ProgramTimer::create(hw));
  VTA_ASSIGN_OR_RETURN(const auto own, timer.run(program));
  VTA_ASSIGN_OR_RETURN(const auto others, timer.run(other));
  std::cout << "reference: " << (same ? "same" : "different") << "\n"
            << "assembler: " << (again == program ? "same" : "different") << "\n"
            << "cycles: " << own.cycles << ", built in: " << others.cycles << "\n";
  return {};
}

}  // namespace

int main() {
  const vta::Status status = run();
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
