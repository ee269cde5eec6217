#include "compiler/dialects/vta/attributes.h"

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/desc/fields.h"
#include "isa/spec/alu_operations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

// Generated code has unused parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialects/vta/vta_attributes.cpp.inc"

namespace vta::compiler {
namespace {

using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelDesc;
using kernel::KernelKind;
using kernel::Pool;
using kernel::Residual;
using kernel::Schedule;
using kernel::ScheduleField;
using kernel::WeightLayout;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::ParseResult;

// The text of a struct is `key = value` for each of its fields (compiler/kernel/desc/fields.h) that
// differs from its default; the type of a field decides how its value is written. A kernel's kind
// stands in front of these.

template <typename Value>
ParseResult parseValue(AsmParser& parser, const char* key, Value& value);
template <typename Value>
void printValue(AsmPrinter& printer, const Value& value);

/// Calls `visit` with each field that is written as `key = value`.
template <typename Struct, typename Visit>
void forEachEntry(Visit&& visit) {
  kernel::forEachField<Struct>([&](const auto& field) {
    if constexpr (!std::is_same_v<decltype(field.member), KernelKind KernelDesc::*>) visit(field);
  });
}

// Enumerations are words, in the order of their values.
using Names = llvm::ArrayRef<const char*>;

template <typename Enum>
constexpr std::array<const char*, 0> kNames = {};
template <>
constexpr std::array kNames<bool> = {"false", "true"};
template <>
constexpr std::array kNames<KernelKind> = {"contraction", "max_pool", "sum_pool", "elementwise"};
template <>
constexpr std::array kNames<kernel::Border> = {"edge", "reflect", "wrap"};
template <>
constexpr std::array kNames<WeightLayout> = {"tiles", "output_rows", "input_rows"};
template <>
constexpr std::array kNames<EpilogueStep::Source> = {"imm", "param", "residual", "self"};

//===-------------------------------- printing --------------------------------===//

/// Prints `key = `, after a comma unless it is the first key.
class KeyPrinter {
 public:
  KeyPrinter(AsmPrinter& printer, bool is_first) : printer_(printer), is_first_(is_first) {}

  AsmPrinter& operator()(const char* key) {
    if (!std::exchange(is_first_, false)) printer_ << ", ";
    return printer_ << key << " = ";
  }

 private:
  AsmPrinter& printer_;
  bool is_first_;
};

template <typename Struct>
void printFields(KeyPrinter key, const Struct& value) {
  const Struct defaults;
  forEachEntry<Struct>([&](const auto& field) {
    const auto& member = value.*field.member;
    if (member != defaults.*field.member) printValue(key(field.key), member);
  });
}

/// The operation, its source, and what of `imm` and `param` is not 0.
void printStep(AsmPrinter& printer, const EpilogueStep& step) {
  using Source = EpilogueStep::Source;
  printValue(printer, step.opcode);
  printer << " ";
  printValue(printer, step.source);
  if (step.source == Source::kImmediate) printer << " " << step.imm;
  if (step.source == Source::kParam) printer << " " << step.param;
  if (step.source != Source::kImmediate && step.imm != 0) printer << " imm " << step.imm;
  if (step.source != Source::kParam && step.param != 0) printer << " param " << step.param;
}

/// As the assembler writes it; "op12" for an operation of the user's, whose name is not known here.
std::string nameOf(AluOpcode opcode) {
  if (findAluOperation(opcode) == nullptr) return "op" + std::to_string(static_cast<int>(opcode));
  return llvm::StringRef(aluOpcodeName(opcode)).lower();
}

template <typename Value>
void printValue(AsmPrinter& printer, const Value& value) {
  if constexpr (std::is_same_v<Value, AluOpcode>) {
    printer << nameOf(value);
  } else if constexpr (kNames<Value>.size() > 0) {
    printer << kNames<Value>[static_cast<size_t>(value)];
  } else if constexpr (std::is_integral_v<Value>) {
    printer << int64_t{value};
  } else if constexpr (std::is_same_v<Value, std::string>) {
    printer.printString(value);
  } else if constexpr (std::is_same_v<Value, EpilogueStep>) {
    printStep(printer, value);
  } else if constexpr (std::is_same_v<Value, Residual>) {
    printValue(printer, value.steps);
  } else if constexpr (requires { value.has_value(); }) {
    printValue(printer, *value);
  } else if constexpr (requires { value.begin(); }) {
    printer << "[";
    llvm::interleave(
        value, [&](const auto& element) { printValue(printer, element); },
        [&] { printer << ", "; });
    printer << "]";
  } else {
    printer << "{";
    printFields(KeyPrinter(printer, true), value);
    printer << "}";
  }
}

//===-------------------------------- parsing --------------------------------===//

/// One of `names`, as its index.
template <typename Value>
ParseResult parseName(AsmParser& parser, const char* what, Names names, Value& value) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef word;
  if (parser.parseKeyword(&word)) return mlir::failure();
  const auto* const found = llvm::find(names, word);
  if (found == names.end()) {
    return parser.emitError(location)
           << what << " is '" << word << "'; legal: " << llvm::join(names, ", ");
  }
  value = static_cast<Value>(found - names.begin());
  return mlir::success();
}

/// Parses `key = value` into a field of what the messages call `what`. `parse_value` returns
/// nothing for an unknown key; `seen` holds the keys so far.
ParseResult parseEntry(
    AsmParser& parser, const char* what, llvm::StringSet<>& seen,
    llvm::function_ref<mlir::OptionalParseResult(llvm::StringRef key)> parse_value) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef key;
  if (parser.parseKeyword(&key)) return mlir::failure();
  if (!seen.insert(key).second) {
    return parser.emitError(location) << what << ": key `" << key << "` appears twice";
  }
  if (parser.parseEqual()) return mlir::failure();
  const mlir::OptionalParseResult result = parse_value(key);
  if (result.has_value()) return *result;
  return parser.emitError(location) << what << ": unknown key `" << key << "`";
}

template <typename Struct>
ParseResult parseField(AsmParser& parser, const char* what, llvm::StringSet<>& seen,
                       Struct& value) {
  return parseEntry(parser, what, seen, [&](llvm::StringRef key) -> mlir::OptionalParseResult {
    mlir::OptionalParseResult result;
    forEachEntry<Struct>([&](const auto& field) {
      if (key == field.key) result = parseValue(parser, field.key, value.*field.member);
    });
    return result;
  });
}

ParseResult parseOpcode(AsmParser& parser, AluOpcode& opcode) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef word;
  if (parser.parseKeyword(&word)) return mlir::failure();
  std::vector<std::string> legal;
  for (const AluOperation& operation : kAluOperations) {
    opcode = operation.opcode;
    legal.push_back(nameOf(opcode));
    if (word == legal.back()) return mlir::success();
  }
  for (int code = 0; code < kBaseAluPages << kAluOpcodeBits; ++code) {
    opcode = static_cast<AluOpcode>(code);
    if (word == nameOf(opcode)) return mlir::success();
  }
  return parser.emitError(location)
         << "the ALU operation is '" << word << "'; legal: " << llvm::join(legal, ", ");
}

/// What printStep writes.
ParseResult parseStep(AsmParser& parser, EpilogueStep& step) {
  const auto parseOptional = [&](const char* keyword, int32_t& value) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword))) return mlir::success();
    return parser.parseInteger(value);
  };
  if (parseOpcode(parser, step.opcode) || parseValue(parser, "the operand's source", step.source)) {
    return mlir::failure();
  }
  const bool has_imm = step.source == EpilogueStep::Source::kImmediate;
  const bool has_param = step.source == EpilogueStep::Source::kParam;
  return mlir::failure((has_imm && parser.parseInteger(step.imm)) ||
                       (has_param && parser.parseInteger(step.param)) ||
                       parseOptional("imm", step.imm) || parseOptional("param", step.param));
}

template <typename Value>
ParseResult parseValue(AsmParser& parser, const char* key, Value& value) {
  if constexpr (kNames<Value>.size() > 0) {
    return parseName(parser, key, kNames<Value>, value);
  } else if constexpr (std::is_integral_v<Value>) {
    return parser.parseInteger(value);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return parser.parseString(&value);
  } else if constexpr (std::is_same_v<Value, EpilogueStep>) {
    return parseStep(parser, value);
  } else if constexpr (std::is_same_v<Value, Residual>) {
    return parseValue(parser, key, value.steps);
  } else if constexpr (requires { value.has_value(); }) {
    return parseValue(parser, key, value.emplace());
  } else if constexpr (requires { value.begin(); }) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parseValue(parser, key, value.emplace_back());
    });
  } else {
    llvm::StringSet<> seen;
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                          [&] { return parseField(parser, key, seen, value); });
  }
}

mlir::OptionalParseResult parseScheduleValue(AsmParser& parser, llvm::StringRef key,
                                             Schedule& schedule) {
  const auto fields = kernel::scheduleFields();
  const auto field = llvm::find_if(fields, [&](const ScheduleField& f) { return key == f.key; });
  if (field == fields.end()) return std::nullopt;
  int64_t value = 0;
  const ParseResult result = field->kind == ScheduleField::Kind::kNumber
                                 ? parseValue(parser, field->key, value)
                                 : parseName(parser, field->key, field->names, value);
  field->set(schedule, value);
  return result;
}

}  // namespace

void VtaDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialects/vta/vta_attributes.cpp.inc"
      >();
}

mlir::Attribute KernelAttr::parse(AsmParser& parser, mlir::Type) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  KernelDesc desc;
  llvm::StringSet<> seen;
  if (parser.parseLess() || parseValue(parser, "the kind", desc.kind)) return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (parseField(parser, "kernel description", seen, desc)) return {};
  }
  if (parser.parseGreater()) return {};
  return parser.getChecked<KernelAttr>(location, parser.getContext(), std::move(desc));
}

void KernelAttr::print(AsmPrinter& printer) const {
  printer << "<";
  printValue(printer, getValue().kind);
  printFields(KeyPrinter(printer, false), getValue());
  printer << ">";
}

mlir::LogicalResult KernelAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emit_error,
                                       // NOLINTNEXTLINE(performance-unnecessary-value-param)
                                       KernelDesc value) {  // TableGen declares it
  const Geometry& g = value.geometry;
  // What the extents are computed with.
  if (g.groups < 1 || g.in_channel_blocks % g.groups != 0 || g.out_channel_blocks % g.groups != 0) {
    return emit_error() << "groups do not divide the channel blocks";
  }
  if (g.phases < 1) return emit_error() << "phases must be positive";
  if (g.fold_taps < 1 || g.fold_pitch < 1 || g.fold_taps > g.kernel_width) {
    return emit_error() << "fold_taps and fold_pitch must be positive, and taps of a kernel row";
  }
  return mlir::success();
}

mlir::Attribute ScheduleAttr::parse(AsmParser& parser, mlir::Type) {
  const llvm::SMLoc location = parser.getCurrentLocation();
  Schedule schedule;
  llvm::StringSet<> seen;
  const auto parseOne = [&] {
    return parseEntry(parser, "schedule", seen, [&](llvm::StringRef key) {
      return parseScheduleValue(parser, key, schedule);
    });
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseOne)) return {};
  return parser.getChecked<ScheduleAttr>(location, parser.getContext(), schedule);
}

void ScheduleAttr::print(AsmPrinter& printer) const {
  printer << "<";
  KeyPrinter key(printer, true);
  for (const ScheduleField& field : kernel::scheduleFields()) {
    const int64_t value = field.get(getValue());
    if (value == field.get(Schedule())) continue;
    AsmPrinter& out = key(field.key);
    if (field.kind == ScheduleField::Kind::kNumber) {
      out << value;
    } else {
      out << field.names[static_cast<size_t>(value)];
    }
  }
  printer << ">";
}

mlir::LogicalResult ScheduleAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emit_error,
                                         Schedule value) {
  for (const ScheduleField& field : kernel::scheduleFields()) {
    if (field.isLegal(field.get(value))) continue;
    auto error = emit_error() << "schedule: " << field.key << " is " << field.get(value)
                              << "; legal: ";
    if (field.most == ScheduleField::kNoLimit) return error << "at least " << field.least;
    return error << field.least << " to " << field.most;
  }
  return mlir::success();
}

}  // namespace vta::compiler

namespace vta::kernel {

// Equal values have equal codes. Kernels that differ in other fields only are rare.
llvm::hash_code hash_value(const KernelDesc& desc) {
  const Geometry& g = desc.geometry;
  return llvm::hash_combine(desc.name, desc.kind, g.in_channel_blocks, g.out_channel_blocks,
                            g.out_height, g.out_width, g.kernel_height, desc.epilogue.size());
}

llvm::hash_code hash_value(const Schedule& schedule) {
  llvm::hash_code code(0);
  for (const ScheduleField& field : scheduleFields()) {
    code = llvm::hash_combine(code, field.get(schedule));
  }
  return code;
}

}  // namespace vta::kernel
