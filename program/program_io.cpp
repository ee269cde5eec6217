// Binary form of programs. Layout: docs/isa.md, "Program files".
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "base/hash.h"
#include "isa/instruction/encoding.h"
#include "program/program.h"

namespace vta {
namespace {

constexpr std::string_view kMagic{"VTAPROG\0", 8};
constexpr uint16_t kFormatVersion = 1;
constexpr size_t kHeaderBytes = 56;
constexpr size_t kChecksumOffset = 16;  // the checksum covers everything after itself
constexpr size_t kChecksummedFrom = 24;
constexpr int kBufferKindCount = 5;

class Writer {
 public:
  template <typename T>
  void number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i)));
    }
  }
  void raw(std::string_view text) {
    for (char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void text(std::string_view text) {
    number(static_cast<uint32_t>(text.size()));
    raw(text);
  }
  void append(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void patch(size_t offset, uint64_t value) {
    for (size_t i = 0; i < 8; ++i) bytes_[offset + i] = static_cast<std::byte>(value >> (8 * i));
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

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

Result<Header> readHeader(std::span<const std::byte> bytes, const HwConfig& hw) {
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
  if (checksum != hashBytes(bytes.subspan(kChecksummedFrom))) {
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

Status readBuffers(Reader& reader, uint32_t count, Program& program) {
  program.buffers.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    BufferDecl buffer;
    const auto kind = reader.number<uint8_t>();
    if (kind >= kBufferKindCount) return corrupt("unknown buffer kind");
    buffer.kind = static_cast<BufferKind>(kind);
    buffer.size_bytes = reader.number<uint64_t>();
    buffer.alignment_bytes = reader.number<uint32_t>();
    buffer.name = reader.text();
    program.buffers.push_back(std::move(buffer));
  }
  return {};
}

}  // namespace

Result<std::vector<std::byte>> serializeProgram(const Program& program, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(checkProgramStructure(program, hw));
  Writer writer;
  writer.raw(kMagic);
  writer.number(kFormatVersion);
  writer.number(static_cast<uint8_t>(program.encoding));
  for (int i = 0; i < 5; ++i) writer.number(uint8_t{0});
  writer.number(uint64_t{0});  // checksum, patched below
  writer.number(program.hw_fingerprint);
  for (size_t count : {program.instructions.size(), program.uops.size(), program.buffers.size(),
                       program.relocations.size(), program.symbols.size()}) {
    if (count > std::numeric_limits<uint32_t>::max()) {
      return invalidArgument("program has more than 2^32 - 1 entries of one kind");
    }
    writer.number(static_cast<uint32_t>(count));
  }
  writer.number(uint32_t{0});

  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Status status = encodeInstruction(program.instructions[i], hw, writer.bytes());
    if (!status.ok()) return status.withContext(fmt::format("instruction {}", i));
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> uops, encodeUopStream(program, hw));
  writer.append(uops);
  for (const BufferDecl& buffer : program.buffers) {
    writer.number(static_cast<uint8_t>(buffer.kind));
    writer.number(buffer.size_bytes);
    writer.number(buffer.alignment_bytes);
    writer.text(buffer.name);
  }
  for (const Relocation& relocation : program.relocations) {
    writer.number(relocation.instruction);
    writer.number(relocation.buffer);
  }
  for (const Symbol& symbol : program.symbols) {
    writer.number(symbol.first_instruction);
    writer.text(symbol.name);
  }
  writer.patch(kChecksumOffset, hashBytes(std::span(writer.bytes()).subspan(kChecksummedFrom)));
  return std::move(writer.bytes());
}

Result<Program> deserializeProgram(std::span<const std::byte> bytes, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const Header header, readHeader(bytes, hw));
  Reader reader(bytes.subspan(kHeaderBytes));
  const Counts& counts = header.counts;
  if (counts.minPayloadBytes(hw) > reader.remaining()) return corrupt("it is shorter than it says");

  Program program;
  program.hw_fingerprint = header.fingerprint;
  program.encoding = header.encoding;
  program.instructions.reserve(counts.instructions);
  for (uint32_t i = 0; i < counts.instructions; ++i) {
    Result<Instruction> insn = decodeInstruction(reader.take(hw.instructionBytes()), hw);
    if (!insn.ok()) return insn.status().withContext(fmt::format("instruction {}", i));
    program.instructions.push_back(*insn);
  }
  program.uops.reserve(counts.uops);
  for (uint32_t i = 0; i < counts.uops; ++i) {
    program.uops.push_back(decodeUop(reader.take(hw.uopBytes()), hw));
  }
  VTA_RETURN_IF_ERROR(readBuffers(reader, counts.buffers, program));
  program.relocations.reserve(counts.relocations);
  for (uint32_t i = 0; i < counts.relocations; ++i) {
    const auto instruction = reader.number<uint32_t>();
    program.relocations.push_back({instruction, reader.number<uint32_t>()});
  }
  program.symbols.reserve(counts.symbols);
  for (uint32_t i = 0; i < counts.symbols; ++i) {
    const auto first = reader.number<uint32_t>();
    program.symbols.push_back({first, reader.text()});
  }
  if (!reader.ok()) return corrupt("it is shorter than it says");
  if (reader.remaining() != 0) return corrupt("it is longer than it says");
  VTA_RETURN_IF_ERROR(checkProgramStructure(program, hw));
  return program;
}

}  // namespace vta
