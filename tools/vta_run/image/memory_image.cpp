#include "tools/vta_run/image/memory_image.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/files.h"
#include "isa/instruction/encoding.h"

namespace vta::tools {
namespace {

/// More than any board has for the accelerator.
constexpr uint64_t kMaxImageBytes = uint64_t{4} << 30;

bool isPacked(std::span<const std::byte> data) {
  return data.size() >= 2 && data[0] == std::byte{0x1f} && data[1] == std::byte{0x8b};
}

/// All members of a gzip file, one behind the other.
Result<std::vector<std::byte>> unpack(std::span<const std::byte> packed) {
  z_stream stream = {};
  constexpr int kGzip = 16 + MAX_WBITS;
  if (packed.size() > UINT_MAX) return invalidArgument("more than 4 GiB");
  if (inflateInit2(&stream, kGzip) != Z_OK) return internalError("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::vector<std::byte> data;
  int result = Z_OK;
  while (result == Z_OK && data.size() <= kMaxImageBytes) {
    constexpr size_t kChunkBytes = 1 << 20;
    const size_t before = data.size();
    data.resize(before + kChunkBytes);
    stream.next_out = reinterpret_cast<Bytef*>(data.data() + before);
    stream.avail_out = kChunkBytes;
    result = inflate(&stream, Z_NO_FLUSH);
    data.resize(data.size() - stream.avail_out);
    const bool has_more = result == Z_STREAM_END && stream.avail_in > 0;
    if (has_more) result = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (result == Z_STREAM_END) return data;
  return invalidArgument(result == Z_OK ? "more than 4 GiB" : "damaged gzip data");
}

/// Adds the distance of the base register from the begin of the memory to the address.
Status addBase(const MemoryImage& image, const HwConfig& hw, MemInsn& mem) {
  const int64_t elem_bytes = hw.elemBytes(mem.memory_type);
  const auto offset =
      static_cast<int64_t>(driver::baseAddress(image.launch, mem.memory_type) - image.address);
  const int64_t at = int64_t{mem.dram_base} + offset / elem_bytes;
  if (offset % elem_bytes != 0 || at < 0 || at > int64_t{UINT32_MAX}) {
    return unsupported(
        "the verifier needs base registers that are whole elements from the image's begin");
  }
  mem.dram_base = static_cast<uint32_t>(at);
  return {};
}

}  // namespace

Result<std::vector<std::byte>> readImageFile(const std::string& path) {
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> data, readFile(path));
  if (!isPacked(data)) return data;
  auto unpacked = unpack(data);
  if (!unpacked.ok()) return unpacked.status().withContext(path);
  return unpacked;
}

Status readDescription(const std::string& path, MemoryImage& image) {
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(path));
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return invalidArgument(fmt::format("{}: not a JSON object", path));
  uint64_t count = 0;
  driver::Launch& launch = image.launch;
  const std::pair<const char*, uint64_t*> fields[] = {
      {"address", &image.address},    {"insn_addr", &launch.instruction_address},
      {"insn_count", &count},         {"uop_base", &launch.uop_base},
      {"inp_base", &launch.inp_base}, {"wgt_base", &launch.wgt_base},
      {"acc_base", &launch.acc_base}, {"out_base", &launch.out_base}};
  for (const auto& [key, value] : json.items()) {
    const auto field = std::ranges::find_if(fields, [&](const auto& f) { return f.first == key; });
    if (field == std::end(fields)) {
      return invalidArgument(
          fmt::format("{}: unknown key {}; legal: address, insn_addr, insn_count,"
                      " uop_base, inp_base, wgt_base, acc_base, out_base",
                      path, key));
    }
    if (!value.is_number_unsigned()) {
      return invalidArgument(fmt::format("{}: {} is not a whole number from 0", path, key));
    }
    *field->second = value.get<uint64_t>();
  }
  if (!json.contains("insn_addr")) {
    return invalidArgument(fmt::format("{}: insn_addr is missing", path));
  }
  if (count > UINT32_MAX) return invalidArgument(fmt::format("{}: insn_count {}", path, count));
  launch.instruction_count = static_cast<uint32_t>(count);
  return {};
}

Status completeImage(MemoryImage& image, uint64_t size_bytes, const HwConfig& hw) {
  if (size_bytes > kMaxImageBytes) return invalidArgument("the memory has more than 4 GiB");
  if (size_bytes > 0 && size_bytes < image.bytes.size()) {
    return invalidArgument(fmt::format("a memory of {} bytes does not hold the image's {} bytes",
                                       size_bytes, image.bytes.size()));
  }
  if (size_bytes > 0) image.bytes.resize(size_bytes);
  driver::Launch& launch = image.launch;
  const auto insn_bytes = static_cast<uint64_t>(hw.instructionBytes());
  const uint64_t offset = launch.instruction_address - image.address;
  const uint64_t room = offset < image.bytes.size() ? image.bytes.size() - offset : 0;
  const bool counts = launch.instruction_count == 0;
  for (uint64_t i = 0; counts && (i + 1) * insn_bytes <= room; ++i) {
    const auto at = std::span(image.bytes).subspan(offset + i * insn_bytes, insn_bytes);
    // The opcode is in the lowest three bits of every encoding.
    if ((static_cast<unsigned>(at[0]) & 7u) != static_cast<unsigned>(Opcode::kFinish)) continue;
    launch.instruction_count = static_cast<uint32_t>(i + 1);
    break;
  }
  if (launch.instruction_count == 0) {
    return invalidArgument(
        fmt::format("there is no FINISH from address {:#x} on", launch.instruction_address));
  }
  if (launch.instruction_count * insn_bytes > room) {
    return invalidArgument(
        fmt::format("{} instructions at {:#x} reach outside of the memory from {:#x} to {:#x}",
                    launch.instruction_count, launch.instruction_address, image.address,
                    image.address + image.bytes.size()));
  }
  return {};
}

Result<Program> programOf(const MemoryImage& image, const HwConfig& hw) {
  Program program;
  program.hw_fingerprint = hw.fingerprint();
  program.encoding = hw.encoding();
  program.buffers = {{"micro-ops", BufferKind::kUop, image.bytes.size(), 1},
                     {"memory", BufferKind::kScratch, image.bytes.size(), 1}};
  const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
  const size_t first = image.launch.instruction_address - image.address;
  for (uint32_t i = 0; i < image.launch.instruction_count; ++i) {
    auto insn = decodeInstruction(std::span(image.bytes).subspan(first + i * insn_bytes), hw);
    if (!insn.ok()) return insn.status().withContext(fmt::format("instruction {}", i));
    auto* const mem = std::get_if<MemInsn>(&insn->body);
    if (mem != nullptr && mem->x_size > 0 && !isOnChip(mem->memory_type)) {
      VTA_RETURN_IF_ERROR(addBase(image, hw, *mem));
      program.relocations.push_back({i, mem->memory_type == MemoryType::kUop ? 0u : 1u});
    }
    program.instructions.push_back(*std::move(insn));
  }
  const size_t uop_bytes = hw.elemBytes(MemoryType::kUop);
  for (size_t at = 0; at + uop_bytes <= image.bytes.size(); at += uop_bytes) {
    program.uops.push_back(decodeUop(std::span(image.bytes).subspan(at), hw));
  }
  return program;
}

}  // namespace vta::tools
