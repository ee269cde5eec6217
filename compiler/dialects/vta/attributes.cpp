#include "compiler/dialects/vta/attributes.h"

#include <array>
#include <span>
#include <utility>

#include "mlir/IR/Builders.h"

namespace vta::compiler {

using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelDesc;
using kernel::KernelKind;
using kernel::Pool;
using kernel::Residual;
using kernel::Schedule;

namespace {

// Every field is one line of a table, so that both directions agree.

template <typename Struct>
struct IntegerField {
  const char* name;
  int64_t Struct::*member;
};

constexpr IntegerField<Geometry> kGeometryFields[] = {
    {"batch_blocks", &Geometry::batch_blocks},
    {"in_channel_blocks", &Geometry::in_channel_blocks},
    {"out_channel_blocks", &Geometry::out_channel_blocks},
    {"groups", &Geometry::groups},
    {"in_height", &Geometry::in_height},
    {"in_width", &Geometry::in_width},
    {"out_height", &Geometry::out_height},
    {"out_width", &Geometry::out_width},
    {"kernel_height", &Geometry::kernel_height},
    {"kernel_width", &Geometry::kernel_width},
    {"stride_y", &Geometry::stride_y},
    {"stride_x", &Geometry::stride_x},
    {"dilation_y", &Geometry::dilation_y},
    {"dilation_x", &Geometry::dilation_x},
    {"pad_top", &Geometry::pad_top},
    {"pad_left", &Geometry::pad_left},
    {"pad_bottom", &Geometry::pad_bottom},
    {"pad_right", &Geometry::pad_right},
    {"interleave_y", &Geometry::interleave_y},
    {"interleave_x", &Geometry::interleave_x},
    {"phases", &Geometry::phases},
    {"crop_top", &Geometry::crop_top},
    {"crop_left", &Geometry::crop_left},
    {"crop_bottom", &Geometry::crop_bottom},
    {"crop_right", &Geometry::crop_right},
};

constexpr IntegerField<Pool> kPoolFields[] = {
    {"out_height", &Pool::out_height},
    {"out_width", &Pool::out_width},
    {"kernel_height", &Pool::kernel_height},
    {"kernel_width", &Pool::kernel_width},
    {"stride_y", &Pool::stride_y},
    {"stride_x", &Pool::stride_x},
    {"pad_top", &Pool::pad_top},
    {"pad_left", &Pool::pad_left},
};

constexpr IntegerField<Schedule> kScheduleFields[] = {
    {"tile_height", &Schedule::tile_height},
    {"tile_width", &Schedule::tile_width},
    {"tile_out_blocks", &Schedule::tile_out_blocks},
    {"tile_in_blocks", &Schedule::tile_in_blocks},
    {"tile_kernel_height", &Schedule::tile_kernel_height},
    {"tile_kernel_width", &Schedule::tile_kernel_width},
};

struct BooleanField {
  const char* name;
  bool Schedule::*member;
};

constexpr BooleanField kScheduleFlags[] = {
    {"int8_through_gemm", &Schedule::int8_through_gemm},
    {"skip_padding", &Schedule::skip_padding},
};

template <typename Enum>
struct EnumName {
  const char* name;
  Enum value;
};

constexpr EnumName<KernelKind> kKinds[] = {
    {"contraction", KernelKind::kContraction},
    {"max_pool", KernelKind::kMaxPool},
    {"sum_pool", KernelKind::kSumPool},
    {"elementwise", KernelKind::kElementwise},
};
constexpr EnumName<PadKind> kPadKinds[] = {{"zero", PadKind::kZero}, {"min", PadKind::kMin}};
constexpr EnumName<AluOpcode> kAluOpcodes[] = {
    {"min", AluOpcode::kMin},   {"max", AluOpcode::kMax}, {"add", AluOpcode::kAdd},
    {"shr", AluOpcode::kShr},   {"mul", AluOpcode::kMul}, {"qmul", AluOpcode::kQmul},
    {"clip", AluOpcode::kClip},
};
constexpr EnumName<EpilogueStep::Source> kSources[] = {
    {"imm", EpilogueStep::Source::kImmediate},
    {"param", EpilogueStep::Source::kParam},
    {"residual", EpilogueStep::Source::kResidual},
};
constexpr EnumName<Schedule::Order> kOrders[] = {
    {"weights_inner", Schedule::Order::kWeightsInner},
    {"weights_outer", Schedule::Order::kWeightsOuter},
};

/// Collects the entries of one dictionary.
class Writer {
 public:
  explicit Writer(mlir::MLIRContext* context) : builder_(context) {}

  void attribute(const char* name, mlir::Attribute value) {
    entries_.push_back(builder_.getNamedAttr(name, value));
  }
  void integer(const char* name, int64_t value, int64_t default_value) {
    if (value != default_value) attribute(name, builder_.getI64IntegerAttr(value));
  }
  template <typename Enum>
  void enumeration(const char* name, std::span<const EnumName<Enum>> names, Enum value) {
    for (const auto& entry : names) {
      if (entry.value == value) return attribute(name, builder_.getStringAttr(entry.name));
    }
    assert(false && "an enumerator is missing from its table");
  }
  template <typename Struct>
  void integers(std::span<const IntegerField<Struct>> fields, const Struct& value) {
    const Struct defaults;
    for (const auto& field : fields) {
      integer(field.name, value.*field.member, defaults.*field.member);
    }
  }
  mlir::DictionaryAttr finish() { return builder_.getDictionaryAttr(entries_); }
  mlir::Builder& builder() { return builder_; }

 private:
  mlir::Builder builder_;
  mlir::SmallVector<mlir::NamedAttribute> entries_;
};

mlir::ArrayAttr stepsToAttr(const std::vector<EpilogueStep>& steps, mlir::MLIRContext* context) {
  mlir::SmallVector<mlir::Attribute> attrs;
  for (const EpilogueStep& step : steps) {
    Writer writer(context);
    writer.enumeration<AluOpcode>("op", kAluOpcodes, step.opcode);
    writer.enumeration<EpilogueStep::Source>("source", kSources, step.source);
    writer.integer("imm", step.imm, 0);
    writer.integer("param", step.param, 0);
    attrs.push_back(writer.finish());
  }
  return mlir::ArrayAttr::get(context, attrs);
}

/// Reads one dictionary entry by entry; the first error stays. `finish` reports unread keys.
class Reader {
 public:
  Reader(mlir::DictionaryAttr attr, std::string what) : attr_(attr), what_(std::move(what)) {}

  template <typename Attr>
  Attr attribute(const char* name, const char* kind) {
    mlir::Attribute value = attr_.get(name);
    if (!value) return {};
    ++num_read_;
    read_.push_back(name);
    auto typed = mlir::dyn_cast<Attr>(value);
    if (!typed) fail(std::string("`") + name + "` is not " + kind);
    return typed;
  }
  template <typename Int>
  void integer(const char* name, Int& out) {
    if (auto attr = attribute<mlir::IntegerAttr>(name, "an integer")) {
      if (attr.getValue().getSignificantBits() > sizeof(Int) * 8) {
        return fail(std::string("`") + name + "` is out of range");
      }
      out = static_cast<Int>(attr.getValue().getSExtValue());
    }
  }
  template <typename Enum>
  void enumeration(const char* name, std::span<const EnumName<Enum>> names, Enum& out) {
    auto attr = attribute<mlir::StringAttr>(name, "a string");
    if (!attr) return;
    for (const auto& entry : names) {
      if (attr.getValue() == entry.name) {
        out = entry.value;
        return;
      }
    }
    fail(std::string("`") + name + "` has the unknown value '" + attr.getValue().str() + "'");
  }
  template <typename Struct>
  void integers(std::span<const IntegerField<Struct>> fields, Struct& out) {
    for (const auto& field : fields) integer(field.name, out.*field.member);
  }
  void fail(const std::string& message) {
    if (status_.ok()) status_ = invalidArgument(what_ + ": " + message);
  }
  void merge(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  Status finish() {
    if (status_.ok() && num_read_ != attr_.size()) {
      for (mlir::NamedAttribute entry : attr_) {
        if (!llvm::is_contained(read_, entry.getName().getValue())) {
          fail("unknown key `" + entry.getName().str() + "`");
        }
      }
    }
    return status_;
  }

 private:
  mlir::DictionaryAttr attr_;
  std::string what_;
  Status status_;
  size_t num_read_ = 0;
  mlir::SmallVector<mlir::StringRef> read_;
};

Status stepsFromAttr(mlir::ArrayAttr attr, const char* what, std::vector<EpilogueStep>& steps) {
  for (mlir::Attribute element : attr) {
    auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(element);
    if (!dictionary) return invalidArgument(std::string(what) + ": a step is not a dictionary");
    Reader reader(dictionary, what);
    EpilogueStep step;
    reader.enumeration<AluOpcode>("op", kAluOpcodes, step.opcode);
    reader.enumeration<EpilogueStep::Source>("source", kSources, step.source);
    reader.integer("imm", step.imm);
    reader.integer("param", step.param);
    VTA_RETURN_IF_ERROR(reader.finish());
    steps.push_back(step);
  }
  return {};
}

}  // namespace

mlir::DictionaryAttr kernelDescToAttr(const KernelDesc& desc, mlir::MLIRContext* context) {
  Writer geometry(context);
  geometry.integers<Geometry>(kGeometryFields, desc.geometry);
  if (desc.geometry.pad_kind != PadKind::kZero) {
    geometry.enumeration<PadKind>("pad_kind", kPadKinds, desc.geometry.pad_kind);
  }
  Writer writer(context);
  if (!desc.name.empty()) writer.attribute("name", writer.builder().getStringAttr(desc.name));
  writer.enumeration<KernelKind>("kind", kKinds, desc.kind);
  writer.attribute("geometry", geometry.finish());
  writer.integer("num_params", desc.num_params, 0);
  if (!desc.epilogue.empty()) writer.attribute("epilogue", stepsToAttr(desc.epilogue, context));
  if (desc.residual.has_value()) {
    const mlir::Attribute steps = stepsToAttr(desc.residual->steps, context);
    writer.attribute("residual", mlir::ArrayAttr::get(context, {steps}));
  }
  if (desc.pool.has_value()) {
    Writer pool(context);
    pool.integers<Pool>(kPoolFields, *desc.pool);
    writer.attribute("pool", pool.finish());
  }
  if (desc.bias_exceeds_results) {
    writer.attribute("bias_exceeds_results", writer.builder().getBoolAttr(true));
  }
  if (!desc.small_bias_blocks.empty()) {
    writer.attribute("small_bias_blocks",
                     writer.builder().getDenseI32ArrayAttr(desc.small_bias_blocks));
  }
  return writer.finish();
}

Result<KernelDesc> kernelDescFromAttr(mlir::DictionaryAttr attr) {
  KernelDesc desc;
  Reader reader(attr, "kernel description");
  if (auto name = reader.attribute<mlir::StringAttr>("name", "a string")) desc.name = name.str();
  reader.enumeration<KernelKind>("kind", kKinds, desc.kind);
  if (auto geometry = reader.attribute<mlir::DictionaryAttr>("geometry", "a dictionary")) {
    Reader nested(geometry, "geometry");
    nested.integers<Geometry>(kGeometryFields, desc.geometry);
    nested.enumeration<PadKind>("pad_kind", kPadKinds, desc.geometry.pad_kind);
    reader.merge(nested.finish());
  }
  reader.integer("num_params", desc.num_params);
  if (auto steps = reader.attribute<mlir::ArrayAttr>("epilogue", "an array")) {
    reader.merge(stepsFromAttr(steps, "epilogue", desc.epilogue));
  }
  if (auto residuals = reader.attribute<mlir::ArrayAttr>("residual", "an array")) {
    if (residuals.size() > 1) reader.fail("`residual` holds more than one array of steps");
    for (mlir::Attribute element : residuals) {
      auto steps = mlir::dyn_cast<mlir::ArrayAttr>(element);
      if (!steps) {
        reader.fail("`residual` holds something that is not an array of steps");
        break;
      }
      reader.merge(stepsFromAttr(steps, "residual", desc.residual.emplace().steps));
    }
  }
  if (auto pool = reader.attribute<mlir::DictionaryAttr>("pool", "a dictionary")) {
    Reader nested(pool, "pool");
    nested.integers<Pool>(kPoolFields, desc.pool.emplace());
    reader.merge(nested.finish());
  }
  if (auto promise = reader.attribute<mlir::BoolAttr>("bias_exceeds_results", "a boolean")) {
    desc.bias_exceeds_results = promise.getValue();
  }
  if (auto blocks = reader.attribute<mlir::DenseI32ArrayAttr>("small_bias_blocks",
                                                              "an array of 32-bit integers")) {
    desc.small_bias_blocks.assign(blocks.asArrayRef().begin(), blocks.asArrayRef().end());
  }
  VTA_RETURN_IF_ERROR(reader.finish());
  return desc;
}

mlir::DictionaryAttr scheduleToAttr(const Schedule& schedule, mlir::MLIRContext* context) {
  // Does not compile when a field is added: it has to be added to the tables above too.
  [[maybe_unused]] const auto& [height, width, out_blocks, in_blocks, kernel_height, kernel_width,
                                threads, order, int8_through_gemm, skip_padding] = schedule;
  Writer writer(context);
  writer.integers<Schedule>(kScheduleFields, schedule);
  writer.integer("virtual_threads", schedule.virtual_threads, Schedule{}.virtual_threads);
  writer.enumeration<Schedule::Order>("order", kOrders, schedule.order);
  for (const BooleanField& field : kScheduleFlags) {
    const bool value = schedule.*field.member;
    if (value != Schedule{}.*field.member) {
      writer.attribute(field.name, writer.builder().getBoolAttr(value));
    }
  }
  return writer.finish();
}

Result<Schedule> scheduleFromAttr(mlir::DictionaryAttr attr) {
  Schedule schedule;
  Reader reader(attr, "schedule");
  reader.integers<Schedule>(kScheduleFields, schedule);
  reader.integer("virtual_threads", schedule.virtual_threads);
  reader.enumeration<Schedule::Order>("order", kOrders, schedule.order);
  for (const BooleanField& field : kScheduleFlags) {
    auto value = reader.attribute<mlir::BoolAttr>(field.name, "a boolean");
    if (value) schedule.*field.member = value.getValue();
  }
  VTA_RETURN_IF_ERROR(reader.finish());
  return schedule;
}

}  // namespace vta::compiler
