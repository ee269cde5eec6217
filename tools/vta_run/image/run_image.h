// vta-run --image: runs a memory image, without a module or a model.
#pragma once

#include "tools/vta_run/features.h"

namespace vta::tools {

/// True when the command line is one of vta-run --image.
bool wantsImage(int argc, char** argv);

/// main() for such a command line.
int runImageMain(int argc, char** argv, const RunFeatures& features);

}  // namespace vta::tools
