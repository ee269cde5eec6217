// The frontend as a translation of vta-translate.
#pragma once

namespace vta::compiler {

/// Registers `--import-onnx`: an ONNX file to the graph dialect; `--shape NAME=VALUE` binds
/// symbolic dimensions. Call once per process, before the command line is parsed.
void registerOnnxTranslation();

}  // namespace vta::compiler
