// What code is generated for, and how. Free of MLIR types.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace vta::codegen {

/// The machine that loads the module and runs its host functions. Defaults: this one.
struct CodeTarget {
  std::string triple;    // LLVM's; empty: this machine's
  std::string cpu;       // empty: this machine's (for a foreign triple: that triple's baseline)
  std::string features;  // LLVM's "+a,-b" syntax; empty: the CPU's
};

/// How long a back end may take for code. kQuick and kFull give the same bits.
enum class CodeQuality : uint8_t {
  kDraft,  // made several times as fast as kFull, and runs as slowly
  kQuick,  // made twice as fast: vectorised, without most of LLVM's passes; for code that is not
           // kept
  kFull,
};

/// What one back end alone understands; it has a structure of its own for that.
struct BackendOptions {
  virtual ~BackendOptions() = default;
};

struct CodeOptions {
  CodeTarget target;
  bool parallel = true;  // host functions may split loops through VtaHostContext::parallel_for
  CodeQuality quality = CodeQuality::kFull;
  /// Where machine code is kept for later compilations of the same functions; empty: nowhere. A
  /// folder that other users can write is not used.
  std::filesystem::path cache_folder{};
  /// Hears, from any thread, how many of so many parts of the code are compiled; may be empty.
  std::function<void(int64_t done, int64_t total)> progress{};
  /// Whether convolutions of floats may take fewer multiplications, and round otherwise for it
  /// (schedule/winograd.h).
  bool winograd = true;
  /// By the names of back ends, each of that back end's own type; those without have their
  /// defaults.
  std::map<std::string, std::shared_ptr<const BackendOptions>> of_backends{};
};

}  // namespace vta::codegen
