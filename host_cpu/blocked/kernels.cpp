#include "host_cpu/blocked/kernels.h"

#include <fmt/format.h>

#include "compiler/codegen/llvm/emit_object.h"
#include "host_cpu/blocked/emit.h"
#include "host_cpu/blocked/integers.h"
#include "host_cpu/schedule/integer_finish.h"
#include "host_cpu/schedule/winograd.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

std::string list(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values) text.append("_").append(std::to_string(value));
  return text;
}

MemRefType bufferType(MLIRContext* context, ArrayRef<int64_t> shape) {
  return MemRefType::get(shape, Float32Type::get(context));
}

MemRefType wordsType(MLIRContext* context, ArrayRef<int64_t> shape) {
  return MemRefType::get(shape, IntegerType::get(context, 32));
}

/// A plain tensor with the layout's elements.
MemRefType plainType(const Layout& layout, bool rows, MLIRContext* context) {
  Type element = Float32Type::get(context);
  if (layout.is_integer) element = IntegerType::get(context, 8);
  if (rows) return MemRefType::get({layout.width, layout.channels}, element);
  return MemRefType::get({layout.batch, layout.channels, layout.height, layout.width}, element);
}

/// Where the pixel (row, column) lies in a buffer with a halo.
SmallVector<Value> pixelIndices(Builder& b, const Layout& layout, Value batch, Value block,
                                Value row, Value column) {
  return {batch, block, linear(b, row, 1, layout.halo[0]), linear(b, column, 1, layout.halo[1])};
}

SmallVector<Value> blockIndices(Builder& b, const Layout& layout, Value batch, Value block,
                                Value row, Value column) {
  SmallVector<Value> indices = pixelIndices(b, layout, batch, block, row, column);
  indices.push_back(index(b, 0));
  return indices;
}

/// Calls `body` for each block of pixels of an image of this size.
void forEachPixel(Builder& b, const Layout& layout,
                  llvm::function_ref<void(Builder&, Value, Value, Value, Value)> body) {
  parallel(b, {layout.batch, layout.blocks(), layout.height}, [&](Builder& b, ValueRange v) {
    loop(b, layout.width, [&](Builder& b, Value column) { body(b, v[0], v[1], v[2], column); });
  });
}

void emitPack(Builder& b, const Layout& layout, ValueRange buffers) {
  const bool ragged = layout.channels % layout.block != 0;
  parallel(b, {layout.batch, layout.blocks(), layout.height}, [&](Builder& b, ValueRange v) {
    loop(b, layout.block, [&](Builder& b, Value lane) {
      Value channel = add(b, linear(b, v[1], layout.block, 0), lane), inside;
      if (ragged) {
        Value last = index(b, layout.channels - 1);
        inside = b.create<arith::CmpIOp>(arith::CmpIPredicate::ule, channel, last);
        channel = b.create<arith::MinSIOp>(channel, last);
      }
      loop(b, layout.width, [&](Builder& b, Value column) {
        Value value = b.create<memref::LoadOp>(buffers[0], ValueRange{v[0], channel, v[2], column});
        if (ragged) {
          Value zero = b.create<arith::ConstantOp>(b.getF32FloatAttr(0.0f));
          value = b.create<arith::SelectOp>(inside, value, zero);
        }
        SmallVector<Value> indices = pixelIndices(b, layout, v[0], v[1], v[2], column);
        indices.push_back(lane);
        b.create<memref::StoreOp>(value, buffers[1], indices);
      });
    });
  });
}

void emitUnpack(Builder& b, const Layout& layout, bool rows, ValueRange buffers) {
  parallel(b, {layout.batch, layout.channels, layout.height}, [&](Builder& b, ValueRange v) {
    Value block = b.create<arith::DivUIOp>(v[1], index(b, layout.block));
    Value lane = b.create<arith::RemUIOp>(v[1], index(b, layout.block));
    loop(b, layout.width, [&](Builder& b, Value column) {
      SmallVector<Value> indices = pixelIndices(b, layout, v[0], block, v[2], column);
      indices.push_back(lane);
      Value value = b.create<memref::LoadOp>(buffers[0], indices);
      SmallVector<Value> target = {v[0], v[1], v[2], column};
      if (rows) target = {column, v[1]};
      b.create<memref::StoreOp>(value, buffers[1], target);
    });
  });
}

void emitElementwise(Builder& b, const ElementwiseSpec& spec, ValueRange buffers) {
  forEachPixel(b, spec.out, [&](Builder& b, Value n, Value block, Value y, Value x) {
    Value value = loadBlock(b, buffers[0], blockIndices(b, spec.lhs, n, block, y, x));
    if (spec.kind != ElementwiseSpec::Kind::kUnary) {
      Value other = loadBlock(b, buffers[1], blockIndices(b, spec.rhs, n, block, y, x));
      value = spec.kind == ElementwiseSpec::Kind::kAdd
                  ? b.create<arith::AddFOp>(value, other).getResult()
                  : b.create<arith::MulFOp>(value, other).getResult();
    }
    storeBlock(b, activate(b, spec.activation, value), buffers.back(),
               blockIndices(b, spec.out, n, block, y, x));
  });
}

void emitIntegerMap(Builder& b, const IntegerMapSpec& spec, ValueRange buffers) {
  const size_t count = spec.images.size();
  forEachPixel(b, spec.out, [&](Builder& b, Value n, Value block, Value y, Value x) {
    SmallVector<Value> images;
    for (size_t i = 0; i < count; ++i) {
      Value bytes = loadBytes(b, buffers[i], blockIndices(b, spec.images[i], n, block, y, x));
      images.push_back(widenBytes(b, bytes));
    }
    Value result = emitFinish(b, spec.finish, {}, images, [&](int64_t constant) {
      return loadBlock(b, buffers[count], {block, index(b, 1 + constant), index(b, 0)});
    });
    storeBytes(b, narrowToBytes(b, result), buffers.back(),
               blockIndices(b, spec.out, n, block, y, x));
  });
}

/// The packed weights of a convolution.
SmallVector<int64_t> weightShape(const ConvSpec& spec, const ConvSchedule& schedule) {
  if (spec.depthwise) return {spec.out.blocks(), spec.kernel[0], spec.rowSteps(), kBlock};
  const int64_t lanes = schedule.out_blocks * kBlock;
  const int64_t out_tiles = spec.out.blocks() / schedule.out_blocks;
  if (schedule.winograd != 0) {
    return {out_tiles, WinogradShape(spec, schedule).positions, spec.in.blocks(), kBlock, lanes};
  }
  return {out_tiles, spec.in.blocks(), spec.kernel[0], spec.rowSteps(), spec.blockSteps(), lanes};
}

/// The element that fills a halo: the word of four stored bytes, or a float.
Attribute haloElement(Builder& b, const Layout& layout, int64_t value) {
  if (!layout.is_integer) return b.getF32FloatAttr(static_cast<float>(value));
  const auto byte = static_cast<uint32_t>(value + kByteOffset) & 0xFFU;
  return b.getI32IntegerAttr(static_cast<int32_t>(byte * 0x01010101U));
}

/// `element` in the rectangle of rows [y0, y1) and columns [x0, x1) of the buffer, halo included.
void clearRectangle(Builder& b, ValueRange at, Value buffer, std::array<int64_t, 4> rectangle,
                    Attribute element) {
  const auto [y0, y1, x0, x1] = rectangle;
  if (y0 == y1 || x0 == x1) return;
  Value zero_index = index(b, 0);
  loop(b, y1 - y0, [&](Builder& b, Value dy) {
    loop(b, x1 - x0, [&](Builder& b, Value dx) {
      SmallVector<Value> indices = {at[0], at[1], linear(b, dy, 1, y0), linear(b, dx, 1, x0),
                                    zero_index};
      auto type = cast<MemRefType>(buffer.getType());
      auto vector = VectorType::get({type.getShape().back()}, type.getElementType());
      Value filling = b.create<arith::ConstantOp>(DenseElementsAttr::get(vector, element));
      b.create<vector::StoreOp>(filling, buffer, indices);
    });
  });
}

void emitClearHalo(Builder& b, const Layout& layout, int64_t value, Value buffer) {
  const Attribute element = haloElement(b, layout, value);
  const auto& halo = layout.halo;
  const int64_t bottom = halo[0] + layout.height, right = halo[1] + layout.width;
  const int64_t height = bottom + halo[2], width = right + halo[3];
  parallel(b, {layout.batch, layout.blocks()}, [&](Builder& b, ValueRange v) {
    clearRectangle(b, v, buffer, {0, halo[0], 0, width}, element);
    clearRectangle(b, v, buffer, {bottom, height, 0, width}, element);
    clearRectangle(b, v, buffer, {halo[0], bottom, 0, halo[1]}, element);
    clearRectangle(b, v, buffer, {halo[0], bottom, right, width}, element);
  });
}

}  // namespace

func::FuncOp KernelLibrary::get(const std::string& name, ArrayRef<Type> buffers, Body body) {
  func::FuncOp& function = functions_[name];
  if (function) return function;
  Builder b(module_.getLoc(), module_.getContext());
  b.setInsertionPointToEnd(module_.getBody());
  SmallVector<Type> types = {LLVM::LLVMPointerType::get(module_.getContext())};
  llvm::append_range(types, buffers);
  function = b.create<func::FuncOp>(kSharedFunctionPrefix + name, b.getFunctionType(types, {}));
  function.setPrivate();
  Block* block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  body(b, block->getArguments().drop_front());
  b.setInsertionPointToEnd(block);
  b.create<func::ReturnOp>();
  return function;
}

ConvSchedule KernelLibrary::scheduleOf(const ConvLayer& layer) {
  const auto found = find_ ? find_(layer) : std::nullopt;
  const bool is_taken = found && (winograd_ || found->winograd == 0) &&
                        brokenRule(layer.spec, *found, traits_).empty();
  choices_.push_back({layer.function, layer.name, is_taken});
  if (is_taken) return *found;
  return winograd_ ? defaultConvSchedule(layer.spec, traits_)
                   : directConvSchedule(layer.spec, traits_);
}

func::FuncOp KernelLibrary::conv(const ConvSpec& spec, const ConvSchedule& schedule) {
  MLIRContext* context = module_.getContext();
  const SmallVector<int64_t> weight = weightShape(spec, schedule);
  SmallVector<int64_t> bias = {spec.out.blocks(), kBlock};
  if (spec.isInteger()) bias.insert(bias.begin() + 1, 1 + finishConstants(spec.finish));
  auto* type_of = spec.isInteger() ? wordsType : bufferType;
  SmallVector<Type> types = {memrefType(spec.in, context), type_of(context, weight),
                             type_of(context, bias)};
  std::string name =
      fmt::format("{}.{}.{}{}{}{}{}{}", spec.depthwise ? "depthwise" : "conv", spec.in.key(),
                  spec.out.key(), list(spec.kernel), list(spec.strides), list(spec.dilations),
                  list(spec.pads), spec.activation.key());
  if (spec.isInteger()) name += fmt::format(".{}", spec.finish);
  if (spec.has_residual) {
    types.push_back(memrefType(spec.residual, context));
    name += fmt::format(".add.{}", spec.residual.key());
  }
  if (schedule.winograd != 0) {
    const WinogradShape shape(spec, schedule);
    types.push_back(bufferType(context, {shape.positions, shape.input_vectors, kBlock}));
  }
  types.push_back(memrefType(spec.out, context));
  name.append(".by");
  for (const ConvScheduleField& field : convScheduleFields()) {
    name += fmt::format("_{}", schedule.*field.member);
  }
  return get(name, types, [&](Builder& b, ValueRange buffers) {
    auto* emit = schedule.winograd != 0 ? emitWinograd : emitConv;
    emit(b, spec, schedule, traits_, buffers);
  });
}

func::FuncOp KernelLibrary::pool(const PoolSpec& spec) {
  MLIRContext* context = module_.getContext();
  const std::string name = fmt::format(
      "{}.{}.{}{}{}{}{}", spec.average ? "average" : "max", spec.in.key(), spec.out.key(),
      list(spec.kernel), list(spec.strides), list(spec.pads), list(spec.counted_pads));
  return get(name, {memrefType(spec.in, context), memrefType(spec.out, context)},
             [&](Builder& b, ValueRange buffers) { emitPool(b, spec, buffers); });
}

func::FuncOp KernelLibrary::elementwise(const ElementwiseSpec& spec) {
  MLIRContext* context = module_.getContext();
  SmallVector<Type> types = {memrefType(spec.lhs, context)};
  std::string name = fmt::format("map{}.{}", static_cast<int>(spec.kind), spec.lhs.key());
  if (spec.kind != ElementwiseSpec::Kind::kUnary) {
    types.push_back(memrefType(spec.rhs, context));
    name += fmt::format(".{}", spec.rhs.key());
  }
  types.push_back(memrefType(spec.out, context));
  return get(fmt::format("{}.{}{}", name, spec.out.key(), spec.activation.key()), types,
             [&](Builder& b, ValueRange buffers) { emitElementwise(b, spec, buffers); });
}

func::FuncOp KernelLibrary::integerMap(const IntegerMapSpec& spec) {
  MLIRContext* context = module_.getContext();
  SmallVector<Type> types;
  std::string name = fmt::format("map.{}", spec.finish);
  for (const Layout& image : spec.images) {
    types.push_back(memrefType(image, context));
    name += fmt::format(".{}", image.key());
  }
  types.push_back(
      wordsType(context, {spec.out.blocks(), 1 + finishConstants(spec.finish), kBlock}));
  types.push_back(memrefType(spec.out, context));
  return get(fmt::format("{}.{}", name, spec.out.key()), types,
             [&](Builder& b, ValueRange buffers) { emitIntegerMap(b, spec, buffers); });
}

func::FuncOp KernelLibrary::pack(const Layout& layout, bool rows) {
  MLIRContext* context = module_.getContext();
  return get(fmt::format("pack{}.{}", rows ? "_rows" : "", layout.key()),
             {plainType(layout, rows, context), memrefType(layout, context)},
             [&](Builder& b, ValueRange buffers) {
               layout.is_integer ? emitPackBytes(b, layout, rows, buffers)
                                 : emitPack(b, layout, buffers);
             });
}

func::FuncOp KernelLibrary::unpack(const Layout& layout, bool rows) {
  MLIRContext* context = module_.getContext();
  return get(fmt::format("unpack{}.{}", rows ? "_rows" : "", layout.key()),
             {memrefType(layout, context), plainType(layout, rows, context)},
             [&](Builder& b, ValueRange buffers) {
               auto* emit = layout.is_integer ? emitUnpackBytes : emitUnpack;
               emit(b, layout, rows, buffers);
             });
}

func::FuncOp KernelLibrary::copyBlocks(const Layout& in, const Layout& out, int64_t first_block) {
  MLIRContext* context = module_.getContext();
  return get(fmt::format("copy.{}.{}.{}", in.key(), out.key(), first_block),
             {memrefType(in, context), memrefType(out, context)},
             [&](Builder& b, ValueRange buffers) {
               forEachPixel(b, in, [&](Builder& b, Value n, Value block, Value y, Value x) {
                 Value value = loadBlock(b, buffers[0], blockIndices(b, in, n, block, y, x));
                 Value target = linear(b, block, 1, first_block);
                 storeBlock(b, value, buffers[1], blockIndices(b, out, n, target, y, x));
               });
             });
}

func::FuncOp KernelLibrary::clearHalo(const Layout& layout, int64_t value) {
  const std::string filling = value == 0 ? "" : fmt::format(".{}", value);
  return get(fmt::format("halo.{}{}", layout.key(), filling),
             {memrefType(layout, module_.getContext())},
             [&](Builder& b, ValueRange buffers) { emitClearHalo(b, layout, value, buffers[0]); });
}

}  // namespace vta::codegen::blocked
