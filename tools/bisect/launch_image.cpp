#include "tools/bisect/launch_image.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/integer_math.h"
#include "isa/config/dram_alignment.h"
#include "isa/instruction/encoding.h"

namespace vta::driver {
namespace {

/// Unused memory in front of each part: what is written past an end hits nothing else.
constexpr uint64_t kGapBytes = 4096;

ImagePart& addPart(LaunchImage& image, std::string name, BufferKind kind, uint64_t size_bytes) {
  const uint64_t end = image.parts.empty() ? 0 : image.parts.back().end();
  const uint64_t alignment_bytes = dramAlignmentBytes(image.hw);
  image.parts.push_back(
      {std::move(name), kind, roundUp(end + kGapBytes, alignment_bytes), size_bytes});
  return image.parts.back();
}

void fill(LaunchImage& image, const ImagePart& part, std::span<const std::byte> contents) {
  const auto size_bytes = std::min<uint64_t>(contents.size(), part.size_bytes);
  std::copy_n(contents.begin(), size_bytes,
              image.bytes.begin() + static_cast<int64_t>(part.offset));
}

}  // namespace

Result<LaunchImage> LaunchImage::create(const EncodedProgram& program, const HwConfig& hw,
                                        std::span<const std::span<const std::byte>> contents) {
  LaunchImage image;
  image.hw = hw;
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& decl = program.buffers[i];
    const uint64_t size_bytes =
        std::max<uint64_t>({decl.size_bytes, contents[i].size(),
                            decl.kind == BufferKind::kUop ? program.uops.size() : 0});
    offsets.push_back(addPart(image, decl.name, decl.kind, size_bytes).offset);
  }
  const ImagePart code =
      addPart(image, "instructions", BufferKind::kConstant, program.instructions.size());
  image.instructions_offset = code.offset;
  image.bytes.resize(roundUp(code.end() + kGapBytes, kAlignmentBytes));
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const bool has_uops = program.buffers[i].kind == BufferKind::kUop;
    fill(image, image.parts[i], has_uops ? program.uops : contents[i]);
  }
  std::vector<std::byte> stream(program.instructions.begin(), program.instructions.end());
  VTA_RETURN_IF_ERROR(relocate(stream, hw, program.buffers, program.relocations, offsets));
  fill(image, code, stream);
  const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
  for (size_t at = 0; at < stream.size(); at += insn_bytes) {
    VTA_ASSIGN_OR_RETURN(const Instruction insn,
                         decodeInstruction(std::span(stream).subspan(at, insn_bytes), hw));
    image.instructions.push_back(insn);
  }
  return image;
}

Launch LaunchImage::launchAt(uint64_t address, uint32_t count) const {
  Launch launch;
  launch.instruction_address = address + instructions_offset;
  launch.instruction_count = count;
  launch.uop_base = launch.inp_base = launch.wgt_base = launch.acc_base = launch.out_base = address;
  return launch;
}

const ImagePart* LaunchImage::partAt(uint64_t offset) const {
  for (const ImagePart& part : parts) {
    if (offset >= part.offset && offset < part.end()) return &part;
  }
  return nullptr;
}

}  // namespace vta::driver
