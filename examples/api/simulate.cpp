// Embeds the cycle simulator: how fast is a compiled model with each of several memories?
// Usage: simulate MODULE MEMORY...
// MEMORY: a preset or a YAML file, as for vta-run --dram. Prints each layer's share of the cycles
// and their sum, which is what the model takes; a column for each memory.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <vector>
#include <vta/vta.hpp>

namespace {

// What one run of the module takes.
struct Run {
  std::vector<vta_profile_row> rows;
  std::vector<std::uint64_t> cycles;  // of the run, by row
  std::uint64_t all_cycles = 0;
};

// A run on zeros: cycles depend on the programs, not on the values.
Run simulate(const vta::api::Module& module, const std::string& memory) {
  const vta::api::Device device(module, "cycle:timing-only,dram=" + memory);
  vta::api::SessionOptions options;
  options.per_layer = true;
  vta::api::Session session(module, device, options);
  const std::vector<vta::api::TensorInfo> inputs = module.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    session.setInput(i, std::vector<char>(inputs[i].size_bytes));
  }
  session.run();
  Run run{session.profile(), {}, session.cycles()};
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    run.cycles.push_back(session.cyclesInRun(row));
  }
  return run;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: simulate MODULE MEMORY...\n";
    return 2;
  }
  const vta::api::Module module(argv[1]);
  std::vector<Run> runs;
  std::printf("%-24s", "layer");
  for (int i = 2; i < argc; ++i) {
    std::printf(" %16s", argv[i]);
    runs.push_back(simulate(module, argv[i]));
  }
  std::printf("\n");
  const std::vector<vta::api::LayerInfo> layers = module.layers();
  const auto print = [](std::uint64_t cycles) {
    std::printf(" %16llu", static_cast<unsigned long long>(cycles));
  };
  for (std::size_t row = 0; row < runs[0].rows.size(); ++row) {
    if (!runs[0].rows[row].on_vta) continue;
    std::printf("%-24s", layers[runs[0].rows[row].first_layer].name.c_str());
    for (const Run& run : runs) print(run.cycles[row]);
    std::printf("\n");
  }
  std::printf("%-24s", "all");
  for (const Run& run : runs) print(run.all_cycles);
  std::printf("\n");
  return 0;
} catch (const vta::api::Error& error) {
  std::cerr << "simulate: " << error.what() << "\n";
  return 1;
}
