// The part of CUDA's driver interface that the driver uses, declared from its documentation, so
// that neither headers nor libraries of CUDA are needed to build. libcuda.so.1 is opened at run
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace vta::driver::cuda {

using Code = int;  // 0: success
using Device = int;
using DevicePointer = unsigned long long;  // NOLINT(google-runtime-int): the interface's type
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Linker = struct LinkerTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;

// Results, by their names there without CUDA_ERROR_.
inline constexpr Code kSuccess = 0;
inline constexpr Code kOutOfMemory = 2;
inline constexpr Code kNoBinaryForGpu = 209;
inline constexpr Code kInvalidPtx = 218;
inline constexpr Code kUnsupportedPtxVersion = 222;
inline constexpr Code kNotFound = 500;
inline constexpr Code kNotReady = 600;
inline constexpr Code kIllegalAddress = 700;
inline constexpr Code kLaunchTimeout = 702;
inline constexpr Code kLaunchFailed = 719;

// Attributes of devices, and options of the compiler of PTX.
inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kMaxBlockDimX = 2;  // Y and Z follow
inline constexpr int kMaxGridDimX = 5;   // Y and Z follow
inline constexpr int kMaxSharedMemoryPerBlock = 8;
inline constexpr int kWarpSize = 10;
inline constexpr int kIntegrated = 18;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kJitErrorLogBuffer = 5;
inline constexpr int kJitErrorLogBufferSizeBytes = 6;
inline constexpr int kJitInputPtx = 1;
// A stream that neither waits for the default one nor holds it up.
inline constexpr unsigned kStreamNonBlocking = 1;
// How a stream is recorded: nothing else of this thread disturbs it.
inline constexpr int kCaptureThreadLocal = 1;

// Members, symbols and parameters. Symbols with _v2 are what the header makes of plain names.
#define VTA_CUDA_FUNCTIONS(X)                                                                   \
  X(init, "cuInit", unsigned)                                                                   \
  X(driverGetVersion, "cuDriverGetVersion", int*)                                               \
  X(getErrorString, "cuGetErrorString", Code, const char**)                                     \
  X(deviceGetCount, "cuDeviceGetCount", int*)                                                   \
  X(deviceGet, "cuDeviceGet", Device*, int)                                                     \
  X(deviceGetName, "cuDeviceGetName", char*, int, Device)                                       \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", size_t*, Device)                                     \
  X(deviceGetAttribute, "cuDeviceGetAttribute", int*, int, Device)                              \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", Context*, Device)                             \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", Device)                                  \
  X(ctxSetCurrent, "cuCtxSetCurrent", Context)                                                  \
  X(linkCreate, "cuLinkCreate_v2", unsigned, int*, void**, Linker*)                             \
  X(linkAddData, "cuLinkAddData_v2", Linker, int, void*, size_t, const char*, unsigned, int*,   \
    void**)                                                                                     \
  X(linkComplete, "cuLinkComplete", Linker, void**, size_t*)                                    \
  X(linkDestroy, "cuLinkDestroy", Linker)                                                       \
  X(moduleLoadDataEx, "cuModuleLoadDataEx", Module*, const void*, unsigned, int*, void**)       \
  X(moduleUnload, "cuModuleUnload", Module)                                                     \
  X(moduleGetFunction, "cuModuleGetFunction", Function*, Module, const char*)                   \
  X(memAlloc, "cuMemAlloc_v2", DevicePointer*, size_t)                                          \
  X(memFree, "cuMemFree_v2", DevicePointer)                                                     \
  X(memsetD8, "cuMemsetD8Async", DevicePointer, unsigned char, size_t, Stream)                  \
  X(memcpyHtoD, "cuMemcpyHtoDAsync_v2", DevicePointer, const void*, size_t, Stream)             \
  X(memcpyDtoH, "cuMemcpyDtoHAsync_v2", void*, DevicePointer, size_t, Stream)                   \
  X(streamCreate, "cuStreamCreate", Stream*, unsigned)                                          \
  X(streamDestroy, "cuStreamDestroy_v2", Stream)                                                \
  X(streamSynchronize, "cuStreamSynchronize", Stream)                                           \
  X(eventCreate, "cuEventCreate", Event*, unsigned)                                             \
  X(eventDestroy, "cuEventDestroy_v2", Event)                                                   \
  X(eventRecord, "cuEventRecord", Event, Stream)                                                \
  X(eventQuery, "cuEventQuery", Event)                                                          \
  X(eventElapsedTime, "cuEventElapsedTime", float*, Event, Event)                               \
  X(launchKernel, "cuLaunchKernel", Function, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, Stream, void**, void**)

// What drivers have since CUDA 11.4: launches that are recorded once.
#define VTA_CUDA_GRAPH_FUNCTIONS(X)                                                         \
  X(streamBeginCapture, "cuStreamBeginCapture_v2", Stream, int)                             \
  X(streamEndCapture, "cuStreamEndCapture", Stream, Graph*)                                 \
  X(graphInstantiate, "cuGraphInstantiateWithFlags", GraphExec*, Graph, unsigned long long) \
  X(graphLaunch, "cuGraphLaunch", GraphExec, Stream)                                        \
  X(graphExecDestroy, "cuGraphExecDestroy", GraphExec)                                      \
  X(graphDestroy, "cuGraphDestroy", Graph)

struct CudaApi {
  /// Opens the driver's library, which stays open, and starts it. Errors: kNotFound, with what to
  /// install, or why there is no GPU; kUnsupported for a library without one of the functions.
  static Result<CudaApi> load(const char* library);

  /// Ok for success; else an error of the right code, with the function and the driver's words.
  Status status(Code result, std::string_view function) const;

  /// Whether the driver has the functions of graphs; else they are null.
  bool hasGraphs() const { return graphDestroy != nullptr; }

#define VTA_CUDA_MEMBER(name, symbol, ...) Code (*name)(__VA_ARGS__) = nullptr;
  VTA_CUDA_FUNCTIONS(VTA_CUDA_MEMBER)
  VTA_CUDA_GRAPH_FUNCTIONS(VTA_CUDA_MEMBER)
#undef VTA_CUDA_MEMBER
};

inline constexpr const char* kCudaLibrary = "libcuda.so.1";

}  // namespace vta::driver::cuda
