// vta-objdump --image: a program as device memory that vta-run --image runs.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::tools {

/// Where the image's first byte lies: past address 0, where no launch may begin, and a multiple of
/// every element.
inline constexpr uint64_t kImageAddress = 0x10000;

/// Memory from kImageAddress on: the instructions, then the buffers.
struct ProgramImage {
  std::vector<std::byte> bytes;
  std::vector<uint64_t> buffer_addresses;  // one for each of the program's buffers
};

/// Lays `program` out, and copies files into its buffers: `data` holds BUFFER=FILE. Micro-ops are
/// filled in, everything else is zero. Errors: text without "=", a buffer that does not exist, is
/// named twice or holds the micro-ops, a file that is not as long as its buffer.
Result<ProgramImage> makeProgramImage(const Program& program, const HwConfig& hw,
                                      const std::vector<std::string>& data);

/// The address and the size of each buffer, and the command that runs the image at `path`.
std::string describeImage(const ProgramImage& image, const Program& program,
                          const std::string& path);

}  // namespace vta::tools
