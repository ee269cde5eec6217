/* Registers of a core behind memory that an emulated processor and a process of this machine share:
 * the processor asks for one access at a time, and the process, which has the core, answers. Both
 * sides are little-endian. */
#ifndef VTA_TESTS_DRIVER_BARE_EMULATED_MAILBOX_H
#define VTA_TESTS_DRIVER_BARE_EMULATED_MAILBOX_H

#include <stdint.h>

/* Of qemu's machine `virt`, as the processor and the core see it. */
enum { VTA_RAM_ADDRESS = 0x40000000, VTA_RAM_BYTES = 32 << 20 };
/* Of the mailbox, behind the RAM's begin: far from the program. */
enum { VTA_MAILBOX_OFFSET = 16 << 20 };

/* What `state` says: whose turn it is. */
enum { VTA_MAILBOX_IDLE = 0, VTA_MAILBOX_READ = 1, VTA_MAILBOX_WRITE = 2 };

typedef struct vta_mailbox {
  uint32_t state;
  uint32_t offset; /* of the register, in bytes */
  uint32_t value;
} vta_mailbox;

#endif
