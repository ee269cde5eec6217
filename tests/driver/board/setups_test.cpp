// Boards that are not set up right: the message names the cause and a remedy.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/board/protocol.h"
#include "tests/driver/board/board_process.h"

namespace vta::driver {
namespace {

using test::BoardProcess;
using test::withFault;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

/// An ordinary user for a while, where the test runs as root.
class OrdinaryUser {
 public:
  OrdinaryUser() : is_root_(geteuid() == 0) {
    if (is_root_ && seteuid(kNobody) != 0) throw std::runtime_error("seteuid");
  }
  ~OrdinaryUser() {
    if (is_root_ && seteuid(0) != 0) std::abort();
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  bool is_root_;
};

struct BrokenSetup {
  std::string name;
  std::function<void(const BoardProcess&)> breakIt;
  std::string cause;  // in the message
  std::string remedy = "";
  std::string options = "";
  bool as_user = false;

  friend void PrintTo(const BrokenSetup& setup, std::ostream* os) { *os << setup.name; }
};

void removeFile(const BoardProcess& board, const char* path) {
  fs::remove_all(board.folder() / path);
}

void allow(const BoardProcess& board, const char* path, unsigned mode) {
  fs::permissions(board.folder() / path, static_cast<fs::perms>(mode));
}

/// What udev rules do for users.
void allowAll(const BoardProcess& board) {
  for (const auto& entry : fs::recursive_directory_iterator(board.folder())) {
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0755) : fs::perms(0644));
  }
  allow(board, ".board/socket", 0666);
  for (const char* path : {"dev/uio0", "dev/udmabuf0", "dev/dri/renderD128",
                           "sys/class/u-dma-buf/udmabuf0/sync_for_cpu",
                           "sys/class/u-dma-buf/udmabuf0/sync_for_device"}) {
    allow(board, path, 0666);
  }
}

const char* const kUio = "sys/class/uio/uio0/";
const char* const kMemory = "sys/class/u-dma-buf/udmabuf0/";

/// Replaces one attribute.
auto writes(std::string path, std::string text) {
  return [=](const BoardProcess& board) { board.write(path, text + "\n"); };
}
auto removes(std::string path) {
  return [=](const BoardProcess& board) { removeFile(board, path.c_str()); };
}
auto forbids(std::string path, unsigned mode) {
  return [=](const BoardProcess& board) {
    allowAll(board);
    allow(board, path.c_str(), mode);
  };
}

std::vector<BrokenSetup> uioSetups() {
  const std::string uio = kUio;
  return {
      {"NoUioInTheKernel", removes("sys/class/uio"), "the kernel has no UIO",
       "modprobe uio_pdrv_genirq"},
      {"NoUioDevice", removes("sys/class/uio/uio0"),
       "no UIO device is called 'vta...'; there are: "
       "none",
       "device-tree overlay"},
      {"OtherUioDevice", writes(uio + "name", "axi-pmon"), "there are: uio0 (axi-pmon)",
       "uio=<name>"},
      {"WrongUioOption", [](const BoardProcess&) {}, "no UIO device is called 'core'", "uio0 (vta)",
       ",uio=core"},
      {"TwoUioDevices", writes("sys/class/uio/uio1/name", "vta"), "several UIO devices",
       "choose one with uio="},
      {"NoRegisters", removes(uio + "maps"), "has no registers", "needs 'reg'"},
      {"FewRegisters", writes(uio + "maps/map0/size", "0x100"), "has 256 bytes of registers",
       "correct 'reg'"},
      {"RegistersOfNoSize", writes(uio + "maps/map0/size", "none"), "holds 'none'", "'reg'"},
      {"NoUioNode", removes("dev/uio0"), "/dev/uio0 does not exist although the kernel has",
       "udev"},
      {"UioForbidden", forbids("dev/uio0", 0600), "no permission to open",
       "SUBSYSTEM==\"uio\", GROUP=\"vta\"", "", true},
      {"NoInterruptInTheDeviceTree", writes(sim::kBoardNoInterrupt, ""),
       "has no interrupt: its device-tree node needs 'interrupts'", "wait=poll"},
      {"NoDeviceBehindTheNode", removes(".board/socket"), "cannot be opened: No such device"},
  };
}

std::vector<BrokenSetup> memorySetups() {
  const std::string memory = kMemory;
  return {
      {"NoUdmabufModule", removes("sys/class/u-dma-buf"), "u-dma-buf is not loaded",
       "modprobe u-dma-buf"},
      {"NoUdmabuf", removes("sys/class/u-dma-buf/udmabuf0"), "u-dma-buf has no memory",
       "modprobe u-dma-buf"},
      {"WrongUdmabufOption", [](const BoardProcess&) {}, "no memory 'big'; there is: udmabuf0", "",
       ",udmabuf=big"},
      {"NoUdmabufNode", removes("dev/udmabuf0"), "udmabuf0 does not exist although", "udev"},
      {"UdmabufForbidden", forbids("dev/udmabuf0", 0600), "no permission to open",
       "SUBSYSTEM==\"u-dma-buf\"", "", true},
      {"MaintenanceForbidden", forbids(memory + "sync_for_device", 0644), "no permission to write",
       "chgrp vta", "", true},
      {"InvalidationForbidden", forbids(memory + "sync_for_cpu", 0644), "no permission to write",
       "chgrp vta", "", true},
      {"NoMaintenance", removes(memory + "sync_for_device"), "cache maintenance needs it",
       "newer u-dma-buf"},
      {"NoAddress", removes(memory + "phys_addr"), "phys_addr cannot be opened"},
      {"BadAddress", writes(memory + "phys_addr", "?"), "holds '?', which is no number"},
      {"NoSize", writes(memory + "size", "0"), "0 bytes at address", "larger cma="},
      {"MemoryOutOfReach", writes(memory + "phys_addr", "0x800000000"),
       "the core's addresses have 32 bits", "dma-mask"},
      {"CoherentInTheDeviceTreeOnly", writes(memory + "dma_coherent", "1"),
       "has 'dma-coherent' in the device tree", "give the option coherent"},
      {"CoherentInTheOptionsOnly", [](const BoardProcess&) {}, "is not coherent",
       "add 'dma-coherent'", ",coherent"},
      {"TooFastAClock", writes("sys/class/fclkcfg/fclk0/rate", "200000000"),
       "runs at 200000000 Hz, the bitstream is for 100 MHz", "echo 100000000 >", ",clock-mhz=100"},
      {"NoDeviceMemory", removes("dev/mem"), "/dev/mem does not exist", "",
       ",registers=0x43c00000"},
  };
}

std::vector<BrokenSetup> zoclSetups() {
  const std::string node = "sys/class/drm/renderD128/device/";
  const auto gives = [](const char* options) { return std::string(",zocl") + options; };
  return {
      {"NoZocl", removes("sys/class/drm"), "zocl is missing", "modprobe zocl", gives("")},
      {"AnotherDrmDriver", writes(node + "uevent", "OF_NAME=gpu\nDRIVER=lima"),
       "no render device of it, but renderD128 (lima)", "xlnx,zocl", gives("")},
      {"NoZoclNode", removes("dev/dri/renderD128"), "renderD128 does not exist although", "udev",
       gives("")},
      {"ZoclForbidden", forbids("dev/dri/renderD128", 0600), "no permission to open",
       "which udev calls render", gives(""), true},
      {"LittleContiguousMemory", [](const BoardProcess&) {},
       "zocl has no 1073741824 bytes of contiguous memory", "larger cma=", gives(",zocl-size=1G")},
      {"ZoclMemoryOutOfReach", writes(std::string(kMemory) + "phys_addr", "0x800000000"),
       "zocl's memory lies at 0x800000000", "cma=<size>@<address>", gives("")},
      {"AnotherZocl",
       [](const BoardProcess& board) {
         removeFile(board, "sys/class/drm/renderD128");
         board.write("sys/class/drm/renderD129/device/uevent", "DRIVER=zocl\n");
         board.write("dev/dri/renderD129", "");
       },
       "does not make buffers as zocl does", "update the kernel module", gives("")},
      {"ZoclIsCoherentInTheDeviceTreeOnly", writes(node + "of_node/dma-coherent", ""),
       "zocl has 'dma-coherent' in the device tree", "give the option coherent", gives("")},
  };
}

class BoardSetupTest : public testing::TestWithParam<BrokenSetup> {};

TEST_P(BoardSetupTest, IsNamed) {
  const BrokenSetup& setup = GetParam();
  const BoardProcess board;
  setup.breakIt(board);
  std::optional<OrdinaryUser> user;
  if (setup.as_user) user.emplace();
  const auto device = board.open(setup.options);
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.status().message(), HasSubstr(setup.cause));
  EXPECT_THAT(device.status().message(), HasSubstr(setup.remedy));
}

std::string nameOf(const testing::TestParamInfo<BrokenSetup>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Uio, BoardSetupTest, testing::ValuesIn(uioSetups()), nameOf);
INSTANTIATE_TEST_SUITE_P(Zocl, BoardSetupTest, testing::ValuesIn(zoclSetups()), nameOf);
INSTANTIATE_TEST_SUITE_P(Memory, BoardSetupTest, testing::ValuesIn(memorySetups()), nameOf);

TEST(SetupsTest, AnOrdinaryUserCanDoEverything) {
  const BoardProcess board;
  allowAll(board);
  const OrdinaryUser user;
  for (const char* options : {"", ",zocl"}) {
    const auto device = board.open(options);
    ASSERT_TRUE(device.ok()) << device.status().message();
    EXPECT_TRUE((*device)->testInterrupt().ok());
    EXPECT_TRUE((*device)->allocate(4096, 64).ok());
  }
}

TEST(SetupsTest, NoInterruptArrives) {
  sim::VirtualBoardOptions options;
  options.interrupt_is_connected = false;
  const BoardProcess board(options);
  const auto device = board.open();
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.status().message(), HasSubstr("none arrives at"));
  EXPECT_THAT(device.status().message(), HasSubstr("wait=poll"));
  EXPECT_TRUE(board.open(",wait=poll").ok());
}

TEST(SetupsTest, OtherHardware) {
  HwParams p;
  p.name = "small";
  p.block_in = p.block_out = 8;
  const BoardProcess board({}, HwConfig::create(p).value());
  const auto device = board.open();
  ASSERT_FALSE(device.ok());
  for (const char* text : {"log2 block_in is 3 instead of 4", "hardware: log2 batch 0",
                           "wanted:   log2 batch 0", "compile the model for the hardware"}) {
    EXPECT_THAT(device.status().message(), HasSubstr(text));
  }
}

TEST(SetupsTest, NoCoreInTheFpga) {
  for (const auto& [id, text] : std::vector<std::pair<uint32_t, const char*>>{
           {0, "no VTA answers: register id reads 0x00000000"},
           {~0u, "no VTA answers: register id reads 0xffffffff"},
           {0x1234, "register id reads 0x00001234"}}) {
    sim::VirtualBoardOptions options;
    options.id = id;
    const BoardProcess board(options);
    const auto device = board.open();
    ASSERT_FALSE(device.ok());
    EXPECT_THAT(device.status().message(), HasSubstr(text));
    EXPECT_THAT(device.status().message(), HasSubstr("vta-flash"));
  }
}

TEST(SetupsTest, TooLittleMemory) {
  sim::VirtualBoardOptions options;
  options.memory_bytes = 1 << 20;
  const BoardProcess board(options);
  const auto device = board.open();
  ASSERT_TRUE(device.ok()) << device.status().message();
  const auto buffer = (*device)->allocate(2 << 20, 64);
  ASSERT_FALSE(buffer.ok());
  EXPECT_THAT(buffer.status().message(), HasSubstr("2097152 bytes of contiguous memory requested"));
  EXPECT_THAT(buffer.status().message(), HasSubstr("cma="));
}

TEST(SetupsTest, ABufferOfZoclThatIsTooSmall) {
  const BoardProcess board;
  const auto device = board.open(",zocl,zocl-size=1M");
  ASSERT_TRUE(device.ok()) << device.status().message();
  const auto buffer = (*device)->allocate(2 << 20, 64);
  ASSERT_FALSE(buffer.ok());
  EXPECT_THAT(buffer.status().message(), HasSubstr("zocl's memory: 2097152 bytes of contiguous"));
  EXPECT_THAT(buffer.status().message(), HasSubstr("give a larger zocl-size"));
}

TEST(SetupsTest, TheCoreIsBusyForever) {
  const BoardProcess board(withFault("dead-bus@1"));
  {
    const auto device = board.open();
    ASSERT_TRUE(device.ok()) << device.status().message();
    const auto buffer = (*device)->allocate(64, 64);
    Launch launch;
    launch.instruction_address = buffer->address;
    launch.instruction_count = 1;
    ASSERT_TRUE((*device)->submit(launch).ok());
  }
  const auto again = board.open(",busy-wait=100");
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.status().message(),
              HasSubstr("a launch of another process did not end, but the memory"));
}

TEST(SetupsTest, BadOptions) {
  const BoardProcess board;
  for (const auto& [options, text] : std::vector<std::pair<const char*, const char*>>{
           {",wait=never", "wait=never; legal: interrupt, poll, adaptive"},
           {",self-test=perhaps", "self-test=perhaps; legal: new, always, never"},
           {",registers=here", "registers=here is no address"},
           {",reserved=0x1000", "reserved and reserved-size need each other"},
           {",zocl-size=1M", "zocl-size needs zocl"},
           {",zocl,udmabuf=big", "zocl and udmabuf are two memories"},
           {",zocl,reserved=0x1000,reserved-size=1M", "zocl and reserved are two memories"},
           {",rooot=/", "has no option 'rooot"}}) {
    const auto device = board.open(options);
    ASSERT_FALSE(device.ok()) << options;
    EXPECT_EQ(device.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(device.status().message(), HasSubstr(text));
  }
}

}  // namespace
}  // namespace vta::driver
