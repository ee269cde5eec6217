// Probes in OpenCL C and PTX.
#include <fmt/format.h>

#include "driver/gpu/probes/probe.h"

namespace vta::driver {
namespace {

/// From `x` and `y`, the words of a and b, to `r`, that of the result.
std::string openClBody(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kProducts:
      return "r = (x * y + x) ^ mul_hi(x, y);";
    case ProbeKind::kRoundings:
      return "const float p = as_float(x) * as_float(y); r = as_uint(p + as_float(x));";
    case ProbeKind::kShared:
      return "tile[i] = x; barrier(CLK_LOCAL_MEM_FENCE); r = tile[63 - i] + y;";
    case ProbeKind::kInt8:
      return "const char t = (char)x; r = (uint)(int)(char)(t * (char)y + t);";
    case ProbeKind::kInt16:
      return "const short t = (short)x; r = (uint)(int)(short)(t * (short)y + t);";
    case ProbeKind::kInt64:
      return "const long t = (int)x; r = (uint)((ulong)(t * (long)(int)y + t) >> 32);";
    case ProbeKind::kFloat16:
      return "const half t = (half)(int)x; r = (uint)(int)(t * (half)(int)y + t);";
    case ProbeKind::kFloat64:
      return "const double t = (int)x; r = (uint)(int)((t * (double)(int)y + t) * 0x1p-24);";
    case ProbeKind::kStorage8:
      return "r = (uint)(int)((global const char*)a)[i] * y;";
    case ProbeKind::kStorage16:
      return "r = (uint)(int)((global const short*)a)[i] * y;";
    default:
      return "";
  }
}

constexpr const char* kOpenClAtomics =
    "  const int shift = i % 4 * 8;\n"
    "  atomic_and(&out[i / 4], ~(0xffu << shift));\n"
    "  atomic_or(&out[i / 4], (x & 0xff) << shift);\n";

/// From %r1 and %r2 to %r3.
std::string ptxBody(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kProducts:
      return "mad.lo.u32 %r4, %r1, %r2, %r1;\nmul.hi.u32 %r5, %r1, %r2;\nxor.b32 %r3, %r4, %r5;\n";
    case ProbeKind::kRoundings:
      return "mov.b32 %f1, %r1;\nmov.b32 %f2, %r2;\nmul.rn.f32 %f3, %f1, %f2;\n"
             "add.rn.f32 %f4, %f3, %f1;\nmov.b32 %r3, %f4;\n";
    case ProbeKind::kShared:
      return "mov.u32 %r4, tile;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r6, %r4, %r5;\n"
             "st.shared.u32 [%r6], %r1;\nbar.sync 0;\nsub.u32 %r7, 63, %r0;\nshl.b32 %r8, %r7, 2;\n"
             "add.u32 %r9, %r4, %r8;\nld.shared.u32 %r10, [%r9];\nadd.u32 %r3, %r10, %r2;\n";
    case ProbeKind::kAtomics:
      return "and.b32 %r4, %r0, 3;\nshl.b32 %r4, %r4, 3;\nshr.u32 %r5, %r0, 2;\n"
             "mul.wide.u32 %d7, %r5, 4;\nadd.u64 %d7, %d2, %d7;\nmov.u32 %r6, 255;\n"
             "shl.b32 %r7, %r6, %r4;\nnot.b32 %r7, %r7;\natom.global.and.b32 %r8, [%d7], %r7;\n"
             "and.b32 %r9, %r1, 255;\nshl.b32 %r9, %r9, %r4;\n"
             "atom.global.or.b32 %r8, [%d7], %r9;\n";
    case ProbeKind::kInt8:
      return "cvt.s16.s8 %h1, %r1;\ncvt.s16.s8 %h2, %r2;\nmad.lo.s16 %h3, %h1, %h2, %h1;\n"
             "cvt.s32.s8 %r3, %h3;\n";
    case ProbeKind::kInt16:
      return "cvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %r2;\nmad.lo.s16 %h3, %h1, %h2, %h1;\n"
             "cvt.s32.s16 %r3, %h3;\n";
    case ProbeKind::kInt64:
      return "cvt.s64.s32 %d7, %r1;\ncvt.s64.s32 %d8, %r2;\nmad.lo.s64 %d9, %d7, %d8, %d7;\n"
             "shr.u64 %d9, %d9, 32;\ncvt.u32.u64 %r3, %d9;\n";
    case ProbeKind::kFloat16:
      return "cvt.rn.f16.s32 %h1, %r1;\ncvt.rn.f16.s32 %h2, %r2;\nmul.rn.f16 %h3, %h1, %h2;\n"
             "add.rn.f16 %h4, %h3, %h1;\ncvt.rzi.s32.f16 %r3, %h4;\n";
    case ProbeKind::kFloat64:
      return "cvt.rn.f64.s32 %g1, %r1;\ncvt.rn.f64.s32 %g2, %r2;\nmul.rn.f64 %g3, %g1, %g2;\n"
             "add.rn.f64 %g4, %g3, %g1;\nmul.rn.f64 %g5, %g4, 0d3E70000000000000;\n"
             "cvt.rzi.s32.f64 %r3, %g5;\n";
    case ProbeKind::kStorage8:
      return "cvt.u64.u32 %d7, %r0;\nadd.u64 %d7, %d0, %d7;\nld.global.s8 %r4, [%d7];\n"
             "mul.lo.u32 %r3, %r4, %r2;\n";
    case ProbeKind::kStorage16:
      return "mul.wide.u32 %d7, %r0, 2;\nadd.u64 %d7, %d0, %d7;\nld.global.s16 %r4, [%d7];\n"
             "mul.lo.u32 %r3, %r4, %r2;\n";
    case ProbeKind::kDotProduct:
      return "mov.u32 %r4, 0;\ndp4a.s32.s32 %r3, %r1, %r2, %r4;\n";
    case ProbeKind::kSubgroupArithmetic:
      return "";
  }
  return "";
}

constexpr const char* kPtxHead = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry probe(.param .u64 a, .param .u64 b, .param .u64 out)
.reqntid 64, 1, 1
{
.reg .u32 %r<12>;
.reg .u64 %d<12>;
.reg .f32 %f<8>;
.reg .f64 %g<8>;
.reg .b16 %h<8>;
)";
/// %d0, %d1 and %d2 are the buffers, %d6 is the invocation's word of the result.
constexpr const char* kPtxOperands = R"(mov.u32 %r0, %tid.x;
ld.param.u64 %d0, [a];
cvta.to.global.u64 %d0, %d0;
ld.param.u64 %d1, [b];
cvta.to.global.u64 %d1, %d1;
ld.param.u64 %d2, [out];
cvta.to.global.u64 %d2, %d2;
mul.wide.u32 %d3, %r0, 4;
add.u64 %d4, %d0, %d3;
add.u64 %d5, %d1, %d3;
add.u64 %d6, %d2, %d3;
ld.global.u32 %r1, [%d4];
ld.global.u32 %r2, [%d5];
)";

}  // namespace

std::string probeOpenCl(ProbeKind kind) {
  const bool is_atomic = kind == ProbeKind::kAtomics;
  const std::string body = openClBody(kind);
  if (body.empty() && !is_atomic) return "";
  std::string text = "#pragma OPENCL FP_CONTRACT OFF\n";
  if (kind == ProbeKind::kFloat16) text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  if (kind == ProbeKind::kFloat64) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  text +=
      "kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
      "void probe(global const uint* a, global const uint* b, global uint* out) {\n"
      "  const int i = get_local_id(0);\n  const uint x = a[i], y = b[i];\n";
  if (kind == ProbeKind::kShared) text += "  local uint tile[64];\n";
  if (is_atomic) return text + kOpenClAtomics + "}\n";
  return text + "  uint r;\n  " + body + "\n  out[i] = r;\n}\n";
}

std::string probePtx(ProbeKind kind) {
  const std::string body = ptxBody(kind);
  if (body.empty()) return "";
  std::string text = kPtxHead;
  if (kind == ProbeKind::kShared) text += ".shared .align 4 .b8 tile[256];\n";
  text += kPtxOperands + body;
  if (kind != ProbeKind::kAtomics) text += "st.global.u32 [%d6], %r3;\n";
  return text + "ret;\n}\n";
}

}  // namespace vta::driver
