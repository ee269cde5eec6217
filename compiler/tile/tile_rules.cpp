#include "compiler/tile/tile_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace vta::tile {
namespace {

constexpr int64_t kMaxElems = int64_t{1} << 32;  // dram_base has 32 bits

std::set<int64_t> elementsOf(const View& view) {
  std::set<int64_t> elements = {view.offset};
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.strides[axis] == 0) continue;
    std::set<int64_t> more;
    for (const int64_t element : elements) {
      for (int64_t i = 0; i < view.shape[axis]; ++i) more.insert(element + i * view.strides[axis]);
    }
    elements = std::move(more);
  }
  return elements;
}

struct Operand {
  std::string_view name;
  const std::string& letters;
  const View& view;
};

Status checkOperand(const Operand& operand, std::map<char, int64_t>& lengths) {
  const auto& [name, letters, view] = operand;
  if (letters.size() != view.shape.size()) {
    return invalidArgument(fmt::format("dot: the {} has the shape {}, but \"{}\" names {} axes",
                                       name, shapeText(view.shape), letters, letters.size()));
  }
  for (size_t i = 0; i < letters.size(); ++i) {
    if (std::count(letters.begin(), letters.end(), letters[i]) > 1) {
      return invalidArgument(fmt::format("dot: \"{}\" has axis {} twice", letters, letters[i]));
    }
    const auto [known, is_new] = lengths.emplace(letters[i], view.shape[i]);
    if (!is_new && known->second != view.shape[i]) {
      return invalidArgument(fmt::format("dot: axis {} has {} elements in the {}, but {} elsewhere",
                                         letters[i], view.shape[i], name, known->second));
    }
  }
  return {};
}

// The range of numbers that the immediate of an operation holds.
std::pair<int64_t, int64_t> immediateRange(AluOpcode opcode, const HwConfig& hw) {
  if (opcode == AluOpcode::kShr)
    return hw.params().compat_0_0_2 ? std::pair(-16, 15) : std::pair(-32, 31);
  const AluOperation* const operation = findAluOperation(opcode);
  if (operation != nullptr && operation->immediate == AluImmediate::kShift)
    return {0, kMaxAluShift};
  return {std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()};
}

}  // namespace

Status checkTensorDecl(const TensorDecl& tensor, const TileProgram& program, const HwConfig& hw) {
  const std::string& name = tensor.name;
  const MemoryType memory = tensor.memory;
  const Shape& shape = tensor.shape;
  const bool is_taken = std::any_of(program.tensors.begin(), program.tensors.end(),
                                    [&](const TensorDecl& other) { return other.name == name; });
  if (name.empty() || is_taken) {
    return invalidArgument(fmt::format("there are two tensors '{}'; names differ", name));
  }
  const bool is_data = memory == MemoryType::kInp || memory == MemoryType::kWgt ||
                       memory == MemoryType::kAcc || memory == MemoryType::kAcc8 ||
                       memory == MemoryType::kOut;
  if (!is_data) {
    return invalidArgument(
        fmt::format("'{}' is of {}; INP, WGT, ACC, ACC_8BIT and OUT are possible", name,
                    memoryTypeName(memory)));
  }
  if (memory == MemoryType::kAcc8 && hw.params().compat_0_0_2) {
    return invalidArgument(
        fmt::format("'{}': {} cannot load int8 into ACC; use a tensor of ACC, "
                    "with int32 values",
                    name, hw.name()));
  }
  const bool is_box = !shape.empty() && shape.size() <= kMaxAxes &&
                      std::all_of(shape.begin(), shape.end(), [](int64_t e) { return e >= 1; });
  if (!is_box) {
    return invalidArgument(
        fmt::format("'{}' has the shape {}; 1 to {} axes with extents from 1 are "
                    "possible",
                    name, shapeText(shape), kMaxAxes));
  }
  int64_t room = kMaxElems;
  for (const int64_t extent : shape) room /= extent;
  if (room == 0) {
    return invalidArgument(
        fmt::format("'{}' of {} elements is more than addresses reach", name, shapeText(shape)));
  }
  return {};
}

std::string dividingSteps(int64_t extent, int64_t step) {
  int64_t below = std::min(step, extent);
  while (extent % below != 0) --below;
  int64_t above = step;
  while (above < extent && extent % above != 0) ++above;
  if (above >= extent) return fmt::format("{} and {} do", below, extent);
  return fmt::format("{} and {} do", below, above);
}

Status checkDotAxes(const DotOp& dot, std::string_view axes) {
  std::map<char, int64_t> lengths;
  VTA_RETURN_IF_ERROR(checkOperand({"first factor", dot.inp_axes, dot.inp}, lengths));
  VTA_RETURN_IF_ERROR(checkOperand({"second factor", dot.wgt_axes, dot.wgt}, lengths));
  for (const char letter : dot.acc_axes) {
    if (lengths.count(letter) == 0) {
      return invalidArgument(
          fmt::format("dot: axis {} of the sum in \"{}\" is in neither factor", letter, axes));
    }
  }
  VTA_RETURN_IF_ERROR(checkOperand({"sum", dot.acc_axes, dot.acc}, lengths));
  if (lengths.size() > kMaxAxes) {
    return invalidArgument(
        fmt::format("dot: \"{}\" has {} axes; {} are possible", axes, lengths.size(), kMaxAxes));
  }
  return {};
}

Status checkAluOperation(AluOpcode opcode, bool has_src, const HwConfig& hw) {
  const AluOperation* const operation = findAluOperation(opcode);
  if (operation == nullptr) return invalidArgument("an ALU operation that does not exist");
  const std::string_view name = operation->name;
  if (readsPair(opcode) || writesTable(opcode) || readsTable(opcode)) {
    return invalidArgument(fmt::format("{} is not an operation of tiles", name));
  }
  if (!hasAluOperation(hw.params(), *operation)) {
    return invalidArgument(
        fmt::format("{} has no {}: add the extension to the configuration (isa.extensions), or "
                    "write it with other operations",
                    hw.name(), name));
  }
  if (hw.params().compat_0_0_2 && !operation->is_published) {
    return invalidArgument(
        fmt::format("{} has no {}: published hardware has MIN, MAX, ADD and SHR", hw.name(), name));
  }
  const bool fits = operation->operand == AluOperand::kTensorOrImmediate ||
                    (operation->operand == AluOperand::kTensor) == has_src;
  if (!fits) {
    return invalidArgument(
        fmt::format("{} takes {} as second operand", name, has_src ? "a number" : "a tile"));
  }
  return {};
}

Status checkAluImmediate(AluOpcode opcode, int64_t imm, const HwConfig& hw) {
  const auto [least, most] = immediateRange(opcode, hw);
  if (imm >= least && imm <= most) return {};
  return invalidArgument(fmt::format("{} has the number {}; {} to {} are possible{}",
                                     aluOpcodeName(opcode), imm, least, most,
                                     opcode == AluOpcode::kShr ? ""
                                                               : "; load larger ones as a tensor "
                                                                 "of ACC"));
}

Status checkOverlap(const AluOp& alu) {
  if (!alu.src || alu.src->tile != alu.dst.tile) return {};
  const bool is_same = alu.src->offset == alu.dst.offset && alu.src->strides == alu.dst.strides;
  if (is_same) return {};
  const std::set<int64_t> written = elementsOf(alu.dst);
  for (const int64_t element : elementsOf(*alu.src)) {
    if (written.count(element) != 0) {
      return invalidArgument(
          fmt::format("{} reads elements of a tile that it writes at other places; make a copy "
                      "of one operand first",
                      aluOpcodeName(alu.opcode)));
    }
  }
  return {};
}

}  // namespace vta::tile
