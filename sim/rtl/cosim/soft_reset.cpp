// Launches that are given up by the control register on a bus that answers late.
#include <fmt/format.h>

#include "sim/rtl/cosim/cosim.h"

namespace vta::sim {
namespace {

/// More than from a beat to its element in a scratchpad.
constexpr uint64_t kPipelineCycles = 64;
/// Of reads of the status, until a bus that answers has answered all.
constexpr int kMostReads = 20'000;

/// Behind all images, and a multiple of every element.
constexpr uint64_t kDistance = uint64_t{1} << 30;

/// The image elsewhere in memory: its base registers and its stream move with it.
ProgramImage moved(ProgramImage image) {
  image.address += kDistance;
  image.instruction_address += kDistance;
  for (uint64_t* base :
       {&image.bases.uop, &image.bases.inp, &image.bases.wgt, &image.bases.acc, &image.bases.out}) {
    *base += kDistance;
  }
  return image;
}

}  // namespace

/// Launches `image`, lets the bus freeze, and resets the core: it is idle at once.
Status Cosim::giveUp(const ProgramImage& image, Rng& rng) {
  VTA_RETURN_IF_ERROR(
      simulator_->start({image.instruction_address, image.instruction_count, image.bases}));
  VTA_RETURN_IF_ERROR(simulator_->advance(rng.pick(1, 1500)).status());
  simulator_->freezeBus(true);
  VTA_RETURN_IF_ERROR(simulator_->advance(rng.pick(1, 100)).status());
  VTA_RETURN_IF_ERROR(simulator_->writeRegister(reg::kControl, reg::kControlReset));
  VTA_ASSIGN_OR_RETURN(const uint32_t status, simulator_->readRegister(reg::kStatus));
  VTA_ASSIGN_OR_RETURN(const uint32_t control, simulator_->readRegister(reg::kControl));
  if ((status & ~reg::kStatusDraining) == 0 && control == 0) return {};
  return internalError(
      fmt::format("behind a reset, status is {:#x} and control {:#x}", status, control));
}

/// Lets the bus answer what it has not answered.
Status Cosim::drain() {
  simulator_->freezeBus(false);
  for (int i = 0; i < kMostReads; ++i) {
    VTA_ASSIGN_OR_RETURN(const uint32_t status, simulator_->readRegister(reg::kStatus));
    if ((status & reg::kStatusDraining) == 0) return {};
  }
  return internalError("the core drains for ever on a bus that answers");
}

/// What only loads write. Engines go on with what they had begun, which changes ACC and OUT.
std::vector<uint32_t> Cosim::loadedScratchpads() {
  struct Pad {
    VtaModelMemory memory;
    MemoryType type;
  };
  std::vector<uint32_t> words;
  for (const Pad pad : {Pad{VTA_PROBE_UOP, MemoryType::kUop}, Pad{VTA_PROBE_WGT, MemoryType::kWgt},
                        Pad{VTA_PROBE_INP, MemoryType::kInp}}) {
    const uint32_t element_words = (hw_.elemBytes(pad.type) + 3) / 4;
    for (uint32_t i = 0; i < hw_.depthElems(pad.type) * element_words; ++i) {
      words.push_back(simulator_->model().probe(pad.memory, i / element_words, i % element_words));
    }
  }
  return words;
}

/// Drains; what the bus answers reaches no scratchpad.
Status Cosim::drainUnseen() {
  VTA_RETURN_IF_ERROR(simulator_->advance(kPipelineCycles).status());
  const std::vector<uint32_t> before = loadedScratchpads();
  VTA_RETURN_IF_ERROR(drain());
  VTA_RETURN_IF_ERROR(simulator_->advance(kPipelineCycles).status());
  if (loadedScratchpads() == before) return {};
  return internalError("an answer behind a reset has reached a scratchpad");
}

Result<CosimReport> Cosim::runWithSoftReset(uint64_t seed) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeProgram(seed, rng, ImagePlace::kLow));
  // Another program elsewhere: late writes of the first one must not be among its own.
  VTA_ASSIGN_OR_RETURN(const ProgramImage next, makeProgram(seed + 1, rng, ImagePlace::kLow));
  dram_.current = dram_.given_up = &image;
  VTA_RETURN_IF_ERROR(giveUp(image, rng));
  if (rng.oneIn(2)) {
    VTA_RETURN_IF_ERROR(drainUnseen());
  } else {
    // The next launch begins meanwhile, and has to wait.
    thaws_at_ = simulator_->totalCycles() + rng.pick(1, 500);
  }
  Result<CosimReport> report = runLegal(moved(next));
  dram_.given_up = nullptr;
  return report;
}

}  // namespace vta::sim
