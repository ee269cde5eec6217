// Memories by name: there are no files.
#include "sim/memory/memory_config.h"

namespace vta::sim {

Result<MemoryConfig> resolveMemoryConfig(std::string_view spec) { return builtinMemory(spec); }

}  // namespace vta::sim
