/* Classifies an image of a digit with the C interface.
 *
 * Usage: classify MODULE IMAGE [DEVICE]
 *   MODULE  what vta-compile made of examples/digits/digits.onnx
 *   IMAGE   32 x 32 pixels as float32, black -1 and white 1: 4,096 bytes
 *   DEVICE  functional (default), cycle, or zynq on a board
 */
#include <stdio.h>
#include <vta/vta.h>

#define PIXELS (32 * 32)

static int failed(const char* what, vta_status status) {
  if (status == VTA_OK) return 0;
  fprintf(stderr, "classify: %s: %s\n", what, vta_error_message());
  return 1;
}

static int read_image(const char* path, float* pixels) {
  FILE* file = fopen(path, "rb");
  size_t count = 0;
  if (file == NULL) return 0;
  count = fread(pixels, sizeof(float), PIXELS, file);
  fclose(file);
  return count == PIXELS;
}

static int print_digit(const vta_session* session) {
  const void* data = NULL;
  const float* probabilities = NULL;
  size_t size_bytes = 0;
  size_t best = 0;
  size_t i = 0;
  if (failed("output", vta_session_output(session, 0, &data, &size_bytes))) return 1;
  probabilities = data;
  for (i = 1; i < size_bytes / sizeof(float); ++i) {
    if (probabilities[i] > probabilities[best]) best = i;
  }
  printf("%lu\n", (unsigned long)best);
  return 0;
}

int main(int argc, char** argv) {
  static float pixels[PIXELS];
  vta_module* module = NULL;
  vta_device* device = NULL;
  vta_session* session = NULL;
  int code = 1;
  if (argc < 3) {
    fprintf(stderr, "usage: classify MODULE IMAGE [DEVICE]\n");
    return 2;
  }
  if (!read_image(argv[2], pixels)) {
    fprintf(stderr, "classify: cannot read 32 x 32 floats from %s\n", argv[2]);
    return 1;
  }
  if (!failed("module", vta_module_load(argv[1], &module)) &&
      !failed("device", vta_device_create(argc > 3 ? argv[3] : NULL, module, &device)) &&
      !failed("session", vta_session_create(module, device, NULL, &session)) &&
      !failed("input", vta_session_set_input(session, 0, pixels, sizeof(pixels))) &&
      !failed("run", vta_session_run(session))) {
    code = print_digit(session);
  }
  vta_session_release(session);
  vta_device_release(device);
  vta_module_release(module);
  return code;
}
