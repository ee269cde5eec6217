// main() of tests with virtual cards: XRT looks at the environment once, when it begins.
#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("XCL_EMULATION_MODE", "sw_emu", 1);
  setenv("XILINX_XRT", VTA_BINARY_DIR "/lib/virtual_card", 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
