// Memory images with an instruction stream in them, as vta-run --image takes them (docs/images.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::tools {

/// Device memory from `address` on, and what to launch in it.
struct MemoryImage {
  uint64_t address = 0;
  std::vector<std::byte> bytes;
  driver::Launch launch;  // instruction_count 0: up to FINISH
};

/// The contents of a file, unpacked if they are gzip's.
Result<std::vector<std::byte>> readImageFile(const std::string& path);

/// Reads a description (JSON) into `image`: all but its bytes. Errors: no JSON, unknown or missing
/// keys, values that are no addresses; each names the file.
Status readDescription(const std::string& path, MemoryImage& image);

/// Makes the memory `size_bytes` long (0: as long as the image), and counts the instructions up to
/// FINISH where no number is given. Errors: a memory that the image does not fit into; a stream
/// outside the memory or without FINISH.
Status completeImage(MemoryImage& image, uint64_t size_bytes, const HwConfig& hw);

/// The stream as a program on one buffer, which is the whole memory: for the verifier. Errors: what
/// does not decode; base registers that are no multiple of the element.
Result<Program> programOf(const MemoryImage& image, const HwConfig& hw);

}  // namespace vta::tools
