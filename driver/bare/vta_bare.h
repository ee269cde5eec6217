/* The accelerator without an operating system: registers, polling and static memory, in C11.
 *
 * For programs that run on the processor of a chip alone. Nothing here allocates, prints or waits
 * for an interrupt, and no library is needed, not even C's. A program in memory comes from
 * `vta-objdump PROGRAM --image`.
 *
 * One launch at a time, by one thread.
 */
#ifndef VTA_BARE_H
#define VTA_BARE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function that can fail returns. */
typedef enum vta_bare_status {
  VTA_BARE_OK = 0,
  VTA_BARE_NO_CORE,        /* the registers do not begin with the core's identification */
  VTA_BARE_OTHER_VERSION,  /* of the register map */
  VTA_BARE_OTHER_HARDWARE, /* another configuration than the program's */
  VTA_BARE_MISALIGNED,     /* the memory does not begin a multiple of 4096 behind the image */
  VTA_BARE_TOO_LARGE,      /* the memory has no room, or an address has more than the core's bits */
  VTA_BARE_BUSY,           /* a launch is running */
  VTA_BARE_REFUSED,        /* the core did not take the launch */
  VTA_BARE_RUNNING,        /* it has not ended yet: wait again */
  VTA_BARE_FAULT           /* it ended with a fault: vta_bare_fault says which */
} vta_bare_status;

/* The name of a status, for messages. */
const char* vta_bare_status_name(vta_bare_status status);

/* A core, and how its registers and the processor's caches are reached. All but `registers` may be
 * zero. */
typedef struct vta_bare_core {
  volatile uint32_t* registers; /* the first one, as the processor sees it */
  void* context;                /* the first argument of the functions */
  /* In place of accesses by `registers`; `offset` is in bytes. */
  uint32_t (*read)(void* context, uint32_t offset);
  void (*write)(void* context, uint32_t offset, uint32_t value);
  /* Writes back, and drops, cached lines of memory. Not needed on coherent ports. */
  void (*flush)(void* context, const void* memory, size_t size_bytes);
  void (*invalidate)(void* context, void* memory, size_t size_bytes);
} vta_bare_core;

/* What the core says that it is. */
typedef struct vta_bare_identity {
  uint64_t fingerprint; /* of its configuration, as `vta-info --hw NAME --json` prints it */
  uint32_t address_bits;
  uint32_t instruction_bytes;
} vta_bare_identity;

/* A program in memory: an image, and the keys of its description, relative to the image. */
typedef struct vta_bare_program {
  const void* image;
  size_t image_bytes;
  uint64_t image_address; /* that the image was made for: --address of `vta-objdump --image` */
  uint64_t fingerprint;   /* of the configuration that it is for; 0: not checked */
  uint32_t insn_offset;   /* of the first instruction, in bytes from the image's begin */
  uint32_t insn_count;
} vta_bare_program;

/* Memory that the program owns, and where the core sees it. */
typedef struct vta_bare_memory {
  void* data;
  size_t size_bytes;
  uint64_t address; /* of `data`, on the core's bus */
} vta_bare_memory;

/* A fault of the last launch. */
typedef struct vta_bare_fault {
  uint32_t code;        /* docs/isa.md */
  uint32_t instruction; /* its number in the program */
} vta_bare_fault;

/* Reads the identification. Errors: VTA_BARE_NO_CORE, VTA_BARE_OTHER_VERSION. */
vta_bare_status vta_bare_identify(const vta_bare_core* core, vta_bare_identity* identity);

/* Copies the program's image to `memory`. Inputs and outputs lie in it, at the offsets that
 * `vta-objdump --image` prints. Errors: those of vta_bare_identify, VTA_BARE_OTHER_HARDWARE,
 * VTA_BARE_TOO_LARGE, VTA_BARE_MISALIGNED. */
vta_bare_status vta_bare_load(const vta_bare_core* core, const vta_bare_program* program,
                              const vta_bare_memory* memory);

/* Starts the loaded program and returns. The processor may write to `memory` before, not behind.
 * Errors: VTA_BARE_BUSY, VTA_BARE_REFUSED. */
vta_bare_status vta_bare_start(const vta_bare_core* core, const vta_bare_program* program,
                               const vta_bare_memory* memory);

/* Looks at the launch up to `polls` times. VTA_BARE_OK: it has ended, and `memory` has the results.
 * Errors: VTA_BARE_RUNNING, VTA_BARE_FAULT; `fault` may be NULL. */
vta_bare_status vta_bare_wait(const vta_bare_core* core, const vta_bare_memory* memory,
                              uint32_t polls, vta_bare_fault* fault);

/* Gives up what runs, and brings the core to the state after reset. */
void vta_bare_reset(const vta_bare_core* core);

/* Cycles of the last launch. */
uint64_t vta_bare_cycles(const vta_bare_core* core);

#ifdef __cplusplus
}
#endif

#endif
