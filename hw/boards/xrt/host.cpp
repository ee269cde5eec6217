// Finds the VTA in a container on a card and prints what it is: the first thing to run after v++.
//   g++ -std=c++17 host.cpp -I$XILINX_XRT/include -L$XILINX_XRT/lib -lxrt_coreutil -o host
//   ./host vta.xclbin [CARD]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <experimental/xrt_ip.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_uuid.h>
#include <xrt/xrt_xclbin.h>

namespace {

// Offsets of docs/isa.md, "Control registers".
constexpr uint32_t kId = 0x40, kVersion = 0x44, kFingerprint = 0x48, kConfig = 0x50, kDepths = 0x54;
constexpr uint32_t kExtensions = 0x58;
constexpr uint32_t kIdValue = 0x31415456;  // "VTA1"
// The window of vta_argument_window.sv and a register behind it.
constexpr uint32_t kWindowOfInsn = 0xc0, kInsnAddr = 0x0c, kInsnAddrHi = 0x80;

/// Writes an address to the window and reads the registers behind it.
bool windowWorks(xrt::ip& ip) {
  ip.write_register(kWindowOfInsn, 0x89abcde0);
  ip.write_register(kWindowOfInsn + 4, 0x00000012);
  return ip.read_register(kInsnAddr) == 0x89abcde0 && ip.read_register(kInsnAddrHi) == 0x12;
}

int show(const std::string& container, unsigned card) {
  xrt::device device(card);
  const xrt::uuid uuid = device.load_xclbin(container);
  xrt::ip ip(device, uuid, "vta_top");
  const uint32_t id = ip.read_register(kId);
  if (id != kIdValue) {
    std::fprintf(stderr, "host: error: the register id reads 0x%08x, not 0x%08x: no VTA\n", id,
                 kIdValue);
    return EXIT_FAILURE;
  }
  std::printf(
      "register map %u, fingerprint 0x%08x%08x, config 0x%08x, depths 0x%08x, extensions 0x%08x\n",
      ip.read_register(kVersion), ip.read_register(kFingerprint + 4),
      ip.read_register(kFingerprint), ip.read_register(kConfig), ip.read_register(kDepths),
      ip.read_register(kExtensions));
  if (windowWorks(ip)) return EXIT_SUCCESS;
  std::fprintf(stderr,
               "host: error: the window of arguments at 0x%x does not reach its registers\n",
               kWindowOfInsn);
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: host CONTAINER [CARD]\n");
    return 2;
  }
  try {
    return show(argv[1], argc == 3 ? static_cast<unsigned>(std::atoi(argv[2])) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "host: error: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
