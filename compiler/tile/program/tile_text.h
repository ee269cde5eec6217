// Tile programs, and when their instructions ran, as text for people.
#pragma once

#include <string>

#include "compiler/tile/program/tile_program.h"
#include "isa/launch/recording.h"
#include "isa/program/program.h"

namespace vta::tile {

/// A line for each tensor and statement; loops indent.
std::string toText(const TileProgram& program);

/// A chart of the three units over the time of a launch, and a line for each instruction: when it
/// got its tokens, when it ended, and what it is.
std::string timelineText(const Program& program, const Recording& recording);

}  // namespace vta::tile
