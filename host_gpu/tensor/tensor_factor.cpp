#include "host_gpu/tensor/tensor_factor.h"

#include <algorithm>
#include <optional>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace vta::codegen {
namespace {

using namespace mlir;

constexpr int64_t kRegisterBytes = 4;
constexpr int64_t kRowWords = kTensorRowBytes / kRegisterBytes;
constexpr int64_t kChunkWords = kTensorChunkBytes / kRegisterBytes;

/// How many bytes are copied at once where rows of shared memory go along `along`, whose neighbours
/// have to be neighbours in memory: 16, 8 or 4; 0: elements do not lie so. Every other number has
/// to lead to a multiple of what is copied.
int64_t widestCopy(const Contraction& contraction, const LinearOperand& operand,
                   ArrayRef<unsigned> along, int64_t element_bytes) {
  // The innermost loops that walk through memory as one.
  int64_t run = 1;
  SmallVector<unsigned> others(along);
  while (!others.empty() && operand.coefficients[others.back()] == run) {
    run *= contraction.extents[others.pop_back_val()];
  }
  for (const auto* loops :
       {&contraction.batch, &contraction.rows, &contraction.columns, &contraction.depth}) {
    if (loops->begin() != along.begin()) others.append(loops->begin(), loops->end());
  }
  for (int64_t bytes = kTensorChunkBytes; bytes >= kRegisterBytes; bytes /= 2) {
    const int64_t elems = bytes / element_bytes;
    const bool is_aligned = llvm::all_of(
        others, [&](unsigned loop) { return operand.coefficients[loop] % elems == 0; });
    if (is_aligned && run % elems == 0 && operand.offset % elems == 0) return bytes;
  }
  return 0;
}

}  // namespace

bool areTurned(const Contraction& contraction, const LinearOperand& operand,
               ArrayRef<unsigned> side, int64_t element_bytes) {
  return element_bytes == 2 &&
         widestCopy(contraction, operand, contraction.depth, element_bytes) == 0 &&
         widestCopy(contraction, operand, side, element_bytes) > 0;
}

TensorFactor::TensorFactor(ImplicitLocOpBuilder& b, const Contraction& contraction,
                           const LinearOperand& operand, ArrayRef<unsigned> side,
                           const Geometry& geometry, Side is)
    : b_(b),
      indices_(b),
      contraction_(contraction),
      operand_(operand),
      side_(contraction, side),
      depth_(contraction, contraction.depth),
      geometry_(geometry),
      is_(is),
      is_turned_(hasPlacesToTurn() &&
                 areTurned(contraction, operand, side, geometry.element_bytes)),
      copy_bytes_(widestCopy(contraction, operand, is_turned_ ? side : ArrayRef(contraction.depth),
                             geometry.element_bytes)) {}

/// The places of chunks need a power of two of them, and groups of warps read rows of depth alone.
bool TensorFactor::hasPlacesToTurn() const {
  return !geometry_.of_group &&
         (geometry_.block == 16 || geometry_.block == 32 || geometry_.block % 64 == 0);
}

void TensorFactor::place(ProductFrame& frame, TensorOps& ops, Value base, Value first,
                         Value invocation) {
  frame_ = &frame;
  ops_ = &ops;
  base_ = base;
  first_ = first;
  invocation_ = invocation;
  const std::optional<int64_t> alignment =
      geometry_.of_group ? std::optional(kGroupAlignmentBytes) : std::nullopt;
  shared_ = allocateShared(b_, geometry_.stages * geometry_.block * kRowWords, b_.getI32Type(),
                           alignment);
  shared_pointer_ = ops.pointerTo(shared_);
}

size_t TensorFactor::wordCount() const {
  return static_cast<size_t>(geometry_.block * kRowWords / geometry_.invocations);
}

TensorFactor::Piece TensorFactor::pieceOf(int64_t pass, int64_t pieces_in_row, bool along_rows) {
  const Value number = indices_.add(invocation_, pass * geometry_.invocations);
  if (along_rows) {
    return {indices_.quotient(number, pieces_in_row), indices_.remainder(number, pieces_in_row)};
  }
  return {indices_.remainder(number, geometry_.block), indices_.quotient(number, geometry_.block)};
}

Value TensorFactor::swizzled(Value chunk, Value row) {
  constexpr int64_t kBankBytes = 128;  // of all banks together
  int64_t rows = is_ == Side::kRight && !geometry_.of_group ? 4 : 2, places = kTensorChunks;
  if (is_turned_) {
    rows = std::max<int64_t>(kBankBytes / rowBytes(), 1);
    places = std::min(rowBytes(), kBankBytes) / kTensorChunkBytes;
  }
  const Value by = indices_.remainder(indices_.quotient(row, rows), places);
  return b_.create<arith::XOrIOp>(chunk, by);
}

/// A group gives a lane two neighbours of each 8 columns, so that those of 16 columns take turns.
Value TensorFactor::placeOfRow(Value row) {
  if (!geometry_.of_group || is_ == Side::kLeft) return row;
  const Value group = indices_.multiply(indices_.quotient(row, 16), 16);
  const Value lane = indices_.multiply(indices_.quotient(indices_.remainder(row, 16), 4), 2);
  const Value half = indices_.multiply(indices_.quotient(indices_.remainder(row, 4), 2), 8);
  return indices_.add(indices_.add(group, half), indices_.add(lane, indices_.remainder(row, 2)));
}

/// Of chunk `chunk` of row `row`, in bytes.
Value TensorFactor::chunkPlace(Value row, Value chunk, Value stage) {
  row = placeOfRow(row);
  const Value begin = indices_.multiply(stage, geometry_.block * kTensorRowBytes);
  return indices_.add(indices_.add(begin, indices_.multiply(row, rowBytes())),
                      indices_.multiply(swizzled(chunk, row), kTensorChunkBytes));
}

TensorOps::Registers TensorFactor::load(Value stage, Value first, int64_t chunk, Value lane) {
  constexpr int64_t kRows = 8;  // of a matrix
  const Value in_matrix = indices_.remainder(lane, kRows);
  const Value bit = indices_.remainder(indices_.quotient(lane, 8), 2);
  const Value high_bit = indices_.quotient(lane, 16);
  const Value of_side = is_ == Side::kLeft ? bit : high_bit;
  const Value of_depth = is_ == Side::kLeft ? high_bit : bit;
  const Value depth = indices_.add(of_depth, chunk);
  Value place;
  if (is_turned_) {
    place = chunkPlace(indices_.add(indices_.multiply(depth, kRows), in_matrix),
                       indices_.add(indices_.quotient(first, kRows), of_side), stage);
  } else if (is_ == Side::kLeft) {
    const Value row = indices_.add(indices_.multiply(of_side, kRows), in_matrix);
    place = chunkPlace(indices_.add(first, row), depth, stage);
  } else {
    Value column = indices_.multiply(indices_.quotient(in_matrix, 2), 4);
    column = indices_.add(column, indices_.multiply(of_side, 2));
    column = indices_.add(column, indices_.remainder(in_matrix, 2));
    place = chunkPlace(indices_.add(first, column), depth, stage);
  }
  return ops_->loadMatrices(ops_->advance(shared_pointer_, place), is_turned_);
}

Value TensorFactor::describe(Value stage, Value first, int64_t chunk) {
  Value place = indices_.multiply(stage, geometry_.block * kTensorRowBytes);
  place = indices_.add(place, indices_.multiply(first, kTensorRowBytes));
  place = indices_.add(place, chunk * kTensorChunkBytes);
  return ops_->describeRows(ops_->advance(shared_pointer_, place));
}

/// What does not depend on the depth of the place of an element, in elements.
Value TensorFactor::rowPlace(Value row) {
  const Value offset = side_.offset(indices_, indices_.add(first_, row), operand_);
  return offset ? indices_.add(base_, offset) : base_;
}

Value TensorFactor::isRowInside(Value row) {
  return indices_.isInside(indices_.add(first_, row), side_.count(), geometry_.block);
}

Value TensorFactor::isDepthInside(Value depth) {
  return indices_.isInside(depth, depth_.count(), depthOfStep(), geometry_.may_end);
}

Value TensorFactor::depthOf(Value step, Value in_row) {
  return indices_.add(indices_.multiply(step, depthOfStep()), in_row);
}

void TensorFactor::startCopies(Value step, Value stage) {
  const Value from = ops_->pointerTo(frame_->argument(operand_));
  const int64_t pieces_in_row = rowBytes() / copy_bytes_;
  const int64_t pieces_in_chunk = kTensorChunkBytes / copy_bytes_;
  const int64_t passes = geometry_.block * kTensorRowBytes / copy_bytes_ / geometry_.invocations;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const auto [row, number] = pieceOf(pass, pieces_in_row, /*along_rows=*/true);
    const Value along = indices_.multiply(number, copy_bytes_ / geometry_.element_bytes);
    const Value side = is_turned_ ? along : row;
    const Value depth = depthOf(step, is_turned_ ? row : along);
    const Value inside = indices_.both(isRowInside(side), isDepthInside(depth));
    Value place = rowPlace(side);
    if (Value offset = depth_.offset(indices_, depth, operand_)) {
      place = indices_.add(place, offset);
    }
    if (inside) place = b_.create<arith::SelectOp>(inside, place, indices_.number(0));
    Value to = chunkPlace(row, indices_.quotient(number, pieces_in_chunk), stage);
    if (pieces_in_chunk > 1) {
      const Value in_chunk = indices_.remainder(number, pieces_in_chunk);
      to = indices_.add(to, indices_.multiply(in_chunk, copy_bytes_));
    }
    ops_->startCopy(ops_->advance(shared_pointer_, to),
                    ops_->advance(from, indices_.multiply(place, geometry_.element_bytes)),
                    copy_bytes_, inside);
  }
}

/// The neighbours in depth from `first_depth` on that fill a word.
Value TensorFactor::gatherWord(Value row_place, Value row_inside, Value first_depth) {
  const Value buffer = frame_->argument(operand_);
  const int64_t element_bits = 8 * geometry_.element_bytes;
  const auto bits_of = [&](Value element) -> Value {
    if (isa<FloatType>(element.getType())) {
      element = b_.create<arith::BitcastOp>(b_.getIntegerType(element_bits), element);
    }
    return b_.create<arith::ExtUIOp>(b_.getI32Type(), element);
  };
  Value word;
  for (int64_t i = 0; i < kRegisterBytes / geometry_.element_bytes; ++i) {
    const Value depth = indices_.add(first_depth, i);
    const Value inside = indices_.both(row_inside, isDepthInside(depth));
    Value place = row_place;
    if (Value offset = depth_.offset(indices_, depth, operand_)) {
      place = indices_.add(place, offset);
    }
    Value bits = loadInside(b_, buffer, place, /*known=*/0, inside, bits_of);
    if (i > 0) {
      const Value shift = b_.create<arith::ConstantIntOp>(i * element_bits, 32);
      bits = b_.create<arith::ShLIOp>(bits, shift);
    }
    word = word ? b_.create<arith::OrIOp>(word, bits).getResult() : bits;
  }
  return word;
}

SmallVector<Value> TensorFactor::gather(Value step) {
  const int64_t passes = geometry_.block * kTensorChunks / geometry_.invocations;
  SmallVector<Value> words;
  for (int64_t pass = 0; pass < passes; ++pass) {
    // Neighbouring invocations read neighbours.
    const auto [row, chunk] = pieceOf(pass, kTensorChunks, depth_.walksMemory(operand_));
    const Value place = rowPlace(row), inside = isRowInside(row);
    const Value first =
        depthOf(step, indices_.multiply(chunk, kTensorChunkBytes / geometry_.element_bytes));
    for (int64_t word = 0; word < kChunkWords; ++word) {
      words.push_back(gatherWord(
          place, inside, indices_.add(first, word * kRegisterBytes / geometry_.element_bytes)));
    }
  }
  return words;
}

void TensorFactor::scatter(ArrayRef<Value> words, Value stage) {
  for (size_t number = 0; number < words.size(); number += kChunkWords) {
    const auto [row, chunk] = pieceOf(static_cast<int64_t>(number) / kChunkWords, kTensorChunks,
                                      depth_.walksMemory(operand_));
    const Value place = indices_.quotient(chunkPlace(row, chunk, stage), kRegisterBytes);
    for (int64_t word = 0; word < kChunkWords; ++word) {
      b_.create<memref::StoreOp>(words[number + static_cast<size_t>(word)], shared_,
                                 indices_.add(place, word));
    }
  }
}

}  // namespace vta::codegen
