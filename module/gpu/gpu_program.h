// GpuProgram: what one entry of an executor of kind "gpu" runs. Written by the compiler, read by
// the runtime; docs/gpu-backend.md describes the bytes.
//
// A program is a list of dispatches, which run as if one after the other. Each starts a grid of
// workgroups of a kernel on ranges of buffers. Shapes are part of the kernels' code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "module/executor_kinds.h"
#include "module/gpu/gpu_features.h"

namespace vta {

/// A range may end at the next multiple of it behind the end of its buffer, so that kernels can use
/// vectors of four 32-bit words throughout. What they write there is lost.
inline constexpr uint64_t kGpuVectorBytes = 16;

enum class GpuCodeForm : uint8_t {
  kSpirv,    // a SPIR-V module for Vulkan, as words with their least byte first; entry "GLCompute"
  kOpenClC,  // source text in OpenCL C 1.2
  kPtx,      // PTX text
  kAmdCode,  // a linked code object (ELF) for AMD's runtime ROCr
  kWgsl,     // source text in WGSL, the language of WebGPU
};
inline constexpr uint8_t kGpuCodeFormCount = 5;

/// "SPIR-V", "OpenCL C", "PTX", "AMD code object" or "WGSL".
std::string_view gpuCodeFormName(GpuCodeForm form);

/// The grid that runs a kernel.
struct GpuLaunch {
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};  // invocations
  std::array<uint32_t, 3> workgroups{1, 1, 1};
  uint32_t shared_bytes = 0;  // of memory that a workgroup shares

  bool operator==(const GpuLaunch&) const = default;
};

/// The code of a kernel for one sort of device. Binding k of a dispatch is, in SPIR-V, the storage
/// buffer with DescriptorSet 0 and Binding k; in WGSL that with group 0 and binding k, which may be
/// read and written; else the kernel's pointer argument k. Codes use no shared memory but what they
/// declare.
struct GpuCode {
  GpuCodeForm form = GpuCodeForm::kSpirv;
  std::string entry_point;  // a C identifier
  /// PTX: "sm_80", or "sm_90a" for that architecture only. AMD: "gfx90a", for that only. Else
  /// empty.
  std::string target;
  GpuFeatures features{};  // what a device has to have
  std::vector<std::byte> code{};
  /// The grid of each dispatch if it is not that of the kernel: larger blocks, say.
  std::optional<GpuLaunch> launch{};

  /// The code of forms that are texts.
  std::string text() const { return {reinterpret_cast<const char*>(code.data()), code.size()}; }

  bool operator==(const GpuCode&) const = default;
};

enum class GpuAccess : uint8_t { kRead, kWrite, kReadWrite };

/// A function that a grid of workgroups runs. The codes compute the same; a device takes the first
/// one that it can run.
struct GpuKernel {
  std::string name;                                 // for profiles and messages
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};  // invocations; also fixed in the codes
  uint32_t shared_bytes = 0;                        // of memory that a workgroup shares
  std::vector<GpuAccess> bindings{};                // what it does with each of its ranges
  std::vector<GpuCode> codes{};                     // at least one

  bool operator==(const GpuKernel&) const = default;
};

/// A range of a buffer.
struct GpuBinding {
  enum class Source : uint8_t {
    kArgument,   // a tensor: ProgramInfo::buffers[argument]
    kScratch,    // memory of the program; what it holds is lost between runs
    kConstants,  // GpuProgram::constants
  };
  Source source = Source::kArgument;
  uint32_t argument = 0;  // of kArgument; else 0
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;

  bool operator==(const GpuBinding&) const = default;
};

struct GpuDispatch {
  uint32_t kernel = 0;
  std::array<uint32_t, 3> workgroups{1, 1, 1};
  std::vector<GpuBinding> bindings{};  // one for each of the kernel's

  bool operator==(const GpuDispatch&) const = default;
};

struct GpuProgram {
  /// Of each tensor that the program uses, in the order of ProgramInfo::buffers.
  std::vector<uint64_t> argument_bytes{};
  uint64_t scratch_bytes = 0;
  std::vector<std::byte> constants{};  // small tables; weights are tensors of the module
  std::vector<GpuKernel> kernels{};
  std::vector<GpuDispatch> dispatches{};

  /// The size of what a binding is a range of.
  uint64_t sourceBytes(const GpuBinding& binding) const;

  bool operator==(const GpuProgram&) const = default;
};

/// The grid that runs `dispatch`, one of the program's, if its kernel has the code `code`.
GpuLaunch launchOf(const GpuProgram& program, const GpuDispatch& dispatch, const GpuCode& code);

/// Checks a program by itself: names, code, and that every range lies inside its buffer and only
/// equal ranges overlap in a dispatch that writes them. The limits of a device are not its matter.
/// Errors: kInvalidArgument that names the kernel or the dispatch.
Status checkGpuProgram(const GpuProgram& program);

/// The binary form. Errors: those of checkGpuProgram.
Result<std::vector<std::byte>> serializeGpuProgram(const GpuProgram& program);

/// Safe on any bytes. Errors: not a GPU program, another version, cut off, too long, and those of
/// checkGpuProgram.
Result<GpuProgram> parseGpuProgram(std::span<const std::byte> bytes);

}  // namespace vta
