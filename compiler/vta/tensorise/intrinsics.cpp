// The declarations. vta_intrinsic_match.cpp compares.
#include "compiler/vta/tensorise/intrinsics.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <vector>

#include "isa/instruction/legality.h"
#include "isa/spec/accumulator.h"
#include "isa/spec/alu_operations.h"
#include "isa/spec/user_operation.h"

namespace vta::compiler {

namespace {

/// A function over accumulator vectors: every operand and the result are [BATCH][BLOCK_OUT]. `body`
/// computes %z, or what `result` names, from %x and %y.
std::string declareLanes(const std::string& name, const HwConfig& hw, const std::string& in_type,
                         int num_inputs, const std::string& out_type, const std::string& body,
                         const std::string& result = "%z") {
  const std::string shape = fmt::format("tensor<{}x{}x", hw.batch(), hw.blockOut());
  std::string arguments, uses, types, scalars, maps;
  const char* names[] = {"x", "y"};
  for (int i = 0; i < num_inputs; ++i) {
    const char* separator = i == 0 ? "" : ", ";
    arguments += fmt::format("%arg_{}: {}{}>, ", names[i], shape, in_type);
    uses += fmt::format("{}%arg_{}", separator, names[i]);
    types += fmt::format("{}{}{}>", separator, shape, in_type);
    scalars += fmt::format("%{}: {}, ", names[i], in_type);
    maps += "affine_map<(b, o) -> (b, o)>, ";
  }
  return fmt::format(R"(func.func @{0}({1}%init: {2}{3}>) -> {2}{3}> {{
  %r = linalg.generic {{indexing_maps = [{4}affine_map<(b, o) -> (b, o)>],
                       iterator_types = ["parallel", "parallel"]}}
      ins({5} : {6}) outs(%init : {2}{3}>) {{
  ^bb0({7}%out: {3}):
{8}    linalg.yield {9} : {3}
  }} -> {2}{3}>
  return %r : {2}{3}>
}}
)",
                     name, arguments, shape, out_type, maps, uses, types, scalars, body, result);
}

std::string declareQmul(int32_t shift, const HwConfig& hw) {
  std::string body = R"(    %wx = arith.extsi %x : i32 to i64
    %wy = arith.extsi %y : i32 to i64
    %p = arith.muli %wx, %wy : i64
)";
  if (shift > 0) {
    // Half a unit away from zero, then a shift that rounds down.
    const int64_t half = int64_t{1} << (shift - 1);
    body += fmt::format(R"(    %zero = arith.constant 0 : i64
    %up = arith.constant {} : i64
    %down = arith.constant {} : i64
    %shift = arith.constant {} : i64
    %negative = arith.cmpi slt, %p, %zero : i64
    %rounding = arith.select %negative, %down, %up : i64
    %sum = arith.addi %p, %rounding : i64
    %q = arith.shrsi %sum, %shift : i64
)",
                        half, half - 1, shift);
  }
  body += fmt::format(R"(    %least = arith.constant {} : i64
    %most = arith.constant {} : i64
    %raised = arith.maxsi %{}, %least : i64
    %bounded = arith.minsi %raised, %most : i64
    %z = arith.trunci %bounded : i64 to i32
)",
                      std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(),
                      shift > 0 ? "q" : "p");
  return declareLanes("qmul", hw, "i32", 2, "i32", body);
}

std::string declareShift(bool tensor_operand, int32_t imm, const HwConfig& hw) {
  if (tensor_operand) {
    return declareLanes("shr", hw, "i32", 2, "i32", R"(    %zero = arith.constant 0 : i32
    %left = arith.cmpi slt, %y, %zero : i32
    %amount = arith.subi %zero, %y : i32
    %l = arith.shli %x, %amount : i32
    %r = arith.shrsi %x, %y : i32
    %z = arith.select %left, %l, %r : i32
)");
  }
  if (imm < (hw.params().compat_0_0_2 ? -16 : -31)) return "";
  if (imm > (hw.params().compat_0_0_2 ? 15 : 31)) return "";
  return declareLanes(
      "shr_imm", hw, "i32", 1, "i32",
      fmt::format("    %s = arith.constant {} : i32\n    %z = arith.{} %x, %s : i32\n",
                  std::abs(imm), imm < 0 ? "shli" : "shrsi"));
}

/// The arith operation of the four opcodes whose forms differ in nothing else; null for the others.
const char* simpleOperation(AluOpcode opcode) {
  switch (opcode) {
    case AluOpcode::kMin:
      return "minsi";
    case AluOpcode::kMax:
      return "maxsi";
    case AluOpcode::kAdd:
      return "addi";
    case AluOpcode::kMul:
      return "muli";
    default:
      return nullptr;
  }
}

/// An operation of the user's, with the immediate as constants.
std::string declareUser(const UserOperation& operation, bool tensor_operand, int32_t imm,
                        const HwConfig& hw) {
  const AluOperand operand = operation.text.operand;
  const bool fits = operand == AluOperand::kTensorOrImmediate ||
                    tensor_operand == (operand == AluOperand::kTensor);
  if (!fits || !checkAluImmediate(operation.row, imm).ok()) return "";
  if (operation.text.immediate == AluImmediate::kNumber && imm != static_cast<int16_t>(imm)) {
    return "";
  }
  const ByteRange range = byteRangeOf(imm);
  const auto constant = [](std::string_view name, int32_t value) {
    return fmt::format("    {} = arith.constant {} : i32\n", name, value);
  };
  std::string body;
  std::vector<std::string> names;
  for (const LaneParameter param : operation.params) {
    switch (param) {
      case LaneParameter::kX:
        names.emplace_back("%x");
        break;
      case LaneParameter::kY:
        names.emplace_back(tensor_operand ? "%y" : "%number");
        if (!tensor_operand) body += constant(names.back(), imm);
        break;
      case LaneParameter::kShift:
        body += constant(names.emplace_back("%shift"), imm);
        break;
      case LaneParameter::kLow:
        body += constant(names.emplace_back("%low"), range.low);
        break;
      case LaneParameter::kHigh:
        body += constant(names.emplace_back("%high"), range.high);
        break;
    }
  }
  return declareLanes(operation.text.name, hw, "i32", tensor_operand ? 2 : 1, "i32",
                      body + operation.function.stepsText(names),
                      operation.function.resultText(names));
}

}  // namespace

// Narrower weights are 8 bits wide here too: vta-narrow-weights has them as they lie in memory.
constexpr int kWeightBits = 8;

std::string declareGemm(const HwConfig& hw) {
  return fmt::format(R"(func.func @gemm(%inp: tensor<{0}x{1}xi{3}>, %wgt: tensor<{2}x{1}xi{4}>,
                %acc: tensor<{0}x{2}xi{5}>) -> tensor<{0}x{2}xi{5}> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(b, o, i) -> (b, i)>,
                                        affine_map<(b, o, i) -> (o, i)>,
                                        affine_map<(b, o, i) -> (b, o)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%inp, %wgt : tensor<{0}x{1}xi{3}>, tensor<{2}x{1}xi{4}>)
      outs(%acc : tensor<{0}x{2}xi{5}>) {{
  ^bb0(%x: i{3}, %w: i{4}, %a: i{5}):
    %wide_x = arith.extsi %x : i{3} to i{5}
    %wide_w = arith.extsi %w : i{4} to i{5}
    %product = arith.muli %wide_x, %wide_w : i{5}
    %sum = arith.addi %a, %product : i{5}
    linalg.yield %sum : i{5}
  }} -> tensor<{0}x{2}xi{5}>
  return %r : tensor<{0}x{2}xi{5}>
}}
)",
                     hw.batch(), hw.blockIn(), hw.blockOut(), hw.params().inp_width_bits,
                     kWeightBits, kAccDramBits);
}

std::string declareAccLoad(const HwConfig& hw) {
  return declareLanes("acc_load", hw, "i8", 1, "i32", "    %z = arith.extsi %x : i8 to i32\n");
}

std::string declareOutStore(const HwConfig& hw) {
  return declareLanes("out_store", hw, "i32", 1, "i8", "    %z = arith.trunci %x : i32 to i8\n");
}

std::string declareAlu(AluOpcode opcode, bool tensor_operand, int32_t imm, const HwConfig& hw) {
  const HwParams& p = hw.params();
  if (const UserOperation* const user = findUserOperation(p, opcode)) {
    return declareUser(*user, tensor_operand, imm, hw);
  }
  if (opcode == AluOpcode::kMul && p.compat_0_0_2) return "";
  if (const char* operation = simpleOperation(opcode)) {
    if (tensor_operand) {
      return declareLanes(operation, hw, "i32", 2, "i32",
                          fmt::format("    %z = arith.{} %x, %y : i32\n", operation));
    }
    if (imm < std::numeric_limits<int16_t>::min() || imm > std::numeric_limits<int16_t>::max()) {
      return "";
    }
    return declareLanes(
        fmt::format("{}_imm", operation), hw, "i32", 1, "i32",
        fmt::format("    %s = arith.constant {} : i32\n    %z = arith.{} %x, %s : i32\n", imm,
                    operation));
  }
  if (opcode == AluOpcode::kShr) return declareShift(tensor_operand, imm, hw);
  if (opcode == AluOpcode::kQmul) {
    return p.ext_qmul && tensor_operand && imm >= 0 && imm <= kMaxAluShift ? declareQmul(imm, hw)
                                                                           : "";
  }
  if (!p.ext_clip || tensor_operand) return "";
  return declareLanes(
      "clip", hw, "i32", 1, "i32",
      fmt::format(R"(    %low = arith.constant {} : i32
    %high = arith.constant {} : i32
    %raised = arith.maxsi %x, %low : i32
    %z = arith.minsi %raised, %high : i32
)",
                  static_cast<int8_t>(imm & 0xff), static_cast<int8_t>((imm >> 8) & 0xff)));
}

}  // namespace vta::compiler
