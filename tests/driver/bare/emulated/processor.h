/* What a program without an operating system has from its emulator: registers of the core, text,
 * and an end. For ARMv7 and AArch64 under qemu's machine `virt`, with semihosting. */
#ifndef VTA_TESTS_DRIVER_BARE_EMULATED_PROCESSOR_H
#define VTA_TESTS_DRIVER_BARE_EMULATED_PROCESSOR_H

#include "driver/bare/vta_bare.h"
#include "tests/driver/bare/emulated/mailbox.h"

static vta_mailbox* theMailbox(void) {
  return (vta_mailbox*)(uintptr_t)(VTA_RAM_ADDRESS + VTA_MAILBOX_OFFSET);
}

static void askCore(uint32_t kind) {
  uint32_t* const state = &theMailbox()->state;
  __atomic_store_n(state, kind, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(state, __ATOMIC_SEQ_CST) != VTA_MAILBOX_IDLE) {
  }
}

static uint32_t readCore(void* context, uint32_t offset) {
  (void)context;
  theMailbox()->offset = offset;
  askCore(VTA_MAILBOX_READ);
  return theMailbox()->value;
}

static void writeCore(void* context, uint32_t offset, uint32_t value) {
  (void)context;
  theMailbox()->offset = offset;
  theMailbox()->value = value;
  askCore(VTA_MAILBOX_WRITE);
}

/* Arm's semihosting: an operation of the debugger, here of qemu. */
static uintptr_t callHost(uintptr_t operation, const void* argument) {
#ifdef __aarch64__
  register uintptr_t first __asm__("x0") = operation;
  register const void* second __asm__("x1") = argument;
  __asm__ volatile("hlt #0xf000" : "+r"(first) : "r"(second) : "memory");
#else
  register uintptr_t first __asm__("r0") = operation;
  register const void* second __asm__("r1") = argument;
  __asm__ volatile("svc #0x123456" : "+r"(first) : "r"(second) : "memory");
#endif
  return first;
}

static void printText(const char* text) { callHost(0x04, text); }

static void printNumber(uint64_t number) {
  char text[17] = "0000000000000000";
  for (int i = 15; i >= 0; --i, number >>= 4) text[i] = "0123456789abcdef"[number & 15];
  printText(text);
}

static void endProgram(void) {
  static const uintptr_t kEnd[2] = {0x20026, 0}; /* the application's own end */
#ifdef __aarch64__
  callHost(0x18, kEnd);
#else
  callHost(0x18, (const void*)kEnd[0]);
#endif
  for (;;) {
  }
}

/* Compilers call these also where there is no library. */
void* memcpy(void* to, const void* from, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; ++i) ((char*)to)[i] = ((const char*)from)[i];
  return to;
}
void* memset(void* to, int value, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; ++i) ((char*)to)[i] = (char)value;
  return to;
}

int main(void);

/* The first instructions: they give the program its stack. */
static unsigned char theStack[16384] __attribute__((aligned(16), used));

__attribute__((used, noreturn)) static void enter(void) {
  main();
  endProgram();
  for (;;) {
  }
}

__asm__(
    ".section .text.start,\"ax\"\n"
    ".global _start\n"
    "_start:\n"
#ifdef __aarch64__
    "  adrp x0, theStack\n"
    "  add x0, x0, :lo12:theStack\n"
    "  add x0, x0, #16384\n"
    "  mov sp, x0\n"
    "  bl enter\n"
#else
    ".arm\n"
    "  ldr sp, =theStack + 16384\n"
    "  bl enter\n"
    ".ltorg\n"
#endif
    ".text\n");

#endif
