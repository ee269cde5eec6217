#include "driver/xrt/card_registers.h"

#include <fmt/format.h>

#include "driver/xrt/guard.h"

namespace vta::driver {

uint32_t CardRegisters::read(uint32_t offset) const {
  const auto value =
      guarded(StatusCode::kIoError, [&]() -> uint32_t { return ip_.read_register(offset); });
  if (value.ok()) return *value;
  note(
      value.status().withContext(fmt::format("register {:#x} of the card cannot be read", offset)));
  return ~uint32_t{0};
}

void CardRegisters::write(uint32_t offset, uint32_t value) const {
  const Status status = guarded(StatusCode::kIoError, [&] { ip_.write_register(offset, value); });
  if (status.ok()) return;
  note(status.withContext(fmt::format("register {:#x} of the card cannot be written", offset)));
}

void CardRegisters::note(const Status& status) const {
  if (status_.ok()) status_ = status;
}

}  // namespace vta::driver
