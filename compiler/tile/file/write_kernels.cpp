#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "compiler/tile/file/kernel_file.h"

namespace vta::tile {
namespace {

class KernelWriter {
 public:
  void write(const TileKernel& kernel) {
    const auto& [batch, block_in, block_out] = kernel.elements;
    add("  - name: {}\n", quoted(kernel.program.name));
    add("    elements: {{batch: {}, block_in: {}, block_out: {}}}\n", batch, block_in, block_out);
    if (!kernel.numbers.empty()) {
      std::vector<std::string> numbers;
      for (const auto& [name, value] : kernel.numbers) {
        numbers.push_back(fmt::format("{}: {}", quoted(name), value));
      }
      add("    numbers: {{{}}}\n", fmt::join(numbers, ", "));
    }
    addKey("tensors", 4, kernel.program.tensors);
    for (const TensorDecl& tensor : kernel.program.tensors) write(tensor);
    addKey("tiles", 4, kernel.program.tiles);
    for (const TileDecl& tile : kernel.program.tiles) {
      add("      - {{memory: {}, shape: {}}}\n", memoryTypeName(tile.scratchpad), tile.shape);
    }
    addKey("body", 4, kernel.program.body);
    program_ = &kernel.program;
    writeBody(kernel.program.body, 6);
  }

  std::string take() { return std::move(text_); }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  /// The key of a list, whose items follow.
  template <typename Items>
  void addKey(const char* key, size_t indent, const Items& items) {
    add("{:{}}{}:{}\n", "", indent, key, items.empty() ? " []" : "");
  }

  static std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) {
      constexpr unsigned char kFirstPrintable = 0x20, kDelete = 0x7f;
      const auto byte = static_cast<unsigned char>(c);
      if (byte < kFirstPrintable || byte == kDelete) {
        text += fmt::format("\\x{:02x}", byte);
        continue;
      }
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    return text + '"';
  }

  void write(const TensorDecl& tensor) {
    add("      - {{name: {}, memory: {}, shape: {}", quoted(tensor.name),
        memoryTypeName(tensor.memory), tensor.shape);
    if (!tensor.contents.empty()) {
      add(", contents: \"{:02x}\"", fmt::join(tensor.contents, ""));
    }
    add("}}\n");
  }

  void writeBody(const std::vector<Statement>& statements, size_t indent) {
    for (const Statement& statement : statements) {
      text_.append(indent, ' ');
      std::visit([&](const auto& op) { write(op, indent); }, statement.op);
    }
  }

  static std::string textOf(const View& view) {
    return fmt::format("[{}, {}, {}, {}]", view.tile, view.offset, view.shape, view.strides);
  }

  static std::string textOf(const std::vector<Affine>& begin) {
    std::vector<std::string> indices;
    for (const Affine& index : begin) {
      std::string text = fmt::format("[{}", index.constant());
      for (const AffineTerm& term : index.terms()) {
        text += fmt::format(", {}, {}", term.loop, term.factor);
      }
      indices.push_back(text + "]");
    }
    return fmt::format("[{}]", fmt::join(indices, ", "));
  }

  void write(const LoopOp& loop, size_t indent) {
    add("- loop: {}\n", quoted(program_->loops[loop.variable]));
    add("{:{}}  count: {}\n", "", indent, loop.count);
    add("{:{}}  step: {}\n", "", indent, loop.step);
    add("{:{}}  stages: {}\n", "", indent, loop.stages);
    addKey("body", indent + 2, loop.body);
    writeBody(loop.body, indent + 4);
  }
  void write(const LoadOp& load, size_t /*indent*/) {
    add("- {{load: {}, tensor: {}, at: {}}}\n", load.tile, load.tensor, textOf(load.begin));
  }
  void write(const ZeroOp& zero, size_t /*indent*/) { add("- {{zero: {}}}\n", zero.dst.tile); }
  void write(const CopyOp& copy, size_t /*indent*/) {
    add("- {{copy: {}, from: {}}}\n", copy.dst.tile, textOf(copy.src));
  }
  void write(const AluOp& alu, size_t /*indent*/) {
    add("- {{alu: {}, to: {}", aluOpcodeName(alu.opcode), textOf(alu.dst));
    if (alu.src) add(", from: {}", textOf(*alu.src));
    add(", number: {}}}\n", alu.imm);
  }
  void write(const DotOp& dot, size_t /*indent*/) {
    add("- {{dot: {}, sum: {}, inp: {}, wgt: {}}}\n",
        quoted(fmt::format("{},{}->{}", dot.inp_axes, dot.wgt_axes, dot.acc_axes)), textOf(dot.acc),
        textOf(dot.inp), textOf(dot.wgt));
  }
  void write(const StoreOp& store, size_t /*indent*/) {
    add("- {{store: {}, at: {}, from: {}}}\n", store.tensor, textOf(store.begin),
        textOf(store.src));
  }

  std::string text_;
  const TileProgram* program_ = nullptr;
};

}  // namespace

std::string kernelsToYaml(std::span<const TileKernel> kernels) {
  KernelWriter writer;
  for (const TileKernel& kernel : kernels) writer.write(kernel);
  return "# Tile kernels of vta.tile, for vta-compile --kernels.\nformat: 1\nkernels:\n" +
         writer.take();
}

}  // namespace vta::tile
