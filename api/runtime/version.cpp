#include <string>

#include "api/include/vta/vta.h"
#include "module/module_info.h"

extern "C" {

const char* vta_version(void) {
  static const std::string kVersion(vta::sdkVersion());
  return kVersion.c_str();
}

int vta_api_version(void) { return VTA_API_VERSION; }

}  // extern "C"
