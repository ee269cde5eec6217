#include "module/gpu/spirv_interface.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace vta {
namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;

// Of instructions, execution models and decorations, by their names in the specification.
constexpr uint32_t kOpEntryPoint = 15;
constexpr uint32_t kOpDecorate = 71;
constexpr uint32_t kGlCompute = 5;
constexpr uint32_t kBinding = 33;
constexpr uint32_t kDescriptorSet = 34;

/// Whether the text in `words`, with a zero behind it, is `name`.
bool isText(std::span<const uint32_t> words, std::string_view name) {
  const auto bytes = std::as_bytes(words);
  return name.size() < bytes.size() && std::memcmp(bytes.data(), name.data(), name.size()) == 0 &&
         bytes[name.size()] == std::byte{0};
}

/// Looks at one instruction; what is wrong with it.
std::string problemOf(std::span<const uint32_t> instruction, std::string_view entry_point,
                      size_t bindings, bool& has_entry) {
  const uint32_t opcode = instruction[0] & 0xffff;
  if (opcode == kOpEntryPoint && instruction.size() > 3 && instruction[1] == kGlCompute) {
    has_entry |= isText(instruction.subspan(3), entry_point);
  }
  if (opcode != kOpDecorate || instruction.size() < 4) return "";
  const uint32_t value = instruction[3];
  if (instruction[2] == kBinding && value >= bindings) {
    return fmt::format("has a buffer with binding {}, of {}", value, bindings);
  }
  if (instruction[2] == kDescriptorSet && value != 0) {
    return fmt::format("has a buffer in descriptor set {}; only 0 is there", value);
  }
  return "";
}

}  // namespace

std::string spirvProblem(std::span<const std::byte> code, std::string_view entry_point,
                         size_t bindings) {
  constexpr const char* kNoModule = "is not a SPIR-V module";
  if (code.size() % sizeof(uint32_t) != 0) return kNoModule;
  std::vector<uint32_t> words(code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), code.data(), code.size());
  if (words.size() < kHeaderWords || words[0] != kSpirvMagic) return kNoModule;
  bool has_entry = false;
  for (std::span<const uint32_t> rest = std::span(words).subspan(kHeaderWords); !rest.empty();) {
    const size_t length = rest[0] >> 16;
    if (length == 0 || length > rest.size()) return kNoModule;
    const std::string problem = problemOf(rest.first(length), entry_point, bindings, has_entry);
    if (!problem.empty()) return problem;
    rest = rest.subspan(length);
  }
  return has_entry ? "" : fmt::format("has no compute shader '{}'", entry_point);
}

}  // namespace vta
