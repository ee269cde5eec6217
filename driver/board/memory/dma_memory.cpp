#include "driver/board/memory/dma_memory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "driver/board/device_file.h"
#include "driver/board/range_allocator.h"

namespace vta::driver {
namespace {

Result<DmaMemory> openReserved(const BoardOptions& options, int address_bits) {
  const std::string name = "reserved memory";
  const uint64_t address = *options.memory_address;
  VTA_RETURN_IF_ERROR(checkReach(name, address, options.memory_bytes, address_bits,
                                 "reserve a region that lies lower"));
  const std::filesystem::path path = options.dev("mem");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_SYNC);
  if (descriptor < 0) {
    return ioError(fmt::format("{} cannot be opened: {}; it takes root, u-dma-buf does not",
                               path.string(), std::strerror(errno)));
  }
  const Descriptor file(descriptor);
  VTA_ASSIGN_OR_RETURN(Mapping mapping, mapFile(file, path, options.memory_bytes, address));
  return DmaMemory(name, address, std::move(mapping), nullptr,
                   "reserve a larger region, and give it with reserved-size");
}

/// Whole lines around a range.
struct Lines {
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
};

Lines linesAround(uint64_t offset, uint64_t size_bytes) {
  constexpr uint64_t kLineBytes = RangeAllocator::kLineBytes;
  const uint64_t begin = offset / kLineBytes * kLineBytes;
  const uint64_t end = (offset + size_bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
  return {begin, end - begin};
}

}  // namespace

Status checkReach(const std::string& name, uint64_t address, uint64_t size_bytes, int address_bits,
                  const std::string& remedy) {
  const uint64_t last = address + size_bytes - 1;
  if (last >= address && (address_bits >= 64 || last >> address_bits == 0)) return {};
  return invalidArgument(fmt::format(
      "{} lies at {:#x} to {:#x}, the core's addresses have {} bits; {}, or take a bitstream with "
      "wider addresses",
      name, address, last, address_bits, remedy));
}

Result<DmaMemory> DmaMemory::open(const BoardOptions& options, int address_bits) {
  if (options.memory_address) return openReserved(options, address_bits);
  return options.zocl ? openZocl(options, address_bits) : openUdmabuf(options, address_bits);
}

Status DmaMemory::flush(uint64_t offset, uint64_t size_bytes) {
  if (maintenance_ == nullptr || size_bytes == 0) return {};
  const Lines lines = linesAround(offset, size_bytes);
  return maintenance_->flush(lines.offset, lines.size_bytes);
}

Status DmaMemory::invalidate(uint64_t offset, uint64_t size_bytes) {
  if (maintenance_ == nullptr || size_bytes == 0) return {};
  const Lines lines = linesAround(offset, size_bytes);
  return maintenance_->invalidate(lines.offset, lines.size_bytes);
}

}  // namespace vta::driver
