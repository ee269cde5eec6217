#include <string>

#include "api/runtime/handles.h"
#include "base/tensor.h"

namespace vta::api {
namespace {

thread_local std::string last_error;

// The C interface numbers the codes and the types as the library does.
static_assert(static_cast<int>(StatusCode::kInternal) == VTA_INTERNAL);
static_assert(static_cast<int>(StatusCode::kDeviceFault) == VTA_DEVICE_FAULT);
static_assert(static_cast<int>(DType::kF32) == VTA_FLOAT32);
static_assert(static_cast<int>(DType::kU64) == VTA_UINT64);
static_assert(static_cast<int>(DType::kBF16) == VTA_BFLOAT16);

bool isDtype(vta_dtype dtype) { return dtype >= VTA_FLOAT32 && dtype <= VTA_BFLOAT16; }

}  // namespace

vta_status report(const Status& status) {
  if (status.ok()) return VTA_OK;
  last_error = status.message();
  return static_cast<vta_status>(status.code());
}

}  // namespace vta::api

extern "C" {

const char* vta_error_message(void) { return vta::api::last_error.c_str(); }

const char* vta_status_name(vta_status status) {
  if (status < VTA_OK || status > VTA_INTERNAL) return "";
  return vta::statusCodeName(static_cast<vta::StatusCode>(status)).data();
}

const char* vta_dtype_name(vta_dtype dtype) {
  return vta::api::isDtype(dtype) ? vta::dtypeName(static_cast<vta::DType>(dtype)).data() : "";
}

size_t vta_dtype_bytes(vta_dtype dtype) {
  return vta::api::isDtype(dtype) ? vta::dtypeBytes(static_cast<vta::DType>(dtype)) : 0;
}

}  // extern "C"
