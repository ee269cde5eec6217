// Classifies an image of a digit with the C++ interface. Usage: classify MODULE IMAGE [DEVICE]
// IMAGE: 32 x 32 pixels as float32, black -1 and white 1.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vta/vta.hpp>

namespace {

std::vector<char> readFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: classify MODULE IMAGE [DEVICE]\n";
    return 2;
  }
  const vta::api::Module module(argv[1]);
  const vta::api::Device device(module, argc > 3 ? argv[3] : "functional");
  vta::api::Session session(module, device);
  session.setInput(0, readFile(argv[2]));
  session.run();
  const std::vector<float> probabilities = session.output<float>(0);
  const auto best = std::max_element(probabilities.begin(), probabilities.end());
  std::cout << best - probabilities.begin() << "\n";
  return 0;
} catch (const vta::api::Error& error) {
  std::cerr << "classify: " << error.what() << "\n";
  return 1;
}
