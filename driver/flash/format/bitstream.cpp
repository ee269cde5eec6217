#include "driver/flash/format/bitstream.h"

#include <fmt/format.h>

#include <array>

#include "base/bytes/byte_reader.h"
#include "base/hash.h"

namespace vta::flash {
namespace {

constexpr uint32_t kWidthDetection = 0xaa995566;
constexpr uint32_t kImageIdentification = 0x584c4e58;  // "XNLX"

/// Whether a boot header's two fixed words lie at `offset_bytes`.
bool hasBootHeader(std::span<const std::byte> file, uint64_t offset_bytes) {
  return readAt<uint32_t>(file, offset_bytes) == kWidthDetection &&
         readAt<uint32_t>(file, offset_bytes + 4) == kImageIdentification;
}

Status refuseImages(std::span<const std::byte> file) {
  if (hasBootHeader(file, 0x10)) {  // UG1304: behind 16 bytes of the SelectMAP's width
    return unsupported(
        "this is a programmable device image (.pdi) of a Versal device, which only its own "
        "platform loader programs; the VTA has no Versal design, so build a .bit, .bin or .xclbin "
        "for a Zynq, Zynq UltraScale+ or card");
  }
  if (hasBootHeader(file, 0x20)) {  // UG585, UG1085: behind the interrupt vectors
    return unsupported(
        "this is a boot image (BOOT.BIN), which the boot ROM reads; give the .bit file from which "
        "it was made");
  }
  return {};
}

Status refuseEncrypted(const Configuration& configuration) {
  if (!configuration.is_encrypted) return {};
  return unsupported(
      "the bitstream is encrypted: neither its die nor its content can be checked; build it again "
      "without BITSTREAM.ENCRYPTION.ENCRYPT");
}

Status readPackets(std::span<const std::byte> file, Bitstream& bitstream) {
  const auto data = file.subspan(bitstream.packets_offset_bytes, bitstream.packets_bytes);
  VTA_ASSIGN_OR_RETURN(bitstream.configuration, readConfiguration(data));
  VTA_RETURN_IF_ERROR(refuseEncrypted(*bitstream.configuration));
  if (bitstream.configuration->idcode) return {};
  return invalidArgument(
      "the configuration writes no IDCODE, so nothing says for which die it is; the file is "
      "damaged or no full bitstream");
}

/// A container's bitstream is in most cases a .bit file.
Status readContainer(std::span<const std::byte> file, Bitstream& bitstream) {
  VTA_ASSIGN_OR_RETURN(bitstream.container, readXclbin(file));
  const Xclbin& container = *bitstream.container;
  if (container.find(Xclbin::kPdi) != nullptr && container.find(Xclbin::kBitstream) == nullptr) {
    return unsupported(
        "the container holds a .pdi of a Versal device; the VTA has no Versal design");
  }
  const XclbinSection* section = container.find(Xclbin::kBitstream);
  if (section == nullptr || section->size_bytes == 0) return {};
  bitstream.packets_offset_bytes = section->offset_bytes;
  bitstream.packets_bytes = section->size_bytes;
  const auto data = file.subspan(section->offset_bytes, section->size_bytes);
  if (beginsAsBit(data)) {
    VTA_ASSIGN_OR_RETURN(bitstream.header, readBitHeader(data));
    bitstream.packets_offset_bytes += bitstream.header->data_offset_bytes;
    bitstream.packets_bytes = bitstream.header->data_bytes;
  }
  // Cards' bitstreams are partial and may be packed in other ways: the platform checks them.
  const auto packets =
      readConfiguration(file.subspan(bitstream.packets_offset_bytes, bitstream.packets_bytes));
  if (packets.ok() && packets->idcode) bitstream.configuration = *packets;
  return bitstream.configuration ? refuseEncrypted(*bitstream.configuration) : Status();
}

}  // namespace

std::string_view formatName(BitstreamFormat format) {
  constexpr std::array<std::string_view, 3> kNames = {".bit", ".bin", ".xclbin"};
  return kNames[static_cast<size_t>(format)];
}

Result<Bitstream> readBitstream(std::span<const std::byte> file) {
  Bitstream bitstream;
  bitstream.packets_bytes = file.size();
  if (file.empty()) return invalidArgument("the file is empty");
  VTA_RETURN_IF_ERROR(refuseImages(file));
  if (beginsAsXclbin(file)) {
    bitstream.format = BitstreamFormat::kXclbin;
    VTA_RETURN_IF_ERROR(readContainer(file, bitstream));
    return bitstream;
  }
  if (beginsAsBit(file)) {
    bitstream.format = BitstreamFormat::kBit;
    VTA_ASSIGN_OR_RETURN(bitstream.header, readBitHeader(file));
    bitstream.packets_offset_bytes = bitstream.header->data_offset_bytes;
    bitstream.packets_bytes = bitstream.header->data_bytes;
  }
  VTA_RETURN_IF_ERROR(readPackets(file, bitstream));
  return bitstream;
}

Status checkDie(const Bitstream& bitstream, const FpgaDie& die) {
  if (!bitstream.configuration || !bitstream.configuration->idcode) return {};
  const uint32_t idcode = *bitstream.configuration->idcode;
  if (withoutRevision(idcode) == withoutRevision(die.bitstream_idcode)) return {};
  return invalidArgument(fmt::format(
      "the bitstream is for {}, this device is {}; build or download the bitstream for this board",
      describeIdcode(idcode), describeIdcode(die.bitstream_idcode)));
}

Result<std::vector<std::byte>> managerImage(const Bitstream& bitstream,
                                            std::span<const std::byte> file) {
  if (!bitstream.configuration) {
    return unsupported(
        "the container has no bitstream that an FPGA manager could load; use --via xrt");
  }
  const Configuration& configuration = *bitstream.configuration;
  auto data = file.subspan(bitstream.packets_offset_bytes, bitstream.packets_bytes);
  data = data.subspan(configuration.sync_offset_bytes % 4);  // padding
  std::vector<std::byte> image(data.begin(), data.end());
  image.resize((image.size() + 3) / 4 * 4, std::byte{0xff});
  if (configuration.order == WordOrder::kSwapped) return image;
  for (size_t i = 0; i < image.size(); i += 4) {
    std::swap(image[i], image[i + 3]);
    std::swap(image[i + 1], image[i + 2]);
  }
  return image;
}

std::string firmwareName(std::span<const std::byte> image) {
  return fmt::format("vta-{:016x}.bin", hashBytes(image));
}

}  // namespace vta::flash
