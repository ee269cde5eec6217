// What vta-opt and the compile driver have to know about: one place that every new dialect, back
// end and pass is added to.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace vta::compiler {

/// Adds our dialects and the upstream ones that our IR uses.
void registerAllDialects(mlir::DialectRegistry& registry);

/// Makes the back ends for what runs on the host known. May be called again.
void registerAllBackends();

/// Makes every pass and pipeline of the compiler available by name. Call once per process.
void registerAllPasses();

}  // namespace vta::compiler
