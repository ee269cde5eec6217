#include "tools/vta_objdump_image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "base/closest_name.h"
#include "base/files.h"
#include "base/integer_math.h"
#include "isa/config/dram_alignment.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

std::vector<std::string> bufferNames(const Program& program) {
  std::vector<std::string> names;
  for (const BufferDecl& buffer : program.buffers) {
    if (buffer.kind == BufferKind::kUop) continue;
    names.push_back(buffer.name);
  }
  return names;
}

/// The index of the buffer that is called `name`.
Result<size_t> findBuffer(const Program& program, const std::string& name) {
  const auto found = std::ranges::find(program.buffers, name, &BufferDecl::name);
  if (found == program.buffers.end() || found->kind == BufferKind::kUop) {
    return invalidArgument(fmt::format(
        "--data {}=...: the program has no such buffer for data; "
        "it has: {}{}",
        name, fmt::join(bufferNames(program), ", "), suggestion(name, bufferNames(program))));
  }
  return static_cast<size_t>(found - program.buffers.begin());
}

void copyTo(ProgramImage& image, uint64_t address, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes,
                    image.bytes.begin() + static_cast<std::ptrdiff_t>(address - kImageAddress));
}

/// One BUFFER=FILE of the command line.
Status copyData(ProgramImage& image, const Program& program, const std::string& text,
                std::set<size_t>& filled) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return invalidArgument(fmt::format("--data {}: not BUFFER=FILE, such as inp=x.bin", text));
  }
  VTA_ASSIGN_OR_RETURN(const size_t index, findBuffer(program, text.substr(0, equals)));
  const BufferDecl& buffer = program.buffers[index];
  if (!filled.insert(index).second) {
    return invalidArgument(fmt::format("--data {}: the buffer is named twice", text));
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(text.substr(equals + 1)));
  if (bytes.size() != buffer.size_bytes) {
    return invalidArgument(fmt::format("--data {}: the file has {} bytes, the buffer {}", text,
                                       bytes.size(), buffer.size_bytes));
  }
  copyTo(image, image.buffer_addresses[index], bytes);
  return {};
}

}  // namespace

Result<ProgramImage> makeProgramImage(const Program& program, const HwConfig& hw,
                                      const std::vector<std::string>& data) {
  ProgramImage image;
  uint64_t end = kImageAddress + program.instructions.size() * hw.instructionBytes();
  for (const BufferDecl& buffer : program.buffers) {
    const uint64_t multiple = std::lcm(uint64_t{buffer.alignment_bytes}, largestElemBytes(hw));
    image.buffer_addresses.push_back(roundUp(end, multiple));
    end = image.buffer_addresses.back() + buffer.size_bytes;
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> stream,
                       encodeInstructionStream(program, hw, image.buffer_addresses));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> uops, encodeUopStream(program, hw));
  image.bytes.resize(end - kImageAddress);
  copyTo(image, kImageAddress, stream);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].kind == BufferKind::kUop) copyTo(image, image.buffer_addresses[i], uops);
  }
  std::set<size_t> filled;
  for (const std::string& text : data) {
    VTA_RETURN_IF_ERROR(copyData(image, program, text, filled));
  }
  return image;
}

std::string describeImage(const ProgramImage& image, const Program& program,
                          const std::string& path) {
  Table table({{"buffer"},
               {"offset", Table::Align::kRight},
               {"address", Table::Align::kRight},
               {"bytes", Table::Align::kRight}});
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const uint64_t address = image.buffer_addresses[i];
    table.addRow({program.buffers[i].name, fmt::format("{}", address - kImageAddress),
                  fmt::format("{:#x}", address), fmt::format("{}", program.buffers[i].size_bytes)});
  }
  return fmt::format(
      "{}: {} bytes of memory from {:#x} on, instructions first\n{}run it with: vta-run --image {} "
      "--address {:#x}\n",
      path, image.bytes.size(), kImageAddress, table.toString(), path, kImageAddress);
}

}  // namespace vta::tools
