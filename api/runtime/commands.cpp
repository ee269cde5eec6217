// Instructions at run time: buffers of a device, and lists of instructions that use them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>
#include <vector>

#include "api/runtime/handles.h"
#include "base/closest_name.h"
#include "driver/commands/command_list.h"
#include "driver/loader.h"

namespace vta::api {

/// Memory of a device, for as long as a handle or commands use it.
struct BufferMemory {
  std::shared_ptr<SharedDevice> device;
  driver::OwnedDeviceBuffer memory;
  size_t size_bytes = 0;

  BufferMemory() = default;
  BufferMemory(const BufferMemory&) = delete;
  BufferMemory& operator=(const BufferMemory&) = delete;
  ~BufferMemory() {
    const std::lock_guard lock(device->mutex);
    memory = {};
  }

  uint64_t address() const { return memory.get().address; }
};

}  // namespace vta::api

struct vta_buffer {
  std::shared_ptr<vta::api::BufferMemory> memory;
};

/// A list, and the buffers that it has used, by their numbers there.
struct vta_commands {
  std::shared_ptr<vta::api::SharedDevice> device;
  vta::driver::CommandList list;
  std::vector<std::shared_ptr<vta::api::BufferMemory>> buffers;
};

namespace {

using vta::AluOperation;
using vta::MemInsn;
using vta::MemoryType;
using vta::Result;
using vta::Status;
using vta::Unit;
using vta::Uop;
using vta::api::BufferMemory;
using vta::api::guarded;
using vta::api::knownOptions;

Status checkRange(const vta_buffer* buffer, size_t offset, const void* data, size_t size) {
  if (buffer == nullptr || (data == nullptr && size > 0)) {
    return vta::invalidArgument("a copy needs a buffer and a place in memory");
  }
  const size_t has = buffer->memory->size_bytes;
  if (offset <= has && size <= has - offset) return {};
  return vta::invalidArgument(
      fmt::format("{} bytes at {} of a buffer that has {}", size, offset, has));
}

Status write(const BufferMemory& buffer, size_t offset, std::span<const std::byte> bytes) {
  const std::lock_guard lock(buffer.device->mutex);
  return buffer.device->device->write(buffer.address() + offset, bytes);
}

/// The buffer's number in the list.
Result<uint32_t> numberOf(vta_commands& commands, const vta_buffer* buffer) {
  if (buffer == nullptr || buffer->memory->device != commands.device) {
    return vta::invalidArgument(
        "a transfer needs a buffer of the device that the commands are for");
  }
  const auto found = std::ranges::find(commands.buffers, buffer->memory);
  if (found != commands.buffers.end()) {
    return static_cast<uint32_t>(found - commands.buffers.begin());
  }
  commands.buffers.push_back(buffer->memory);
  return commands.list.addBuffer(fmt::format("buffer{}", commands.buffers.size() - 1),
                                 buffer->memory->size_bytes);
}

Status transfer(vta_commands* commands, const vta_transfer* given, bool is_store) {
  if (commands == nullptr || given == nullptr) {
    return vta::invalidArgument("an instruction needs commands to be appended to, and its fields");
  }
  const vta_transfer used = knownOptions(given, vta_transfer_init);
  if ((used.memory == VTA_MEMORY_OUT) != is_store) {
    return vta::invalidArgument(is_store ? "a store is from VTA_MEMORY_OUT"
                                         : "VTA_MEMORY_OUT is stored, and not loaded");
  }
  if (used.memory < VTA_MEMORY_WGT || used.memory > VTA_MEMORY_ACC8) {
    return vta::invalidArgument(
        fmt::format("there is no memory {}", static_cast<int>(used.memory)));
  }
  VTA_ASSIGN_OR_RETURN(const uint32_t buffer, numberOf(*commands, used.buffer));
  MemInsn insn;
  insn.memory_type = static_cast<MemoryType>(used.memory);
  insn.sram_base = used.sram_index;
  insn.dram_base = used.first_elem;
  insn.x_size = used.x_size;
  insn.y_size = used.y_size;
  insn.x_stride = used.x_stride != 0 ? used.x_stride : used.x_size;
  insn.x_pad_0 = used.x_pad_before;
  insn.x_pad_1 = used.x_pad_after;
  insn.y_pad_0 = used.y_pad_before;
  insn.y_pad_1 = used.y_pad_after;
  return commands->list.transfer(insn, buffer);
}

Status checkCompute(const vta_commands* commands, const vta_compute* given) {
  if (commands == nullptr || given == nullptr) {
    return vta::invalidArgument("an instruction needs commands to be appended to, and its fields");
  }
  if (given->micro_ops != nullptr || given->micro_op_count == 0) return {};
  return vta::invalidArgument("an instruction was told of micro-ops, and got none");
}

std::vector<Uop> uopsOf(const vta_compute& compute) {
  std::vector<Uop> uops;
  for (size_t i = 0; i < compute.micro_op_count; ++i) {
    const vta_micro_op& op = compute.micro_ops[i];
    uops.push_back({op.dst, op.src, op.wgt});
  }
  return uops;
}

std::string smallLetters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

Result<vta::AluOpcode> opcodeOf(const char* name) {
  std::vector<std::string> names;
  for (const AluOperation& operation : vta::kAluOperations) {
    names.push_back(smallLetters(operation.name));
    if (name != nullptr && names.back() == smallLetters(name)) return operation.opcode;
  }
  const std::string text = name != nullptr ? name : "";
  return vta::invalidArgument(
      fmt::format("there is no ALU operation '{}'{}", text, vta::suggestion(text, names)));
}

Result<Unit> unitOf(vta_unit unit) {
  if (unit >= VTA_UNIT_LOAD && unit <= VTA_UNIT_STORE) return static_cast<Unit>(unit);
  return vta::invalidArgument(fmt::format("there is no unit {}", static_cast<int>(unit)));
}

Status token(vta_commands* commands, vta_unit from, vta_unit to,
             Status (vta::driver::CommandList::*act)(Unit, Unit)) {
  if (commands == nullptr) return vta::invalidArgument("a token needs commands");
  VTA_ASSIGN_OR_RETURN(const Unit sender, unitOf(from));
  VTA_ASSIGN_OR_RETURN(const Unit receiver, unitOf(to));
  return (commands->list.*act)(sender, receiver);
}

Status run(vta_commands& commands, uint64_t timeout_ms, uint64_t* cycles) {
  // They live until the run has ended.
  const auto buffers = std::exchange(commands.buffers, {});
  std::vector<uint64_t> addresses;
  for (const auto& buffer : buffers) addresses.push_back(buffer->address());
  VTA_ASSIGN_OR_RETURN(vta::Program program, commands.list.finish());
  addresses.resize(program.buffers.size());
  const std::lock_guard lock(commands.device->mutex);
  VTA_ASSIGN_OR_RETURN(auto loaded, vta::driver::LoadedProgram::load(
                                        *commands.device->device, std::move(program), addresses));
  const std::chrono::milliseconds timeout(timeout_ms);
  VTA_ASSIGN_OR_RETURN(
      const vta::LaunchCounters counters,
      loaded.run(timeout_ms != 0 ? timeout : vta::driver::LoadedProgram::kDefaultTimeout));
  if (cycles != nullptr) *cycles = counters.cycles;
  return {};
}

}  // namespace

extern "C" {

vta_status vta_buffer_create(vta_device* device, size_t size_bytes, vta_buffer** buffer) {
  return guarded([&]() -> Status {
    if (device == nullptr || buffer == nullptr || size_bytes == 0) {
      return vta::invalidArgument(
          "vta_buffer_create needs a device, a size above zero and a place for the buffer");
    }
    auto made = std::make_shared<BufferMemory>();
    made->device = device->shared;
    made->size_bytes = size_bytes;
    {
      const std::lock_guard lock(device->shared->mutex);
      vta::driver::Device& memory = *device->shared->device;
      VTA_ASSIGN_OR_RETURN(const auto range, memory.allocate(size_bytes, memory.alignmentBytes()));
      made->memory = vta::driver::OwnedDeviceBuffer(&memory, range);
    }
    auto handle = std::make_unique<vta_buffer>(vta_buffer{std::move(made)});
    VTA_RETURN_IF_ERROR(write(*handle->memory, 0, std::vector<std::byte>(size_bytes)));
    *buffer = handle.release();
    return {};
  });
}

void vta_buffer_release(vta_buffer* buffer) { delete buffer; }

vta_status vta_buffer_write(vta_buffer* buffer, size_t offset_bytes, const void* data,
                            size_t size_bytes) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkRange(buffer, offset_bytes, data, size_bytes));
    return write(*buffer->memory, offset_bytes, {static_cast<const std::byte*>(data), size_bytes});
  });
}

vta_status vta_buffer_read(const vta_buffer* buffer, size_t offset_bytes, void* data,
                           size_t size_bytes) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkRange(buffer, offset_bytes, data, size_bytes));
    const std::lock_guard lock(buffer->memory->device->mutex);
    return buffer->memory->device->device->read(buffer->memory->address() + offset_bytes,
                                                {static_cast<std::byte*>(data), size_bytes});
  });
}

void vta_transfer_init(vta_transfer* transfer) {
  *transfer = {sizeof(vta_transfer), VTA_MEMORY_INP, 0, nullptr, 0, 1, 1, 0, 0, 0, 0, 0};
}

void vta_compute_init(vta_compute* compute) {
  *compute = {};
  compute->struct_bytes = sizeof(vta_compute);
  compute->iter_out = compute->iter_in = 1;
}

vta_status vta_commands_create(vta_device* device, vta_commands** commands) {
  return guarded([&]() -> Status {
    if (device == nullptr || commands == nullptr) {
      return vta::invalidArgument(
          "vta_commands_create needs a device and a place for the commands");
    }
    *commands = new vta_commands{
        device->shared, vta::driver::CommandList(device->shared->device->info().hw), {}};
    return {};
  });
}

void vta_commands_release(vta_commands* commands) { delete commands; }

vta_status vta_commands_load(vta_commands* commands, const vta_transfer* given) {
  return guarded([&] { return transfer(commands, given, false); });
}

vta_status vta_commands_store(vta_commands* commands, const vta_transfer* given) {
  return guarded([&] { return transfer(commands, given, true); });
}

vta_status vta_commands_gemm(vta_commands* commands, const vta_compute* given) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkCompute(commands, given));
    const vta_compute used = knownOptions(given, vta_compute_init);
    vta::GemmInsn insn;
    insn.reset = used.reset != 0;
    insn.iter_out = used.iter_out;
    insn.iter_in = used.iter_in;
    insn.dst_factor_out = used.dst_factor_out;
    insn.dst_factor_in = used.dst_factor_in;
    insn.src_factor_out = used.src_factor_out;
    insn.src_factor_in = used.src_factor_in;
    insn.wgt_factor_out = used.wgt_factor_out;
    insn.wgt_factor_in = used.wgt_factor_in;
    return commands->list.gemm(insn, uopsOf(used));
  });
}

vta_status vta_commands_alu(vta_commands* commands, const vta_compute* given) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkCompute(commands, given));
    const vta_compute used = knownOptions(given, vta_compute_init);
    vta::AluInsn insn;
    VTA_ASSIGN_OR_RETURN(insn.alu_opcode, opcodeOf(used.operation));
    insn.use_imm = used.use_immediate != 0;
    insn.imm = used.immediate;
    insn.iter_out = used.iter_out;
    insn.iter_in = used.iter_in;
    insn.dst_factor_out = used.dst_factor_out;
    insn.dst_factor_in = used.dst_factor_in;
    insn.src_factor_out = used.src_factor_out;
    insn.src_factor_in = used.src_factor_in;
    return commands->list.alu(insn, uopsOf(used));
  });
}

vta_status vta_commands_push(vta_commands* commands, vta_unit from, vta_unit to) {
  return guarded([&] { return token(commands, from, to, &vta::driver::CommandList::push); });
}

vta_status vta_commands_pop(vta_commands* commands, vta_unit from, vta_unit to) {
  return guarded([&] { return token(commands, from, to, &vta::driver::CommandList::pop); });
}

vta_status vta_commands_run(vta_commands* commands, uint64_t timeout_ms, uint64_t* cycles) {
  return guarded([&]() -> Status {
    if (commands == nullptr) return vta::invalidArgument("vta_commands_run needs commands");
    return run(*commands, timeout_ms, cycles);
  });
}

}  // extern "C"
