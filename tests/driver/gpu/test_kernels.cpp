#include "tests/driver/gpu/test_kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "base/integer_math.h"
#include "base/process/find_program.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"

namespace vta::driver::test {
namespace {

std::vector<std::byte> bytesOfText(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// What begins every kernel here: %main with invocations %gid and %lid, and buffers %b0, %b1, ...
/// of arrays of `element` ("int" or "byte").
struct SpirvHead {
  std::string capabilities;
  std::string name;
  uint32_t workgroup_size = 1;
  int buffers = 1;
  std::string element = "int";
  std::string variables;  // more of them
};

std::string head(const SpirvHead& head) {
  std::string text = head.capabilities + fmt::format(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "{}" %gid %lid
OpExecutionMode %main LocalSize {} 1 1
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %array ArrayStride {}
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
)",
                                                     head.name, head.workgroup_size,
                                                     head.element == "int" ? 4 : 1);
  for (int i = 0; i < head.buffers; ++i) {
    text += fmt::format("OpDecorate %b{} DescriptorSet 0\nOpDecorate %b{} Binding {}\n", i, i, i);
  }
  text += R"(
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 0
)";
  if (head.element == "byte") text += "%byte = OpTypeInt 8 0\n";
  text += fmt::format(R"(
%vector = OpTypeVector %int 3
%ids = OpTypePointer Input %vector
%gid = OpVariable %ids Input
%lid = OpVariable %ids Input
%array = OpTypeRuntimeArray %{0}
%block = OpTypeStruct %array
%buffer = OpTypePointer StorageBuffer %block
%place = OpTypePointer StorageBuffer %{0}
%zero = OpConstant %int 0
%one = OpConstant %int 1
)",
                      head.element);
  for (int i = 0; i < head.buffers; ++i) {
    text += fmt::format("%b{} = OpVariable %buffer StorageBuffer\n", i);
  }
  return text + head.variables + R"(
%main = OpFunction %void None %function
%entry = OpLabel
%gids = OpLoad %vector %gid
%i = OpCompositeExtract %int %gids 0
%lids = OpLoad %vector %lid
%l = OpCompositeExtract %int %lids 0
)";
}

/// The body of kernels that add elements of type `element`, if %i is below %count.
std::string addBody(const std::string& element) {
  return fmt::format(R"(
%inside = OpULessThan %bool %i %count
OpSelectionMerge %end None
OpBranchConditional %inside %then %end
%then = OpLabel
%p0 = OpAccessChain %place %b0 %zero %i
%p1 = OpAccessChain %place %b1 %zero %i
%p2 = OpAccessChain %place %b2 %zero %i
%v0 = OpLoad %{0} %p0
%v1 = OpLoad %{0} %p1
%sum = OpIAdd %{0} %v0 %v1
OpStore %p2 %sum
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)",
                     element);
}

std::string countConstant(uint32_t count) {
  return fmt::format("%count = OpConstant %int {}\n", count);
}

GpuCode spirvCode(const std::string& name, const std::string& text, GpuFeatures features = {}) {
  return {GpuCodeForm::kSpirv, name, "", features, assembled(text)};
}

GpuCode openClCode(const std::string& name, const std::string& text) {
  return {GpuCodeForm::kOpenClC, name, "", {}, bytesOfText(text)};
}

/// What the library understands that stands for NVIDIA's (cuda/fake_cuda.cpp).
GpuCode ptxCode(const std::string& name, uint32_t number) {
  const std::string text = fmt::format(".version 7.0\n.target sm_75\n// {} {}\n", name, number);
  return {GpuCodeForm::kPtx, name, "sm_75", {}, bytesOfText(text)};
}

}  // namespace

bool hasAssembler() { return !findProgram("spirv-as").empty(); }

std::vector<std::byte> assembled(const std::string& text) {
  const auto folder = TemporaryFolder::create("vta-spirv-");
  EXPECT_TRUE(folder.ok());
  const std::string source = folder->path() / "kernel.spvasm";
  const std::string binary = folder->path() / "kernel.spv";
  std::ofstream(source) << text;
  const std::vector<std::string> command = {"spirv-as", "--target-env", "vulkan1.1",
                                            source,     "-o",           binary};
  const auto result = runCommand(command, {.merge_errors = true});
  EXPECT_TRUE(result.ok());
  const auto bytes = readFile(binary);
  EXPECT_TRUE(bytes.ok()) << (result.ok() ? result->output : result.status().message());
  return bytes.ok() ? *bytes : std::vector<std::byte>{};
}

GpuKernel addKernel(uint32_t count, uint32_t workgroup_size) {
  const std::string spirv =
      head({"", "add", workgroup_size, 3, "int", countConstant(count)}) + addBody("int");
  const std::string text = fmt::format(
      "kernel void add(global const uint* a, global const uint* b, global uint* out) {{\n"
      "  const uint i = get_global_id(0);\n"
      "  if (i < {}u) out[i] = a[i] + b[i];\n}}\n",
      count);
  return {.name = "add",
          .workgroup_size = {workgroup_size, 1, 1},
          .bindings = {GpuAccess::kRead, GpuAccess::kRead, GpuAccess::kWrite},
          .codes = {spirvCode("add", spirv), openClCode("add", text), ptxCode("add", count)}};
}

GpuKernel addBytesKernel(uint32_t count) {
  const std::string bytes = head({"OpCapability Int8\nOpCapability StorageBuffer8BitAccess\n"
                                  "OpExtension \"SPV_KHR_8bit_storage\"\n",
                                  "add_bytes", 64, 3, "byte", countConstant(count)}) +
                            addBody("byte");
  // Sums of bytes within words: carries do not cross the top bit, which is added by itself.
  const std::string words =
      head({"", "add_bytes", 64, 3, "int",
            countConstant(static_cast<uint32_t>(ceilDiv(count, 4))) +
                "%low = OpConstant %int 0x7f7f7f7f\n%high = OpConstant %int 0x80808080\n"}) +
      R"(
%inside = OpULessThan %bool %i %count
OpSelectionMerge %end None
OpBranchConditional %inside %then %end
%then = OpLabel
%p0 = OpAccessChain %place %b0 %zero %i
%p1 = OpAccessChain %place %b1 %zero %i
%p2 = OpAccessChain %place %b2 %zero %i
%v0 = OpLoad %int %p0
%v1 = OpLoad %int %p1
%l0 = OpBitwiseAnd %int %v0 %low
%l1 = OpBitwiseAnd %int %v1 %low
%lows = OpIAdd %int %l0 %l1
%differ = OpBitwiseXor %int %v0 %v1
%tops = OpBitwiseAnd %int %differ %high
%sum = OpBitwiseXor %int %lows %tops
OpStore %p2 %sum
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)";
  const std::string text = fmt::format(
      "kernel void add_bytes(global const uchar* a, global const uchar* b, global uchar* out) {{\n"
      "  const uint i = get_global_id(0);\n"
      "  if (i < {}u) out[i] = a[i] + b[i];\n}}\n",
      count);
  return {.name = "add_bytes",
          .workgroup_size = {64, 1, 1},
          .bindings = {GpuAccess::kRead, GpuAccess::kRead, GpuAccess::kWrite},
          .codes = {spirvCode("add_bytes", bytes, {GpuFeature::kInt8, GpuFeature::kStorage8}),
                    spirvCode("add_bytes", words), openClCode("add_bytes", text),
                    ptxCode("add_bytes", count)}};
}

GpuKernel reverseKernel() {
  const std::string spirv = head({"", "reverse", 64, 2, "int", R"(
%size = OpConstant %int 64
%last = OpConstant %int 63
%workgroup = OpConstant %int 2
%semantics = OpConstant %int 264
%tile = OpTypeArray %int %size
%shared_tile = OpTypePointer Workgroup %tile
%shared_place = OpTypePointer Workgroup %int
%shared = OpVariable %shared_tile Workgroup
)"}) + R"(
%p0 = OpAccessChain %place %b0 %zero %i
%v0 = OpLoad %int %p0
%mine = OpAccessChain %shared_place %shared %l
OpStore %mine %v0
OpControlBarrier %workgroup %workgroup %semantics
%other = OpISub %int %last %l
%theirs = OpAccessChain %shared_place %shared %other
%v1 = OpLoad %int %theirs
%p1 = OpAccessChain %place %b1 %zero %i
OpStore %p1 %v1
OpReturn
OpFunctionEnd
)";
  const std::string text =
      "kernel void reverse(global const uint* in, global uint* out) {\n"
      "  local uint tile[64];\n"
      "  tile[get_local_id(0)] = in[get_global_id(0)];\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  out[get_global_id(0)] = tile[63 - get_local_id(0)];\n}\n";
  return {
      .name = "reverse",
      .workgroup_size = {64, 1, 1},
      .shared_bytes = 256,
      .bindings = {GpuAccess::kRead, GpuAccess::kWrite},
      .codes = {spirvCode("reverse", spirv), openClCode("reverse", text), ptxCode("reverse", 0)}};
}

GpuKernel countKernel(uint32_t times) {
  const std::string spirv = head({"", "count", 1, 1, "int", countConstant(times)}) + R"(
%p0 = OpAccessChain %place %b0 %zero %zero
OpBranch %loop
%loop = OpLabel
%k = OpPhi %int %zero %entry %next %continue
OpLoopMerge %end %continue None
OpBranch %check
%check = OpLabel
%more = OpULessThan %bool %k %count
OpBranchConditional %more %body %end
%body = OpLabel
%v = OpLoad %int %p0 Volatile
%sum = OpIAdd %int %v %one
OpStore %p0 %sum Volatile
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %int %k %one
OpBranch %loop
%end = OpLabel
OpReturn
OpFunctionEnd
)";
  const std::string text = fmt::format(
      "kernel void count(global volatile uint* value) {{\n"
      "  for (uint k = 0; k < {}u; ++k) *value += 1;\n}}\n",
      times);
  return {.name = "count",
          .bindings = {GpuAccess::kReadWrite},
          .codes = {spirvCode("count", spirv), openClCode("count", text), ptxCode("count", times)}};
}

std::array<uint32_t, 3> workgroupsFor(uint32_t count, uint32_t workgroup_size) {
  return {static_cast<uint32_t>(ceilDiv(count, workgroup_size)), 1, 1};
}

}  // namespace vta::driver::test
