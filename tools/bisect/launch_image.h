// One launch with everything that it reads and writes, in one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "isa/program/encoded_program.h"

namespace vta::driver {

/// A named part of an image.
struct ImagePart {
  std::string name;  // "instructions", "micro-ops", or that of a buffer
  BufferKind kind = BufferKind::kInput;
  uint64_t offset = 0;
  uint64_t size_bytes = 0;

  uint64_t end() const { return offset + size_bytes; }
};

/// Addresses in the instructions count from the image's begin; its place in memory is in the base
/// registers alone, so that the image runs at any address that is a multiple of kAlignmentBytes.
struct LaunchImage {
  static constexpr uint64_t kAlignmentBytes = 64 * 1024;

  HwConfig hw = HwConfig::makeDefault();
  std::vector<std::byte> bytes;  // before the launch
  std::vector<ImagePart> parts;
  std::vector<Instruction> instructions;
  uint64_t instructions_offset = 0;

  /// Lays out `program`. `contents[i]` is what buffer i holds before the launch; empty for
  /// micro-ops, and for outputs, which are zeros. Errors: what does not decode; addresses that do
  /// not fit the instructions.
  static Result<LaunchImage> create(const EncodedProgram& program, const HwConfig& hw,
                                    std::span<const std::span<const std::byte>> contents);

  /// The launch of the first `count` instructions (FINISH included) with the image at `address`.
  Launch launchAt(uint64_t address, uint32_t count) const;
  Launch launchAt(uint64_t address) const {
    return launchAt(address, static_cast<uint32_t>(instructions.size()));
  }

  /// The part that holds the byte at `offset`; null between parts.
  const ImagePart* partAt(uint64_t offset) const;
};

}  // namespace vta::driver
