#include "driver/remote/server/launches/launch_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"
#include "isa/spec/memory_ports.h"

namespace vta::remote {
namespace {

/// Transfers reach one buffer each, so hardly any program has such rows. Looking at so many takes
/// less than a second.
constexpr uint64_t kMostSingleRows = 1 << 22;

uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  return a > ~uint64_t{0} - b ? ~uint64_t{0} : a + b;
}

class Checker {
 public:
  Checker(const LaunchContext& context, const driver::Launch& launch, ByteRange stream)
      : context_(context), launch_(launch), stream_(stream) {}

  LaunchFindings run(std::span<const std::byte> bytes) {
    const auto insn_bytes = static_cast<size_t>(context_.hw.instructionBytes());
    const bool is_unchecked_core = context_.hw.params().compat_0_0_2;
    for (; number_ * insn_bytes < bytes.size() && !findings_.fault; ++number_) {
      const auto insn =
          decodeInstruction(bytes.subspan(number_ * insn_bytes, insn_bytes), context_.hw);
      if (!insn.ok() && !is_unchecked_core) break;
      if (!insn.ok()) {
        findings_.fault = Fault{FaultKind::kIllegalInstruction, static_cast<uint32_t>(number_), "",
                                insn.status().message()};
        break;
      }
      check(*insn);
      if (insn->opcode == Opcode::kFinish && !is_unchecked_core) break;
    }
    findings_.least_cycles = std::max({gemm_cycles_, alu_cycles_, bus_bytes_ / busBytes()});
    return std::move(findings_);
  }

 private:
  // Registers do not tell how many memory ports the hardware has.
  uint64_t busBytes() const {
    return static_cast<uint64_t>(context_.hw.params().axi_data_width_bits) / 8 * kMostMemoryPorts;
  }

  void check(const Instruction& insn) {
    if (insn.opcode == Opcode::kLoad || insn.opcode == Opcode::kStore) {
      checkTransfer(insn);
    } else if (insn.opcode == Opcode::kGemm) {
      gemm_cycles_ = saturatingAdd(gemm_cycles_, iterations(insn.gemm()));
    } else if (insn.opcode == Opcode::kAlu) {
      alu_cycles_ = saturatingAdd(alu_cycles_, iterations(insn.alu()));
    }
  }

  /// Fields have at most 32 bits together with 14 bits of each loop: no product overflows.
  template <typename Loop>
  static uint64_t iterations(const Loop& loop) {
    if (loop.uop_end <= loop.uop_bgn) return 0;
    return uint64_t{loop.uop_end - loop.uop_bgn} * loop.iter_out * loop.iter_in;
  }

  void checkTransfer(const Instruction& insn) {
    const MemInsn& mem = insn.mem();
    if (mem.x_size == 0 || mem.y_size == 0) return;
    const uint64_t elem_bytes = context_.hw.elemBytes(mem.memory_type);
    bus_bytes_ = saturatingAdd(bus_bytes_, uint64_t{mem.y_size} * mem.x_size * elem_bytes);
    const uint64_t last_row = uint64_t{mem.y_size - 1} * mem.x_stride;
    const ByteRange whole = bytesOf(mem, 0, last_row + mem.x_size);
    if (context_.buffers.owns(whole, context_.owner) && isReachable(whole)) {
      access(insn, whole);
      return;
    }
    single_rows_ += mem.y_size;
    if (single_rows_ > kMostSingleRows) {
      refuse(insn, whole, "are in several buffers, and so are those of too many other transfers");
    }
    for (uint64_t y = 0; y < mem.y_size && !findings_.fault; ++y) {
      access(insn, bytesOf(mem, y * mem.x_stride, mem.x_size));
    }
  }

  /// `count` elements from the `first` one of the transfer on. Without overflow: 32 bits of the
  /// base, at most 32 of `first`, and elements of at most 2^20 bytes.
  ByteRange bytesOf(const MemInsn& mem, uint64_t first, uint64_t count) const {
    const uint64_t elem_bytes = context_.hw.elemBytes(mem.memory_type);
    const uint64_t offset_bytes = (mem.dram_base + first) * elem_bytes;
    const uint64_t begin =
        saturatingAdd(driver::baseAddress(launch_, mem.memory_type), offset_bytes);
    return {begin, saturatingAdd(begin, count * elem_bytes)};
  }

  /// Without a carry out of the core's addresses.
  bool isReachable(const ByteRange& range) const {
    const int bits = context_.hw.params().axi_addr_width_bits;
    return bits >= 64 ? range.end != ~uint64_t{0} : range.end <= (uint64_t{1} << bits);
  }

  void access(const Instruction& insn, const ByteRange& range) {
    const bool is_store = insn.opcode == Opcode::kStore;
    if (!isReachable(range)) {
      refuse(insn, range, "are outside the core's addresses");
    } else if (context_.buffers.owns(range, context_.owner)) {
      if (is_store && range.overlaps(stream_)) {
        refuse(insn, range, "are instructions of this launch, which must not change them");
      } else if (is_store) {
        addStore(range);
      }
    } else if (!context_.stops_outside || context_.buffers.touchesOthers(range, context_.owner)) {
      refuse(insn, range, "are outside the client's buffers");
    } else {
      findings_.has_strays = true;
    }
  }

  /// Stores come in order, mostly.
  void addStore(const ByteRange& range) {
    if (!findings_.stores.empty() && findings_.stores.back().begin <= range.begin &&
        range.begin <= findings_.stores.back().end) {
      findings_.stores.back().end = std::max(findings_.stores.back().end, range.end);
      return;
    }
    findings_.stores.push_back(range);
  }

  void refuse(const Instruction& insn, const ByteRange& range, const char* why) {
    findings_.fault =
        Fault{FaultKind::kDramBounds, static_cast<uint32_t>(number_), disassemble(insn),
              fmt::format("the server did not start the launch: bytes {:#x} to {:#x} "
                          "{}",
                          range.begin, range.end - 1, why)};
  }

  const LaunchContext& context_;
  const driver::Launch& launch_;
  const ByteRange stream_;
  LaunchFindings findings_;
  size_t number_ = 0;
  uint64_t gemm_cycles_ = 0;
  uint64_t alu_cycles_ = 0;
  uint64_t bus_bytes_ = 0;
  uint64_t single_rows_ = 0;  // that were looked at one by one
};

}  // namespace

LaunchFindings checkLaunch(const LaunchContext& context, const driver::Launch& launch,
                           std::span<const std::byte> stream) {
  const ByteRange range{launch.instruction_address, launch.instruction_address + stream.size()};
  return Checker(context, launch, range).run(stream);
}

}  // namespace vta::remote
