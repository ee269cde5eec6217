// main() of tests with a virtual board: the process needs the board's library from its start on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  const char* const library = VTA_BINARY_DIR "/lib/libvta_virtual_board.so";
  const char* const loaded = std::getenv("LD_PRELOAD");
  if (loaded == nullptr || std::strstr(loaded, library) == nullptr) {
    setenv("LD_PRELOAD", library, 1);
    execv("/proc/self/exe", argv);
    return 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
