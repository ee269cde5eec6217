// How fast a machine with a memory of its own runs programs of kernels.
#pragma once

namespace vta {

struct MachineRates {
  double macs_per_second = 0;     // of floats, in products that fill the machine
  double bytes_per_second = 0;    // of its memory, reads and writes together
  double seconds_per_launch = 0;  // of a kernel, whatever it does
  double seconds_per_run = 0;     // of a program besides its kernels
  /// Between its memory and the host's; 0 bytes a second: they are the same memory.
  double seconds_per_transfer = 0;
  double transfer_bytes_per_second = 0;

  bool sharesMemory() const { return transfer_bytes_per_second <= 0; }
  bool operator==(const MachineRates&) const = default;
};

}  // namespace vta
