// Language models in the formats of llama2.c.
//
// Source: https://github.com/karpathy/llama2.c, export.py. The first format begins with seven
// integers, versions 1 and 2 with 256 bytes. Weights follow in the order of the tables below, each
// part for all layers together. Pairs of a rotation are neighbours.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "base/bytes/byte_reader.h"
#include "compiler/frontend/decoders/decoder.h"

namespace vta::compiler {
namespace {

constexpr uint32_t kMagic = 0x616b3432;  // "ak42"
constexpr uint64_t kFirstHeaderBytes = 28, kHeaderBytes = 256;
constexpr double kBase = 10000;

struct Header {
  DecoderSizes sizes;
  uint64_t bytes = 0;
  bool shares_head = true;  // with the embedding
  int version = 0;          // 0: the first format
  int64_t group = 0;        // of version 2: integers with one scale
};

/// Seven integers: channels, hidden channels, layers, heads, heads of keys, tokens, positions.
std::optional<Header> readSizes(std::span<const std::byte> bytes, uint64_t at) {
  std::array<int64_t, 7> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto number = readAt<int32_t>(bytes, at + i * sizeof(int32_t));
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  Header header;
  DecoderSizes& sizes = header.sizes;
  sizes.width = numbers[0];
  sizes.hidden = numbers[1];
  sizes.layers = numbers[2];
  sizes.heads = numbers[3];
  sizes.key_heads = numbers[4];
  sizes.tokens = std::abs(numbers[5]);
  sizes.positions = numbers[6];
  sizes.depth = sizes.heads > 0 ? sizes.width / sizes.heads : 0;
  // In the first format a negative number says that the head has weights of its own.
  header.shares_head = numbers[5] > 0;
  header.bytes = at + numbers.size() * sizeof(int32_t);
  return header;
}

Result<Header> readHeader(std::span<const std::byte> bytes) {
  const Status cut = invalidArgument("the file of llama2.c is cut off in its header");
  const auto magic = readAt<uint32_t>(bytes, 0);
  if (!magic) return cut;
  if (*magic != kMagic) {
    const auto header = readSizes(bytes, 0);
    if (!header) return cut;
    return *header;
  }
  const auto version = readAt<int32_t>(bytes, 4);
  auto header = readSizes(bytes, 8);
  const auto shares = readAt<uint8_t>(bytes, 8 + kFirstHeaderBytes);
  const auto group = readAt<int32_t>(bytes, 9 + kFirstHeaderBytes);
  if (!version || !header || !shares || !group) return cut;
  if (*version != 1 && *version != 2) {
    return unsupported(fmt::format(
        "the file of llama2.c has version {}; the first format and versions 1 and 2 are supported",
        *version));
  }
  header->version = *version;
  header->shares_head = *shares != 0;
  header->bytes = kHeaderBytes;
  header->group = *version == 2 ? *group : 0;
  return *header;
}

constexpr std::array kFirstOrder = {
    DecoderPart::kEmbedding,  DecoderPart::kAttentionNorm, DecoderPart::kQuery,
    DecoderPart::kKey,        DecoderPart::kValue,         DecoderPart::kOutput,
    DecoderPart::kHiddenNorm, DecoderPart::kGate,          DecoderPart::kDown,
    DecoderPart::kUp,         DecoderPart::kLastNorm};
constexpr std::array kLaterOrder = {
    DecoderPart::kAttentionNorm, DecoderPart::kHiddenNorm, DecoderPart::kLastNorm,
    DecoderPart::kEmbedding,     DecoderPart::kQuery,      DecoderPart::kKey,
    DecoderPart::kValue,         DecoderPart::kOutput,     DecoderPart::kGate,
    DecoderPart::kDown,          DecoderPart::kUp};

bool isOfLayers(DecoderPart part) {
  return part != DecoderPart::kEmbedding && part != DecoderPart::kHead &&
         part != DecoderPart::kLastNorm;
}

/// Where a part lies.
struct Place {
  uint64_t offset_bytes = 0;
  uint64_t layer_bytes = 0;
  bool has_integers = false;  // int8, then a float for each group of them
};

class Llama2cDecoder final : public DecoderWeights {
 public:
  static Result<std::unique_ptr<DecoderWeights>> read(std::vector<std::byte> bytes) {
    VTA_ASSIGN_OR_RETURN(Header header, readHeader(bytes));
    VTA_RETURN_IF_ERROR(checkSizes(header.sizes));
    if (header.version == 2 && (header.group < 1 || header.sizes.width % header.group != 0)) {
      return invalidArgument(fmt::format(
          "the file of llama2.c has groups of {} weights, which do not divide {} channels",
          header.group, header.sizes.width));
    }
    header.sizes.rotary_rates = rotaryRates(header.sizes.depth, kBase);
    std::unique_ptr<Llama2cDecoder> decoder(new Llama2cDecoder(std::move(header)));
    const uint64_t needed = decoder->place();
    if (bytes.size() != needed) {
      return invalidArgument(fmt::format(
          "the file of llama2.c has {} bytes; a model of its sizes has {}", bytes.size(), needed));
    }
    decoder->bytes_ = std::move(bytes);
    return std::unique_ptr<DecoderWeights>(std::move(decoder));
  }

  /// Bytes of a file with this header; nothing when its sizes are no model's.
  static std::optional<uint64_t> bytesOf(const Header& header) {
    if (!checkSizes(header.sizes).ok()) return std::nullopt;
    return Llama2cDecoder(header).place();
  }

  const DecoderSizes& sizes() const override { return header_.sizes; }
  bool has(DecoderPart part) const override { return places_.contains(part); }

  Result<DecoderMatrix> matrix(DecoderPart part, int64_t layer) const override {
    const DecoderShape shape = shapeOf(header_.sizes, part);
    DecoderMatrix matrix{shape.outputs, shape.inputs, values(part, layer), {}, {}};
    if (part == DecoderPart::kQuery || part == DecoderPart::kKey)
      pairsToHalves(matrix, header_.sizes.depth);
    return matrix;
  }

  Result<std::vector<float>> row(DecoderPart part, int64_t layer) const override {
    return values(part, layer);
  }

 private:
  explicit Llama2cDecoder(Header header) : header_(std::move(header)) {}

  /// Gives each part its place, and returns the bytes of the whole file.
  uint64_t place() {
    uint64_t at = header_.bytes;
    const auto add = [&](DecoderPart part) {
      const DecoderShape shape = shapeOf(header_.sizes, part);
      const uint64_t elements = static_cast<uint64_t>(shape.outputs) * shape.inputs;
      const bool integers = header_.version == 2 && !isRow(part);
      const uint64_t bytes =
          integers ? elements + elements / header_.group * sizeof(float) : elements * sizeof(float);
      places_[part] = {at, bytes, integers};
      at += bytes * (isOfLayers(part) ? header_.sizes.layers : 1);
    };
    for (const DecoderPart part : header_.version == 0 ? kFirstOrder : kLaterOrder) add(part);
    // Angles, which follow from the sizes.
    if (header_.version == 0)
      at += static_cast<uint64_t>(header_.sizes.positions) * header_.sizes.depth * sizeof(float);
    if (!header_.shares_head) add(DecoderPart::kHead);
    return at;
  }

  std::vector<float> values(DecoderPart part, int64_t layer) const {
    const Place& place = places_.at(part);
    const DecoderShape shape = shapeOf(header_.sizes, part);
    const uint64_t elements = static_cast<uint64_t>(shape.outputs) * shape.inputs;
    const std::byte* begin = bytes_.data() + place.offset_bytes + layer * place.layer_bytes;
    std::vector<float> values(elements);
    if (!place.has_integers) {
      std::memcpy(values.data(), begin, elements * sizeof(float));
      return values;
    }
    std::vector<float> scales(elements / header_.group);
    std::memcpy(scales.data(), begin + elements, scales.size() * sizeof(float));
    for (uint64_t i = 0; i < elements; ++i) {
      values[i] = static_cast<float>(static_cast<int8_t>(begin[i])) * scales[i / header_.group];
    }
    return values;
  }

  Header header_;
  std::map<DecoderPart, Place> places_;
  std::vector<std::byte> bytes_;
};

}  // namespace

bool isLlama2c(std::span<const std::byte> bytes, uint64_t file_bytes) {
  const auto magic = readAt<uint32_t>(bytes, 0);
  if (magic == kMagic) return true;
  // The first format has no mark: its size has to be that of a model with such a header.
  const auto header = readHeader(bytes);
  return header.ok() && Llama2cDecoder::bytesOf(*header) == file_bytes;
}

Result<std::unique_ptr<DecoderWeights>> readLlama2cDecoder(std::vector<std::byte> file) {
  return Llama2cDecoder::read(std::move(file));
}

}  // namespace vta::compiler
