// KeptText: what a session keeps of a text that it reads run by run.
#pragma once

#include <cstdint>

#include "base/status.h"
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

  /// Before a run. Errors: kResourceExhausted when its words would be too many.
  Status checkRoom() const;

  /// Behind a run: its rows become part of the caches, its words of the text. Rows that no later
  /// run could read are left out.
  Status append();

 private:
  int64_t wordsOfRun() const;
  Status appendTo(const CacheInfo& cache, int64_t row);

  const ModuleInfo& info_;
  SessionMemory& memory_;
};

}  // namespace vta::driver
