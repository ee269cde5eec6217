// The extension module behind vta.tile: the builder of tile programs, their lowering, and runs.
#include <fmt/format.h>
#include <pybind11/operators.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <exception>
#include <map>
#include <memory>

#include "compiler/tile/file/kernel_file.h"
#include "compiler/tile/program/tile_reference.h"
#include "compiler/tile/program/tile_text.h"
#include "compiler/tile/tile_builder.h"
#include "compiler/tile/tile_lowering.h"
#include "driver/device_registry.h"
#include "driver/run_program.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "sim/cycle/program_timer.h"

namespace py = pybind11;

namespace vta::tile {
namespace {

/// A Status on its way to Python, where it becomes a vta.Error.
struct Thrown : std::exception {
  explicit Thrown(Status what_failed) : status(std::move(what_failed)) {}
  const char* what() const noexcept override { return status.message().c_str(); }
  Status status;
};

void check(const Status& status) {
  if (!status.ok()) throw Thrown(status);
}

template <typename T>
T valueOf(Result<T> result) {
  check(result.status());
  return *std::move(result);
}

/// What a builder has made, unless it found a mistake.
template <typename Made>
Made made(const TileBuilder& builder, Made result) {
  check(builder.status());
  return result;
}

using Buffers = std::vector<std::vector<uint8_t>>;

/// A tile program with what it was lowered to.
struct Compiled {
  HwConfig hw;
  TileProgram tiles;
  Program program;
};

std::unique_ptr<Compiled> compile(TileBuilder& builder) {
  const HwConfig hw = builder.hw();
  TileProgram tiles = valueOf(builder.finish());
  const py::gil_scoped_release free;
  Program program = valueOf(lowerTiles(tiles, hw));
  return std::make_unique<Compiled>(Compiled{hw, std::move(tiles), std::move(program)});
}

/// The bytes of all tensors: those of `inputs` in their order, and zeros for outputs.
Buffers makeBuffers(const Compiled& compiled, const std::vector<py::bytes>& inputs) {
  Buffers buffers;
  size_t next = 0;
  for (const TensorDecl& tensor : compiled.tiles.tensors) {
    if (tensor.memory == MemoryType::kOut) {
      const auto elems = static_cast<size_t>(elemsOf(tensor.shape));
      buffers.emplace_back(elems * compiled.hw.elemBytes(tensor.memory));
      continue;
    }
    if (!tensor.contents.empty()) {
      buffers.push_back(tensor.contents);
      continue;
    }
    const std::string_view bytes = inputs.at(next++);
    buffers.emplace_back(bytes.begin(), bytes.end());
  }
  return buffers;
}

py::list outputsOf(const Compiled& compiled, const Buffers& buffers) {
  py::list outputs;
  for (size_t i = 0; i < compiled.tiles.tensors.size(); ++i) {
    if (compiled.tiles.tensors[i].memory != MemoryType::kOut) continue;
    outputs.append(py::bytes(reinterpret_cast<const char*>(buffers[i].data()), buffers[i].size()));
  }
  return outputs;
}

py::list runReference(const Compiled& compiled, const std::vector<py::bytes>& inputs) {
  Buffers buffers = makeBuffers(compiled, inputs);
  {
    const py::gil_scoped_release free;
    runTileReference(compiled.tiles, compiled.hw, buffers);
  }
  return outputsOf(compiled, buffers);
}

/// The outputs, and the cycles that the device counts.
py::tuple runOnDevice(const Compiled& compiled, const std::vector<py::bytes>& inputs,
                      const std::string& device_name) {
  Buffers buffers = makeBuffers(compiled, inputs);
  buffers.resize(compiled.program.buffers.size());
  uint64_t cycles = 0;
  {
    const py::gil_scoped_release free;
    const std::unique_ptr<driver::Device> device =
        valueOf(driver::createDevice(device_name, compiled.hw));
    cycles = valueOf(driver::runProgram(*device, compiled.program, buffers)).counters.cycles;
  }
  return py::make_tuple(outputsOf(compiled, buffers), cycles);
}

/// A program by hand. Errors: those of the assembler, and what the verifier finds.
std::unique_ptr<Compiled> assembleText(const std::string& text, const std::string& source,
                                       const HwConfig& hw) {
  const py::gil_scoped_release free;
  Program program = valueOf(assemble(text, source, hw));
  check(verifyProgramStatus(program, hw));
  return std::make_unique<Compiled>(Compiled{hw, {}, std::move(program)});
}

/// Name, kind and size in bytes of the program's buffers, apart from micro-ops.
py::list buffersOf(const Compiled& compiled) {
  py::list buffers;
  for (const BufferDecl& buffer : compiled.program.buffers) {
    if (buffer.kind == BufferKind::kUop) continue;
    buffers.append(
        py::make_tuple(buffer.name, std::string(bufferKindName(buffer.kind)), buffer.size_bytes));
  }
  return buffers;
}

/// The bytes of all buffers after a run, by name, and the cycles; buffers without contents are 0.
py::tuple runWithBuffers(const Compiled& compiled, const std::map<std::string, py::bytes>& contents,
                         const std::string& device_name) {
  Buffers buffers;
  for (const BufferDecl& buffer : compiled.program.buffers) {
    const auto found = contents.find(buffer.name);
    const std::string_view bytes = found == contents.end() ? "" : std::string_view(found->second);
    buffers.emplace_back(bytes.begin(), bytes.end());
    const bool is_given = found != contents.end() || buffer.kind == BufferKind::kUop;
    if (!is_given) buffers.back().resize(buffer.size_bytes);
  }
  uint64_t cycles = 0;
  {
    const py::gil_scoped_release free;
    const std::unique_ptr<driver::Device> device =
        valueOf(driver::createDevice(device_name, compiled.hw));
    cycles = valueOf(driver::runProgram(*device, compiled.program, buffers)).counters.cycles;
  }
  py::dict results;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (compiled.program.buffers[i].kind == BufferKind::kUop) continue;
    results[py::str(compiled.program.buffers[i].name)] =
        py::bytes(reinterpret_cast<const char*>(buffers[i].data()), buffers[i].size());
  }
  return py::make_tuple(results, cycles);
}

uint64_t cyclesOf(const Compiled& compiled) {
  const py::gil_scoped_release free;
  sim::ProgramTimer timer = valueOf(sim::ProgramTimer::create(compiled.hw));
  return valueOf(timer.run(compiled.program)).cycles;
}

/// None where it takes more than `most` cycles, which is found out sooner.
std::optional<uint64_t> cyclesUpTo(const Compiled& compiled, uint64_t most) {
  const py::gil_scoped_release free;
  sim::ProgramTimer timer = valueOf(sim::ProgramTimer::create(compiled.hw));
  return valueOf(timer.cyclesUpTo(compiled.program, most));
}

std::string timelineOf(const Compiled& compiled) {
  const py::gil_scoped_release free;
  sim::ProgramTimer timer = valueOf(sim::ProgramTimer::create(compiled.hw));
  Recording recording;
  valueOf(timer.run(compiled.program, &recording));
  return timelineText(compiled.program, recording);
}

/// The text of a file of kernels; `numbers` are those of each kernel's function.
std::string textOfKernels(const std::vector<const Compiled*>& kernels,
                          const std::vector<std::map<std::string, int64_t>>& numbers) {
  std::vector<TileKernel> file;
  for (size_t i = 0; i < kernels.size(); ++i) {
    file.push_back({kernels[i]->tiles, ElementSizes::of(kernels[i]->hw), numbers.at(i)});
  }
  return kernelsToYaml(file);
}

AluOpcode opcodeOf(const std::string& name) {
  for (const AluOperation& operation : kAluOperations) {
    if (operation.name == name) return operation.opcode;
  }
  throw Thrown(invalidArgument(fmt::format("no ALU operation {}", name)));
}

MemoryType memoryOf(const std::string& name) {
  for (const MemoryInfo& memory : memories()) {
    if (memory.name == name) return memory.type;
  }
  throw Thrown(invalidArgument(fmt::format("no memory {}", name)));
}

void defineHardware(py::module_& m) {
  py::class_<HwConfig>(m, "Hardware")
      .def_static("load", [](const std::string& path) { return valueOf(loadHwConfig(path)); })
      .def_static("default", &HwConfig::makeDefault)
      .def("__repr__",
           [](const HwConfig& hw) { return fmt::format("<vta.tile hardware {}>", hw.summary()); })
      .def_property_readonly("name", &HwConfig::name)
      .def_property_readonly("batch", &HwConfig::batch)
      .def_property_readonly("block_in", &HwConfig::blockIn)
      .def_property_readonly("block_out", &HwConfig::blockOut)
      .def_property_readonly("wgt_width_bits",
                             [](const HwConfig& hw) { return hw.params().wgt_width_bits; });
}

void defineTiles(py::module_& m) {
  py::class_<Affine> index(m, "Index");
  index.def(py::init<int64_t>())
      .def_property_readonly("number",
                             [](const Affine& index) -> std::optional<int64_t> {
                               if (!index.terms().empty()) return std::nullopt;
                               return index.constant();
                             })
      .def(py::self + py::self)
      .def(py::self - py::self)
      .def(py::self * int64_t())
      .def("__radd__", [](const Affine& a, int64_t b) { return a + b; })
      .def("__rsub__", [](const Affine& a, int64_t b) { return Affine(b) - a; })
      .def("__rmul__", [](const Affine& a, int64_t b) { return a * b; });
  py::implicitly_convertible<int64_t, Affine>();
  for (const char* comparison : {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}) {
    index.def(comparison, [](const Affine&, const py::object&) -> bool {
      throw Thrown(
          invalidArgument("the variable of a loop has no value while the kernel is "
                          "written; use a plain loop of Python to choose"));
    });
  }
  [[maybe_unused]] const py::class_<Tensor> tensor(m, "Tensor");
  py::class_<Tile>(m, "Tile")
      .def_property_readonly("shape",
                             [](const Tile& tile) { return py::tuple(py::cast(tile.shape())); })
      .def("slice",
           [](const Tile& tile, size_t axis, int64_t begin, int64_t extent, int64_t step) {
             return made(*tile.builder(), tile.slice(axis, begin, extent, step));
           })
      .def("squeeze",
           [](const Tile& tile, size_t axis) { return made(*tile.builder(), tile.squeeze(axis)); })
      .def("expand",
           [](const Tile& tile, size_t axis) { return made(*tile.builder(), tile.expand(axis)); });
}

void defineBuilder(py::module_& m) {
  using Begin = std::vector<Affine>;
  py::class_<TileBuilder>(m, "Builder")
      .def(py::init<std::string, const HwConfig&>())
      .def("input",
           [](TileBuilder& k, const std::string& name, const std::string& memory,
              const Shape& shape) { return made(k, k.input(name, memoryOf(memory), shape)); })
      .def("output", [](TileBuilder& k, const std::string& name,
                        const Shape& shape) { return made(k, k.output(name, shape)); })
      .def("begin_loop",
           [](TileBuilder& k, const std::string& name, int64_t extent, int64_t step,
              int64_t stages) {
             return made(k, k.beginLoop({name, extent, step, stages}));
           })
      .def("end_loop",
           [](TileBuilder& k) {
             k.endLoop();
             check(k.status());
           })
      .def("load", [](TileBuilder& k, Tensor tensor, const Begin& begin,
                      const Shape& shape) { return made(k, k.load(tensor, begin, shape)); })
      .def("zeros", [](TileBuilder& k, const Shape& shape) { return made(k, k.zeros(shape)); })
      .def("copy", [](TileBuilder& k, const Tile& tile) { return made(k, k.copy(tile)); })
      .def("dot",
           [](TileBuilder& k, Tile acc, const Tile& inp, const Tile& wgt, const std::string& axes) {
             k.dot(acc, inp, wgt, axes);
             check(k.status());
           })
      .def("clip", [](TileBuilder& k, const Tile& tile, int64_t low,
                      int64_t high) { return made(k, k.clip(tile, low, high)); })
      .def("look_up",
           [](TileBuilder& k, const Tile& tile, const std::vector<int8_t>& results) {
             return made(k, k.lookUp(tile, results));
           })
      .def("combine", [](TileBuilder& k, const std::string& op, const Tile& a, const Tile& b,
                         int64_t imm) { return made(k, k.combined(opcodeOf(op), a, b, imm)); })
      .def("combine_immediate",
           [](TileBuilder& k, const std::string& op, const Tile& a, int64_t imm) {
             return made(k, k.combinedImmediate(opcodeOf(op), a, imm));
           })
      .def("apply",
           [](TileBuilder& k, const std::string& op, Tile a, const Tile& b, int64_t imm) {
             k.apply(opcodeOf(op), a, b, imm);
             check(k.status());
           })
      .def("apply_immediate",
           [](TileBuilder& k, const std::string& op, Tile a, int64_t imm) {
             k.applyImmediate(opcodeOf(op), a, imm);
             check(k.status());
           })
      .def("store",
           [](TileBuilder& k, Tensor tensor, const Begin& begin, const Tile& tile) {
             k.store(tensor, begin, tile);
             check(k.status());
           })
      .def("compile", &compile);
}

void defineCompiled(py::module_& m) {
  py::class_<Compiled>(m, "Compiled")
      .def_property_readonly("ir", [](const Compiled& c) { return toText(c.tiles); })
      .def_property_readonly("assembler",
                             [](const Compiled& c) { return disassembleProgram(c.program, c.hw); })
      .def_property_readonly("timeline", &timelineOf)
      .def_property_readonly("cycles", &cyclesOf)
      .def("cycles_up_to", &cyclesUpTo)
      .def_property_readonly("buffers", &buffersOf)
      .def("run_with_buffers", &runWithBuffers)
      .def("run_reference", &runReference)
      .def("run", &runOnDevice);
  m.def("assemble", &assembleText);
  m.def("kernels_text", &textOfKernels);
}

}  // namespace
}  // namespace vta::tile

PYBIND11_MODULE(_tile, m) {
  using vta::tile::Thrown;
  m.doc() = "Tile kernels; use vta.tile.";
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 takes a function of a value
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Thrown& found) {
      const py::object error = py::module_::import("vta").attr("Error");
      const py::object value = error(found.what());
      value.attr("status") = std::string(vta::statusCodeName(found.status.code()));
      PyErr_SetObject(error.ptr(), value.ptr());
    }
  });
  vta::tile::defineHardware(m);
  vta::tile::defineTiles(m);
  vta::tile::defineBuilder(m);
  vta::tile::defineCompiled(m);
}
