#include "compiler/tile/program/tile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/program/text/assembler.h"

namespace vta::tile {
namespace {

constexpr size_t kChartColumns = 96;

std::string lowerCase(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return result;
}

class Writer {
 public:
  explicit Writer(const TileProgram& program) : program_(program) {}

  std::string run() {
    line("kernel {}", program_.name);
    depth_ = 1;
    for (const TensorDecl& tensor : program_.tensors) {
      line("{} {}: {} {}", tensor.memory == MemoryType::kOut ? "output" : "input", tensor.name,
           memoryTypeName(tensor.memory), shapeText(tensor.shape));
    }
    writeBody(program_.body);
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void writeBody(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      std::visit([this](const auto& op) { write(op); }, statement.op);
    }
  }

  void write(const LoopOp& loop) {
    line("for {} in range(0, {}, {}), {} stage{}:", program_.loops[loop.variable],
         loop.count * loop.step, loop.step, loop.stages, loop.stages == 1 ? "" : "s");
    ++depth_;
    writeBody(loop.body);
    --depth_;
  }
  void write(const LoadOp& load) {
    line("{} = load {}", tileText(load.tile), placeText(load.tensor, load.begin));
  }
  void write(const ZeroOp& zero) { line("{} = 0", tileText(zero.dst.tile)); }
  void write(const CopyOp& copy) { line("{} = {}", tileText(copy.dst.tile), viewText(copy.src)); }
  void write(const AluOp& alu) {
    const std::string name = lowerCase(aluOpcodeName(alu.opcode));
    const AluOperation* const operation = findAluOperation(alu.opcode);
    std::string second = alu.src ? viewText(*alu.src) : std::to_string(alu.imm);
    if (alu.src && operation != nullptr && operation->immediate == AluImmediate::kShift) {
      second += fmt::format(", {}", alu.imm);
    }
    if (operation != nullptr && operation->immediate == AluImmediate::kByteRange) {
      const ByteRange range = byteRangeOf(alu.imm);
      second = fmt::format("{}, {}", range.low, range.high);
    }
    line("{0} = {1}({0}, {2})", viewText(alu.dst), name, second);
  }
  void write(const DotOp& dot) {
    line("{} += dot({}, {}, \"{},{}->{}\")", viewText(dot.acc), viewText(dot.inp),
         viewText(dot.wgt), dot.inp_axes, dot.wgt_axes, dot.acc_axes);
  }
  void write(const StoreOp& store) {
    line("store {} = {}", placeText(store.tensor, store.begin), viewText(store.src));
  }

  std::string tileText(uint32_t tile) const {
    const TileDecl& decl = program_.tiles[tile];
    return fmt::format("{}: {} {}", decl.name, memoryTypeName(decl.scratchpad),
                       shapeText(decl.shape));
  }

  // A part of a tile has its first element, and how many elements at what distance.
  std::string viewText(const View& view) const {
    const TileDecl& decl = program_.tiles[view.tile];
    if (view.offset == 0 && view.isPacked() && elemsOf(view.shape) == elemsOf(decl.shape)) {
      return decl.name;
    }
    std::string axes;
    for (size_t axis = 0; axis < view.shape.size(); ++axis) {
      axes +=
          fmt::format("{}{} by {}", axes.empty() ? "" : ", ", view.shape[axis], view.strides[axis]);
    }
    return fmt::format("{}[from {}: {}]", decl.name, view.offset, axes);
  }

  std::string placeText(uint32_t tensor, const std::vector<Affine>& begin) const {
    std::string indices;
    for (const Affine& index : begin) {
      indices += fmt::format("{}{}", indices.empty() ? "" : ", ", indexText(index));
    }
    return fmt::format("{}[{}]", program_.tensors[tensor].name, indices);
  }

  std::string indexText(const Affine& index) const {
    std::string text;
    for (const AffineTerm& term : index.terms()) {
      if (!text.empty()) text += " + ";
      if (term.factor != 1) text += fmt::format("{} * ", term.factor);
      text += program_.loops[term.loop];
    }
    if (text.empty()) return std::to_string(index.constant());
    if (index.constant() > 0) text += fmt::format(" + {}", index.constant());
    if (index.constant() < 0) text += fmt::format(" - {}", -index.constant());
    return text;
  }

  const TileProgram& program_;
  std::string text_;
  size_t depth_ = 0;
};

// How busy a unit is in each column: blank, less than half, or more.
std::string chartRow(const Program& program, const Recording& recording, Unit unit) {
  const uint64_t cycles = std::max<uint64_t>(1, recording.cycles);
  std::vector<double> busy(kChartColumns);
  const double width = static_cast<double>(cycles) / kChartColumns;
  for (size_t i = 0; i < recording.instructions.size(); ++i) {
    const InstructionTimes& times = recording.instructions[i];
    if (program.instructions[i].unit() != unit || times.work_from == InstructionTimes::kNever ||
        times.work_until == InstructionTimes::kNever) {
      continue;
    }
    const auto from = static_cast<double>(times.work_from);
    const double until = static_cast<double>(times.work_until) + 1;
    for (auto column = static_cast<size_t>(from / width); column < kChartColumns; ++column) {
      const double left = static_cast<double>(column) * width;
      if (left >= until) break;
      busy[column] += std::min(until, left + width) - std::max(from, left);
    }
  }
  std::string row;
  for (const double cycles_busy : busy) {
    row += cycles_busy <= 0 ? ' ' : cycles_busy < width / 2 ? '-' : '#';
  }
  return row;
}

}  // namespace

std::string toText(const TileProgram& program) { return Writer(program).run(); }

std::string timelineText(const Program& program, const Recording& recording) {
  std::string text =
      fmt::format("{} cycles; #: busy, -: busy less than half of the time\n", recording.cycles);
  for (const Unit unit : {Unit::kLoad, Unit::kCompute, Unit::kStore}) {
    text += fmt::format("{:>8} |{}|\n", unitName(unit), chartRow(program, recording, unit));
  }
  text += "   number       from      until  instruction\n";
  const auto cycle = [](uint64_t at) {
    return at == InstructionTimes::kNever ? std::string("-") : std::to_string(at);
  };
  for (size_t i = 0; i < recording.instructions.size(); ++i) {
    const InstructionTimes& times = recording.instructions[i];
    text += fmt::format("{:>9} {:>10} {:>10}  {}\n", i, cycle(times.started), cycle(times.retired),
                        disassemble(program.instructions[i]));
  }
  return text;
}

}  // namespace vta::tile
