// vta-run for boards: runs modules and images, and has no compiler.
#include "tools/vta_run/features.h"
#include "tools/vta_run/image/run_image.h"

int main(int argc, char** argv) {
  using namespace vta::tools;
  return wantsImage(argc, argv) ? runImageMain(argc, argv, {}) : runMain(argc, argv, {});
}
