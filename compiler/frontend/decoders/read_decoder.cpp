#include "compiler/frontend/decoders/read_decoder.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "base/files.h"
#include "base/gguf/gguf_file.h"
#include "compiler/frontend/decoders/decoder.h"
#include "compiler/frontend/decoders/decoder_graph.h"

namespace vta::compiler {
namespace {

/// Enough of a file to know its format by.
constexpr size_t kBeginBytes = 64;

/// More than any model that the memory of a board or of this machine holds.
constexpr uint64_t kMostBytes = uint64_t{1} << 36;

std::vector<std::byte> beginOf(const std::filesystem::path& path) {
  std::vector<std::byte> bytes(kBeginBytes);
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(bytes.data()), kBeginBytes);
  bytes.resize(static_cast<size_t>(stream.gcount()));
  return bytes;
}

}  // namespace

bool isDecoderFile(const std::filesystem::path& path) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  if (error) return false;
  const std::vector<std::byte> begin = beginOf(path);
  return GgufFile::isOne(begin) || isLlama2c(begin, size);
}

Result<DecoderFile> readDecoderFile(const std::filesystem::path& path, int64_t context_length) {
  if (context_length < 1) {
    return invalidArgument(
        "this language model keeps its text; --context-length says how many tokens, for example "
        "256");
  }
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFile(path, kMostBytes));
  VTA_ASSIGN_OR_RETURN(const auto weights, GgufFile::isOne(bytes)
                                               ? readGgufDecoder(std::move(bytes))
                                               : readLlama2cDecoder(std::move(bytes)));
  DecoderFile file;
  const int64_t trained = weights->sizes().positions;
  if (trained > 0 && context_length > trained) {
    file.note = fmt::format(
        "the model was trained with texts of up to {} tokens; behind those of a longer text it may "
        "write nonsense",
        trained);
  }
  VTA_ASSIGN_OR_RETURN(file.model, decoderGraph(*weights, context_length));
  return file;
}

}  // namespace vta::compiler
