// The tests of the launchers, and the worker that they start: this program with --worker.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "tests/explore/workers/farm/test_work.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--worker") == 0) {
    vta::launcher::testing::TestWork work;
    const vta::Status status = vta::launcher::serveWorker(argv[2], work);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
    return status.ok() ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
