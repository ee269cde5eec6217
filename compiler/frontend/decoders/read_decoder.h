// Language models in formats of their own as ONNX graphs: GGUF (llama.cpp), and llama2.c's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// Whether the regular file `path` is one, by its first bytes and its size.
bool isDecoderFile(const std::filesystem::path& path);

struct DecoderFile {
  onnx::ModelProto model;
  std::string note;  // what is assumed, in a sentence; often empty
};

/// The model of a file with a graph for texts of `context_length` tokens (decoder_graph.h). Errors:
/// no context length, with the option that gives it; a file that is damaged or not supported.
Result<DecoderFile> readDecoderFile(const std::filesystem::path& path, int64_t context_length);

}  // namespace vta::compiler
