// A core for an emulated processor (mailbox.h).
//
// bare_core_process FILE CORE HW: FILE is the processor's RAM, which the core reads and writes;
// CORE is "model" or "rtl"; HW a file with the configuration. Serves until it is killed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>

#include <cstdio>
#include <string>

#include "base/descriptor.h"
#include "sim/board/board_core.h"
#include "tests/driver/bare/emulated/mailbox.h"

namespace vta {
namespace {

/// The processor's RAM.
class SharedRam final : public sim::Dram {
 public:
  explicit SharedRam(std::byte* bytes) : bytes_(bytes) {}
  std::optional<sim::DramRange> findRange(uint64_t address) const override {
    const sim::DramRange ram{VTA_RAM_ADDRESS, uint64_t{VTA_RAM_ADDRESS} + VTA_RAM_BYTES, bytes_};
    return ram.contains(address, 1) ? std::optional(ram) : std::nullopt;
  }

 private:
  std::byte* bytes_;
};

Result<std::byte*> mapRam(const char* path) {
  const Descriptor file(open(path, O_RDWR | O_CLOEXEC));
  void* const mapped =
      mmap(nullptr, VTA_RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (mapped == MAP_FAILED) return ioError(fmt::format("{} cannot be mapped", path));
  return static_cast<std::byte*>(mapped);
}

Status answer(sim::BoardCore& core, vta_mailbox& mailbox) {
  const uint32_t state = __atomic_load_n(&mailbox.state, __ATOMIC_SEQ_CST);
  if (state == VTA_MAILBOX_IDLE) {
    sched_yield();
    return {};
  }
  if (state == VTA_MAILBOX_READ) {
    VTA_ASSIGN_OR_RETURN(mailbox.value, core.read(mailbox.offset));
  } else {
    VTA_RETURN_IF_ERROR(core.write(mailbox.offset, mailbox.value));
  }
  __atomic_store_n(&mailbox.state, uint32_t{VTA_MAILBOX_IDLE}, __ATOMIC_SEQ_CST);
  return {};
}

Status serve(const char* path, const std::string& kind, const char* hw_file) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(hw_file));
  VTA_ASSIGN_OR_RETURN(std::byte* const ram, mapRam(path));
  SharedRam dram(ram);
  const auto make = kind == "rtl" ? sim::makeRtlCore : sim::makeModelCore;
  VTA_ASSIGN_OR_RETURN(const auto core, make(hw, dram));
  auto& mailbox = *reinterpret_cast<vta_mailbox*>(ram + VTA_MAILBOX_OFFSET);
  fmt::print("{:#x}\n", hw.fingerprint());
  std::fflush(stdout);
  while (true) {
    VTA_RETURN_IF_ERROR(answer(*core, mailbox));
    if (core->isBusy()) VTA_RETURN_IF_ERROR(core->advance());
  }
}

}  // namespace
}  // namespace vta

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "bare_core_process: FILE CORE HW\n");
    return 2;
  }
  fmt::print(stderr, "bare_core_process: {}\n", vta::serve(argv[1], argv[2], argv[3]).message());
  return 1;
}
