// What a function keeps of a text that it reads run by run: inputs that hold rows of earlier runs,
// and results with the rows that a run adds to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::graph {

/// The input with the rows of earlier runs, the result with those of one run, and the dimension
/// that they lie along. Names are those of `graph.name`.
struct KeptCache {
  std::string input;
  std::string output;
  int64_t axis = 0;
};

struct KeptText {
  int64_t capacity = 0;   // rows of a cache, with those of a run
  int64_t run_words = 1;  // words that one run reads at most
  std::string length;     // the input with the number of words of earlier runs, one int64
  std::vector<KeptCache> caches;

  /// Words that a text may have: as many runs of one word.
  int64_t words() const { return capacity == 0 ? 0 : capacity - run_words + 1; }

  /// Whether the session has the input's data.
  bool isKeptInput(const std::string& name) const {
    return capacity > 0 && (name == length || cacheOfInput(name) != nullptr);
  }
  /// Null if it is none of them.
  const KeptCache* cacheOfInput(const std::string& name) const;
  const KeptCache* cacheOfOutput(const std::string& name) const;
};

/// An attribute of the function: it keeps a text.
inline constexpr const char* kTextAttr = "graph.text";

std::optional<KeptText> keptTextOf(mlir::func::FuncOp function);
void setKeptText(mlir::func::FuncOp function, const KeptText& text);

}  // namespace vta::graph
