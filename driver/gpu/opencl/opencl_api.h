// The part of OpenCL 1.2 that the driver uses, declared from its specification, so that no header
// of a vendor is needed. Its loader, libOpenCL.so.1, is opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace vta::driver::opencl {

using Platform = struct PlatformTag*;
using Device = struct DeviceTag*;
using Context = struct ContextTag*;
using Queue = struct QueueTag*;
using Memory = struct MemoryTag*;
using Program = struct ProgramTag*;
using Kernel = struct KernelTag*;
using Event = struct EventTag*;

using Int = int32_t;
using Uint = uint32_t;
using Bits = uint64_t;

// Values of the specification, by their names there without CL_.
inline constexpr Int kSuccess = 0;
inline constexpr Int kDeviceNotFound = -1;
inline constexpr Int kMemObjectAllocationFailure = -4;
inline constexpr Int kOutOfResources = -5;
inline constexpr Int kOutOfHostMemory = -6;
inline constexpr Int kBuildProgramFailure = -11;
inline constexpr Int kPlatformNotFound = -1001;
inline constexpr Uint kTrue = 1;
inline constexpr Bits kDeviceTypeCpu = 1 << 1;
inline constexpr Bits kDeviceTypeGpu = 1 << 2;
inline constexpr Bits kDeviceTypeAll = 0xffffffff;
inline constexpr Uint kDeviceType = 0x1000;
inline constexpr Uint kDeviceMaxWorkGroupSize = 0x1004;
inline constexpr Uint kDeviceMaxWorkItemSizes = 0x1005;
inline constexpr Uint kDeviceMaxMemAllocSize = 0x1010;
inline constexpr Uint kDeviceMemBaseAddrAlign = 0x1019;
inline constexpr Uint kDeviceSingleFpConfig = 0x101b;
inline constexpr Uint kDeviceGlobalMemSize = 0x101f;
inline constexpr Uint kDeviceLocalMemSize = 0x1023;
inline constexpr Uint kDeviceName = 0x102b;
inline constexpr Uint kDriverVersion = 0x102d;
inline constexpr Uint kDeviceExtensions = 0x1030;
inline constexpr Uint kDeviceHostUnifiedMemory = 0x1035;
inline constexpr Bits kFpCorrectlyRoundedDivideSqrt = 1 << 7;
inline constexpr Bits kQueueProfilingEnable = 1 << 1;
inline constexpr Bits kMemReadWrite = 1 << 0;
inline constexpr Uint kBufferCreateTypeRegion = 0x1220;
inline constexpr Uint kProgramBinarySizes = 0x1165;
inline constexpr Uint kProgramBinaries = 0x1166;
inline constexpr Uint kProgramBuildLog = 0x1183;
inline constexpr Uint kEventCommandExecutionStatus = 0x11d3;
inline constexpr Uint kProfilingCommandStart = 0x1282;
inline constexpr Uint kProfilingCommandEnd = 0x1283;

struct BufferRegion {
  size_t origin = 0;
  size_t size = 0;
};

// Names without "cl", and their parameters.
#define VTA_OPENCL_FUNCTIONS(X)                                                                    \
  X(Int, GetPlatformIDs, Uint, Platform*, Uint*)                                                   \
  X(Int, GetDeviceIDs, Platform, Bits, Uint, Device*, Uint*)                                       \
  X(Int, GetDeviceInfo, Device, Uint, size_t, void*, size_t*)                                      \
  X(Context, CreateContext, const intptr_t*, Uint, const Device*, void*, void*, Int*)              \
  X(Int, ReleaseContext, Context)                                                                  \
  X(Queue, CreateCommandQueue, Context, Device, Bits, Int*)                                        \
  X(Int, ReleaseCommandQueue, Queue)                                                               \
  X(Memory, CreateBuffer, Context, Bits, size_t, void*, Int*)                                      \
  X(Memory, CreateSubBuffer, Memory, Bits, Uint, const void*, Int*)                                \
  X(Int, ReleaseMemObject, Memory)                                                                 \
  X(Int, EnqueueReadBuffer, Queue, Memory, Uint, size_t, size_t, void*, Uint, const Event*,        \
    Event*)                                                                                        \
  X(Int, EnqueueWriteBuffer, Queue, Memory, Uint, size_t, size_t, const void*, Uint, const Event*, \
    Event*)                                                                                        \
  X(Int, EnqueueFillBuffer, Queue, Memory, const void*, size_t, size_t, size_t, Uint,              \
    const Event*, Event*)                                                                          \
  X(Program, CreateProgramWithSource, Context, Uint, const char**, const size_t*, Int*)            \
  X(Program, CreateProgramWithBinary, Context, Uint, const Device*, const size_t*,                 \
    const unsigned char**, Int*, Int*)                                                             \
  X(Int, BuildProgram, Program, Uint, const Device*, const char*, void*, void*)                    \
  X(Int, GetProgramInfo, Program, Uint, size_t, void*, size_t*)                                    \
  X(Int, GetProgramBuildInfo, Program, Device, Uint, size_t, void*, size_t*)                       \
  X(Int, ReleaseProgram, Program)                                                                  \
  X(Kernel, CreateKernel, Program, const char*, Int*)                                              \
  X(Int, ReleaseKernel, Kernel)                                                                    \
  X(Int, SetKernelArg, Kernel, Uint, size_t, const void*)                                          \
  X(Int, EnqueueNDRangeKernel, Queue, Kernel, Uint, const size_t*, const size_t*, const size_t*,   \
    Uint, const Event*, Event*)                                                                    \
  X(Int, Flush, Queue)                                                                             \
  X(Int, Finish, Queue)                                                                            \
  X(Int, GetEventInfo, Event, Uint, size_t, void*, size_t*)                                        \
  X(Int, GetEventProfilingInfo, Event, Uint, size_t, void*, size_t*)                               \
  X(Int, RetainEvent, Event)                                                                       \
  X(Int, ReleaseEvent, Event)

struct OpenClApi {
  /// Opens the loader, which stays open. Errors: kNotFound, with what to install; kUnsupported for
  /// one without a function of OpenCL 1.2.
  static Result<OpenClApi> load(const char* library = "libOpenCL.so.1");

#define VTA_OPENCL_MEMBER(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
  VTA_OPENCL_FUNCTIONS(VTA_OPENCL_MEMBER)
#undef VTA_OPENCL_MEMBER
};

/// Ok for success; else an error of the right code, with the name of the function that failed.
Status openClStatus(Int result, std::string_view function);

}  // namespace vta::driver::opencl
