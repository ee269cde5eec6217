// Runs @main on the default back end and looks at values inside it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes/aligned_bytes.h"
#include "base/status.h"
#include "base/tensor.h"
#include "compiler/codegen/executable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// A compiled copy of a module whose @main returns chosen values, with buffers for one run.
class ActivationRun {
 public:
  /// `values` are arguments of @main of `module` or results of its ops; null ones are skipped. The
  /// module is only read. Errors: what the back end cannot compile.
  static Result<ActivationRun> create(mlir::ModuleOp module, const std::vector<mlir::Value>& values,
                                      const codegen::CodeOptions& options = {});

  /// Runs one sample, which checkSample accepts.
  Status run(const TensorMap& sample);

  /// The elements of value `index` after a run. T has the size of its element type.
  template <typename T>
  std::span<const T> values(size_t index) const {
    return {static_cast<const T*>(results_[index].pointer), results_[index].elements};
  }

 private:
  struct Place {
    void* pointer = nullptr;
    size_t elements = 0;
  };
  void* addBuffer(mlir::Type type);

  std::vector<std::string> inputs_;
  std::vector<AlignedBytes> buffers_;
  std::vector<void*> pointers_;  // arguments of the call: inputs, then results
  std::vector<Place> results_;
  std::unique_ptr<codegen::Executable> executable_;
};

/// Errors: a sample without one of the inputs of `main`, or with another shape or type, named with
/// what was expected. `number` is the sample's place.
Status checkSample(mlir::func::FuncOp main, const TensorMap& sample, size_t number);

/// By position, how far from zero each input of `main` lies in `samples`, which checkSample
/// accepts, once it is rounded to 8 bits with a range that covers them. Infinite where it is no
/// f32, and without samples.
std::vector<double> inputReach(mlir::func::FuncOp main, const std::vector<TensorMap>& samples);

}  // namespace vta::compiler
