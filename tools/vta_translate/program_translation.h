// Programs in vta-translate.
#pragma once

namespace vta::compiler {

/// Registers `vta-to-program` (kernels of a module to assembler text, lowered with their schedules)
/// and `program-to-vta` (assembler text to vta.load, gemm, alu, store and finish). Both take
/// `--hw=FILE`. Call once per process.
void registerProgramTranslations();

}  // namespace vta::compiler
