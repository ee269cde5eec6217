#include "tools/bisect/golden_model.h"

#include <fmt/format.h>

#include "isa/program/text/assembler.h"

namespace vta::driver {
namespace {

/// The address of the image; 0 would be no address.
constexpr uint64_t kAddress = LaunchImage::kAlignmentBytes;

class ImageMemory final : public sim::Dram {
 public:
  explicit ImageMemory(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  std::optional<sim::DramRange> findRange(uint64_t address) const override {
    if (address < kAddress || address - kAddress >= bytes_.size()) return std::nullopt;
    return sim::DramRange{kAddress, kAddress + bytes_.size(), bytes_.data()};
  }

 private:
  std::vector<std::byte>& bytes_;
};

}  // namespace

Result<std::unique_ptr<GoldenModel>> GoldenModel::create(const LaunchImage& image) {
  VTA_ASSIGN_OR_RETURN(auto model, sim::FunctionalModel::create(image.hw));
  return std::unique_ptr<GoldenModel>(new GoldenModel(image, std::move(model)));
}

Status GoldenModel::run(std::span<const std::byte> before, uint32_t count) {
  memory_.assign(before.begin(), before.end());
  ImageMemory dram(memory_);
  model_->reset();
  const sim::BaseAddresses bases = {kAddress, kAddress, kAddress, kAddress, kAddress};
  for (uint32_t i = 0; i < count; ++i) {
    const Instruction& insn = image_.instructions[i];
    if (insn.opcode == Opcode::kFinish) break;
    if (const auto violation = model_->step(insn, bases, dram)) {
      return {StatusCode::kDeviceFault,
              fmt::format("instruction {} ({}) of the layer is illegal: {}", i, disassemble(insn),
                          violation->reason)};
    }
  }
  return {};
}

std::vector<int32_t> GoldenModel::accumulators() const {
  const sim::Scratchpads& pads = model_->scratchpads();
  std::vector<int32_t> lanes;
  for (uint32_t i = 0; i < image_.hw.depthElems(MemoryType::kAcc); ++i) {
    lanes.insert(lanes.end(), pads.acc(i), pads.acc(i) + pads.accElemLanes());
  }
  return lanes;
}

int64_t GoldenModel::storeOf(uint64_t offset) const {
  int64_t last = -1;
  const uint64_t elem_bytes = image_.hw.elemBytes(MemoryType::kOut);
  for (size_t i = 0; i < image_.instructions.size(); ++i) {
    if (image_.instructions[i].opcode != Opcode::kStore) continue;
    const MemInsn& mem = image_.instructions[i].mem();
    for (uint64_t y = 0; y < mem.y_size; ++y) {
      const uint64_t row = (mem.dram_base + y * mem.x_stride) * elem_bytes;
      if (offset >= row && offset < row + mem.x_size * elem_bytes) last = static_cast<int64_t>(i);
    }
  }
  return last;
}

}  // namespace vta::driver
