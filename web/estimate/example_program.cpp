#include "web/estimate/example_program.h"

#include "compiler/kernel/lower.h"
#include "isa/program/text/assembler.h"

namespace vta::web {
namespace {

/// Eight channel blocks in and four out, 4 rows of 8 pixels, kernel 1 x 1.
kernel::KernelDesc convolution() {
  kernel::KernelDesc desc;
  desc.name = "conv";
  kernel::Geometry& g = desc.geometry;
  g.in_channel_blocks = 8;
  g.out_channel_blocks = 4;
  g.in_height = g.out_height = 4;
  g.in_width = g.out_width = 8;
  return desc;
}

}  // namespace

Result<std::string> exampleProgram(const HwConfig& hw, int virtual_threads) {
  kernel::Schedule schedule;
  schedule.tile_height = 4;
  schedule.tile_width = 8;
  schedule.tile_in_blocks = 4;
  schedule.virtual_threads = virtual_threads;
  VTA_ASSIGN_OR_RETURN(const Program program, kernel::lower(convolution(), schedule, hw));
  return disassembleProgram(program, hw);
}

}  // namespace vta::web
