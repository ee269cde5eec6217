#include "driver/generate/files/read_tokenizer.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/gguf/gguf_file.h"
#include "driver/generate/gguf/gguf_tokenizer.h"
#include "driver/generate/json/json_tokenizer.h"

namespace vta::driver {
namespace {

/// Of a file: those of models, which have their tokenizers inside, are large.
constexpr uint64_t kMostBytes = uint64_t{1} << 36;

}  // namespace

Result<std::unique_ptr<Tokenizer>> readTokenizer(const std::filesystem::path& file) {
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFile(file.string(), kMostBytes));
  constexpr std::string_view kBegins = "{ \t\r\n";
  // A tokenizer.bin begins with a length of 32 bits, which may look like one of these characters.
  const bool has_length = bytes.size() > 3 && bytes[3] == std::byte{0};
  const bool is_json = file.extension() == ".json" ||
                       (!bytes.empty() && !has_length &&
                        kBegins.find(static_cast<char>(bytes[0])) != std::string_view::npos);
  auto tokenizer = is_json                  ? parseJsonTokenizer(bytes)
                   : GgufFile::isOne(bytes) ? parseGgufTokenizer(std::move(bytes))
                                            : parseBinaryTokenizer(bytes);
  if (!tokenizer.ok()) return tokenizer.status().withContext(fmt::format("'{}'", file.string()));
  return tokenizer;
}

}  // namespace vta::driver
