// Tile kernels as text, for vta-compile --kernels: what vta.tile has traced, for arrays of one
// size.
//
// The text is YAML, and data alone: nothing of it runs when it is read. Tiles and tensors are
// counted from 0, loops in the order in which they begin.
//
//   format: 1
//   kernels:
//     - name: matmul
//       elements: {batch: 1, block_in: 16, block_out: 16}
//       numbers: {BM: 1, BN: 4}
//       tensors:
//         - {name: x, memory: INP, shape: [1, 16]}
//         - {name: y, memory: OUT, shape: [1, 16]}
//       tiles:
//         - {memory: INP, shape: [1, 16]}
//       body:
//         - {load: 0, tensor: 0, at: [[0], [0]]}
//
// An index is a number and pairs of a loop and a factor: [2, 0, 4] is 2 + 4 i0. A part of a tile is
// the tile, the first element, extents and distances: [3, 0, [1, 8], [8, 1]].
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"

namespace vta::tile {

/// What an element of the hardware holds, in values.
struct ElementSizes {
  int batch = 1, block_in = 1, block_out = 1;
  static ElementSizes of(const HwConfig& hw) { return {hw.batch(), hw.blockIn(), hw.blockOut()}; }
  bool operator==(const ElementSizes&) const = default;
};

/// A kernel for arrays of one size and for hardware whose elements have one size.
struct TileKernel {
  TileProgram program;
  ElementSizes elements;
  std::map<std::string, int64_t> numbers{};  // of the function that wrote it, for people
};

/// `kernels` as text.
std::string kernelsToYaml(std::span<const TileKernel> kernels);

/// The kernels of a text that `source` names. What the numbers mean is not checked here, see
/// checkTiles. Errors: kInvalidArgument, with the line and the column; another format.
Result<std::vector<TileKernel>> parseKernels(std::string_view text, std::string_view source);

/// The kernels of a file. Errors: those of readTextFile and parseKernels.
Result<std::vector<TileKernel>> readKernels(const std::filesystem::path& path);

}  // namespace vta::tile
