// Registers of a core on a card.
#pragma once

#include <experimental/xrt_ip.h>

#include "base/status.h"
#include "driver/board/mapping.h"

namespace vta::driver {

/// The registers of an IP that XRT has opened for this process alone. After an access that fails,
/// reads give all ones.
class CardRegisters final : public Registers {
 public:
  explicit CardRegisters(xrt::ip ip) : ip_(std::move(ip)) {}

  uint32_t read(uint32_t offset) const override;
  void write(uint32_t offset, uint32_t value) const override;

  /// The error of the first access that failed.
  const Status& status() const { return status_; }

 private:
  void note(const Status& status) const;

  mutable xrt::ip ip_;  // writing is no const function of it
  mutable Status status_;
};

}  // namespace vta::driver
