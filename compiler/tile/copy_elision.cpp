#include "compiler/tile/copy_elision.h"

#include <algorithm>

namespace vta::tile {
namespace {

// Calls visit(tile number) with a reference for every use of a tile in `statements`.
template <typename Statements, typename Visit>
void forEachUse(Statements&& statements, const Visit& visit);

template <typename Op, typename Visit>
void visitUses(Op& op, const Visit& visit) {
  using Plain = std::remove_const_t<Op>;
  if constexpr (std::is_same_v<Plain, LoadOp>) {
    visit(op.tile);
  } else if constexpr (std::is_same_v<Plain, ZeroOp>) {
    visit(op.dst.tile);
  } else if constexpr (std::is_same_v<Plain, CopyOp>) {
    visit(op.dst.tile);
    visit(op.src.tile);
  } else if constexpr (std::is_same_v<Plain, AluOp>) {
    visit(op.dst.tile);
    if (op.src) visit(op.src->tile);
  } else if constexpr (std::is_same_v<Plain, DotOp>) {
    visit(op.acc.tile);
    visit(op.inp.tile);
    visit(op.wgt.tile);
  } else if constexpr (std::is_same_v<Plain, StoreOp>) {
    visit(op.src.tile);
  } else {
    forEachUse(op.body, visit);
  }
}

template <typename Statements, typename Visit>
void forEachUse(Statements&& statements, const Visit& visit) {
  for (auto& statement : statements) {
    std::visit([&](auto& op) { visitUses(op, visit); }, statement.op);
  }
}

class Elision {
 public:
  explicit Elision(TileProgram& program) : program_(program) {}

  // `loop`: the loop whose body `block` is.
  void run(std::vector<Statement>& block, int64_t loop) {
    for (size_t i = 0; i < block.size();) {
      if (auto* inner = std::get_if<LoopOp>(&block[i].op)) {
        run(inner->body, inner->variable);
      } else if (const auto* copy = std::get_if<CopyOp>(&block[i].op)) {
        if (tryElide(block, i, *copy, loop)) continue;
      }
      ++i;
    }
  }

 private:
  // The copy may go where both tiles live in this block, and nobody uses the first one any more.
  bool tryElide(std::vector<Statement>& block, size_t at, const CopyOp& copy, int64_t loop) {
    const uint32_t from = copy.src.tile;
    const uint32_t to = copy.dst.tile;
    const TileDecl& source = program_.tiles[from];
    const bool is_whole = copy.src.offset == 0 && copy.src.isPacked() &&
                          elemsOf(copy.src.shape) == elemsOf(source.shape);
    if (source.loop != loop || program_.tiles[to].loop != loop || !is_whole) return false;
    const std::span<Statement> rest(block.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                    block.end());
    bool is_used = false;
    forEachUse(rest, [&](const uint32_t& tile) { is_used |= tile == from; });
    if (is_used) return false;
    forEachUse(rest, [&](uint32_t& tile) {
      if (tile == to) tile = from;
    });
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }

  TileProgram& program_;
};

}  // namespace

void elideCopies(TileProgram& program) { Elision(program).run(program.body, kNoLoop); }

}  // namespace vta::tile
