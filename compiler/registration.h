// What vta-opt and the compile driver have to know about: one place that every new dialect and pass
// is added to.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace vta::compiler {

/// Adds our dialects and the upstream ones that our IR uses.
void registerAllDialects(mlir::DialectRegistry& registry);

/// Makes every pass and pipeline of the compiler available by name; those of a back end register
/// with it (host_cpu/backend/passes.h). Call once per process.
void registerAllPasses();

}  // namespace vta::compiler
