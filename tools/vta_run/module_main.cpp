// vta-run for boards: runs modules, and has no compiler.
#include "tools/vta_run/features.h"

int main(int argc, char** argv) { return vta::tools::runMain(argc, argv, {}); }
