#include "compiler/frontend/onnx/model_file.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <fstream>
#include <limits>
#include <vector>

#include "base/files.h"
#include "compiler/frontend/decoders/read_decoder.h"

namespace vta::compiler {
namespace {

Status requireModelPath(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return notFound("no such file");
  if (std::filesystem::is_directory(path, error)) {
    return invalidArgument("is a directory; give the .onnx file in it");
  }
  return requireRegularFile(path);
}

Result<std::vector<char>> readBytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) return ioError("cannot be opened for reading");
  std::streamoff size_bytes = stream.tellg();
  if (size_bytes < 0) return ioError("cannot be read");
  if (size_bytes == 0) return invalidArgument("the file is empty");
  if (size_bytes > std::numeric_limits<int32_t>::max()) {
    return invalidArgument(
        "larger than 2 GiB, protobuf's limit; save the weights as external data");
  }
  std::vector<char> bytes(size_bytes);
  if (!stream.seekg(0).read(bytes.data(), size_bytes)) return ioError("cannot be read");
  return bytes;
}

/// What a file of another kind is and how it becomes ONNX; null when nothing gives it away.
const char* otherFormat(std::string_view bytes) {
  const auto hasAt = [&](size_t offset, std::string_view magic) {
    return bytes.size() >= offset && bytes.substr(offset).starts_with(magic);
  };
  if (hasAt(4, "TFL3")) return "a TensorFlow Lite model; convert it with tf2onnx";
  if (hasAt(4, "ORTM")) return "a model in ONNX Runtime's own format; give the .onnx file";
  if (hasAt(0, "PK\x03\x04")) {
    return "a zip archive, such as a PyTorch checkpoint; export the model with torch.onnx.export";
  }
  if (hasAt(0, "\x80\x02") || hasAt(0, "\x80\x03") || hasAt(0, "\x80\x04")) {
    return "a Python pickle, such as a PyTorch checkpoint; export the model with torch.onnx.export";
  }
  if (hasAt(0, "\x89HDF")) return "an HDF5 file, such as a Keras model; convert it with tf2onnx";
  if (hasAt(0, "\x1f\x8b")) return "compressed by gzip; unpack it first";
  if (hasAt(0,
            "\x7f"
            "ELF"))
    return "a program or module";
  if (hasAt(0, "version https://git-lfs")) {
    return "a pointer of Git LFS; fetch the model with git lfs pull";
  }
  if (hasAt(0, "<!DOCTYPE") || hasAt(0, "<html")) return "a web page; download the model again";
  return nullptr;
}

}  // namespace

Result<int64_t> opsetOf(const OpsetImports& imports, int64_t otherwise) {
  for (const onnx::OperatorSetIdProto& opset : imports) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (opset.version() >= kMinOpset && opset.version() <= kMaxOpset) return opset.version();
    return unsupported(
        fmt::format("opset {} is outside the supported range {} to {}; convert the model with "
                    "onnx.version_converter",
                    opset.version(), kMinOpset, kMaxOpset));
  }
  return otherwise;
}

Result<ModelFile> readModelFile(const std::filesystem::path& path, int64_t context_length,
                                std::vector<std::string>* notes) {
  VTA_RETURN_IF_ERROR(requireModelPath(path));
  if (isDecoderFile(path)) {
    VTA_ASSIGN_OR_RETURN(DecoderFile decoder, readDecoderFile(path, context_length));
    if (notes != nullptr && !decoder.note.empty()) notes->push_back(decoder.note);
    ModelFile file{std::move(decoder.model), path, 0};
    VTA_ASSIGN_OR_RETURN(file.opset, opsetOf(file.proto.opset_import(), kMaxOpset));
    return file;
  }
  VTA_ASSIGN_OR_RETURN(std::vector<char> bytes, readBytes(path));
  return parseModelFile({bytes.data(), bytes.size()}, path);
}

Result<ModelFile> parseModelFile(std::string_view bytes, const std::filesystem::path& path) {
  // Protobuf would print parse errors to stderr.
  google::protobuf::LogSilencer silence;
  ModelFile file{{}, path, 0};
  if (const char* format = otherFormat(bytes)) {
    return invalidArgument(fmt::format("not an ONNX model but {}", format));
  }
  if (!file.proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return invalidArgument("not an ONNX model, or truncated: the protobuf does not parse");
  }
  if (!file.proto.has_graph() || file.proto.graph().output_size() == 0) {
    return invalidArgument("not an ONNX model: it has no graph with outputs");
  }
  if (file.proto.opset_import_size() == 0) {
    return invalidArgument("the model imports no operator set");
  }
  VTA_ASSIGN_OR_RETURN(file.opset, opsetOf(file.proto.opset_import(), kMaxOpset));
  return file;
}

std::string nodeLabel(const onnx::NodeProto& node) {
  if (!node.name().empty()) return fmt::format("node '{}' ({})", node.name(), node.op_type());
  std::string output = node.output_size() > 0 ? node.output(0) : std::string();
  return fmt::format("the node of '{}' ({})", output, node.op_type());
}

}  // namespace vta::compiler
