#include "tools/inputs/png_check.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>

namespace vta::tools {
namespace {

constexpr std::array<uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr size_t kLengthBytes = 4, kTypeBytes = 4, kSumBytes = 4;

/// PNG's numbers have their largest byte first.
uint32_t bigEndianAt(std::span<const uint8_t> bytes, size_t at) {
  return static_cast<uint32_t>(bytes[at]) << 24 | static_cast<uint32_t>(bytes[at + 1]) << 16 |
         static_cast<uint32_t>(bytes[at + 2]) << 8 | bytes[at + 3];
}

}  // namespace

Status checkPng(std::span<const std::byte> file) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  if (bytes.size() < kSignature.size() ||
      !std::ranges::equal(bytes.first(kSignature.size()), kSignature)) {
    return {};
  }
  size_t at = kSignature.size();
  while (bytes.size() - at >= kLengthBytes + kTypeBytes + kSumBytes) {
    const size_t length = bigEndianAt(bytes, at);
    std::string type(reinterpret_cast<const char*>(&bytes[at + kLengthBytes]), kTypeBytes);
    for (char& c : type) c = std::isalpha(static_cast<unsigned char>(c)) != 0 ? c : '?';
    at += kLengthBytes;
    if (length > bytes.size() - at - kTypeBytes - kSumBytes) {
      return invalidArgument(
          fmt::format("damaged PNG: the file ends inside of its chunk '{}'", type));
    }
    const uLong sum = crc32_z(0, &bytes[at], kTypeBytes + length);
    at += kTypeBytes + length;
    if (sum != bigEndianAt(bytes, at)) {
      return invalidArgument(
          fmt::format("damaged PNG: chunk '{}' has another checksum than its contents", type));
    }
    at += kSumBytes;
    if (type == "IEND") return {};
  }
  return invalidArgument("damaged PNG: it has no end (chunk 'IEND')");
}

}  // namespace vta::tools
