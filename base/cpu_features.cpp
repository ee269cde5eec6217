#include "base/cpu_features.h"

#include <algorithm>

#if defined(__aarch64__) || defined(__arm__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace vta {
namespace {

constexpr std::string_view kX86Names[] = {
    "sse3",         "ssse3",          "sse4.1",      "sse4.2",     "popcnt",     "lzcnt",
    "avx",          "f16c",           "fma",         "bmi",        "bmi2",       "avx2",
    "avxvnni",      "avx512f",        "avx512cd",    "avx512bw",   "avx512dq",   "avx512vl",
    "avx512ifma",   "avx512vbmi",     "avx512vbmi2", "avx512vnni", "avx512bf16", "avx512fp16",
    "avx512bitalg", "avx512vpopcntdq"};
constexpr std::string_view kAArch64Names[] = {"fullfp16", "dotprod", "i8mm", "bf16", "sve", "sve2"};
constexpr std::string_view kArmNames[] = {"neon", "vfp3", "vfp4"};

#if defined(__x86_64__)
bool has(std::string_view name) {
  // The compiler's function takes literals only.
#define VTA_CHECK(literal) \
  if (name == literal) return __builtin_cpu_supports(literal) != 0
  VTA_CHECK("sse3");
  VTA_CHECK("ssse3");
  VTA_CHECK("sse4.1");
  VTA_CHECK("sse4.2");
  VTA_CHECK("popcnt");
  VTA_CHECK("lzcnt");
  VTA_CHECK("avx");
  VTA_CHECK("f16c");
  VTA_CHECK("fma");
  VTA_CHECK("bmi");
  VTA_CHECK("bmi2");
  VTA_CHECK("avx2");
  VTA_CHECK("avxvnni");
  VTA_CHECK("avx512f");
  VTA_CHECK("avx512cd");
  VTA_CHECK("avx512bw");
  VTA_CHECK("avx512dq");
  VTA_CHECK("avx512vl");
  VTA_CHECK("avx512ifma");
  VTA_CHECK("avx512vbmi");
  VTA_CHECK("avx512vbmi2");
  VTA_CHECK("avx512vnni");
  VTA_CHECK("avx512bf16");
  VTA_CHECK("avx512fp16");
  VTA_CHECK("avx512bitalg");
  VTA_CHECK("avx512vpopcntdq");
#undef VTA_CHECK
  return false;
}
#elif defined(__aarch64__)
bool has(std::string_view name) {
  const unsigned long first = getauxval(AT_HWCAP);
  const unsigned long second = getauxval(AT_HWCAP2);
  if (name == "fullfp16") return (first & HWCAP_ASIMDHP) != 0;
  if (name == "dotprod") return (first & HWCAP_ASIMDDP) != 0;
  if (name == "sve") return (first & HWCAP_SVE) != 0;
  if (name == "sve2") return (second & HWCAP2_SVE2) != 0;
  if (name == "i8mm") return (second & HWCAP2_I8MM) != 0;
  if (name == "bf16") return (second & HWCAP2_BF16) != 0;
  return false;
}
#elif defined(__arm__)
bool has(std::string_view name) {
  const unsigned long first = getauxval(AT_HWCAP);
  if (name == "neon") return (first & HWCAP_NEON) != 0;
  if (name == "vfp3") return (first & HWCAP_VFPv3) != 0;
  if (name == "vfp4") return (first & HWCAP_VFPv4) != 0;
  return false;
}
#else
bool has(std::string_view) { return false; }
#endif

}  // namespace

std::span<const std::string_view> cpuFeatureNames(CpuFamily family) {
  switch (family) {
    case CpuFamily::kX86_64:
      return kX86Names;
    case CpuFamily::kAArch64:
      return kAArch64Names;
    case CpuFamily::kArm:
      return kArmNames;
    case CpuFamily::kOther:
      break;
  }
  return {};
}

std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed) {
  std::vector<std::string> missing;
  std::ranges::copy_if(needed, std::back_inserter(missing),
                       [](const std::string& name) { return !has(name); });
  return missing;
}

}  // namespace vta
