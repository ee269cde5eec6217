// Reading the binary form of programs. Layout: docs/isa.md, "Program files".
#include "isa/program/encoded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"
#include "isa/instruction/encoding.h"
#include "isa/program/program_layout.h"

namespace vta {
namespace {

using namespace program_layout;

// Bounds-checked reading: past the end every value is 0 and ok() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T number() {
    uint64_t value = 0;
    const std::span<const std::byte> raw = take(sizeof(T));
    for (size_t i = 0; i < raw.size(); ++i) value |= static_cast<uint64_t>(raw[i]) << (8 * i);
    return static_cast<T>(value);
  }
  std::string text() {
    const std::span<const std::byte> raw = take(number<uint32_t>());
    return std::string(reinterpret_cast<const char*>(raw.data()), raw.size());
  }
  std::span<const std::byte> take(uint64_t count) {
    if (count > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const auto result = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return result;
  }
  bool ok() const { return ok_; }
  size_t remaining() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

struct Counts {
  uint32_t instructions = 0;
  uint32_t uops = 0;
  uint32_t buffers = 0;
  uint32_t relocations = 0;
  uint32_t symbols = 0;

  // The least number of payload bytes that hold these counts: no allocation goes beyond the file.
  uint64_t minPayloadBytes(const HwConfig& hw) const {
    constexpr uint64_t kMinBufferBytes = 17;
    constexpr uint64_t kMinSymbolBytes = 8;
    return uint64_t{instructions} * hw.instructionBytes() + uint64_t{uops} * hw.uopBytes() +
           kMinBufferBytes * buffers + 8 * uint64_t{relocations} + kMinSymbolBytes * symbols;
  }
};

Status corrupt(std::string_view what) {
  return invalidArgument(fmt::format("program data is corrupt: {}", what));
}

struct Header {
  Encoding encoding = Encoding::kBase;
  uint64_t fingerprint = 0;
  Counts counts;
};

Result<Header> readHeader(std::span<const std::byte> bytes, const HwConfig& hw,
                          ProgramChecksum checking) {
  if (bytes.size() < kMagic.size() ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return invalidArgument("not a VTA program: it does not begin with VTAPROG");
  }
  Reader reader(bytes.subspan(kMagic.size()));
  const auto version = reader.number<uint16_t>();
  if (reader.ok() && version != kFormatVersion) {
    return unsupported(
        fmt::format("program format version {} is not supported; this build reads {}", version,
                    kFormatVersion));
  }
  if (bytes.size() < kHeaderBytes) return corrupt("its header is truncated");
  Header header;
  const auto encoding = reader.number<uint8_t>();
  reader.take(5);
  const auto checksum = reader.number<uint64_t>();
  if (checking == ProgramChecksum::kCheck &&
      checksum != hashBytes(bytes.subspan(kChecksummedFrom))) {
    return corrupt("its checksum does not match; it was truncated or changed");
  }
  if (encoding > static_cast<uint8_t>(Encoding::kWide)) return corrupt("unknown encoding");
  header.encoding = static_cast<Encoding>(encoding);
  header.fingerprint = reader.number<uint64_t>();
  Counts& counts = header.counts;
  for (uint32_t* count : {&counts.instructions, &counts.uops, &counts.buffers, &counts.relocations,
                          &counts.symbols}) {
    *count = reader.number<uint32_t>();
  }
  // Checked before anything of the payload is decoded: its bits mean something else elsewhere.
  if (header.fingerprint != hw.fingerprint() || header.encoding != hw.encoding()) {
    return invalidArgument(fmt::format(
        "program was built for another hardware configuration: it has fingerprint {:016x} and {} "
        "encoding, \"{}\" has {:016x} and {}; rebuild it or choose its configuration",
        header.fingerprint, encodingName(header.encoding), hw.name(), hw.fingerprint(),
        encodingName(hw.encoding())));
  }
  return header;
}

Status readBuffers(Reader& reader, uint32_t count, EncodedProgram& encoded) {
  encoded.buffers.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    BufferDecl buffer;
    const auto kind = reader.number<uint8_t>();
    if (kind >= kBufferKindCount) return corrupt("unknown buffer kind");
    buffer.kind = static_cast<BufferKind>(kind);
    buffer.size_bytes = reader.number<uint64_t>();
    buffer.alignment_bytes = reader.number<uint32_t>();
    if (reader.ok() && !std::has_single_bit(buffer.alignment_bytes)) {
      return corrupt("a buffer's alignment is no power of two");
    }
    buffer.name = reader.text();
    encoded.buffers.push_back(std::move(buffer));
  }
  return {};
}

Status checkRelocations(const EncodedProgram& encoded) {
  uint32_t next = 0;  // relocations are sorted
  for (const Relocation& relocation : encoded.relocations) {
    if (relocation.instruction < next || relocation.instruction >= encoded.instruction_count ||
        relocation.buffer >= encoded.buffers.size()) {
      return corrupt("a relocation is out of range");
    }
    next = relocation.instruction + 1;
  }
  return {};
}

/// A field of an instruction: bits [lsb, lsb + width) of a little-endian number.
struct BitField {
  size_t byte = 0;
  int shift = 0;
  uint64_t mask = 0;

  uint64_t get(const std::byte* instruction) const { return (word(instruction) >> shift) & mask; }
  void set(std::byte* instruction, uint64_t value) const {
    const uint64_t changed = (word(instruction) & ~(mask << shift)) | (value << shift);
    for (int i = 0; i < 8; ++i) instruction[byte + i] = static_cast<std::byte>(changed >> (8 * i));
  }

 private:
  uint64_t word(const std::byte* instruction) const {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      value |= std::to_integer<uint64_t>(instruction[byte + i]) << (8 * i);
    }
    return value;
  }
};

/// No field crosses a multiple of 64 bits.
BitField memField(const std::vector<FieldInfo>& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  return {static_cast<size_t>(found->lsb / 64) * 8, found->lsb % 64,
          (uint64_t{1} << found->width_bits) - 1};
}

}  // namespace

const BufferDecl* EncodedProgram::uopBuffer() const {
  const auto found = std::ranges::find(buffers, BufferKind::kUop, &BufferDecl::kind);
  return found == buffers.end() ? nullptr : &*found;
}

Result<EncodedProgram> viewProgram(std::span<const std::byte> bytes, const HwConfig& hw,
                                   ProgramChecksum checksum) {
  VTA_ASSIGN_OR_RETURN(const Header header, readHeader(bytes, hw, checksum));
  Reader reader(bytes.subspan(kHeaderBytes));
  const Counts& counts = header.counts;
  if (counts.minPayloadBytes(hw) > reader.remaining()) return corrupt("it is shorter than it says");

  EncodedProgram encoded;
  encoded.hw_fingerprint = header.fingerprint;
  encoded.encoding = header.encoding;
  encoded.instruction_count = counts.instructions;
  encoded.instructions = reader.take(uint64_t{counts.instructions} * hw.instructionBytes());
  encoded.uops = reader.take(uint64_t{counts.uops} * hw.uopBytes());
  VTA_RETURN_IF_ERROR(readBuffers(reader, counts.buffers, encoded));
  encoded.relocations.reserve(counts.relocations);
  for (uint32_t i = 0; i < counts.relocations; ++i) {
    const auto instruction = reader.number<uint32_t>();
    encoded.relocations.push_back({instruction, reader.number<uint32_t>()});
  }
  encoded.symbols.reserve(counts.symbols);
  for (uint32_t i = 0; i < counts.symbols; ++i) {
    const auto first = reader.number<uint32_t>();
    encoded.symbols.push_back({first, reader.text()});
  }
  if (!reader.ok()) return corrupt("it is shorter than it says");
  if (reader.remaining() != 0) return corrupt("it is longer than it says");
  VTA_RETURN_IF_ERROR(checkRelocations(encoded));
  return encoded;
}

Status relocate(std::span<std::byte> stream, const HwConfig& hw,
                std::span<const BufferDecl> buffers, std::span<const Relocation> relocations,
                std::span<const uint64_t> buffer_addresses) {
  if (buffer_addresses.size() != buffers.size()) {
    return invalidArgument(fmt::format("program has {} buffers, {} addresses were given",
                                       buffers.size(), buffer_addresses.size()));
  }
  const std::vector<FieldInfo> fields = instructionFields(Opcode::kLoad, hw);
  const BitField type_field = memField(fields, "memory_type");
  const BitField base_field = memField(fields, "dram_base");
  for (const Relocation& relocation : relocations) {
    std::byte* instruction =
        stream.data() + size_t{relocation.instruction} * static_cast<size_t>(hw.instructionBytes());
    const uint64_t type = type_field.get(instruction);
    if (type >= kMemoryTypeCount) return corrupt("a relocated instruction accesses no memory");
    const auto memory_type = static_cast<MemoryType>(type);
    const uint64_t elem_bytes = hw.elemBytes(memory_type);
    const uint64_t address = buffer_addresses[relocation.buffer];
    const uint64_t base = base_field.get(instruction) + address / elem_bytes;
    if (address % elem_bytes != 0 || base > base_field.mask) {
      return invalidArgument(
          fmt::format("buffer \"{}\" at address {:#x} cannot be reached by instruction {}: {}",
                      buffers[relocation.buffer].name, address, relocation.instruction,
                      address % elem_bytes != 0
                          ? fmt::format("{} elements need a multiple of {} bytes",
                                        memoryTypeName(memory_type), elem_bytes)
                          : fmt::format("element {} does not fit the 32 bits of dram_base", base)));
    }
    base_field.set(instruction, base);
  }
  return {};
}

std::string_view symbolAt(std::span<const Symbol> symbols, uint32_t instruction) {
  const auto after = std::ranges::upper_bound(symbols, instruction, {}, &Symbol::first_instruction);
  return after == symbols.begin() ? std::string_view() : std::prev(after)->name;
}

}  // namespace vta
