#include "isa/rtl/sv_operations.h"

#include <fmt/format.h>

#include "isa/rtl/sv_names.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

constexpr std::string_view kLane = "vta_alu_lane";
constexpr std::string_view kOwnLane = "vta_alu_own_lane";

/// The port of a parameter.
std::string_view portOf(LaneParameter param) {
  constexpr std::string_view kPorts[] = {"x_i", "y_i", "shift_i", "low_i", "high_i"};
  return kPorts[static_cast<size_t>(param)];
}

/// What a lane puts there: operands in registers, and the immediate in the cycle behind them.
std::string_view sourceOf(LaneParameter param) {
  constexpr std::string_view kSources[] = {"x_q", "y_q", "$signed({26'b0, lo_i[5:0]})", "32'(lo_i)",
                                           "32'(hi_i)"};
  return kSources[static_cast<size_t>(param)];
}

std::string valueOf(const UserOperation& operation, uint16_t value) {
  const size_t num_params = operation.params.size();
  if (value < num_params) return std::string(portOf(operation.params[value]));
  return fmt::format("v{}", value - num_params);
}

/// The operator between two operands of equal width; empty for what has none.
std::string_view operatorOf(LaneOpcode opcode) {
  switch (opcode) {
    case LaneOpcode::kAdd:
      return "+";
    case LaneOpcode::kSub:
      return "-";
    case LaneOpcode::kMul:
      return "*";
    case LaneOpcode::kAnd:
      return "&";
    case LaneOpcode::kOr:
      return "|";
    case LaneOpcode::kXor:
      return "^";
    default:
      return "";
  }
}

std::string compared(LanePredicate predicate, std::string_view a, std::string_view b) {
  constexpr std::string_view kOperators[] = {"==", "!=", "<",  "<=", ">",
                                             ">=", "<",  "<=", ">",  ">="};
  const std::string_view op = kOperators[static_cast<size_t>(predicate)];
  if (predicate < LanePredicate::kUlt) return fmt::format("{} {} {}", a, op, b);
  return fmt::format("$unsigned({}) {} $unsigned({})", a, op, b);
}

/// All values are signed, so that >>> and < are those of signed numbers; the other operand of a
/// shift is never negative.
std::string expressionOf(const UserOperation& operation, const LaneStep& step) {
  const auto at = [&](size_t i) { return valueOf(operation, step.operands[i]); };
  const int width = step.width_bits;
  switch (step.opcode) {
    case LaneOpcode::kConstant: {
      const uint64_t bits = static_cast<uint64_t>(step.constant) << (64 - width) >> (64 - width);
      return fmt::format("{}'sh{:x}", width, bits);
    }
    case LaneOpcode::kShl:
      return fmt::format("{} << $unsigned({})", at(0), at(1));
    case LaneOpcode::kShrS:
      return fmt::format("{} >>> $unsigned({})", at(0), at(1));
    case LaneOpcode::kShrU:
      return fmt::format("{} >> $unsigned({})", at(0), at(1));
    case LaneOpcode::kMinS:
      return fmt::format("({0} < {1}) ? {0} : {1}", at(0), at(1));
    case LaneOpcode::kMaxS:
      return fmt::format("({0} < {1}) ? {1} : {0}", at(0), at(1));
    case LaneOpcode::kMinU:
      return fmt::format("($unsigned({0}) < $unsigned({1})) ? {0} : {1}", at(0), at(1));
    case LaneOpcode::kMaxU:
      return fmt::format("($unsigned({0}) < $unsigned({1})) ? {1} : {0}", at(0), at(1));
    case LaneOpcode::kCompare:
      return compared(step.predicate, at(0), at(1));
    case LaneOpcode::kSelect:
      return fmt::format("(|{}) ? {} : {}", at(0), at(1), at(2));
    case LaneOpcode::kExtS:
    case LaneOpcode::kTrunc:
      return fmt::format("{}'({})", width, at(0));
    case LaneOpcode::kExtU:
      return fmt::format("$signed({}'($unsigned({})))", width, at(0));
    default:
      return fmt::format("{} {} {}", at(0), operatorOf(step.opcode), at(1));
  }
}

/// What the lane has for one operation, and its case where the result is chosen.
struct LanePart {
  std::string instance;
  std::string choice;
};

LanePart partOf(const UserOperation& operation) {
  const std::string& name = operation.text.name;
  LanePart part;
  part.instance = fmt::format("  logic signed [31:0] {0}_result;\n  vta_lane_{0} u_{0} (\n", name);
  for (const LaneParameter param : operation.params) {
    part.instance += fmt::format("    .{}({}),\n", portOf(param), sourceOf(param));
  }
  part.instance += fmt::format("    .result_o({}_result)\n  );\n", name);
  part.choice = fmt::format(
      "        vta_pkg::AluOp{}: begin\n          is_user_q[2] <= 1'b1;\n"
      "          user_q[2] <= vta_pkg::AccWidth'({}_result);\n        end\n",
      camelCase(name), name);
  return part;
}

/// The text with the own lane's name changed in its definition only.
Result<std::string> renamedLane(std::string_view own_lane) {
  const std::string definition = fmt::format("module {} ", kLane);
  const size_t at = own_lane.find(definition);
  if (at == std::string_view::npos) {
    return Status(StatusCode::kInternal, fmt::format("{} has no module {}", kLaneFile, kLane));
  }
  std::string text(own_lane);
  text.replace(at, definition.size(), fmt::format("module {} ", kOwnLane));
  return text;
}

/// From "module" to the end of the ports.
Result<std::string> headerOf(std::string_view own_lane) {
  const size_t begin = own_lane.find(fmt::format("module {} ", kLane));
  const size_t end = begin == std::string_view::npos ? begin : own_lane.find("\n);\n", begin);
  if (end == std::string_view::npos) {
    return Status(StatusCode::kInternal, fmt::format("{} has no ports", kLaneFile));
  }
  return std::string(own_lane.substr(begin, end + 4 - begin));
}

// What a lane has beside its operations. Index i of a register: behind stage i of the own lane.
constexpr std::string_view kLaneBegin = R"(
  localparam int unsigned Stages = vta_pkg::AluLaneStages;

  logic signed [vta_pkg::AccWidth-1:0] own_result;
  vta_alu_own_lane #(
    .Parts(Parts)
  ) u_own (
    .*,
    .result_o(own_result)
  );

  // ---- Operands --------------------------------------------------------------------------------
  logic signed [31:0] x_q, y_q;
  always_ff @(posedge clk_i) begin
    if (enable_i[1]) begin
      x_q <= 32'(x_i);
      y_q <= 32'(y_i);
    end
  end

)";
constexpr std::string_view kLaneChoice = R"(
  // ---- Results: as far behind the operands as the own lane's ------------------------------------
  logic                                is_user_q [2:Stages] /*verilator split_var*/;
  logic signed [vta_pkg::AccWidth-1:0] user_q [2:Stages] /*verilator split_var*/;
  always_ff @(posedge clk_i) begin
    if (enable_i[2]) begin
      is_user_q[2] <= 1'b0;
      case (op_multiply_i)
)";
constexpr std::string_view kLaneEnd = R"(        default: ;
      endcase
    end
  end
  for (genvar i = 3; i <= Stages; i++) begin : gen_stage
    always_ff @(posedge clk_i) begin
      if (enable_i[i]) begin
        is_user_q[i] <= is_user_q[i-1];
        user_q[i] <= user_q[i-1];
      end
    end
  end
  assign result_o = is_user_q[Stages] ? user_q[Stages] : own_result;
endmodule
)";

}  // namespace

std::string laneModule(const UserOperation& operation) {
  std::string text = fmt::format("module vta_lane_{} (\n", operation.text.name);
  for (const LaneParameter param : operation.params) {
    text += fmt::format("  input  logic signed [31:0] {},\n", portOf(param));
  }
  text += "  output logic signed [31:0] result_o\n);\n";
  const auto& steps = operation.function.steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    text += fmt::format("  logic signed [{}:0] v{};\n  assign v{} = {};\n", steps[i].width_bits - 1,
                        i, i, expressionOf(operation, steps[i]));
  }
  text += fmt::format("  assign result_o = {};\n", valueOf(operation, operation.function.result));
  return text + "endmodule\n";
}

Result<std::string> laneSource(const HwConfig& hw, std::string_view own_lane) {
  const UserOperations& operations = hw.params().operations;
  if (operations.empty()) return std::string(own_lane);
  VTA_ASSIGN_OR_RETURN(std::string text, renamedLane(own_lane));
  VTA_ASSIGN_OR_RETURN(const std::string header, headerOf(own_lane));
  std::string instances;
  std::string choices;
  for (const auto& operation : operations.list()) {
    text += "\n" + laneModule(*operation);
    LanePart part = partOf(*operation);
    instances += part.instance;
    choices += part.choice;
  }
  text += "\n// A lane of the ALU with the operations of users beside its own.\n";
  return text + header + std::string(kLaneBegin) + instances + std::string(kLaneChoice) + choices +
         std::string(kLaneEnd);
}

}  // namespace vta
