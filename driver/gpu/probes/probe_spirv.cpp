// Probes in SPIR-V, word by word: the driver has no assembler.
#include <array>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "driver/gpu/probes/probe.h"

namespace vta::driver {
namespace {

using Id = uint32_t;
using Words = std::vector<uint32_t>;

// Numbers of the specification, by their names there without "Op".
enum class Op : uint16_t {
  kExtension = 10,
  kMemoryModel = 14,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeVoid = 19,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kTypeFunction = 33,
  kConstant = 43,
  kFunction = 54,
  kFunctionEnd = 56,
  kVariable = 59,
  kLoad = 61,
  kStore = 62,
  kAccessChain = 65,
  kDecorate = 71,
  kMemberDecorate = 72,
  kCompositeExtract = 81,
  kConvertFToS = 110,
  kConvertSToF = 111,
  kUConvert = 113,
  kSConvert = 114,
  kBitcast = 124,
  kIAdd = 128,
  kFAdd = 129,
  kISub = 130,
  kIMul = 132,
  kFMul = 133,
  kUMulExtended = 151,
  kShiftRightLogical = 194,
  kShiftLeftLogical = 196,
  kBitwiseXor = 198,
  kBitwiseAnd = 199,
  kNot = 200,
  kControlBarrier = 224,
  kAtomicAnd = 240,
  kAtomicOr = 241,
  kLabel = 248,
  kReturn = 253,
  kGroupNonUniformIAdd = 349,
  kSDot = 4450,
};
constexpr uint32_t kShader = 1, kFloat16 = 9, kFloat64 = 10, kInt64 = 11, kInt16 = 22, kInt8 = 39,
                   kGroupNonUniform = 61, kGroupNonUniformArithmetic = 63, kStorage16 = 4433,
                   kStorage8 = 4448, kDotProductPacked = 6018, kDotProduct = 6019;
constexpr uint32_t kInput = 1, kWorkgroup = 4, kStorageBuffer = 12;
constexpr uint32_t kBlock = 2, kArrayStride = 6, kBuiltIn = 11, kBinding = 33, kDescriptorSet = 34,
                   kOffset = 35, kNoContraction = 42, kLocalInvocationId = 27;
constexpr uint32_t kDeviceScope = 1, kWorkgroupScope = 2, kSubgroupScope = 3;

struct Capability {
  ProbeKind kind;
  std::vector<uint32_t> capabilities;
  std::string_view extension;  // empty: none
};

const std::vector<Capability>& capabilityTable() {
  static const std::vector<Capability> table = {
      {ProbeKind::kInt8, {kInt8}, ""},
      {ProbeKind::kInt16, {kInt16}, ""},
      {ProbeKind::kInt64, {kInt64}, ""},
      {ProbeKind::kFloat16, {kFloat16}, ""},
      {ProbeKind::kFloat64, {kFloat64}, ""},
      {ProbeKind::kStorage8, {kStorage8}, "SPV_KHR_8bit_storage"},
      {ProbeKind::kStorage16, {kStorage16}, "SPV_KHR_16bit_storage"},
      {ProbeKind::kDotProduct, {kDotProduct, kDotProductPacked}, "SPV_KHR_integer_dot_product"},
      {ProbeKind::kSubgroupArithmetic, {kGroupNonUniform, kGroupNonUniformArithmetic}, ""},
  };
  return table;
}

/// A text as words, with its zero.
Words literal(std::string_view text) {
  Words words(text.size() / sizeof(uint32_t) + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

class ProbeWriter {
 public:
  explicit ProbeWriter(ProbeKind kind) : kind_(kind) {}

  std::vector<std::byte> write() {
    declareTypes();
    openFunction();
    if (kind_ == ProbeKind::kAtomics) {
      writeAtomics();
    } else {
      const Id result = compute();
      add(body_, Op::kStore, {element(buffers_[2], word_pointer_, invocation_), result});
    }
    add(body_, Op::kReturn, {});
    add(body_, Op::kFunctionEnd, {});
    return assembled();
  }

 private:
  static void add(Words& to, Op op, std::initializer_list<uint32_t> operands,
                  const Words& more = {}) {
    const size_t size = 1 + operands.size() + more.size();
    to.push_back(static_cast<uint32_t>(size << 16) | static_cast<uint32_t>(op));
    to.insert(to.end(), operands);
    to.insert(to.end(), more.begin(), more.end());
  }

  Id type(Op op, std::initializer_list<uint32_t> operands) {
    const Id id = next_++;
    add(types_, op, {id}, Words(operands));
    return id;
  }
  Id constant(uint32_t value) {
    const Id id = next_++;
    add(types_, Op::kConstant, {word_, id, value});
    return id;
  }
  /// An instruction of the function with a result.
  Id value(Op op, Id type, std::initializer_list<uint32_t> operands) {
    const Id id = next_++;
    add(body_, op, {type, id}, Words(operands));
    return id;
  }
  Id word(Op op, std::initializer_list<uint32_t> operands) { return value(op, word_, operands); }
  Id element(Id buffer, Id pointer, Id index) {
    return value(Op::kAccessChain, pointer, {buffer, zero_, index});
  }

  Id bufferType(Id element, uint32_t stride_bytes) {
    const Id array = type(Op::kTypeRuntimeArray, {element});
    const Id block = type(Op::kTypeStruct, {array});
    add(decorations_, Op::kDecorate, {array, kArrayStride, stride_bytes});
    add(decorations_, Op::kDecorate, {block, kBlock});
    add(decorations_, Op::kMemberDecorate, {block, 0, kOffset, 0});
    return type(Op::kTypePointer, {kStorageBuffer, block});
  }

  void declareTypes() {
    void_ = type(Op::kTypeVoid, {});
    function_ = type(Op::kTypeFunction, {void_});
    word_ = type(Op::kTypeInt, {32, 0});
    vector_ = type(Op::kTypeVector, {word_, 3});
    const Id ids = type(Op::kTypePointer, {kInput, vector_});
    zero_ = constant(0);
    word_pointer_ = type(Op::kTypePointer, {kStorageBuffer, word_});
    const Id words = bufferType(word_, sizeof(uint32_t));
    Id first = words;
    if (const uint32_t bits = storageBits(); bits != 0) {
      narrow_ = type(Op::kTypeInt, {bits, 0});
      narrow_pointer_ = type(Op::kTypePointer, {kStorageBuffer, narrow_});
      first = bufferType(narrow_, bits / 8);
    }
    for (uint32_t i = 0; i < buffers_.size(); ++i) {
      buffers_[i] = next_++;
      add(types_, Op::kVariable, {i == 0 ? first : words, buffers_[i], kStorageBuffer});
      add(decorations_, Op::kDecorate, {buffers_[i], kDescriptorSet, 0});
      add(decorations_, Op::kDecorate, {buffers_[i], kBinding, i});
    }
    local_id_ = next_++;
    add(types_, Op::kVariable, {ids, local_id_, kInput});
    add(decorations_, Op::kDecorate, {local_id_, kBuiltIn, kLocalInvocationId});
  }

  uint32_t storageBits() const {
    if (kind_ == ProbeKind::kStorage8) return 8;
    return kind_ == ProbeKind::kStorage16 ? 16 : 0;
  }

  void openFunction() {
    main_ = next_++;
    add(body_, Op::kFunction, {void_, main_, 0, function_});
    add(body_, Op::kLabel, {next_++});
    const Id ids = value(Op::kLoad, vector_, {local_id_});
    invocation_ = word(Op::kCompositeExtract, {ids, 0});
  }

  Id loadFirst() { return word(Op::kLoad, {element(buffers_[0], word_pointer_, invocation_)}); }
  Id loadSecond() { return word(Op::kLoad, {element(buffers_[1], word_pointer_, invocation_)}); }

  Id compute() {
    switch (kind_) {
      case ProbeKind::kProducts:
        return products(loadFirst(), loadSecond());
      case ProbeKind::kRoundings:
        return roundings(loadFirst(), loadSecond());
      case ProbeKind::kShared:
        return throughSharedMemory(loadFirst(), loadSecond());
      case ProbeKind::kInt8:
        return narrow(8, loadFirst(), loadSecond());
      case ProbeKind::kInt16:
        return narrow(16, loadFirst(), loadSecond());
      case ProbeKind::kInt64:
        return wide(loadFirst(), loadSecond());
      case ProbeKind::kFloat16:
        return real(16, loadFirst(), loadSecond());
      case ProbeKind::kFloat64:
        return real(64, loadFirst(), loadSecond());
      case ProbeKind::kStorage8:
      case ProbeKind::kStorage16:
        return fromNarrowBuffer(loadSecond());
      case ProbeKind::kDotProduct:
        return word(Op::kSDot, {loadFirst(), loadSecond(), 0});
      case ProbeKind::kSubgroupArithmetic:
        return word(Op::kGroupNonUniformIAdd, {constant(kSubgroupScope), 0, loadFirst()});
      case ProbeKind::kAtomics:
        break;
    }
    return zero_;
  }

  Id products(Id x, Id y) {
    const Id pair = type(Op::kTypeStruct, {word_, word_});
    const Id both = value(Op::kUMulExtended, pair, {x, y});
    const Id high = word(Op::kCompositeExtract, {both, 1});
    const Id sum = word(Op::kIAdd, {word(Op::kIMul, {x, y}), x});
    return word(Op::kBitwiseXor, {sum, high});
  }

  /// x * y + x, each rounded by itself.
  Id sumOfProduct(Id type, Op multiply, Op add_op, Id x, Id y) {
    const Id product = value(multiply, type, {x, y});
    const Id sum = value(add_op, type, {product, x});
    if (add_op == Op::kFAdd) {
      for (const Id id : {product, sum}) add(decorations_, Op::kDecorate, {id, kNoContraction});
    }
    return sum;
  }

  Id roundings(Id x, Id y) {
    const Id real = type(Op::kTypeFloat, {32});
    const Id sum = sumOfProduct(real, Op::kFMul, Op::kFAdd, value(Op::kBitcast, real, {x}),
                                value(Op::kBitcast, real, {y}));
    return word(Op::kBitcast, {sum});
  }

  Id throughSharedMemory(Id x, Id y) {
    const Id length = constant(kProbeWords), last = constant(kProbeWords - 1);
    const Id tile_type =
        type(Op::kTypePointer, {kWorkgroup, type(Op::kTypeArray, {word_, length})});
    const Id pointer = type(Op::kTypePointer, {kWorkgroup, word_});
    const Id tile = next_++;
    add(types_, Op::kVariable, {tile_type, tile, kWorkgroup});
    add(body_, Op::kStore, {value(Op::kAccessChain, pointer, {tile, invocation_}), x});
    constexpr uint32_t kAcquireRelease = 0x8, kWorkgroupMemory = 0x100;
    const Id scope = constant(kWorkgroupScope);
    add(body_, Op::kControlBarrier, {scope, scope, constant(kAcquireRelease | kWorkgroupMemory)});
    const Id other = word(Op::kISub, {last, invocation_});
    const Id theirs = word(Op::kLoad, {value(Op::kAccessChain, pointer, {tile, other})});
    return word(Op::kIAdd, {theirs, y});
  }

  Id narrow(uint32_t bits, Id x, Id y) {
    const Id type_of_both = type(Op::kTypeInt, {bits, 0});
    const Id sum =
        sumOfProduct(type_of_both, Op::kIMul, Op::kIAdd, value(Op::kUConvert, type_of_both, {x}),
                     value(Op::kUConvert, type_of_both, {y}));
    return word(Op::kSConvert, {sum});
  }

  Id wide(Id x, Id y) {
    const Id type_of_both = type(Op::kTypeInt, {64, 0});
    const Id sum =
        sumOfProduct(type_of_both, Op::kIMul, Op::kIAdd, value(Op::kSConvert, type_of_both, {x}),
                     value(Op::kSConvert, type_of_both, {y}));
    const Id high = value(Op::kShiftRightLogical, type_of_both, {sum, constant(32)});
    return word(Op::kUConvert, {high});
  }

  Id real(uint32_t bits, Id x, Id y) {
    const Id type_of_both = type(Op::kTypeFloat, {bits});
    Id sum =
        sumOfProduct(type_of_both, Op::kFMul, Op::kFAdd, value(Op::kConvertSToF, type_of_both, {x}),
                     value(Op::kConvertSToF, type_of_both, {y}));
    if (bits == 64) {
      constexpr uint32_t kHighOfFactor = 0x3e700000;  // of 2^-24
      const Id factor = next_++;
      add(types_, Op::kConstant, {type_of_both, factor, 0, kHighOfFactor});
      sum = value(Op::kFMul, type_of_both, {sum, factor});
    }
    return word(Op::kConvertFToS, {sum});
  }

  Id fromNarrowBuffer(Id y) {
    const Id x = value(Op::kLoad, narrow_, {element(buffers_[0], narrow_pointer_, invocation_)});
    return word(Op::kIMul, {word(Op::kSConvert, {x}), y});
  }

  void writeAtomics() {
    const Id byte = constant(0xff), three = constant(3), two = constant(2);
    const Id device = constant(kDeviceScope);
    const Id lane = word(Op::kBitwiseAnd, {invocation_, three});
    const Id shift = word(Op::kShiftLeftLogical, {lane, three});
    const Id place =
        element(buffers_[2], word_pointer_, word(Op::kShiftRightLogical, {invocation_, two}));
    const Id mask = word(Op::kNot, {word(Op::kShiftLeftLogical, {byte, shift})});
    (void)word(Op::kAtomicAnd, {place, device, zero_, mask});
    const Id bits = word(Op::kBitwiseAnd, {loadFirst(), byte});
    (void)word(Op::kAtomicOr, {place, device, zero_, word(Op::kShiftLeftLogical, {bits, shift})});
  }

  std::vector<std::byte> assembled() const {
    constexpr uint32_t kMagic = 0x07230203, kVersion = 0x00010300, kCompute = 5, kLocalSize = 17;
    Words all = {kMagic, kVersion, 0, next_, 0};
    add(all, Op::kCapability, {kShader});
    for (const Capability& entry : capabilityTable()) {
      if (entry.kind != kind_) continue;
      for (const uint32_t capability : entry.capabilities) add(all, Op::kCapability, {capability});
      if (!entry.extension.empty()) add(all, Op::kExtension, {}, literal(entry.extension));
    }
    add(all, Op::kMemoryModel, {0, 1});
    Words entry = literal("probe");
    entry.push_back(local_id_);
    add(all, Op::kEntryPoint, {kCompute, main_}, entry);
    add(all, Op::kExecutionMode, {main_, kLocalSize, kProbeWords, 1, 1});
    for (const Words* part : {&decorations_, &types_, &body_}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    std::vector<std::byte> bytes;
    for (const uint32_t word : all) {
      for (int shift = 0; shift < 32; shift += 8) bytes.push_back(std::byte(word >> shift & 0xff));
    }
    return bytes;
  }

  ProbeKind kind_;
  Words decorations_, types_, body_;
  Id next_ = 1;
  Id void_ = 0, function_ = 0, word_ = 0, vector_ = 0, word_pointer_ = 0, narrow_ = 0,
     narrow_pointer_ = 0, zero_ = 0, local_id_ = 0, main_ = 0, invocation_ = 0;
  std::array<Id, 3> buffers_{};
};

}  // namespace

std::vector<std::byte> probeSpirv(ProbeKind kind) { return ProbeWriter(kind).write(); }

}  // namespace vta::driver
