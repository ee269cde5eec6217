// What every fuzz target defines, and what the drivers call: libFuzzer's interface.
#pragma once

#include <cstddef>
#include <cstdint>

/// Runs one input. Returns 0; a defect aborts, or a sanitizer stops the process.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
