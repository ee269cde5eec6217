// NeighbourLinker: makes one entry of those of consecutive steps. An executor whose traits say that
// it links neighbours has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "module/module_info.h"

namespace vta::compiler {

/// A program that is not in a module's section yet: ProgramInfo with bytes in place of offsets.
struct LinkedCode {
  struct Variant {
    std::string target;
    std::vector<std::byte> bytes;
  };
  std::vector<Variant> variants;
  std::vector<int32_t> buffers;
};

/// Stateless: may be called from several threads.
class NeighbourLinker {
 public:
  virtual ~NeighbourLinker() = default;

  /// The programs of the steps of `action` as one. `info`, whose tensors are placed, has their
  /// programs, and `programs` their code. Errors: code that cannot be linked.
  virtual Result<LinkedCode> link(const ActionInfo& action, const ModuleInfo& info,
                                  std::span<const std::byte> programs) const = 0;
};

/// By executors, those that link their neighbours.
using Linkers = std::map<uint32_t, const NeighbourLinker*>;

}  // namespace vta::compiler
