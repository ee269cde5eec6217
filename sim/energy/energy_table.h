// What single events cost in energy: data, read from YAML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::sim {

/// One published figure.
struct EnergyFigure {
  double pj = 0;       ///< of the whole event
  int bits = 0;        ///< that the event moves; 0: not a transfer
  std::string source;  ///< publication and place

  /// Of a figure of a transfer.
  double pjPerBit() const { return pj / bits; }
};

/// An access to a memory of `kib`.
struct SramFigure {
  double kib = 0;       ///< size of the memory
  EnergyFigure access;  ///< one read or write
};

/// What events cost on one process.
struct EnergyTable {
  std::string name;              ///< by which users ask for it
  std::string node;              ///< process and supply, for people
  EnergyFigure multiply_int8;    ///< one product of the GEMM core
  EnergyFigure add_int32;        ///< one sum, comparison or shift
  EnergyFigure multiply_int32;   ///< one product of the ALU
  EnergyFigure dram;             ///< a transfer to or from DRAM
  std::vector<SramFigure> sram;  ///< by size, at least one
  /// Leakage and clocks of the whole accelerator, where the source has them.
  std::optional<double> static_mw;

  /// Of an access to a memory of `kib`: between two figures on a straight line through their
  /// logarithms, outside them the nearest.
  double sramPjPerBit(double kib) const;

  /// Every source once.
  std::vector<std::string> sources() const;
};

/// Tables that resolveEnergyTable knows without a file: those of configs/energy.
std::vector<std::string> builtinEnergyTables();

/// `source_name` appears in errors, which name key, place, value and what is legal.
Result<EnergyTable> parseEnergyTable(std::string_view yaml_text, std::string_view source_name);

/// `spec` is a built-in name or the path of a YAML file.
Result<EnergyTable> resolveEnergyTable(std::string_view spec);

}  // namespace vta::sim
