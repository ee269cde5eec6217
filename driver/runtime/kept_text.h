// KeptText: what a session keeps of a text that it reads run by run.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/runtime/session_memory.h"
#include "module/module_info.h"

namespace vta::driver {

/// The caches of a module's context in the memory of one session. What it is given outlives it. Of
/// a module that keeps no text it does nothing.
class KeptText {
 public:
  KeptText(const ModuleInfo& info, SessionMemory& memory) : info_(info), memory_(memory) {}

  /// Words that earlier runs have read.
  int64_t length() const;

  /// Words of a run with these inputs, which checkInputs would accept but for fewer words than the
  /// module has room for. Behind them, words that mean nothing are added to `inputs`.
  int64_t fillUp(TensorMap& inputs) const;
  /// Whether fillUp would change `inputs`.
  bool needsFilling(const TensorMap& inputs) const;

  /// Before a run of so many words. Errors: kResourceExhausted when these would be too many.
  Status checkRoom(int64_t words) const;

  /// Behind a run: the rows of its words become part of the caches, its words of the text. Rows
  /// that no later run could read are left out.
  Status append(int64_t words);

  /// Forgets the words from number `length` on. Errors: a text that is shorter.
  Status shorten(int64_t length);

 private:
  Status appendTo(const CacheInfo& cache, int64_t first_row, int64_t words);
  Status setLength(int64_t length);

  const ModuleInfo& info_;
  SessionMemory& memory_;
};

}  // namespace vta::driver
