// What XRT's objects refer to, and nothing here needs: AI engines, peer to peer, exported buffers.
// All say that they are not supported.
#include <xrt.h>
#include <xrt/xrt_aie.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_graph.h>

#include <cerrno>
#include <cstdint>

// Of XRT's own emulation, whose objects ask it about the card. XRT installs no header with it.
namespace xrt_core::query {
enum class key_type;
}
namespace xclcpuemhal2 {
class CpuemShim {
 public:
  static CpuemShim* handleCheck(void* handle);
  uint32_t deviceQuery(xrt_core::query::key_type key);
};
CpuemShim* CpuemShim::handleCheck(void*) { return nullptr; }
uint32_t CpuemShim::deviceQuery(xrt_core::query::key_type) { return 0; }
}  // namespace xclcpuemhal2

void* xclGraphOpen(void*, const unsigned char*, const char*, xrt::graph::access_mode) {
  return nullptr;
}
void xclGraphClose(void*) {}
int xclGraphReset(void*) { return -ENOTSUP; }
uint64_t xclGraphTimeStamp(void*) { return 0; }
int xclGraphRun(void*, int) { return -ENOTSUP; }
int xclGraphWaitDone(void*, int) { return -ENOTSUP; }
int xclGraphWait(void*, uint64_t) { return -ENOTSUP; }
int xclGraphSuspend(void*) { return -ENOTSUP; }
int xclGraphResume(void*) { return -ENOTSUP; }
int xclGraphEnd(void*, uint64_t) { return -ENOTSUP; }
int xclGraphUpdateRTP(void*, const char*, const char*, size_t) { return -ENOTSUP; }
int xclGraphReadRTP(void*, const char*, char*, size_t) { return -ENOTSUP; }
int xclAIEOpenContext(void*, xrt::aie::access_mode) { return -ENOTSUP; }
int xclSyncBOAIE(void*, xrt::bo&, const char*, xclBOSyncDirection, size_t, size_t) {
  return -ENOTSUP;
}
int xclSyncBOAIENB(void*, xrt::bo&, const char*, xclBOSyncDirection, size_t, size_t) {
  return -ENOTSUP;
}
int xclResetAIEArray(void*) { return -ENOTSUP; }
int xclGMIOWait(void*, const char*) { return -ENOTSUP; }
int xclStartProfiling(void*, int, const char*, const char*, uint32_t) { return -ENOTSUP; }
uint64_t xclReadProfiling(void*, int) { return 0; }
int xclStopProfiling(void*, int) { return -ENOTSUP; }
int xclLoadXclBinMeta(void*, const axlf*) { return -ENOTSUP; }
int xclCmaEnable(void*, bool, uint64_t) { return -ENOTSUP; }
int xclCloseExportHandle(int) { return -ENOTSUP; }
int xclInternalResetDevice(void*, xclResetKind) { return -ENOTSUP; }
int xclUpdateSchedulerStat(void*) { return -ENOTSUP; }

extern "C" {
int xclCopyBO(void*, xclBufferHandle, xclBufferHandle, size_t, size_t, size_t) { return -ENOTSUP; }
xclBufferExportHandle xclExportBO(void*, xclBufferHandle) { return NULLBOEXPORT; }
xclBufferHandle xclImportBO(void*, xclBufferExportHandle, unsigned) { return NULLBO; }
int xclP2pEnable(void*, bool, bool) { return -ENOTSUP; }
int xclReClock2(void*, unsigned short, const unsigned short*) { return -ENOTSUP; }
ssize_t xclUnmgdPread(void*, unsigned, void*, size_t, uint64_t) { return -ENOTSUP; }
ssize_t xclUnmgdPwrite(void*, unsigned, const void*, size_t, uint64_t) { return -ENOTSUP; }
}
