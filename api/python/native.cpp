// The extension module of the Python package: vta.hpp with NumPy arrays.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "api/include/vta/vta.hpp"
#include "api/python/commands.h"

namespace py = pybind11;
using vta::api::Device;
using vta::api::Error;
using vta::api::GenerateOptions;
using vta::api::Generation;
using vta::api::LayerInfo;
using vta::api::Module;
using vta::api::Session;
using vta::api::SessionOptions;
using vta::api::TensorInfo;
using vta::api::Tokenizer;

namespace {

// NumPy has no bfloat16: its bits are uint16 there.
py::dtype dtypeOf(const TensorInfo& info) {
  return py::dtype(info.dtype == VTA_BFLOAT16 ? "uint16" : vta_dtype_name(info.dtype));
}

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "a scalar" : text;
}

std::string quoted(const std::string& text) { return py::repr(py::str(text)).cast<std::string>(); }

std::string reprOf(const TensorInfo& info) {
  return "<vta.TensorInfo " + quoted(info.name) + ": " + shapeText(info.shape) + " " +
         vta_dtype_name(info.dtype) + ">";
}

std::string reprOf(const LayerInfo& layer) {
  const std::string macs =
      layer.macs > 0 ? py::str("{:,}").format(layer.macs).cast<std::string>() + " MACs" : "no MACs";
  return "<vta.LayerInfo " + quoted(layer.name) + ": " + layer.op + " on " + layer.where + ", " +
         macs + ">";
}

std::string reprOf(const Device& device) {
  return "<vta.Device " + quoted(device.name()) + ": " + device.hardware() + ">";
}

void setInput(Session& session, size_t index, const TensorInfo& info, const py::array& array) {
  const std::vector<int64_t> shape(array.shape(), array.shape() + array.ndim());
  // Words of a text may be fewer: the library knows of which modules.
  std::vector<int64_t> filled = shape;
  if (filled.size() > 1 && filled.size() == info.shape.size() && filled[1] > 0) {
    filled[1] = std::max(filled[1], info.shape[1]);
  }
  if (filled != info.shape || !array.dtype().is(dtypeOf(info))) {
    throw Error(VTA_INVALID_ARGUMENT, "input '" + info.name + "' is " + shapeText(info.shape) +
                                          " " + vta_dtype_name(info.dtype) + ", not " +
                                          shapeText(shape) + " " +
                                          py::str(array.dtype()).cast<std::string>());
  }
  const py::array rows = py::array::ensure(array, py::array::c_style);
  session.setInput(index, rows.data(), static_cast<size_t>(rows.nbytes()));
}

py::array outputOf(const Session& session, size_t index, const TensorInfo& info) {
  const void* data = nullptr;
  size_t size_bytes = 0;
  vta::api::detail::check(vta_session_output(session.get(), index, &data, &size_bytes));
  return py::array(dtypeOf(info), session.outputShape(index), data);  // copies
}

// Waits in slices, without Python's lock, so that Ctrl-C ends the waiting. No seconds: until the
// run has ended.
bool wait(Session& session, std::optional<double> seconds) {
  using std::chrono::milliseconds;
  constexpr milliseconds kSlice{100};
  const bool endless = !seconds || *seconds > 1e9;
  milliseconds left{endless ? 0 : static_cast<int64_t>(*seconds * 1000)};
  for (;;) {
    const milliseconds slice = endless ? kSlice : std::min(kSlice, left);
    {
      const py::gil_scoped_release released;
      if (session.wait(slice)) return true;
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    left -= slice;
    if (!endless && left <= milliseconds(0)) return false;
  }
}

py::dict rowOf(const vta_profile_row& row, uint64_t cycles_in_run, double copy_seconds) {
  py::dict dict;
  dict["first_layer"] = row.first_layer;
  dict["layer_count"] = row.layer_count;
  dict["on_vta"] = row.on_vta != 0;
  dict["host_seconds"] = row.host_seconds;
  dict["copy_seconds"] = copy_seconds;
  dict["cycles"] = row.cycles;
  dict["cycles_in_run"] = cycles_in_run;
  dict["gemm_uops"] = row.gemm_uops;
  dict["alu_uops"] = row.alu_uops;
  dict["read_bytes"] = row.read_bytes;
  dict["write_bytes"] = row.write_bytes;
  dict["busy_cycles"] = row.busy_cycles;
  return dict;
}

std::unique_ptr<Session> makeSession(const Module& module, const Device* device, bool per_layer,
                                     bool verify, int num_threads, double timeout_seconds,
                                     const std::string& gpu) {
  SessionOptions options;
  options.per_layer = per_layer;
  options.verify = verify;
  options.num_threads = num_threads;
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout_seconds * 1000));
  options.gpu = gpu;
  const py::gil_scoped_release free;
  return device != nullptr ? std::make_unique<Session>(module, *device, options)
                           : std::make_unique<Session>(module, options);
}

void defineModule(py::module_& m) {
  py::class_<TensorInfo>(m, "TensorInfo")
      .def("__repr__", [](const TensorInfo& info) { return reprOf(info); })
      .def_readonly("name", &TensorInfo::name)
      .def_property_readonly("dtype", [](const TensorInfo& info) { return dtypeOf(info); })
      .def_property_readonly(
          "shape", [](const TensorInfo& info) { return py::tuple(py::cast(info.shape)); });
  py::class_<LayerInfo>(m, "LayerInfo")
      .def("__repr__", [](const LayerInfo& layer) { return reprOf(layer); })
      .def_readonly("name", &LayerInfo::name)
      .def_readonly("op", &LayerInfo::op)
      .def_readonly("where", &LayerInfo::where)
      .def_readonly("reason", &LayerInfo::reason)
      .def_readonly("macs", &LayerInfo::macs);
  py::class_<Module>(m, "Module")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def(py::init([](const py::bytes& data) {
             const std::string_view view = data;
             return Module(view.data(), view.size());
           }),
           py::arg("data"))
      .def_property_readonly("model", &Module::model)
      .def_property_readonly("hardware", &Module::hardware)
      .def_property_readonly("inputs", &Module::inputs)
      .def_property_readonly("outputs", &Module::outputs)
      .def_property_readonly("layers", &Module::layers);
}

/// Tokens may be parts of characters, and a model may put them together wrongly.
py::str shownText(const std::string& text) {
  const auto bytes = static_cast<Py_ssize_t>(text.size());
  return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(text.data(), bytes, "replace"));
}

py::dict generate(Session& session, const Tokenizer& tokenizer, const std::string& prompt,
                  int64_t max_tokens, double temperature, int64_t top_k, double top_p,
                  uint64_t seed, const std::vector<std::string>& stops, const py::object& show,
                  int64_t speculate, Session* draft) {
  GenerateOptions options = {max_tokens, temperature, top_k,     top_p, seed,
                             stops,      {},          speculate, draft};
  if (!show.is_none()) {
    options.show = [&show](const char* piece) {
      const py::gil_scoped_acquire hold;
      show(shownText(piece));
    };
  }
  Generation made;
  {
    const py::gil_scoped_release free;
    made = session.generate(tokenizer, prompt, options);
  }
  py::dict result;
  result["text"] = shownText(made.text);
  result["end"] = made.end;
  result["prompt_tokens"] = made.prompt_tokens;
  result["tokens"] = made.tokens;
  result["seconds"] = made.seconds;
  result["first_token_seconds"] = made.first_token_seconds;
  result["prompt_cycles"] = made.prompt_cycles;
  result["cycles"] = made.cycles;
  return result;
}

void defineTokenizer(py::module_& m) {
  py::class_<Tokenizer>(m, "Tokenizer")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def("__len__", &Tokenizer::size)
      .def("encode", &Tokenizer::encode, py::arg("text"))
      .def(
          "decode",
          [](const Tokenizer& tokenizer, const std::vector<int64_t>& tokens) {
            return shownText(tokenizer.decode(tokens));
          },
          py::arg("tokens"));
}

void defineSession(py::module_& m) {
  py::class_<Device>(m, "Device")
      .def(py::init<const Module&, const std::string&>(), py::arg("module"),
           py::arg("spec") = "functional")
      .def_static("for_configuration", &Device::forConfiguration, py::arg("file"),
                  py::arg("spec") = "functional")
      .def_static("kinds", &Device::kinds)
      .def("__repr__", [](const Device& device) { return reprOf(device); })
      .def_property_readonly("name", &Device::name)
      .def_property_readonly("hardware", &Device::hardware);
  py::class_<Session>(m, "Session")
      .def(py::init(&makeSession), py::arg("module"), py::arg("device").none(true),
           py::arg("per_layer") = false, py::arg("verify") = false, py::arg("num_threads") = 0,
           py::arg("timeout_seconds") = 0.0, py::arg("gpu") = "")
      .def("set_input", &setInput)
      .def("run", &Session::run, py::call_guard<py::gil_scoped_release>())
      .def("start", &Session::start)
      .def("wait", &wait, py::arg("seconds") = py::none())
      .def("output", &outputOf)
      .def("clear_state", &Session::clearState)
      .def("save_state",
           [](Session& session) {
             const std::vector<char> state = session.saveState();
             return py::bytes(state.data(), state.size());
           })
      .def("load_state",
           [](Session& session, const py::bytes& state) {
             const std::string_view bytes = state;
             session.loadState({bytes.begin(), bytes.end()});
           })
      .def("generate", &generate, py::arg("tokenizer"), py::arg("prompt"),
           py::arg("max_tokens") = 256, py::arg("temperature") = 0.0, py::arg("top_k") = 0,
           py::arg("top_p") = 1.0, py::arg("seed") = 1, py::arg("stops") = py::tuple(),
           py::arg("show") = py::none(), py::arg("speculate") = 0,
           py::arg("draft").none(true) = nullptr)
      .def_property_readonly("text_length", &Session::textLength)
      .def_property_readonly(
          "profile",
          [](const Session& session) {
            py::list rows;
            for (const auto& row : session.profile()) {
              const size_t number = rows.size();
              rows.append(rowOf(row, session.cyclesInRun(number), session.copySeconds(number)));
            }
            return rows;
          })
      .def_property_readonly("seconds", &Session::seconds)
      .def_property_readonly("cycles", &Session::cycles)
      .def_property_readonly("milliseconds", &Session::milliseconds);
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  m.doc() = "The VTA runtime; use the package vta.";
  static py::exception<Error> error(m, "Error", PyExc_RuntimeError);
  error.attr("status") = vta_status_name(VTA_INVALID_ARGUMENT);  // of errors of the package itself
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 takes a function of a value
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& found) {
      const py::object value = py::reinterpret_borrow<py::object>(error)(found.what());
      value.attr("status") = vta_status_name(found.status());
      PyErr_SetObject(error.ptr(), value.ptr());
    }
  });
  m.def("version", &vta_version);
  m.def(
      "load_operators", [](const std::string& path) { vta::api::loadOperators(path); },
      py::arg("path"),
      "Loads a shared library with operators of your own (vta/operator.h), for modules that call "
      "them and are loaded afterwards. It is native code: load only what you trust.");
  defineModule(m);
  defineTokenizer(m);
  defineSession(m);
  vta::api::defineCommands(m);
}
