#include "tools/bisect/explain.h"

#include <fmt/format.h>

#include "driver/runtime/module_programs.h"
#include "isa/program/text/assembler.h"
#include "tools/bisect/golden_model.h"

namespace vta::driver {

Result<LaunchImage> imageOf(const SuspectLayer& layer) {
  VTA_ASSIGN_OR_RETURN(const EncodedProgram program, viewLaunch(layer.module, layer.action));
  return LaunchImage::create(program, layer.device.info().hw, layer.contents);
}

Result<Reproducer> reproducerOf(const LaunchImage& image) {
  VTA_ASSIGN_OR_RETURN(const auto golden, GoldenModel::create(image));
  VTA_RETURN_IF_ERROR(golden->run(image.bytes, static_cast<uint32_t>(image.instructions.size())));
  constexpr uint64_t kAddress = LaunchImage::kAlignmentBytes;
  const Launch launch = image.launchAt(kAddress);
  std::string description = fmt::format(
      "{{\"address\": {}, \"insn_addr\": {}, \"insn_count\": {}, \"uop_base\": {}, "
      "\"inp_base\": {}, \"wgt_base\": {}, \"acc_base\": {}, \"out_base\": {}}}\n",
      kAddress, launch.instruction_address, launch.instruction_count, launch.uop_base,
      launch.inp_base, launch.wgt_base, launch.acc_base, launch.out_base);
  return Reproducer{image.bytes, golden->memory(), std::move(description)};
}

std::string describeVerdict(const Verdict& verdict, const LaunchImage& image) {
  std::string text = fmt::format("  verdict: {}", suspectName(verdict.suspect));
  if (verdict.suspect == Suspect::kMemory) {
    text += fmt::format(", {}", differenceKindName(verdict.memory_kind));
  }
  text += "\n";
  if (!verdict.part.empty()) {
    text += fmt::format("  place: byte {} of '{}'\n", verdict.offset_in_part, verdict.part);
  }
  if (verdict.tile >= 0) {
    text += fmt::format("  tile: {} of {}\n", verdict.tile + 1, verdict.tile_count);
  }
  if (verdict.instruction >= 0) {
    const auto number = static_cast<size_t>(verdict.instruction);
    text += fmt::format("  instruction: {}: {}\n", number, disassemble(image.instructions[number]));
  }
  text += fmt::format("  {}\n", verdict.explanation);
  if (verdict.suspect != Suspect::kNone && !verdict.repeats) {
    text += "  it does not happen each time\n";
  }
  return text;
}

}  // namespace vta::driver
