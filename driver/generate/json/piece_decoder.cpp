#include "driver/generate/json/piece_decoder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text/utf8.h"
#include "driver/generate/json/bpe_model.h"
#include "driver/generate/json/text_steps.h"

namespace vta::driver {
namespace {

using Json = nlohmann::json;

std::string replaceAll(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
  return text;
}

}  // namespace

Result<PieceDecoder> PieceDecoder::parse(const Json& field) {
  PieceDecoder decoder;
  for (unsigned byte = 0; byte < 256; ++byte) {
    decoder.bytes_[characterOfByte(static_cast<unsigned char>(byte))] = static_cast<char>(byte);
  }
  if (field.is_null()) return decoder;
  VTA_RETURN_IF_ERROR(decoder.addStep(field));
  return decoder;
}

Status PieceDecoder::addStep(const Json& field) {
  const auto kind = field.at("type").get<std::string>();
  if (kind == "Sequence") {
    for (const Json& step : field.at("decoders")) VTA_RETURN_IF_ERROR(addStep(step));
    return {};
  }
  if (kind == "Fuse") return {};
  if (kind == "ByteLevel") {
    has_characters_of_bytes_ = true;
    return {};
  }
  if (kind == "ByteFallback") {
    has_byte_tokens_ = true;
    return {};
  }
  if (kind == "Replace" && field.at("pattern").contains("String")) {
    const auto what = field.at("pattern").at("String").get<std::string>();
    if (what.empty()) return invalidArgument("decoder 'Replace' looks for an empty text");
    replaced_.emplace_back(what, field.at("content").get<std::string>());
    return {};
  }
  if (kind == "Strip" && field.value("stop", 0) == 0 && field.value("start", 0) <= 1) {
    if (field.value("start", 0) == 1) stripped_ = field.at("content").get<std::string>();
    return {};
  }
  if (kind == "Metaspace") {
    replaced_.emplace_back(field.value("replacement", "▁"), " ");
    const bool prepends =
        field.value("add_prefix_space", true) && field.value("prepend_scheme", "always") != "never";
    if (prepends) stripped_ = " ";
    return {};
  }
  return unsupported(
      fmt::format("decoder '{}' in this form is not supported; Sequence, ByteLevel, ByteFallback, "
                  "Fuse, Replace, Strip of one at the start, and Metaspace are",
                  kind));
}

std::string PieceDecoder::decode(const std::string& text, bool is_first) const {
  if (has_byte_tokens_ && text.size() == 6 && text.starts_with("<0x")) {
    const int byte = std::stoi("0x" + text.substr(3, 2), nullptr, 16);
    if (byteToken(static_cast<unsigned char>(byte)) == text) return {static_cast<char>(byte)};
  }
  std::string made = text;
  for (const auto& [what, with] : replaced_) made = replaceAll(made, what, with);
  if (has_characters_of_bytes_) {
    std::string bytes;
    for (std::string_view rest = made; !rest.empty();) {
      const std::string character(rest.substr(0, std::max<size_t>(1, characterBytes(rest))));
      const auto byte = bytes_.find(character);
      bytes += byte == bytes_.end() ? character : std::string(1, byte->second);
      rest.remove_prefix(character.size());
    }
    made = bytes;
  }
  const bool strips = is_first && !stripped_.empty() && made.starts_with(stripped_);
  return strips ? made.substr(stripped_.size()) : made;
}

}  // namespace vta::driver
