// Numbers of the binary form of programs (docs/isa.md, "Program files"), for its writer and its
// reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vta::program_layout {

inline constexpr std::string_view kMagic{"VTAPROG\0", 8};
inline constexpr uint16_t kFormatVersion = 1;
inline constexpr size_t kHeaderBytes = 56;
inline constexpr size_t kChecksumOffset = 16;  // the checksum covers everything after itself
inline constexpr size_t kChecksummedFrom = 24;
inline constexpr int kBufferKindCount = 5;

}  // namespace vta::program_layout
