// What a statement of a tile program has to be like, by itself: axes, operations, immediates.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"

namespace vta::tile {

/// The most slots that tiles of a loop may have.
inline constexpr int64_t kMaxStages = 8;

/// A new tensor of `program`: its name is free, its memory exists, its shape is a box.
Status checkTensorDecl(const TensorDecl& tensor, const TileProgram& program, const HwConfig& hw);

/// "4 and 6 divide it": steps near `step` that divide `extent`.
std::string dividingSteps(int64_t extent, int64_t step);

/// Letters of a product: as many as axes, each once in an operand, with one length.
Status checkDotAxes(const DotOp& dot, std::string_view axes);

/// Whether `hw` has the operation, with a tile or with an immediate as second operand.
Status checkAluOperation(AluOpcode opcode, bool has_src, const HwConfig& hw);
Status checkAluImmediate(AluOpcode opcode, int64_t imm, const HwConfig& hw);

/// Elements that an operation reads and others that it writes are not the same: its order would
/// count.
Status checkOverlap(const AluOp& alu);

}  // namespace vta::tile
