/* An operator of one's own: SoftClip of the domain com.example, y = x / (1 + |x| / limit).
 *
 *   cc -O2 -shared -fPIC soft_clip.c -o soft_clip.so
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vta/operator.h>

/* The attribute `limit`, or 0 where the node has no number of this name. */
static float limitOf(const vta_operator_call* call) {
  for (size_t i = 0; i < call->attribute_count; ++i) {
    const vta_operator_attribute* attribute = &call->attributes[i];
    if (strcmp(attribute->name, "limit") != 0) continue;
    if (attribute->kind == VTA_OPERATOR_FLOATS && attribute->count == 1)
      return attribute->floats[0];
  }
  return 0;
}

/* The output is like the input. */
static int infer(vta_operator_call* call) {
  if (call->input_count != 1 || call->output_count != 1 ||
      call->inputs[0].dtype != VTA_OPERATOR_FLOAT32) {
    snprintf(call->message, call->message_bytes, "it takes one float32 tensor and gives another");
    return 1;
  }
  if (!(limitOf(call) > 0)) {
    snprintf(call->message, call->message_bytes, "its attribute limit has to be a number above 0");
    return 1;
  }
  call->outputs[0] = call->inputs[0];
  return 0;
}

static int compute(const vta_operator_call* call) {
  const float limit = limitOf(call);
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t elems = 1;
  for (uint32_t d = 0; d < call->inputs[0].rank; ++d) elems *= call->inputs[0].shape[d];
  for (int64_t i = 0; i < elems; ++i) y[i] = x[i] / (1 + fabsf(x[i]) / limit);
  return 0;
}

static const vta_operator kOperators[] = {{"com.example", "SoftClip", infer, compute}};

const vta_operator_library* vta_operators(void) {
  static const vta_operator_library library = {VTA_OPERATOR_API_VERSION, 1, kOperators};
  return &library;
}
