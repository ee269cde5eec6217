// make_conformance_images FOLDER: writes the images that images_test runs (images/README.md).
#include <fmt/format.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/functional/functional_model.h"
#include "sim/random/program_image.h"
#include "sim/random/random_program.h"

namespace vta::sim {
namespace {

struct Recipe {
  const char* config;  // a file of tests/sim/rtl/configs
  uint64_t seed;
};

constexpr Recipe kRecipes[] = {{"tiny-1x2x4", 1},       {"tiny-1x2x4", 2}, {"batch-4x2x4", 3},
                               {"sequential-1x4x8", 4}, {"wide-1x4x4", 5}, {"bus-512-1x8x2", 6}};

bool writePacked(const std::filesystem::path& path, const std::vector<std::byte>& data) {
  gzFile file = gzopen(path.c_str(), "wb9");
  if (file == nullptr) return false;
  const auto size = static_cast<unsigned>(data.size());
  const bool is_written = gzwrite(file, data.data(), size) == static_cast<int>(size);
  return gzclose(file) == Z_OK && is_written;
}

nlohmann::ordered_json describe(const ProgramImage& image) {
  return {{"address", image.address},
          {"insn_addr", image.instruction_address},
          {"insn_count", image.instruction_count},
          {"uop_base", image.bases.uop},
          {"inp_base", image.bases.inp},
          {"wgt_base", image.bases.wgt},
          {"acc_base", image.bases.acc},
          {"out_base", image.bases.out}};
}

Status writeImage(const Recipe& recipe, const std::filesystem::path& folder) {
  const auto config =
      fmt::format("{}/tests/sim/rtl/configs/{}.yaml", VTA_SOURCE_DIR, recipe.config);
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(config));
  Rng rng(recipe.seed);
  const Program program = randomProgram(hw, rng);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeImage(program, hw, rng));
  const std::string stem = folder / fmt::format("{}.{}", recipe.config, recipe.seed);
  std::ofstream(stem + ".json") << describe(image).dump(2) << "\n";
  const bool has_before = writePacked(stem + ".pre.img.gz", image.bytes);
  const std::vector<std::byte> stream(streamOf(image, hw).begin(), streamOf(image, hw).end());
  VTA_ASSIGN_OR_RETURN(const auto model, FunctionalModel::create(hw, {.checked = true}));
  ImageDram dram(image);
  if (const auto fault = model->run(stream, image.bases, dram).fault) {
    return internalError(stem + ": " + fault->reason);
  }
  const bool has_after = writePacked(stem + ".post.img.gz", image.bytes);
  return has_before && has_after ? Status() : ioError("cannot write " + stem);
}

}  // namespace
}  // namespace vta::sim

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_conformance_images FOLDER\n");
    return 2;
  }
  for (const auto& recipe : vta::sim::kRecipes) {
    if (const vta::Status status = vta::sim::writeImage(recipe, argv[1]); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 1;
    }
  }
  return 0;
}
