// A program in a memory image, with random data: what any device or simulator can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "sim/common/dram.h"
#include "sim/random/rng.h"

namespace vta::sim {

/// Memory from `address` on and how to launch it. One buffer holds everything.
struct ProgramImage {
  uint64_t address = 0;
  std::vector<std::byte> bytes;
  uint64_t instruction_address = 0;
  uint32_t instruction_count = 0;
  BaseAddresses bases;
};

/// The image as a memory with one buffer.
class ImageDram final : public Dram {
 public:
  /// `image` must outlive the object.
  explicit ImageDram(ProgramImage& image) : image_(image) {}

  std::optional<DramRange> findRange(uint64_t address) const override {
    const uint64_t end = image_.address + image_.bytes.size();
    if (address < image_.address || address >= end) return std::nullopt;
    return DramRange{image_.address, end, image_.bytes.data()};
  }

 private:
  ProgramImage& image_;
};

/// Its instruction stream.
inline std::span<const std::byte> streamOf(const ProgramImage& image, const HwConfig& hw) {
  return std::span(image.bytes)
      .subspan(image.instruction_address - image.address,
               uint64_t{image.instruction_count} * static_cast<uint64_t>(hw.instructionBytes()));
}

/// Where in the address space an image lies.
enum class ImagePlace : uint8_t {
  kLow,       // in the first pages, as boards with little memory want it
  kAnywhere,  // also at the end of what the bus addresses
};

/// Places `program` at random addresses that its buffers' alignments allow, fills its data with
/// random values, and gives it random base registers: with kAnywhere each its own, often so far
/// below that `dram_base` is near its largest value. Errors: those of encodeInstructionStream.
Result<ProgramImage> makeImage(const Program& program, const HwConfig& hw, Rng& rng,
                               ImagePlace place = ImagePlace::kLow);

}  // namespace vta::sim
