// One of the ONNX project's operator cases: a model with inputs and the outputs it has to give.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vta::conformance {

enum class Outcome : uint8_t {
  kPass,
  kRefused,  // an operator, attribute or type that is not supported, with a message that says so
  kWrong,    // other values, shapes or types than expected
  kFailed,   // an error that is no refusal: the model is legal
  kCrashed,  // the process died
  kHung,     // it did not end in time
  kSkipped,  // inputs or outputs that are no plain tensors
};
std::string_view outcomeName(Outcome outcome);

struct CaseResult {
  Outcome outcome = Outcome::kPass;
  std::string message;
  /// Inputs that had to be constants to compile the model.
  std::vector<std::string> constant_inputs;
  /// On a GPU: steps of the module there, and on the CPU.
  size_t steps_on_gpu = 0, steps_on_cpu = 0;
  /// The model's operators, each as often as it has nodes, and its opset.
  std::map<std::string, int> operators;
  int64_t opset = 0;
};

/// The folders of all cases below `root`, sorted.
std::vector<std::filesystem::path> findCases(const std::filesystem::path& root);

/// Imports, compiles for the CPU, runs and compares the case in `directory`; with a `gpu`, which is
/// what driver::openGpu takes, compiles with --partition=gpu and runs there. Inputs are those of
/// the compiled function; only one that the compiler asks to be a constant is bound in the model.
/// May crash or hang: run it with `runIsolated`.
CaseResult runCase(const std::filesystem::path& directory, const std::string& gpu = "");

}  // namespace vta::conformance
