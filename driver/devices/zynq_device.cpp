#include "driver/devices/zynq_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "driver/board/attributes.h"
#include "driver/board/core.h"
#include "driver/board/four_block_core.h"
#include "driver/board/single_block_core.h"
#include "driver/device_registry.h"
#include "driver/devices/zynq_options.h"

namespace vta::driver {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterruptTimeout{500};

std::span<const std::byte> bytesOf(const DmaMemory& memory, uint64_t address, uint64_t size_bytes) {
  return {memory.data() + (address - memory.address()), static_cast<size_t>(size_bytes)};
}

std::unique_ptr<CoreMap> makeCore(const BoardOptions& options, const Uio& uio) {
  if (options.map == RegisterMapKind::kFourBlock) {
    return std::make_unique<FourBlockCore>(uio.windows());
  }
  auto registers = std::make_unique<MappedRegisters>(uio.registers());
  if (options.map == RegisterMapKind::kSingleBlock) {
    return std::make_unique<SingleBlockCore>(std::move(registers), options.bus_offset);
  }
  return std::make_unique<Core>(std::move(registers));
}

constexpr const char* kKernelDecides =
    "The kernel decides where the board's contiguous memory lies.";

DeviceInfo describe(const HwConfig& hw, const BoardOptions& options, const Uio& uio) {
  const bool is_core = options.map == RegisterMapKind::kCore;
  const Capabilities capabilities = {.values = true,
                                     .cycles = options.map != RegisterMapKind::kFourBlock,
                                     .mappable_memory = true,
                                     .fixed_addresses = false,
                                     .clears_tokens = is_core};
  std::string limitations = kKernelDecides;
  if (!is_core) {
    limitations += " The blocks of VTA 0.0.2 have few counters, and tokens stay in their queues.";
  }
  return {"zynq:" + uio.path(), hw, capabilities, std::move(limitations)};
}

}  // namespace

Result<std::unique_ptr<Device>> ZynqDevice::create(const HwConfig& hw,
                                                   const BoardOptions& options) {
  VTA_ASSIGN_OR_RETURN(Uio uio, Uio::open(options));
  std::unique_ptr<CoreMap> core = makeCore(options, uio);
  VTA_RETURN_IF_ERROR(core->identify(hw).withContext(uio.path()));
  VTA_ASSIGN_OR_RETURN(DmaMemory memory, DmaMemory::open(options, hw.params().axi_addr_width_bits));
  DeviceInfo info = describe(hw, options, uio);
  std::unique_ptr<ZynqDevice> device(
      new ZynqDevice(std::move(info), std::move(core), options, std::move(uio), std::move(memory)));
  VTA_RETURN_IF_ERROR(device->probe());
  return std::unique_ptr<Device>(std::move(device));
}

Result<HwConfig> ZynqDevice::configuration(const BoardOptions& options) {
  if (options.map != RegisterMapKind::kCore) {
    return unsupported(
        "map=four-block and map=single-block: bitstreams of VTA 0.0.2 have no registers that tell "
        "their configuration; "
        "name it with --hw, which is vta-0.0.2 for the published geometry");
  }
  VTA_ASSIGN_OR_RETURN(const Uio uio, Uio::open(options));
  auto hw = Core(uio.registers()).configuration();
  return hw.ok() ? std::move(hw) : hw.status().withContext(uio.path());
}

ZynqDevice::ZynqDevice(DeviceInfo info, std::unique_ptr<CoreMap> core, BoardOptions options,
                       Uio uio, DmaMemory memory)
    : CoreDevice(std::move(info), std::move(core), options.busy_timeout),
      options_(std::move(options)),
      uio_(std::move(uio)),
      memory_(std::move(memory)),
      ranges_(memory_.address(), memory_.sizeBytes()) {}

Status ZynqDevice::probe() {
  VTA_RETURN_IF_ERROR(probeClock());
  VTA_RETURN_IF_ERROR(probeIdle());
  const bool is_proven = options_.map != RegisterMapKind::kCore || isProven();
  const auto prepared =
      core().prepare(info().hw, [this](std::span<const std::byte> bytes) { return keep(bytes); });
  VTA_RETURN_IF_ERROR(prepared.withContext(uio_.path()));
  core().initialise();
  if (options_.wait != WaitMode::kPoll) VTA_RETURN_IF_ERROR(testInterrupt());
  return meet(options_.first_contact, is_proven).withContext(info().name);
}

Result<uint64_t> ZynqDevice::keep(std::span<const std::byte> bytes) {
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                       allocate(bytes.size(), RangeAllocator::kLineBytes));
  VTA_RETURN_IF_ERROR(write(buffer.address, bytes));
  return buffer.address;
}

// fclkcfg (https://github.com/ikwzm/fclkcfg) shows the clocks of the programmable logic.
Status ZynqDevice::probeClock() const {
  const std::filesystem::path folder = options_.sys("class/fclkcfg");
  for (const std::string& name : namesIn(folder)) {
    const auto rate = readNumberAttribute(folder / name / "rate");
    const auto enable = readNumberAttribute(folder / name / "enable");
    if (!rate.ok() || (enable.ok() && *enable == 0)) continue;
    const uint64_t limit_hz = uint64_t{options_.max_clock_mhz} * 1'000'000;
    // Clocks are divided: they are rarely what was asked for to the last hertz.
    if (limit_hz == 0 || *rate <= limit_hz + limit_hz / 100) return {};
    return unsupported(fmt::format(
        "the clock {} of the programmable logic runs at {} Hz, the bitstream is for {} MHz: "
        "results "
        "would be wrong; set it with 'echo {} > {}'",
        name, *rate, options_.max_clock_mhz, limit_hz, (folder / name / "rate").string()));
  }
  return {};
}

Result<DeviceBuffer> ZynqDevice::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  auto buffer = ranges_.allocate(size_bytes, alignment_bytes);
  if (buffer.status().code() == StatusCode::kResourceExhausted) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("{}: {}; {}", memory_.name(), buffer.status().message(), memory_.remedy()));
  }
  if (!buffer.ok()) return buffer;
  std::memset(map(*buffer), 0, size_bytes);
  VTA_RETURN_IF_ERROR(flush(buffer->address, size_bytes));
  return buffer;
}

Status ZynqDevice::write(uint64_t address, std::span<const std::byte> data) {
  VTA_RETURN_IF_ERROR(ranges_.checkRange(address, data.size()));
  // The core may have written the other bytes of the first and of the last line.
  constexpr uint64_t kLineBytes = RangeAllocator::kLineBytes;
  if (address % kLineBytes != 0) VTA_RETURN_IF_ERROR(invalidate(address, 1));
  const uint64_t end = address + data.size();
  if (end % kLineBytes != 0) VTA_RETURN_IF_ERROR(invalidate(end - 1, 1));
  std::memcpy(memory_.data() + (address - memory_.address()), data.data(), data.size());
  return flush(address, data.size());
}

Status ZynqDevice::read(uint64_t address, std::span<std::byte> data) {
  VTA_RETURN_IF_ERROR(ranges_.checkRange(address, data.size()));
  VTA_RETURN_IF_ERROR(invalidate(address, data.size()));
  std::ranges::copy(bytesOf(memory_, address, data.size()), data.begin());
  return {};
}

std::byte* ZynqDevice::map(const DeviceBuffer& buffer) {
  if (!ranges_.checkRange(buffer.address, buffer.size_bytes).ok()) return nullptr;
  return memory_.data() + (buffer.address - memory_.address());
}

Status ZynqDevice::flush(uint64_t address, uint64_t size_bytes) {
  VTA_RETURN_IF_ERROR(ranges_.checkRange(address, size_bytes));
  return memory_.flush(address - memory_.address(), size_bytes);
}

Status ZynqDevice::invalidate(uint64_t address, uint64_t size_bytes) {
  VTA_RETURN_IF_ERROR(ranges_.checkRange(address, size_bytes));
  return memory_.invalidate(address - memory_.address(), size_bytes);
}

Status ZynqDevice::prepareLaunch() { return uio_.enableInterrupt(); }

/// Until the launch may be over, as the option says.
Status ZynqDevice::sleep(Time start, Time deadline) {
  if (options_.wait == WaitMode::kPoll) {
    sleepBetweenPolls(start, deadline);
    return {};
  }
  const Time now = Clock::now();
  if (options_.wait == WaitMode::kAdaptive && now - start < kSpinTime) return {};
  const auto most = std::min<Clock::duration>(deadline - now, kLongestSleep);
  const auto timeout = std::chrono::duration_cast<std::chrono::microseconds>(most);
  VTA_ASSIGN_OR_RETURN(const bool came, uio_.waitInterrupt(timeout));
  // An interrupt of before: the next one is this launch's.
  return came ? uio_.enableInterrupt() : Status();
}

// A launch that ends at once with a fault raises the interrupt without touching memory.
Status ZynqDevice::testInterrupt() {
  if (isSubmitted()) return invalidArgument("a launch is submitted; wait for it first");
  if (!core().hasInterrupt()) {
    return unsupported("the blocks of VTA 0.0.2 announce no end of a launch; the driver polls");
  }
  if (!uio_.hasInterrupt()) {
    return unsupported(
        fmt::format("{} has no interrupt: its device-tree node needs 'interrupts' and "
                    "'interrupt-parent'; without an interrupt use wait=poll",
                    uio_.path()));
  }
  core().acknowledgeInterrupt();
  // What is pending from before does not count.
  while (true) {
    VTA_ASSIGN_OR_RETURN(const bool came, uio_.waitInterrupt(std::chrono::microseconds(0)));
    if (!came) break;
  }
  VTA_RETURN_IF_ERROR(uio_.enableInterrupt());
  core().startBadLaunch();
  VTA_ASSIGN_OR_RETURN(const bool came, uio_.waitInterrupt(kInterruptTimeout));
  const bool pending = core().interruptPending();
  core().acknowledgeInterrupt();
  if (came && pending) return {};
  if (!pending) {
    return {StatusCode::kDeviceFault,
            fmt::format("the core of {} does not raise its interrupt: it ignores a launch",
                        uio_.path())};
  }
  return {StatusCode::kDeadlineExceeded,
          fmt::format("the core raises its interrupt, but none arrives at {} within {} ms: check "
                      "number and type (level, high) of 'interrupts' in the device tree, and that "
                      "the block design connects the line; or use wait=poll",
                      uio_.path(), kInterruptTimeout.count())};
}

namespace {

Status checkOptions(const DeviceOptions& options) { return parseZynqOptions(options).status(); }

Result<HwConfig> readHardware(const DeviceOptions& options) {
  VTA_ASSIGN_OR_RETURN(const BoardOptions parsed, parseZynqOptions(options));
  return ZynqDevice::configuration(parsed);
}

Result<std::unique_ptr<Device>> createFromOptions(const DeviceOptions& options, const HwConfig& hw,
                                                  const DeviceProgress& /*progress*/) {
  VTA_ASSIGN_OR_RETURN(const BoardOptions parsed, parseZynqOptions(options));
  return ZynqDevice::create(hw, parsed);
}

}  // namespace
}  // namespace vta::driver

// What a program that links this device names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_device_zynq;
const bool vta_device_zynq = vta::driver::registerDevice(
    {.name = "zynq",
     .description = "the core on a Zynq or ZynqMP board, through UIO and u-dma-buf",
     .options = {{"root", vta::driver::DeviceOption::Value::kText},
                 {"uio", vta::driver::DeviceOption::Value::kText},
                 {"udmabuf", vta::driver::DeviceOption::Value::kText},
                 {"zocl"},
                 {"zocl-size", vta::driver::DeviceOption::Value::kSize},
                 {"map", vta::driver::DeviceOption::Value::kText},
                 {"bus-offset", vta::driver::DeviceOption::Value::kText},
                 {"wait", vta::driver::DeviceOption::Value::kText},
                 {"coherent"},
                 {"self-test", vta::driver::DeviceOption::Value::kText},
                 {"lock-wait", vta::driver::DeviceOption::Value::kNumber},
                 {"busy-wait", vta::driver::DeviceOption::Value::kNumber},
                 {"clock-mhz", vta::driver::DeviceOption::Value::kNumber},
                 {"registers", vta::driver::DeviceOption::Value::kText},
                 {"reserved", vta::driver::DeviceOption::Value::kText},
                 {"reserved-size", vta::driver::DeviceOption::Value::kSize}},
     .aliases = {},
     .board_root = "root",
     .order = 10,
     .check = vta::driver::checkOptions,
     .configuration = vta::driver::readHardware,
     .create = vta::driver::createFromOptions});
}
