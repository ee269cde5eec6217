#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/closest_name.h"
#include "base/files.h"
#include "base/yaml_section.h"
#include "compiler/tile/file/kernel_file.h"
#include "compiler/tile/tile_check.h"

namespace vta::tile {
namespace {

constexpr int kFormat = 1;
constexpr size_t kMaxReadStatements = size_t{1} << 16;  // aliases make short texts long
constexpr size_t kMaxTerms = 2 * kMaxLoopDepth + 1;
constexpr int kMaxBlock = 1 << 12;

class KernelReader {
 public:
  explicit KernelReader(std::string_view source) : source_(source) {}

  Result<std::vector<TileKernel>> run(const YAML::Node& document) {
    VTA_ASSIGN_OR_RETURN(YamlSection root, section(document, "a file of kernels"));
    VTA_ASSIGN_OR_RETURN(const int64_t format, number(root, "format"));
    if (format != kFormat) {
      return invalidArgument(
          fmt::format("{}: the file has format {}, and this version reads {}: write it anew with "
                      "vta.tile.save",
                      root.placeOf("format"), format, kFormat));
    }
    VTA_ASSIGN_OR_RETURN(const YAML::Node list, sequence(root, "kernels"));
    VTA_RETURN_IF_ERROR(root.checkAllKnown());
    std::vector<TileKernel> kernels;
    for (const YAML::Node& node : list) {
      VTA_ASSIGN_OR_RETURN(TileKernel kernel, readKernel(node));
      kernels.push_back(std::move(kernel));
    }
    return kernels;
  }

 private:
  std::string place(const YAML::Node& node) const { return YamlSection(node, source_).place(); }

  Status wrong(const YAML::Node& node, std::string_view what, std::string_view kind) const {
    return invalidArgument(fmt::format("{}: {} must be {}", place(node), what, kind));
  }

  Result<YamlSection> section(const YAML::Node& node, std::string_view what) const {
    if (!node.IsMap()) return wrong(node, what, "a map");
    return YamlSection(node, source_);
  }

  Result<YAML::Node> sequence(YamlSection& parent, const char* key) const {
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, parent.node(key));
    if (!node.IsSequence()) return wrong(node, key, "a list");
    return node;
  }

  template <typename T = int64_t>
  Result<T> number(const YAML::Node& node, std::string_view what,
                   T least = std::numeric_limits<T>::min(),
                   T most = std::numeric_limits<T>::max()) const {
    if (!node.IsScalar()) return wrong(node, what, "a number");
    const std::string& digits = node.Scalar();
    T value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, value);
    if (digits.empty() || error != std::errc() || rest != end || value < least || value > most) {
      return invalidArgument(fmt::format("{}: {} is \"{}\"; a whole number from {} to {} is needed",
                                         place(node), what, digits, least, most));
    }
    return value;
  }

  template <typename T = int64_t>
  Result<T> number(YamlSection& parent, const char* key, T least = std::numeric_limits<T>::min(),
                   T most = std::numeric_limits<T>::max()) const {
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, parent.node(key));
    return number<T>(node, key, least, most);
  }

  Result<std::vector<int64_t>> numbers(const YAML::Node& node, std::string_view what,
                                       size_t most) const {
    if (!node.IsSequence() || node.size() > most) {
      return wrong(node, what, fmt::format("a list of up to {} numbers", most));
    }
    std::vector<int64_t> values;
    for (const YAML::Node& item : node) {
      VTA_ASSIGN_OR_RETURN(const int64_t value, number(item, what));
      values.push_back(value);
    }
    return values;
  }

  Result<Shape> shape(YamlSection& parent) const {
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, parent.node("shape"));
    return numbers(node, "shape", kMaxAxes);
  }

  Result<MemoryType> memory(YamlSection& parent) const {
    VTA_ASSIGN_OR_RETURN(const std::string name, parent.text("memory"));
    for (const MemoryInfo& info : memories()) {
      if (info.name == name) return info.type;
    }
    return invalidArgument(
        fmt::format("{}: there is no memory {}", parent.placeOf("memory"), name));
  }

  Result<TileKernel> readKernel(const YAML::Node& node) {
    VTA_ASSIGN_OR_RETURN(YamlSection root, section(node, "a kernel"));
    TileKernel kernel;
    VTA_ASSIGN_OR_RETURN(kernel.program.name, root.text("name"));
    VTA_ASSIGN_OR_RETURN(const YAML::Node sizes, root.node("elements"));
    VTA_ASSIGN_OR_RETURN(kernel.elements, readElements(sizes));
    root.expect("numbers");
    if (root.has("numbers")) {
      VTA_ASSIGN_OR_RETURN(const YAML::Node given, root.node("numbers"));
      VTA_ASSIGN_OR_RETURN(const YamlSection map, section(given, "numbers"));
      for (const auto& entry : given) {
        if (!entry.first.IsScalar()) return wrong(entry.first, "a number's name", "a single value");
        VTA_ASSIGN_OR_RETURN(kernel.numbers[entry.first.Scalar()], number(entry.second, "numbers"));
      }
    }
    VTA_ASSIGN_OR_RETURN(const YAML::Node tensors, sequence(root, "tensors"));
    for (const YAML::Node& item : tensors) {
      VTA_ASSIGN_OR_RETURN(TensorDecl tensor, readTensor(item));
      kernel.program.tensors.push_back(std::move(tensor));
    }
    VTA_ASSIGN_OR_RETURN(const YAML::Node tiles, sequence(root, "tiles"));
    for (const YAML::Node& item : tiles) {
      VTA_ASSIGN_OR_RETURN(YamlSection tile, section(item, "a tile"));
      TileDecl decl{fmt::format("t{}", kernel.program.tiles.size()), MemoryType::kAcc, {}};
      VTA_ASSIGN_OR_RETURN(decl.scratchpad, memory(tile));
      VTA_ASSIGN_OR_RETURN(decl.shape, shape(tile));
      VTA_RETURN_IF_ERROR(tile.checkAllKnown());
      kernel.program.tiles.push_back(std::move(decl));
    }
    VTA_ASSIGN_OR_RETURN(const YAML::Node body, sequence(root, "body"));
    VTA_RETURN_IF_ERROR(root.checkAllKnown());
    program_ = &kernel.program;
    VTA_ASSIGN_OR_RETURN(kernel.program.body, readBody(body, kNoLoop, 0));
    return kernel;
  }

  Result<ElementSizes> readElements(const YAML::Node& node) const {
    VTA_ASSIGN_OR_RETURN(YamlSection root, section(node, "elements"));
    ElementSizes sizes;
    VTA_ASSIGN_OR_RETURN(sizes.batch, number(root, "batch", 1, kMaxBlock));
    VTA_ASSIGN_OR_RETURN(sizes.block_in, number(root, "block_in", 1, kMaxBlock));
    VTA_ASSIGN_OR_RETURN(sizes.block_out, number(root, "block_out", 1, kMaxBlock));
    VTA_RETURN_IF_ERROR(root.checkAllKnown());
    return sizes;
  }

  Result<TensorDecl> readTensor(const YAML::Node& node) const {
    VTA_ASSIGN_OR_RETURN(YamlSection root, section(node, "a tensor"));
    TensorDecl tensor;
    VTA_ASSIGN_OR_RETURN(tensor.name, root.text("name"));
    VTA_ASSIGN_OR_RETURN(tensor.memory, memory(root));
    VTA_ASSIGN_OR_RETURN(tensor.shape, shape(root));
    root.expect("contents");
    if (root.has("contents")) {
      VTA_ASSIGN_OR_RETURN(const std::string digits, root.text("contents"));
      for (size_t i = 0; i + 1 < digits.size(); i += 2) {
        uint8_t byte = 0;
        const char* const end = digits.data() + i + 2;
        const auto [rest, error] = std::from_chars(digits.data() + i, end, byte, 16);
        if (error != std::errc() || rest != end) break;
        tensor.contents.push_back(byte);
      }
      if (digits.empty() || 2 * tensor.contents.size() != digits.size()) {
        return invalidArgument(fmt::format("{}: contents must be bytes of two hexadecimal digits",
                                           root.placeOf("contents")));
      }
    }
    VTA_RETURN_IF_ERROR(root.checkAllKnown());
    return tensor;
  }

  Result<std::vector<Statement>> readBody(const YAML::Node& list, int64_t loop, size_t depth) {
    std::vector<Statement> statements;
    for (const YAML::Node& node : list) {
      if (++statements_ > kMaxReadStatements) {
        return invalidArgument(
            fmt::format("{}: more than {} statements", place(node), kMaxReadStatements));
      }
      VTA_ASSIGN_OR_RETURN(YamlSection root, section(node, "a statement"));
      VTA_ASSIGN_OR_RETURN(Statement statement, readStatement(root, loop, depth));
      VTA_RETURN_IF_ERROR(root.checkAllKnown());
      statements.push_back(std::move(statement));
    }
    return statements;
  }

  Result<Statement> readStatement(YamlSection& root, int64_t loop, size_t depth) {
    for (const char* kind : {"loop", "load", "zero", "copy", "alu", "dot", "store"}) {
      if (root.has(kind)) root.expect(kind);
    }
    if (root.has("loop")) return readLoop(root, depth);
    if (root.has("load")) return readLoad(root, loop);
    if (root.has("zero")) return readZero(root, loop);
    if (root.has("copy")) return readCopy(root, loop);
    if (root.has("alu")) return readAlu(root);
    if (root.has("dot")) return readDot(root);
    if (root.has("store")) return readStore(root);
    return invalidArgument(fmt::format(
        "{}: a statement is one of loop, load, zero, copy, alu, dot and store", root.place()));
  }

  Result<Statement> readLoop(YamlSection& root, size_t depth) {
    if (depth >= kMaxLoopDepth) {
      return invalidArgument(
          fmt::format("{}: more than {} loops in each other", root.place(), kMaxLoopDepth));
    }
    LoopOp loop;
    loop.variable = static_cast<uint32_t>(program_->loops.size());
    VTA_ASSIGN_OR_RETURN(const std::string name, root.text("loop"));
    program_->loops.push_back(name);
    VTA_ASSIGN_OR_RETURN(loop.count, number(root, "count"));
    VTA_ASSIGN_OR_RETURN(loop.step, number(root, "step"));
    VTA_ASSIGN_OR_RETURN(loop.stages, number(root, "stages"));
    VTA_ASSIGN_OR_RETURN(const YAML::Node body, sequence(root, "body"));
    VTA_ASSIGN_OR_RETURN(loop.body, readBody(body, loop.variable, depth + 1));
    return Statement{std::move(loop)};
  }

  // The tile that a statement makes: it lives in the loop around it.
  Result<View> made(YamlSection& root, const char* key, int64_t loop) const {
    VTA_ASSIGN_OR_RETURN(const uint32_t tile, number<uint32_t>(root, key));
    if (tile >= program_->tiles.size()) {
      return invalidArgument(fmt::format("{}: tile {} does not exist", root.placeOf(key), tile));
    }
    TileDecl& decl = program_->tiles[tile];
    decl.loop = loop;
    return View{tile, 0, decl.shape, packedStrides(decl.shape)};
  }

  Result<View> view(YamlSection& root, const char* key) const {
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, root.node(key));
    if (!node.IsSequence() || node.size() != 4) {
      return wrong(node, key, "a part of a tile: [tile, first element, extents, distances]");
    }
    View view;
    VTA_ASSIGN_OR_RETURN(view.tile, number<uint32_t>(node[0], key));
    VTA_ASSIGN_OR_RETURN(view.offset, number(node[1], key));
    VTA_ASSIGN_OR_RETURN(view.shape, numbers(node[2], key, kMaxAxes));
    VTA_ASSIGN_OR_RETURN(view.strides, numbers(node[3], key, kMaxAxes));
    return view;
  }

  Result<std::vector<Affine>> indices(YamlSection& root) const {
    constexpr int64_t kMost = int64_t{1} << 32;
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, root.node("at"));
    if (!node.IsSequence() || node.size() > kMaxAxes) return wrong(node, "at", "a list of indices");
    std::vector<Affine> begin;
    for (const YAML::Node& item : node) {
      VTA_ASSIGN_OR_RETURN(const std::vector<int64_t> values, numbers(item, "an index", kMaxTerms));
      Affine index(values.empty() ? 0 : values[0]);
      for (size_t i = 1; i < values.size(); i += 2) {
        const bool fits = i + 1 < values.size() && values[i] >= 0 &&
                          values[i] < std::ssize(program_->loops) && values[i + 1] >= -kMost &&
                          values[i + 1] <= kMost;
        if (!fits) return wrong(item, "an index", "a number and pairs of a loop and a factor");
        index += Affine::variable(static_cast<uint32_t>(values[i])) * values[i + 1];
      }
      begin.push_back(std::move(index));
    }
    return begin;
  }

  Result<Statement> readLoad(YamlSection& root, int64_t loop) const {
    LoadOp load;
    VTA_ASSIGN_OR_RETURN(const View tile, made(root, "load", loop));
    load.tile = tile.tile;
    VTA_ASSIGN_OR_RETURN(load.tensor, number<uint32_t>(root, "tensor"));
    VTA_ASSIGN_OR_RETURN(load.begin, indices(root));
    return Statement{std::move(load)};
  }

  Result<Statement> readZero(YamlSection& root, int64_t loop) const {
    ZeroOp zero;
    VTA_ASSIGN_OR_RETURN(zero.dst, made(root, "zero", loop));
    return Statement{std::move(zero)};
  }

  Result<Statement> readCopy(YamlSection& root, int64_t loop) const {
    CopyOp copy;
    VTA_ASSIGN_OR_RETURN(copy.dst, made(root, "copy", loop));
    VTA_ASSIGN_OR_RETURN(copy.src, view(root, "from"));
    return Statement{std::move(copy)};
  }

  Result<Statement> readAlu(YamlSection& root) const {
    AluOp alu;
    VTA_ASSIGN_OR_RETURN(const std::string name, root.text("alu"));
    const AluOperation* found = nullptr;
    for (const AluOperation& operation : kAluOperations) {
      if (operation.name == name) found = &operation;
    }
    if (found == nullptr) {
      return invalidArgument(
          fmt::format("{}: there is no ALU operation {}", root.placeOf("alu"), name));
    }
    alu.opcode = found->opcode;
    VTA_ASSIGN_OR_RETURN(alu.dst, view(root, "to"));
    root.expect("from");
    if (root.has("from")) {
      VTA_ASSIGN_OR_RETURN(alu.src, view(root, "from"));
    }
    VTA_ASSIGN_OR_RETURN(alu.imm, number<int32_t>(root, "number"));
    return Statement{std::move(alu)};
  }

  Result<Statement> readDot(YamlSection& root) const {
    DotOp dot;
    VTA_ASSIGN_OR_RETURN(const std::string axes, root.text("dot"));
    const size_t comma = axes.find(',');
    const size_t arrow = axes.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) {
      return invalidArgument(
          fmt::format("{}: the axes \"{}\" are not like \"mk,nk->mn\"", root.placeOf("dot"), axes));
    }
    dot.inp_axes = axes.substr(0, comma);
    dot.wgt_axes = axes.substr(comma + 1, arrow - comma - 1);
    dot.acc_axes = axes.substr(arrow + 2);
    VTA_ASSIGN_OR_RETURN(dot.acc, view(root, "sum"));
    VTA_ASSIGN_OR_RETURN(dot.inp, view(root, "inp"));
    VTA_ASSIGN_OR_RETURN(dot.wgt, view(root, "wgt"));
    return Statement{std::move(dot)};
  }

  Result<Statement> readStore(YamlSection& root) const {
    StoreOp store;
    VTA_ASSIGN_OR_RETURN(store.tensor, number<uint32_t>(root, "store"));
    VTA_ASSIGN_OR_RETURN(store.begin, indices(root));
    VTA_ASSIGN_OR_RETURN(store.src, view(root, "from"));
    return Statement{std::move(store)};
  }

  std::string source_;
  TileProgram* program_ = nullptr;  // that is being read
  size_t statements_ = 0;
};

}  // namespace

Result<std::vector<TileKernel>> parseKernels(std::string_view text, std::string_view source) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node document, loadYaml(text, source));
  return KernelReader(source).run(document);
}

Result<std::vector<TileKernel>> readKernels(const std::filesystem::path& path) {
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(path));
  return parseKernels(text, path.string());
}

}  // namespace vta::tile
