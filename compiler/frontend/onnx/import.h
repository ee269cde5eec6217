// ONNX models into the graph dialect.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/frontend/model_signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace vta::compiler {

/// Values for symbolic dimensions, by name. A dimension without a name is called
/// `<input>.<index>`; dimensions with a name may be called so too.
using DimensionMap = std::map<std::string, int64_t>;

struct ImportOptions {
  DimensionMap dimensions = {};
  /// Shapes of data for inputs, by the inputs' names: they give symbolic dimensions a value that
  /// `dimensions` does not have. A shape may lack the first dimension, which is 1 then; one that
  /// does not fit is not looked at, nor are more than 64 images. The name of the only input may be
  /// left empty.
  std::map<std::string, std::vector<int64_t>> input_shapes = {};
  /// Activations that the model quantises with ranges of every run become floats, so that
  /// calibration can give them ranges; see static_ranges.h.
  bool static_ranges = false;
  /// Words of a text that the model is to read run by run, with caches of its own; 0: the caller
  /// has the caches. See rewrites/kept_text.h.
  int64_t context_length = 0;
  /// Words that one run reads at most, with a context_length.
  int64_t prompt_chunk = 1;
  /// Of several words in a run, score the last one alone, if that can be done.
  bool last_scores = false;
  /// Gets what the import assumed, in sentences. Null: nobody wants to know.
  std::vector<std::string>* notes = nullptr;
};

/// Reads a float, QDQ or QOperator model of opset 1 to 24 and returns a module with one function,
/// `main`, over graph ops and arith.constant, all shapes static. Arguments and results carry their
/// ONNX names in the attribute `graph.name`; ops carry their node's name as NameLoc. Shape
/// arithmetic is folded and nodes that no output needs are left out. Functions of the model are
/// inlined, loops unrolled.
///
/// A symbolic dimension has the value that the options give it; otherwise the one that constants
/// beside it need, for example the channels of a convolution's weights; otherwise, if it is the
/// first one of an input, 1; otherwise the most usual one that the model's nodes allow (224 for
/// sides of images, 128 for lengths, where nothing forbids them). Float types other than float32
/// are computed in float32; inputs and outputs have the declared type.
///
/// Errors: an unreadable or corrupt file, cycles, missing initialisers, wrong shapes, symbolic
/// dimensions for which no usual value fits, nodes that are not supported (all of them at once).
/// The message starts with the file's name and names the nodes.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(const std::filesystem::path& path,
                                                     const ImportOptions& options,
                                                     mlir::MLIRContext& context);

/// The same for a model in memory: `bytes` is its protobuf, at most 2 GiB. `path` is what messages
/// call it; external data lies beside it.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnxBytes(std::string_view bytes,
                                                          const std::filesystem::path& path,
                                                          const ImportOptions& options,
                                                          mlir::MLIRContext& context);

/// Inputs and outputs of an imported function, with the shapes that the import computed, without
/// what the function keeps of a text.
Result<ModelSignature> signatureOf(mlir::func::FuncOp function);

}  // namespace vta::compiler
