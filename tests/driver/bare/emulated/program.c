/* Runs the image that `case.h` has on a core, and prints what happens; the test knows what it has
 * to be. The memory of the core is a static array, as docs/bare-metal.md shows. */
#include "case.h"
#include "tests/driver/bare/emulated/processor.h"

static unsigned char memory[(CASE_BYTES + 4095) / 4096 * 4096] __attribute__((aligned(4096)));

static const vta_bare_core core = {.read = readCore, .write = writeCore};
static const vta_bare_program program = {.image = caseImage,
                                         .image_bytes = CASE_BYTES,
                                         .image_address = CASE_ADDRESS,
                                         .fingerprint = CASE_FINGERPRINT,
                                         .insn_count = CASE_INSTRUCTIONS};
static vta_bare_memory place = {memory, sizeof memory, 0};

static void say(const char* what, vta_bare_status status) {
  printText(what);
  printText(": ");
  printText(vta_bare_status_name(status));
  printText("\n");
}

static vta_bare_status waitForEnd(vta_bare_fault* fault) {
  vta_bare_status status = VTA_BARE_RUNNING;
  while (status == VTA_BARE_RUNNING) status = vta_bare_wait(&core, &place, 1000, fault);
  return status;
}

static void runOnce(const char* name) {
  say(name, vta_bare_load(&core, &program, &place));
  say("start", vta_bare_start(&core, &program, &place));
  say("end", waitForEnd(NULL));
  size_t different = 0;
  for (size_t i = 0; i < CASE_BYTES; ++i) different += memory[i] != caseExpected[i];
  printText("bytes that differ: ");
  printNumber(different);
  printText("\ncycles: ");
  printNumber(vta_bare_cycles(&core));
  printText("\n");
}

/* The first instruction becomes one that no core has. */
static void runIntoFault(void) {
  say("load", vta_bare_load(&core, &program, &place));
  for (size_t i = 0; i < 16; ++i) memory[i] = 0xff;
  say("start", vta_bare_start(&core, &program, &place));
  vta_bare_fault fault = {0, 99};
  say("end", waitForEnd(&fault));
  printText("fault at instruction: ");
  printNumber(fault.instruction);
  printText("\n");
  vta_bare_reset(&core);
}

static void refuseMistakes(void) {
  vta_bare_program other = program;
  other.fingerprint ^= 1;
  say("other hardware", vta_bare_load(&core, &other, &place));
  vta_bare_memory wrong = place;
  wrong.address += 16;
  say("crooked", vta_bare_load(&core, &program, &wrong));
  wrong = place;
  wrong.size_bytes = CASE_BYTES - 1;
  say("narrow", vta_bare_load(&core, &program, &wrong));
}

int main(void) {
  place.address = (uintptr_t)memory;
  refuseMistakes();
  runOnce("first");
  runIntoFault();
  runOnce("again");
  return 0;
}
