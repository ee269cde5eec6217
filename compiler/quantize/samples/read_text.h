// Calibration of a model that keeps a text: its samples are words, and each run needs what the runs
// before it have left.
#pragma once

#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/codegen/options.h"

namespace mlir {
class ModuleOp;
}

namespace vta::compiler {

/// The samples with what @main of `module` keeps of a text (graph::KeptText), if it does. They are
/// read in their order as one text by the float network; a full text begins anew. Of many samples
/// with large caches, some in equal distances are left. With `makes_words` the words of all samples
/// but the first are replaced by such as the network likes there, if it takes the number of one
/// word and scores all of them: its own texts resemble those that it was trained with. Where a run
/// reads several words, samples may have any number of them, and become samples of whole runs: what
/// is left over at the end of the text is left out, and a shorter text is repeated. Where a run
/// reads one word, samples of several, which are those of a larger network of the same module,
/// become one for each word. Errors: a sample without one of the other inputs, or with one of
/// another shape or type; what the back end cannot compile or run.
Result<std::vector<TensorMap>> readText(mlir::ModuleOp module, std::vector<TensorMap> samples,
                                        bool makes_words, const codegen::CodeOptions& options);

}  // namespace vta::compiler
