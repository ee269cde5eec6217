// An ONNX file in memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

struct ModelFile {
  onnx::ModelProto proto;
  std::filesystem::path path;
  int64_t opset = 0;  // of the default domain
};

/// Opset versions of the default domain that the frontend knows.
inline constexpr int64_t kMinOpset = 1;
inline constexpr int64_t kMaxOpset = 24;

using OpsetImports = google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>;

/// The opset of the default domain among `imports`, `otherwise` if that is not there.
Result<int64_t> opsetOf(const OpsetImports& imports, int64_t otherwise);

/// Reads and parses `path` and checks that it holds a graph of a known opset. A language model in a
/// format of its own (decoders/read_decoder.h) becomes a graph that reads `context_length` tokens.
/// `notes` gets what is assumed about it; null: nobody wants to know.
Result<ModelFile> readModelFile(const std::filesystem::path& path, int64_t context_length,
                                std::vector<std::string>* notes);

/// The same for the bytes of a model; `path` is what messages call it and where external data lies.
Result<ModelFile> parseModelFile(std::string_view bytes, const std::filesystem::path& path);

/// How messages call a node: "node 'conv1' (Conv)".
std::string nodeLabel(const onnx::NodeProto& node);

}  // namespace vta::compiler
