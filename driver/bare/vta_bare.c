#include "driver/bare/vta_bare.h"

/* docs/isa.md, "Control registers"; a test compares them with isa/registers/registers.h. */
enum {
  REG_CONTROL = 0x00,
  REG_INSN_COUNT = 0x08,
  REG_INSN_ADDR = 0x0c,
  REG_BASES = 0x10, /* uop, inp, wgt, acc, out */
  REG_ID = 0x40,
  REG_VERSION = 0x44,
  REG_FINGERPRINT = 0x48,
  REG_CONFIG = 0x50,
  REG_STATUS = 0x60,
  REG_FAULT = 0x64,
  REG_FAULT_INSN = 0x68,
  REG_INSN_ADDR_HI = 0x80,
  REG_BASES_HI = 0x84,
  REG_COUNTER_CYCLES = 0x100
};
enum { BASE_COUNT = 5 };
enum { CONTROL_LAUNCH = 1, CONTROL_RESET = 4 };
enum { STATUS_RUNNING = 1, STATUS_DONE = 2, STATUS_FAULT = 4, STATUS_REFUSED = 8 };
enum { CONFIG_WIDE = 1 << 12, CONFIG_ADDRESS_LSB = 24 };
enum { IMAGE_ALIGNMENT = 4096 };
static const uint32_t kId = 0x31415456u;
static const uint32_t kVersion = 1;

static uint32_t readRegister(const vta_bare_core* core, uint32_t offset) {
  return core->read != NULL ? core->read(core->context, offset) : core->registers[offset / 4];
}

static void writeRegister(const vta_bare_core* core, uint32_t offset, uint32_t value) {
  if (core->write != NULL) {
    core->write(core->context, offset, value);
  } else {
    core->registers[offset / 4] = value;
  }
}

static uint64_t readPair(const vta_bare_core* core, uint32_t offset) {
  const uint64_t low = readRegister(core, offset);
  return (uint64_t)readRegister(core, offset + 4) << 32 | low;
}

/* An address takes two registers that are apart. */
static void writeAddress(const vta_bare_core* core, uint32_t low, uint32_t high, uint64_t address) {
  writeRegister(core, low, (uint32_t)address);
  writeRegister(core, high, (uint32_t)(address >> 32));
}

const char* vta_bare_status_name(vta_bare_status status) {
  switch (status) {
    case VTA_BARE_OK:
      return "ok";
    case VTA_BARE_NO_CORE:
      return "no core at these registers";
    case VTA_BARE_OTHER_VERSION:
      return "another version of the register map";
    case VTA_BARE_OTHER_HARDWARE:
      return "the program is for another configuration";
    case VTA_BARE_MISALIGNED:
      return "the memory does not begin a multiple of 4096 behind the image";
    case VTA_BARE_TOO_LARGE:
      return "the program does not fit the memory, or the core's addresses";
    case VTA_BARE_BUSY:
      return "a launch is running";
    case VTA_BARE_REFUSED:
      return "the core refused the launch";
    case VTA_BARE_RUNNING:
      return "the launch has not ended";
    case VTA_BARE_FAULT:
      return "the launch ended with a fault";
  }
  return "unknown";
}

vta_bare_status vta_bare_identify(const vta_bare_core* core, vta_bare_identity* identity) {
  if (readRegister(core, REG_ID) != kId) return VTA_BARE_NO_CORE;
  if (readRegister(core, REG_VERSION) != kVersion) return VTA_BARE_OTHER_VERSION;
  const uint32_t config = readRegister(core, REG_CONFIG);
  identity->fingerprint = readPair(core, REG_FINGERPRINT);
  identity->address_bits = config >> CONFIG_ADDRESS_LSB;
  identity->instruction_bytes = (config & CONFIG_WIDE) != 0 ? 32 : 16;
  return VTA_BARE_OK;
}

static vta_bare_status checkPlace(const vta_bare_identity* identity,
                                  const vta_bare_program* program, const vta_bare_memory* memory) {
  const uint64_t insn_bytes = (uint64_t)program->insn_count * identity->instruction_bytes;
  if (program->image_bytes > memory->size_bytes || program->insn_offset > program->image_bytes ||
      insn_bytes > program->image_bytes - program->insn_offset) {
    return VTA_BARE_TOO_LARGE;
  }
  if (identity->address_bits < 64 &&
      (memory->address + (memory->size_bytes - 1)) >> identity->address_bits != 0) {
    return VTA_BARE_TOO_LARGE;
  }
  if (memory->address < program->image_address ||
      (memory->address - program->image_address) % IMAGE_ALIGNMENT != 0 ||
      (program->insn_offset & (identity->instruction_bytes - 1)) != 0) {
    return VTA_BARE_MISALIGNED;
  }
  return VTA_BARE_OK;
}

vta_bare_status vta_bare_load(const vta_bare_core* core, const vta_bare_program* program,
                              const vta_bare_memory* memory) {
  vta_bare_identity identity;
  vta_bare_status status = vta_bare_identify(core, &identity);
  if (status != VTA_BARE_OK) return status;
  if (program->fingerprint != 0 && program->fingerprint != identity.fingerprint) {
    return VTA_BARE_OTHER_HARDWARE;
  }
  status = checkPlace(&identity, program, memory);
  if (status != VTA_BARE_OK) return status;
  const unsigned char* from = (const unsigned char*)program->image;
  unsigned char* to = (unsigned char*)memory->data;
  for (size_t i = 0; i < program->image_bytes; ++i) to[i] = from[i];
  return VTA_BARE_OK;
}

vta_bare_status vta_bare_start(const vta_bare_core* core, const vta_bare_program* program,
                               const vta_bare_memory* memory) {
  if ((readRegister(core, REG_STATUS) & STATUS_RUNNING) != 0) return VTA_BARE_BUSY;
  if (core->flush != NULL) core->flush(core->context, memory->data, memory->size_bytes);
  writeAddress(core, REG_INSN_ADDR, REG_INSN_ADDR_HI, memory->address + program->insn_offset);
  for (uint32_t base = 0; base < BASE_COUNT; ++base) {
    writeAddress(core, REG_BASES + 4 * base, REG_BASES_HI + 4 * base,
                 memory->address - program->image_address);
  }
  writeRegister(core, REG_INSN_COUNT, program->insn_count);
  writeRegister(core, REG_CONTROL, CONTROL_LAUNCH);
  return (readRegister(core, REG_STATUS) & STATUS_REFUSED) != 0 ? VTA_BARE_REFUSED : VTA_BARE_OK;
}

vta_bare_status vta_bare_wait(const vta_bare_core* core, const vta_bare_memory* memory,
                              uint32_t polls, vta_bare_fault* fault) {
  for (uint32_t poll = 0; poll < polls; ++poll) {
    const uint32_t status = readRegister(core, REG_STATUS);
    if ((status & (STATUS_RUNNING | STATUS_DONE | STATUS_FAULT)) == STATUS_DONE) {
      if (core->invalidate != NULL) {
        core->invalidate(core->context, memory->data, memory->size_bytes);
      }
      return VTA_BARE_OK;
    }
    if ((status & STATUS_RUNNING) == 0 && (status & STATUS_FAULT) != 0) {
      if (fault != NULL) {
        fault->code = readRegister(core, REG_FAULT) & 0xff;
        fault->instruction = readRegister(core, REG_FAULT_INSN);
      }
      return VTA_BARE_FAULT;
    }
  }
  return VTA_BARE_RUNNING;
}

void vta_bare_reset(const vta_bare_core* core) { writeRegister(core, REG_CONTROL, CONTROL_RESET); }

uint64_t vta_bare_cycles(const vta_bare_core* core) { return readPair(core, REG_COUNTER_CYCLES); }
