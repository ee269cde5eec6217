// gpu-buffers-to-words: buffers as rows of 32-bit words, which every device can address.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "base/integer_math.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUBUFFERSTOWORDSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

constexpr int64_t kWordBits = 32;

/// How the elements of a buffer lie in memory. Booleans are bytes.
struct ElementLayout {
  Type element;
  int64_t bits = 0;
  int64_t offset = 0;  // all in elements
  SmallVector<int64_t> strides;
  int64_t end = 0;  // behind the last element
};

FailureOr<ElementLayout> layoutOf(MemRefType type) {
  ElementLayout layout;
  layout.element = type.getElementType();
  if (!layout.element.isIntOrFloat() || !type.hasStaticShape()) return failure();
  layout.bits = layout.element.isInteger(1) ? 8 : layout.element.getIntOrFloatBitWidth();
  if (failed(getStridesAndOffset(type, layout.strides, layout.offset))) return failure();
  if (ShapedType::isDynamic(layout.offset) || ShapedType::isDynamicShape(layout.strides)) {
    return failure();
  }
  layout.end = layout.offset + 1;
  for (const auto [extent, stride] : llvm::zip(type.getShape(), layout.strides)) {
    layout.end += std::max<int64_t>((extent - 1) * stride, 0);
  }
  return layout;
}

/// A number times a known factor.
struct Term {
  Value number{};  // null: it is known
  int64_t factor = 0;

  bool operator==(const Term&) const = default;
};

/// Where an element of a buffer is, counted from the beginning in elements.
struct Place {
  SmallVector<Term> variables{};  // by dimension
  int64_t known = 0;              // what is added to the sum of variables
  bool begins_word = false;       // that sum is a multiple of what a word has
};

/// A known number that `value` is a multiple of; 0: it is zero.
int64_t knownFactor(Value value) {
  if (const auto known = getConstantIntValue(value)) return std::abs(*known);
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    return knownFactor(product.getLhs()) * knownFactor(product.getRhs());
  }
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    return std::gcd(knownFactor(sum.getLhs()), knownFactor(sum.getRhs()));
  }
  if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    return std::gcd(knownFactor(choice.getTrueValue()), knownFactor(choice.getFalseValue()));
  }
  if (auto rest = value.getDefiningOp<arith::RemUIOp>()) {
    return std::gcd(knownFactor(rest.getLhs()), knownFactor(rest.getRhs()));
  }
  return 1;
}

/// What `value` is but for a known summand times `factor`, which `known` gets.
Term variableOf(Value value, int64_t factor, int64_t& known) {
  if (const auto number = getConstantIntValue(value)) {
    known += *number * factor;
    return {};
  }
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    if (const auto summand = getConstantIntValue(sum.getRhs())) {
      known += *summand * factor;
      return variableOf(sum.getLhs(), factor, known);
    }
  }
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    if (const auto number = getConstantIntValue(product.getRhs())) {
      return variableOf(product.getLhs(), factor * *number, known);
    }
  }
  return {value, factor};
}

/// Loads of bytes at unknown places that are known distances apart: they share words.
struct Neighbours {
  Block* block = nullptr;
  Place first;
  int64_t last = 0;                                         // as Place::known
  SmallVector<std::pair<memref::LoadOp, int64_t>> loads{};  // with Place::known
};

/// Stores to the parts of one word, by their numbers.
struct WordStore {
  Block* block = nullptr;
  Place place;
  SmallVector<memref::StoreOp> parts;

  bool isWhole() const {
    return llvm::all_of(parts, [](memref::StoreOp store) { return store != nullptr; });
  }
};

/// Rewrites what one function does with one of its buffers.
class BufferRewriter {
 public:
  BufferRewriter(BlockArgument buffer, ElementLayout layout)
      : buffer_(buffer), layout_(std::move(layout)) {}

  LogicalResult rewrite() {
    Builder builder(buffer_.getContext());
    const Type word = layout_.element.isF32() ? layout_.element : builder.getI32Type();
    const int64_t words = ceilDiv(layout_.end * layout_.bits, kWordBits);
    buffer_.setType(MemRefType::get({words}, word));
    SmallVector<memref::LoadOp> loads;
    SmallVector<memref::StoreOp> stores;
    for (Operation* user : llvm::make_early_inc_range(buffer_.getUsers())) {
      if (auto load = dyn_cast<memref::LoadOp>(user)) {
        loads.push_back(load);
      } else if (auto store = dyn_cast<memref::StoreOp>(user)) {
        stores.push_back(store);
      } else if (!isa<UnrealizedConversionCastOp>(user)) {  // to a pointer, which counts bytes
        return user->emitError("a buffer is used by something else than a load or a store");
      }
    }
    if (stores.empty() && layout_.element.isInteger(8)) loads = readNeighbours(loads);
    for (memref::LoadOp load : loads) {
      ImplicitLocOpBuilder b(load.getLoc(), load);
      load.replaceAllUsesWith(read(b, placeOf(load.getIndices())));
      load.erase();
    }
    for (memref::StoreOp store : writeWholeWords(stores)) {
      ImplicitLocOpBuilder b(store.getLoc(), store);
      write(b, store.getValueToStore(), placeOf(store.getIndices()));
      store.erase();
    }
    return success();
  }

 private:
  static Value index(ImplicitLocOpBuilder& b, int64_t value) {
    return b.create<arith::ConstantIndexOp>(value);
  }
  static Value integer(ImplicitLocOpBuilder& b, int64_t value, unsigned bits = kWordBits) {
    return b.create<arith::ConstantIntOp>(value, bits);
  }
  Value load(ImplicitLocOpBuilder& b, Value word) {
    return b.create<memref::LoadOp>(buffer_, word);
  }

  int64_t partsOfWord() const { return std::max<int64_t>(kWordBits / layout_.bits, 1); }

  Place placeOf(ValueRange indices) const {
    Place place{.known = layout_.offset, .begins_word = true};
    for (const auto [at, stride] : llvm::zip(indices, layout_.strides)) {
      const Term variable = variableOf(at, stride, place.known);
      place.variables.push_back(variable);
      const int64_t factor = variable.number ? knownFactor(variable.number) * variable.factor : 0;
      place.begins_word = place.begins_word && factor % partsOfWord() == 0;
    }
    return place;
  }

  /// What the variables of `place` add to it; null: nothing.
  Value variablePart(ImplicitLocOpBuilder& b, const Place& place) const {
    Value sum;
    for (const auto& [number, factor] : place.variables) {
      if (!number) continue;
      Value term = factor == 1 ? number : b.createOrFold<arith::MulIOp>(number, index(b, factor));
      sum = sum ? b.createOrFold<arith::AddIOp>(sum, term) : term;
    }
    return sum;
  }

  static Value plus(ImplicitLocOpBuilder& b, Value variable, int64_t known) {
    if (!variable) return index(b, known);
    return known == 0 ? variable : b.createOrFold<arith::AddIOp>(variable, index(b, known));
  }

  Value number(ImplicitLocOpBuilder& b, const Place& place) const {
    return plus(b, variablePart(b, place), place.known);
  }

  /// The word that has an element, and by how many bits the element is shifted in it.
  std::pair<Value, Value> part(ImplicitLocOpBuilder& b, const Place& place) const {
    const int64_t parts = partsOfWord();
    if (place.begins_word) {
      Value first = variablePart(b, place);
      if (first) first = wordsOf(b, place, first);
      return {plus(b, first, place.known / parts), integer(b, place.known % parts * layout_.bits)};
    }
    const Value at = number(b, place);
    Value word = b.create<arith::DivUIOp>(at, index(b, parts));
    Value rest = b.create<arith::RemUIOp>(at, index(b, parts));
    rest = b.create<arith::IndexCastUIOp>(b.getI32Type(), rest);
    return {word, b.create<arith::MulIOp>(rest, integer(b, layout_.bits))};
  }

  /// How many words `elements` are, a multiple of what a word has. Where a buffer is walked
  /// backwards, the number may be below zero, as the known part of the place comes on top of it.
  Value wordsOf(ImplicitLocOpBuilder& b, const Place& place, Value elements) const {
    const int64_t parts = partsOfWord();
    if (llvm::none_of(place.variables, [](const Term& term) { return term.factor < 0; })) {
      return b.create<arith::DivUIOp>(elements, index(b, parts));
    }
    return b.create<arith::ShRSIOp>(elements,
                                    index(b, std::countr_zero(static_cast<uint64_t>(parts))));
  }

  /// Writes words all of whose parts are stored in one block; the other stores. Nothing loads what
  /// one invocation stores to another element, so that the first parts can wait for the last.
  SmallVector<memref::StoreOp> writeWholeWords(ArrayRef<memref::StoreOp> stores) {
    SmallVector<memref::StoreOp> others;
    SmallVector<WordStore> words;
    for (memref::StoreOp store : stores) {
      const Place place = placeOf(store.getIndices());
      if (partsOfWord() == 1 || !place.begins_word) {
        others.push_back(store);
        continue;
      }
      auto* word = llvm::find_if(words, [&](const WordStore& other) {
        return other.block == store->getBlock() && other.place.variables == place.variables &&
               other.place.known / partsOfWord() == place.known / partsOfWord();
      });
      if (word == words.end()) {
        words.push_back({store->getBlock(), place, SmallVector<memref::StoreOp>(partsOfWord())});
        word = &words.back();
      }
      memref::StoreOp& known = word->parts[place.known % partsOfWord()];
      if (known) others.push_back(known);
      known = store;
    }
    for (WordStore& word : words) {
      if (word.isWhole()) {
        writeWord(word);
      } else {
        llvm::copy_if(word.parts, std::back_inserter(others),
                      [](memref::StoreOp store) { return store != nullptr; });
      }
    }
    return others;
  }

  void writeWord(WordStore& word) {
    memref::StoreOp last = *llvm::max_element(
        word.parts, [](memref::StoreOp x, memref::StoreOp y) { return x->isBeforeInBlock(y); });
    ImplicitLocOpBuilder b(last.getLoc(), last);
    Value bits;
    for (const auto [number, store] : llvm::enumerate(word.parts)) {
      Value value = store.getValueToStore();
      value = b.create<arith::ExtUIOp>(b.getI32Type(), asBits(b, value));
      value = b.createOrFold<arith::ShLIOp>(
          value, integer(b, static_cast<int64_t>(number) * layout_.bits));
      bits = bits ? b.create<arith::OrIOp>(bits, value).getResult() : value;
    }
    b.create<memref::StoreOp>(bits, buffer_, part(b, word.place).first);
    for (memref::StoreOp store : word.parts) store.erase();
  }

  /// Reads what neighbours have the bytes of by their words; the other loads.
  SmallVector<memref::LoadOp> readNeighbours(ArrayRef<memref::LoadOp> loads) {
    constexpr size_t kFewLoads = 2;  // which take as many words as they are
    SmallVector<memref::LoadOp> others;
    for (Neighbours& group : groupNeighbours(loads, others)) {
      if (group.loads.size() > kFewLoads) {
        readWords(group);
        continue;
      }
      for (const auto& [load, known] : group.loads) others.push_back(load);
    }
    return others;
  }

  std::vector<Neighbours> groupNeighbours(ArrayRef<memref::LoadOp> loads,
                                          SmallVector<memref::LoadOp>& others) const {
    constexpr int64_t kMostBytes = 16;
    std::vector<Neighbours> groups;
    for (memref::LoadOp load : loads) {
      const Place place = placeOf(load.getIndices());
      if (place.begins_word) {
        others.push_back(load);
        continue;
      }
      auto group = llvm::find_if(groups, [&](const Neighbours& other) {
        return other.block == load->getBlock() && other.first.variables == place.variables &&
               std::max(other.last, place.known) - std::min(other.first.known, place.known) <
                   kMostBytes;
      });
      if (group == groups.end()) {
        groups.push_back({load->getBlock(), place, place.known});
        group = std::prev(groups.end());
      }
      group->first.known = std::min(group->first.known, place.known);
      group->last = std::max(group->last, place.known);
      group->loads.emplace_back(load, place.known);
    }
    return groups;
  }

  /// The words that have the bytes are shifted so that the first byte begins one.
  void readWords(const Neighbours& group) {
    const auto* const first = llvm::min_element(group.loads, [](const auto& x, const auto& y) {
      return memref::LoadOp(x.first)->isBeforeInBlock(y.first);
    });
    memref::LoadOp begin = first->first;
    ImplicitLocOpBuilder b(begin.getLoc(), begin);
    const int64_t parts = partsOfWord(), count = (group.last - group.first.known) / parts + 1;
    const Value last = index(b, cast<MemRefType>(buffer_.getType()).getNumElements() - 1);
    const auto [word, shift] = part(b, group.first);
    const Value rest = b.create<arith::SubIOp>(integer(b, kWordBits - 1), shift);
    SmallVector<Value> words = {load(b, word)}, shifted;
    for (int64_t i = 1; i <= count; ++i) {
      Value next = b.create<arith::AddIOp>(word, index(b, i));
      words.push_back(load(b, b.create<arith::MinUIOp>(next, last)));
      // By 32 bits in two steps, because a shift has fewer.
      Value high = b.create<arith::ShLIOp>(words.back(), integer(b, 1));
      high = b.create<arith::ShLIOp>(high, rest);
      shifted.push_back(
          b.create<arith::OrIOp>(b.create<arith::ShRUIOp>(words[i - 1], shift), high));
    }
    for (auto [load, known] : group.loads) {
      const int64_t at = known - group.first.known;
      const Value bits = b.createOrFold<arith::ShRUIOp>(shifted[at / parts],
                                                        integer(b, at % parts * layout_.bits));
      load.replaceAllUsesWith(b.create<arith::TruncIOp>(layout_.element, bits).getResult());
    }
    for (auto [load, known] : group.loads) load.erase();
  }

  Value read(ImplicitLocOpBuilder& b, const Place& place) {
    if (layout_.bits == kWordBits) {
      const Value word = load(b, number(b, place));
      return layout_.element.isF32() ? word : asElement(b, word);
    }
    if (layout_.bits > kWordBits) return readPair(b, number(b, place));
    const auto [word, shift] = part(b, place);
    Value bits = b.create<arith::ShRUIOp>(load(b, word), shift);
    if (layout_.element.isInteger(1)) {
      bits = b.create<arith::AndIOp>(bits, integer(b, 0xff));
      return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, bits, integer(b, 0));
    }
    return asElement(
        b, b.create<arith::TruncIOp>(b.getIntegerType(static_cast<unsigned>(layout_.bits)), bits));
  }

  Value readPair(ImplicitLocOpBuilder& b, Value place) {
    Value low = b.create<arith::MulIOp>(place, index(b, 2));
    Value high = b.create<arith::AddIOp>(low, index(b, 1));
    const Type wide = b.getI64Type();
    Value upper = b.create<arith::ExtUIOp>(wide, load(b, high));
    upper = b.create<arith::ShLIOp>(upper, integer(b, kWordBits, 64));
    Value lower = b.create<arith::ExtUIOp>(wide, load(b, low));
    return asElement(b, b.create<arith::OrIOp>(upper, lower));
  }

  Value asElement(ImplicitLocOpBuilder& b, Value bits) {
    if (layout_.element == bits.getType()) return bits;
    return b.create<arith::BitcastOp>(layout_.element, bits);
  }

  /// Floats as integers of their bits.
  static Value asBits(ImplicitLocOpBuilder& b, Value value) {
    if (!isa<FloatType>(value.getType())) return value;
    return b.create<arith::BitcastOp>(b.getIntegerType(value.getType().getIntOrFloatBitWidth()),
                                      value);
  }

  void write(ImplicitLocOpBuilder& b, Value value, const Place& place) {
    if (!layout_.element.isF32()) value = asBits(b, value);
    if (layout_.bits == kWordBits) {
      b.create<memref::StoreOp>(value, buffer_, number(b, place));
      return;
    }
    if (layout_.bits > kWordBits) return writePair(b, value, number(b, place));
    const auto [word, shift] = part(b, place);
    Value bits = b.create<arith::ExtUIOp>(b.getI32Type(), value);
    bits = b.create<arith::ShLIOp>(bits, shift);
    Value mask = integer(b, (int64_t{1} << layout_.bits) - 1);
    mask = b.create<arith::ShLIOp>(mask, shift);
    mask = b.create<arith::XOrIOp>(mask, integer(b, -1));
    b.create<memref::AtomicRMWOp>(arith::AtomicRMWKind::andi, mask, buffer_, word);
    b.create<memref::AtomicRMWOp>(arith::AtomicRMWKind::ori, bits, buffer_, word);
  }

  void writePair(ImplicitLocOpBuilder& b, Value value, Value place) {
    Value low = b.create<arith::MulIOp>(place, index(b, 2));
    Value high = b.create<arith::AddIOp>(low, index(b, 1));
    Value upper = b.create<arith::ShRUIOp>(value, integer(b, kWordBits, 64));
    b.create<memref::StoreOp>(b.create<arith::TruncIOp>(b.getI32Type(), value), buffer_, low);
    b.create<memref::StoreOp>(b.create<arith::TruncIOp>(b.getI32Type(), upper), buffer_, high);
  }

  BlockArgument buffer_;
  ElementLayout layout_;
};

class GpuBuffersToWordsPass : public impl::GpuBuffersToWordsPassBase<GpuBuffersToWordsPass> {
 public:
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (const BlockArgument argument : function.getArguments()) {
        auto type = dyn_cast<MemRefType>(argument.getType());
        if (!type || isa<VectorType>(type.getElementType())) continue;
        FailureOr<ElementLayout> layout = layoutOf(type);
        if (failed(layout)) {
          function.emitError() << "a buffer is a " << type << ", whose layout is not known";
          return signalPassFailure();
        }
        if (failed(BufferRewriter(argument, *std::move(layout)).rewrite())) {
          return signalPassFailure();
        }
      }
      function.setFunctionType(FunctionType::get(&getContext(), function.front().getArgumentTypes(),
                                                 function.getResultTypes()));
    }
  }
};

}  // namespace
}  // namespace vta::codegen
