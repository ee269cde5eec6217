#include "api/python/commands.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>

#include "api/include/vta/vta.hpp"

namespace py = pybind11;

namespace vta::api {
namespace {

void writeBuffer(Buffer& buffer, const py::array& array, size_t offset_bytes) {
  const py::array rows = py::array::ensure(array, py::array::c_style);
  buffer.write(rows.data(), static_cast<size_t>(rows.nbytes()), offset_bytes);
}

py::array readBuffer(const Buffer& buffer) {
  py::array_t<uint8_t> bytes(static_cast<py::ssize_t>(buffer.sizeBytes()));
  buffer.read(bytes.mutable_data(), buffer.sizeBytes());
  return bytes;
}

/// `pads`: elements before and after a row, rows before and after.
vta_transfer transferOf(int memory, uint32_t sram_index, const Buffer& buffer, uint32_t first_elem,
                        uint32_t x_size, uint32_t y_size, uint32_t x_stride,
                        const std::array<uint32_t, 4>& pads) {
  vta_transfer transfer;
  vta_transfer_init(&transfer);
  transfer.memory = static_cast<vta_memory>(memory);
  transfer.sram_index = sram_index;
  transfer.buffer = buffer.get();
  transfer.first_elem = first_elem;
  transfer.x_size = x_size;
  transfer.y_size = y_size;
  transfer.x_stride = x_stride;
  transfer.x_pad_before = pads[0];
  transfer.x_pad_after = pads[1];
  transfer.y_pad_before = pads[2];
  transfer.y_pad_after = pads[3];
  return transfer;
}

using Pair = std::array<uint32_t, 2>;

/// Fields that GEMM and ALU have. Pairs are of the outer and the inner loop.
vta_compute computeOf(const std::vector<vta_micro_op>& ops, const Pair& iterations, const Pair& dst,
                      const Pair& src, const Pair& wgt) {
  vta_compute compute;
  vta_compute_init(&compute);
  compute.micro_ops = ops.data();
  compute.micro_op_count = ops.size();
  compute.iter_out = iterations[0];
  compute.iter_in = iterations[1];
  compute.dst_factor_out = dst[0];
  compute.dst_factor_in = dst[1];
  compute.src_factor_out = src[0];
  compute.src_factor_in = src[1];
  compute.wgt_factor_out = wgt[0];
  compute.wgt_factor_in = wgt[1];
  return compute;
}

std::vector<vta_micro_op> opsOf(const std::vector<std::array<uint32_t, 3>>& triples) {
  std::vector<vta_micro_op> ops;
  for (const auto& [dst, src, wgt] : triples) ops.push_back({dst, src, wgt});
  return ops;
}

}  // namespace

void defineCommands(py::module_& m) {
  py::class_<Buffer>(m, "Buffer")
      .def(py::init<const Device&, size_t>(), py::arg("device"), py::arg("size_bytes"))
      .def_property_readonly("size_bytes", &Buffer::sizeBytes)
      .def("write", &writeBuffer, py::arg("array"), py::arg("offset_bytes") = 0)
      .def("read_bytes", &readBuffer);
  py::class_<Commands>(m, "Commands")
      .def(py::init<const Device&>(), py::arg("device"))
      .def("add_load",
           [](Commands& self, int memory, uint32_t sram_index, const Buffer& buffer,
              uint32_t first_elem, uint32_t x_size, uint32_t y_size, uint32_t x_stride,
              const std::array<uint32_t, 4>& pads) {
             self.load(transferOf(memory, sram_index, buffer, first_elem, x_size, y_size, x_stride,
                                  pads));
           })
      .def("add_store",
           [](Commands& self, uint32_t sram_index, const Buffer& buffer, uint32_t first_elem,
              uint32_t x_size, uint32_t y_size, uint32_t x_stride) {
             self.store(transferOf(VTA_MEMORY_OUT, sram_index, buffer, first_elem, x_size, y_size,
                                   x_stride, {}));
           })
      .def("add_gemm",
           [](Commands& self, const std::vector<std::array<uint32_t, 3>>& micro_ops,
              const Pair& iterations, const Pair& dst, const Pair& src, const Pair& wgt,
              bool reset) {
             const std::vector<vta_micro_op> ops = opsOf(micro_ops);
             vta_compute compute = computeOf(ops, iterations, dst, src, wgt);
             compute.reset = reset ? 1 : 0;
             self.gemm(compute);
           })
      .def("add_alu",
           [](Commands& self, const std::string& operation,
              const std::vector<std::array<uint32_t, 3>>& micro_ops, const Pair& iterations,
              const Pair& dst, const Pair& src, std::optional<int32_t> immediate) {
             const std::vector<vta_micro_op> ops = opsOf(micro_ops);
             vta_compute compute = computeOf(ops, iterations, dst, src, {});
             compute.operation = operation.c_str();
             compute.use_immediate = immediate ? 1 : 0;
             compute.immediate = immediate.value_or(0);
             self.alu(compute);
           })
      .def("add_push",
           [](Commands& self, int from, int to) {
             self.push(static_cast<vta_unit>(from), static_cast<vta_unit>(to));
           })
      .def("add_pop",
           [](Commands& self, int from, int to) {
             self.pop(static_cast<vta_unit>(from), static_cast<vta_unit>(to));
           })
      .def("launch", [](Commands& self, double timeout_seconds) {
        const py::gil_scoped_release free;
        return self.run(std::chrono::milliseconds(static_cast<int64_t>(timeout_seconds * 1000)));
      });
}

}  // namespace vta::api
