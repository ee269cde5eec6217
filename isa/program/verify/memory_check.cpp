#include "isa/program/verify/memory_check.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "isa/instruction/handover.h"
#include "isa/program/verify/compat_check.h"
#include "isa/program/verify/dram_check.h"
#include "isa/program/verify/footprint.h"

namespace vta::verify {
namespace {

constexpr size_t kLoadUnit = static_cast<size_t>(Unit::kLoad);
constexpr size_t kComputeUnit = static_cast<size_t>(Unit::kCompute);
constexpr size_t kStoreUnit = static_cast<size_t>(Unit::kStore);

// One side of an SRAM that two units share: the unit, and by element the position + 1 of its last
// instruction that touched it (0: none).
struct Side {
  size_t unit;
  std::vector<uint32_t> last;
};

// Of each shared SRAM one unit writes and others read, so a side for each says everything:
// instructions of the same unit are in order, hence the last one stands for all before it.
struct SharedSram {
  std::string_view name;
  Side writer;
  std::vector<Side> readers;

  SharedSram(std::string_view sram_name, size_t writer_unit,
             const std::vector<size_t>& reader_units, uint32_t depth)
      : name(sram_name), writer{writer_unit, std::vector<uint32_t>(depth)} {
    for (const size_t unit : reader_units) readers.push_back({unit, std::vector<uint32_t>(depth)});
  }
};

// The units that read OUT: load only where it hands elements over.
std::vector<size_t> readersOfOut(const HwConfig& hw) {
  if (!hw.params().ext_handover) return {kStoreUnit};
  return {kStoreUnit, kLoadUnit};
}

// Stamps the footprint on `mine`. Returns an element that `other` touched too late to be ordered.
std::optional<uint32_t> touch(const Footprint& footprint, Side& mine, const Side& other,
                              const Clock& clock) {
  const uint32_t stamp = clock[mine.unit] + 1;
  const uint32_t certain = clock[other.unit];
  std::optional<uint32_t> conflict;
  footprint.forEachRun([&](uint32_t begin, uint32_t end) {
    uint32_t latest = 0;
    for (uint32_t i = begin; i < end; ++i) latest = std::max(latest, other.last[i]);
    std::fill(mine.last.begin() + begin, mine.last.begin() + end, stamp);
    if (latest <= certain || conflict) return;
    conflict =
        static_cast<uint32_t>(std::find_if(other.last.begin() + begin, other.last.begin() + end,
                                           [&](uint32_t last) { return last > certain; }) -
                              other.last.begin());
  });
  return conflict;
}

class MemoryCheck {
 public:
  MemoryCheck(const Program& program, const HwConfig& hw, const ExecutionOrder& order,
              const VerifyOptions& options, Findings& findings)
      : program_(program),
        hw_(hw),
        order_(order),
        options_(options),
        compat_(options.compat_0_0_2),
        findings_(findings),
        dram_(program, hw, order, findings),
        inp_("INP", kLoadUnit, {kComputeUnit}, hw.depthElems(MemoryType::kInp)),
        wgt_("WGT", kLoadUnit, {kComputeUnit}, hw.depthElems(MemoryType::kWgt)),
        out_("OUT", kComputeUnit, readersOfOut(hw), hw.depthElems(MemoryType::kOut)),
        uops_(hw.depthElems(MemoryType::kUop)),
        uop_loaded_(uops_.size(), 0),
        out_written_(hw.depthElems(MemoryType::kOut), 0) {}

  void run() {
    for (uint32_t at : order_.sequence) {
      if (findings_.full()) return;
      const Instruction& insn = program_.instructions[at];
      if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
        compute(at, *gemm);
      } else if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
        compute(at, *alu);
      } else if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
        if (mem->x_size == 0) continue;
        insn.opcode == Opcode::kStore ? store(at, *mem) : load(at, *mem);
      }
    }
  }

 private:
  void load(uint32_t at, const MemInsn& mem) {
    const uint64_t columns = uint64_t{mem.x_pad_0} + mem.x_size + mem.x_pad_1;
    const uint64_t rows = uint64_t{mem.y_pad_0} + mem.y_size + mem.y_pad_1;
    if (!buildRun(at, mem, rows * columns)) return;
    if (!isOnChip(mem.memory_type)) dram_.access(at);
    switch (scratchpadOf(mem.memory_type)) {
      case MemoryType::kUop:
        return loadUops(at, mem);
      case MemoryType::kInp:
        write(at, inp_);
        return isOnChip(mem.memory_type) ? handover(at, mem) : void();
      case MemoryType::kWgt:
        return write(at, wgt_);
      default:
        write(at, out_);
        markOutWritten(false);
    }
  }

  // The load unit reads OUT.
  void handover(uint32_t at, const MemInsn& mem) {
    const uint64_t end = handoverEnd(mem);
    if (end == 0) return;
    if (end > handoverDepth(hw_)) {
      const uint64_t last = (end - 1) / handoverParts(hw_);
      return reportBounds(at, "OUT", last, hw_.depthElems(MemoryType::kOut));
    }
    for (uint32_t y = 0; y < mem.y_size; ++y) {
      const OutElems row = handoverRow(mem, y, hw_);
      footprint_.buildRun(row.begin, row.count());
      read(at, out_);
    }
  }

  void store(uint32_t at, const MemInsn& mem) {
    if (!buildRun(at, mem, uint64_t{mem.y_size} * mem.x_size)) return;
    dram_.access(at);
    read(at, out_);
    if (!compat_) return;
    bool reported = false;
    footprint_.forEachRun([&](uint32_t begin, uint32_t end) {
      const auto missing = std::find(out_written_.begin() + begin, out_written_.begin() + end, 0);
      if (missing == out_written_.begin() + end || reported) return;
      reported = true;
      findings_.add(at, fmt::format("compat 0.0.2: stores OUT[{}], which no ALU or GEMM (reset=0) "
                                    "operation has written after its last load or reset",
                                    missing - out_written_.begin()));
    });
  }

  // The packed SRAM range of a memory instruction; false when it is empty or out of bounds. Comes
  // before the DRAM side, which is only then known to be small.
  bool buildRun(uint32_t at, const MemInsn& mem, uint64_t size) {
    const uint32_t depth = hw_.depthElems(mem.memory_type);
    if (mem.sram_base + size > depth) {
      // Devices compare the end of the range, so that one without rows may be out of bounds too.
      const uint64_t last = mem.sram_base + std::max<uint64_t>(size, 1) - 1;
      reportBounds(at, memoryTypeName(mem.memory_type), last, depth);
      return false;
    }
    if (size == 0) return false;
    footprint_.buildRun(mem.sram_base, static_cast<uint32_t>(size));
    return true;
  }

  void loadUops(uint32_t at, const MemInsn& mem) {
    uint32_t slot = mem.sram_base;
    const auto fill = [&](uint32_t count) {
      for (uint32_t i = 0; i < count; ++i, ++slot) uops_[slot] = Uop{};
    };
    const uint32_t columns = mem.x_pad_0 + mem.x_size + mem.x_pad_1;
    fill(mem.y_pad_0 * columns);
    for (uint32_t y = 0; y < mem.y_size; ++y) {
      const uint64_t first = mem.dram_base + uint64_t{y} * mem.x_stride;
      if (first + mem.x_size > program_.uops.size()) {
        findings_.add(at, fmt::format("loads micro-op {}; the program has {}",
                                      first + mem.x_size - 1, program_.uops.size()));
        return;
      }
      fill(mem.x_pad_0);
      std::copy_n(program_.uops.begin() + static_cast<std::ptrdiff_t>(first), mem.x_size,
                  uops_.begin() + slot);
      slot += mem.x_size;
      fill(mem.x_pad_1);
    }
    fill(mem.y_pad_1 * columns);
    std::fill(uop_loaded_.begin() + mem.sram_base, uop_loaded_.begin() + slot, 1);
  }

  // GEMM or ALU: the micro-ops' and loops' footprints of each operand.
  template <typename Body>
  void compute(uint32_t at, const Body& body) {
    if (body.uop_bgn >= body.uop_end || body.iter_out == 0 || body.iter_in == 0) return;
    const auto first = uop_loaded_.begin() + body.uop_bgn;
    const auto missing = std::find(first, uop_loaded_.begin() + body.uop_end, 0);
    if (missing != uop_loaded_.begin() + body.uop_end) {
      findings_.add(at, fmt::format("uses micro-op {}, which has not been loaded",
                                    missing - uop_loaded_.begin()));
      return;
    }
    const std::span<const Uop> uops(uops_.data() + body.uop_bgn, body.uop_end - body.uop_bgn);
    const AffineLoops loops{body.iter_out, body.iter_in, body.dst_factor_out, body.dst_factor_in};
    if (!readOperands(at, body, uops) || !build(at, uops, &Uop::dst_idx, loops, MemoryType::kAcc)) {
      return;
    }
    if constexpr (std::is_same_v<Body, GemmInsn>) {
      if (!body.reset) checkInitialised(at, out_, "ACC");
      markOutWritten(!body.reset);
    } else {
      checkInitialised(at, out_, "ACC");
      markOutWritten(true);
    }
    write(at, out_);
    // Last, because only indices in bounds keep the search for hazards short.
    if (compat_) checkCompatUops(at, body, uops, findings_);
  }

  bool readOperands(uint32_t at, const GemmInsn& gemm, std::span<const Uop> uops) {
    if (!gemm.readsOperands()) return true;
    const AffineLoops src{gemm.iter_out, gemm.iter_in, gemm.src_factor_out, gemm.src_factor_in};
    const AffineLoops wgt{gemm.iter_out, gemm.iter_in, gemm.wgt_factor_out, gemm.wgt_factor_in};
    if (!build(at, uops, &Uop::src_idx, src, MemoryType::kInp, gemm.taps)) return false;
    read(at, inp_);
    if (!build(at, uops, &Uop::wgt_idx, wgt, MemoryType::kWgt)) return false;
    read(at, wgt_);
    return true;
  }

  // ACC belongs to the compute unit alone: no race to look for.
  bool readOperands(uint32_t at, const AluInsn& alu, std::span<const Uop> uops) {
    if (alu.use_imm) return true;
    const AffineLoops src{alu.iter_out, alu.iter_in, alu.src_factor_out, alu.src_factor_in};
    if (!build(at, uops, &Uop::src_idx, src, MemoryType::kAcc)) return false;
    checkInitialised(at, out_, "ACC", readsPair(alu.alu_opcode));
    return true;
  }

  bool build(uint32_t at, std::span<const Uop> uops, uint32_t Uop::*member,
             const AffineLoops& loops, MemoryType type, uint32_t width = 1) {
    footprint_.build(uops, member, loops, width);
    const uint32_t depth = hw_.depthElems(type);
    if (footprint_.end() > depth) {
      reportBounds(at, memoryTypeName(type), footprint_.end() - 1, depth);
      return false;
    }
    footprint_.expand();
    return true;
  }

  void write(uint32_t at, SharedSram& sram) {
    for (const Side& reader : sram.readers) access(at, sram, sram.writer, reader, "read");
  }
  void read(uint32_t at, SharedSram& sram) {
    checkInitialised(at, sram, sram.name);
    const auto unit = static_cast<size_t>(program_.instructions[at].unit());
    access(at, sram, *std::ranges::find(sram.readers, unit, &Side::unit), sram.writer, "written");
  }

  // On demand: everything read has been written by this program.
  void checkInitialised(uint32_t at, const SharedSram& sram, std::string_view name,
                        bool pairs = false) {
    if (!options_.uninitialised_reads) return;
    std::optional<std::ptrdiff_t> missing;
    const uint32_t pair = pairs ? 1 : 0;
    footprint_.forEachRun([&](uint32_t run_begin, uint32_t run_end) {
      const uint32_t begin = run_begin & ~pair;
      const uint32_t end = ((run_end - 1) | pair) + 1;
      const auto first = sram.writer.last.begin();
      const auto found = std::find(first + begin, first + end, 0);
      if (found != first + end && !missing) missing = found - first;
    });
    if (missing) {
      findings_.add(at, fmt::format("reads {}[{}], which the program has not written before", name,
                                    *missing));
    }
  }

  void access(uint32_t at, const SharedSram& sram, Side& mine, const Side& other,
              std::string_view what_other_did) {
    const auto conflict = touch(footprint_, mine, other, order_.before[at]);
    if (!conflict) return;
    const uint32_t other_at = order_.streams[other.unit][other.last[*conflict] - 1];
    findings_.add(
        at, fmt::format("race: {}[{}] is also {} by {}, and no token orders the two", sram.name,
                        *conflict, what_other_did, findings_.describe(other_at)));
  }

  void markOutWritten(bool written) {
    if (!compat_) return;
    footprint_.forEachRun([&](uint32_t begin, uint32_t end) {
      std::fill(out_written_.begin() + begin, out_written_.begin() + end, written ? 1 : 0);
    });
  }

  void reportBounds(uint32_t at, std::string_view memory, uint64_t element, uint32_t depth) {
    findings_.add(at, fmt::format("touches {}[{}]; its depth is {}", memory, element, depth));
  }

  const Program& program_;
  const HwConfig& hw_;
  const ExecutionOrder& order_;
  VerifyOptions options_;
  bool compat_;
  Findings& findings_;
  DramCheck dram_;
  SharedSram inp_;
  SharedSram wgt_;
  SharedSram out_;  // OUT mirrors ACC: the compute unit writes both, other units read OUT
  std::vector<Uop> uops_;
  std::vector<uint8_t> uop_loaded_;
  std::vector<uint8_t> out_written_;
  Footprint footprint_;
};

}  // namespace

void checkMemory(const Program& program, const HwConfig& hw, const ExecutionOrder& order,
                 const VerifyOptions& options, Findings& findings) {
  MemoryCheck(program, hw, order, options, findings).run();
}

}  // namespace vta::verify
