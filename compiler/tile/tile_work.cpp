#include "compiler/tile/tile_work.h"

namespace vta::tile {
namespace {

class WorkCounter {
 public:
  explicit WorkCounter(const TileProgram& program) { work_.clears.resize(program.tiles.size()); }

  // Adds the work of statements that run `times` times.
  void add(const std::vector<Statement>& statements, int64_t times) {
    for (const Statement& statement : statements) {
      std::visit([&](const auto& op) { count(op, times); }, statement.op);
    }
  }
  TileWork take() { return std::move(work_); }

 private:
  void count(const LoopOp& loop, int64_t times) { add(loop.body, times * loop.count); }
  void count(const LoadOp&, int64_t) {}
  void count(const StoreOp&, int64_t) {}
  void count(const ZeroOp& zero, int64_t times) {
    work_.cleared += times * elemsOf(zero.dst.shape);
    work_.clears[zero.dst.tile] += times;
  }
  void count(const CopyOp& copy, int64_t times) {
    work_.cleared += times * elemsOf(copy.dst.shape);
    work_.alu += times * elemsOf(copy.dst.shape);
  }
  void count(const AluOp& alu, int64_t times) { work_.alu += times * elemsOf(alu.dst.shape); }
  void count(const DotOp& dot, int64_t times) {
    for (const DotAxis& axis : dotAxes(dot)) times *= axis.count;
    work_.gemm += times;
  }

  TileWork work_;
};

bool multiplies(const Statement& statement) {
  if (std::holds_alternative<DotOp>(statement.op)) return true;
  const auto* loop = std::get_if<LoopOp>(&statement.op);
  return loop != nullptr && lastProduct(loop->body) < loop->body.size();
}

}  // namespace

TileWork countWork(const TileProgram& program) {
  WorkCounter counter(program);
  counter.add(program.body, 1);
  return counter.take();
}

size_t lastProduct(const std::vector<Statement>& statements) {
  for (size_t i = statements.size(); i-- > 0;) {
    if (multiplies(statements[i])) return i;
  }
  return statements.size();
}

}  // namespace vta::tile
