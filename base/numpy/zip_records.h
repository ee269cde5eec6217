// The records of a ZIP archive (APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16): their
// signatures and their sizes without the parts that vary.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vta::zip {

inline constexpr uint32_t kLocalSignature = 0x04034b50;  // before a file's data
inline constexpr size_t kLocalBytes = 30;
inline constexpr uint32_t kEntrySignature = 0x02014b50;  // a file, in the directory
inline constexpr size_t kEntryBytes = 46;
inline constexpr uint32_t kEndSignature = 0x06054b50;
inline constexpr size_t kEndBytes = 22;

// How a file's data lies in the archive.
inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;

}  // namespace vta::zip
