// A driver for compilers without libFuzzer: runs a target on its seeds and on a fixed number of
// random mutations of them. The same seed gives the same inputs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace {

using Input = std::vector<uint8_t>;

class Mutator {
 public:
  Mutator(const std::vector<Input>& corpus, uint32_t seed) : corpus_(corpus), random_(seed) {}

  /// Input `number` of the corpus, changed in one to eight places.
  Input next() {
    Input input = corpus_[below(corpus_.size())];
    for (size_t changes = 1 + below(8); changes > 0; --changes) change(input);
    return input;
  }

 private:
  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(Input& input) {
    const size_t at = below(input.size() + 1);
    const bool is_inside = at < input.size();
    switch (below(6)) {
      case 0:
        if (is_inside) input[at] ^= static_cast<uint8_t>(1u << below(8));
        break;
      case 1:
        if (is_inside) input[at] = static_cast<uint8_t>(random_());
        break;
      case 2:
        input.insert(input.begin() + static_cast<int64_t>(at), static_cast<uint8_t>(random_()));
        break;
      case 3:
        if (is_inside) input.erase(input.begin() + static_cast<int64_t>(at));
        break;
      case 4:
        input.resize(at);
        break;
      default:
        splice(input, at);
    }
  }

  /// Overwrites a stretch with one of some input.
  void splice(Input& input, size_t at) {
    const Input& other = corpus_[below(corpus_.size())];
    const size_t from = below(other.size());
    const size_t count = std::min({below(64), other.size() - from, input.size() - at});
    std::copy_n(other.begin() + static_cast<int64_t>(from), count,
                input.begin() + static_cast<int64_t>(at));
  }

  const std::vector<Input>& corpus_;
  std::mt19937 random_;
};

std::vector<Input> readCorpus(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);  // the same inputs everywhere
  std::vector<Input> corpus;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return corpus;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> folders;
  uint32_t seed = 1;
  uint64_t runs = 10000;
  CLI::App app("Runs a fuzz target on seeds and on random mutations of them");
  app.add_option("corpus", folders, "folders of seeds")->required()->check(CLI::ExistingDirectory);
  app.add_option("--seed", seed, "of the random numbers")->capture_default_str();
  app.add_option("--runs", runs, "mutations to run")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const std::vector<Input> corpus = readCorpus(folders);
  if (corpus.empty()) {
    std::fputs("no seeds\n", stderr);
    return 1;
  }
  for (const Input& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  Mutator mutator(corpus, seed);
  for (uint64_t i = 0; i < runs; ++i) {
    const Input input = mutator.next();
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu seeds and %llu mutations\n", corpus.size(),
              static_cast<unsigned long long>(runs));
  return 0;
}
