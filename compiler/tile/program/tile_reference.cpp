#include "compiler/tile/program/tile_reference.h"

#include <cstring>

#include "compiler/kernel/desc/scalar_reference.h"
#include "isa/spec/accumulator.h"
#include "isa/spec/lookup_table.h"
#include "isa/spec/narrow_weights.h"

namespace vta::tile {
namespace {

using Values = std::vector<int32_t>;

class Reference {
 public:
  Reference(const TileProgram& program, const HwConfig& hw,
            std::vector<std::vector<uint8_t>>& buffers)
      : program_(program),
        hw_(hw),
        buffers_(buffers),
        tiles_(program.tiles.size()),
        variables_(program.loops.size()) {
    for (size_t i = 0; i < program.tensors.size(); ++i) tensors_.push_back(valuesOf(i));
  }

  void run() {
    runBody(program_.body);
    for (size_t i = 0; i < program_.tensors.size(); ++i) {
      if (program_.tensors[i].memory == MemoryType::kOut) writeBack(i);
    }
  }

 private:
  int64_t lanes(MemoryType memory) const {
    const int64_t rows = memory == MemoryType::kWgt ? hw_.blockOut() : hw_.batch();
    const bool is_operand = memory == MemoryType::kWgt || memory == MemoryType::kInp;
    return rows * (is_operand ? hw_.blockIn() : hw_.blockOut());
  }

  int64_t accumulator(int64_t value) const {
    return wrapAccumulator(static_cast<int32_t>(static_cast<uint32_t>(value)),
                           hw_.params().acc_width_bits);
  }

  Values valuesOf(size_t number) const {
    const TensorDecl& tensor = program_.tensors[number];
    const auto count = static_cast<size_t>(elemsOf(tensor.shape) * lanes(tensor.memory));
    Values values(count);
    if (tensor.memory == MemoryType::kOut) return values;
    const std::vector<uint8_t>& bytes = buffers_[number];
    if (tensor.memory == MemoryType::kAcc) {
      std::memcpy(values.data(), bytes.data(), count * sizeof(int32_t));
      for (int32_t& value : values) value = static_cast<int32_t>(accumulator(value));
      return values;
    }
    std::vector<int8_t> narrow(count);
    const int bits = tensor.memory == MemoryType::kWgt ? hw_.params().wgt_width_bits : 8;
    unpackWeights(reinterpret_cast<const int8_t*>(bytes.data()), count, bits, narrow.data());
    for (size_t i = 0; i < count; ++i) values[i] = narrow[i];
    return values;
  }

  void writeBack(size_t number) {
    buffers_[number].resize(tensors_[number].size());
    for (size_t i = 0; i < tensors_[number].size(); ++i) {
      buffers_[number][i] = static_cast<uint8_t>(static_cast<uint32_t>(tensors_[number][i]));
    }
  }

  void runBody(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      std::visit([this](const auto& op) { run(op); }, statement.op);
    }
  }

  void run(const LoopOp& loop) {
    for (int64_t i = 0; i < loop.count; ++i) {
      variables_[loop.variable] = i * loop.step;
      runBody(loop.body);
    }
  }

  // The element of a tensor at `begin` + `position`; -1 beside it.
  int64_t elementOf(const TensorDecl& tensor, const std::vector<Affine>& begin,
                    const Shape& position) const {
    int64_t element = 0;
    for (size_t axis = 0; axis < position.size(); ++axis) {
      const int64_t at = begin[axis].at(variables_) + position[axis];
      if (at < 0 || at >= tensor.shape[axis]) return -1;
      element = element * tensor.shape[axis] + at;
    }
    return element;
  }

  void run(const LoadOp& load) {
    const TensorDecl& tensor = program_.tensors[load.tensor];
    const Shape& shape = program_.tiles[load.tile].shape;
    const int64_t width = lanes(tensor.memory);
    Values& tile = tiles_[load.tile];
    tile.clear();
    forEachPosition(shape, [&](const Shape& position) {
      const int64_t element = elementOf(tensor, load.begin, position);
      for (int64_t lane = 0; lane < width; ++lane) {
        tile.push_back(element < 0 ? 0 : tensors_[load.tensor][element * width + lane]);
      }
    });
  }

  void run(const ZeroOp& zero) { makeTile(zero.dst.tile); }

  void makeTile(uint32_t tile) {
    const int64_t elems = elemsOf(program_.tiles[tile].shape);
    tiles_[tile].assign(static_cast<size_t>(elems * lanes(MemoryType::kAcc)), 0);
  }

  void run(const CopyOp& copy) {
    makeTile(copy.dst.tile);
    run(AluOp{AluOpcode::kAdd, copy.dst, copy.src, 0});
  }

  void run(const AluOp& alu) {
    const int64_t width = lanes(MemoryType::kAcc);
    if (writesTable(alu.opcode)) {
      table_ = tiles_[alu.dst.tile];
      return;
    }
    forEachPosition(alu.dst.shape, [&](const Shape& position) {
      for (int64_t lane = 0; lane < width; ++lane) {
        int32_t& x = at(alu.dst, position, width, lane);
        const int32_t y = alu.src ? at(*alu.src, position, width, lane) : alu.imm;
        x = readsTable(alu.opcode) ? tableResult(table_[tableWordFor(x) * width + lane], x)
                                   : kernel::applyAlu(alu.opcode, x, y, alu.imm, hw_.params());
      }
    });
  }

  int32_t& at(const View& view, const Shape& position, int64_t width, int64_t lane) {
    int64_t element = view.offset;
    for (size_t axis = 0; axis < position.size(); ++axis) {
      element += position[axis] * view.strides[axis];
    }
    return tiles_[view.tile][element * width + lane];
  }

  void run(const DotOp& dot) {
    const std::vector<DotAxis> axes = dotAxes(dot);
    Shape counts;
    for (const DotAxis& axis : axes) counts.push_back(axis.count);
    forEachPosition(counts, [&](const Shape& position) {
      int64_t acc = dot.acc.offset, inp = dot.inp.offset, wgt = dot.wgt.offset;
      for (size_t i = 0; i < axes.size(); ++i) {
        acc += position[i] * axes[i].acc;
        inp += position[i] * axes[i].inp;
        wgt += position[i] * axes[i].wgt;
      }
      multiply(&tiles_[dot.acc.tile][acc * lanes(MemoryType::kAcc)],
               &tiles_[dot.inp.tile][inp * lanes(MemoryType::kInp)],
               &tiles_[dot.wgt.tile][wgt * lanes(MemoryType::kWgt)]);
    });
  }

  void multiply(int32_t* acc, const int32_t* inp, const int32_t* wgt) const {
    for (int b = 0; b < hw_.batch(); ++b) {
      for (int out = 0; out < hw_.blockOut(); ++out, ++acc) {
        int64_t sum = *acc;
        for (int in = 0; in < hw_.blockIn(); ++in) {
          sum += int64_t{inp[b * hw_.blockIn() + in]} * wgt[out * hw_.blockIn() + in];
        }
        *acc = static_cast<int32_t>(accumulator(sum));
      }
    }
  }

  void run(const StoreOp& store) {
    const TensorDecl& tensor = program_.tensors[store.tensor];
    const int64_t width = lanes(MemoryType::kAcc);
    forEachPosition(store.src.shape, [&](const Shape& position) {
      const int64_t element = elementOf(tensor, store.begin, position);
      for (int64_t lane = 0; lane < width; ++lane) {
        tensors_[store.tensor][element * width + lane] = at(store.src, position, width, lane);
      }
    });
  }

  const TileProgram& program_;
  const HwConfig& hw_;
  std::vector<std::vector<uint8_t>>& buffers_;
  std::vector<Values> tensors_;
  std::vector<Values> tiles_;
  Shape variables_;
  Values table_;
};

}  // namespace

void runTileReference(const TileProgram& program, const HwConfig& hw,
                      std::vector<std::vector<uint8_t>>& buffers) {
  Reference(program, hw, buffers).run();
}

}  // namespace vta::tile
