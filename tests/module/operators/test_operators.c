/* A library of operators for tests. Compiled with one of these defined, it is wrong:
 * OLD_VERSION, NO_LIBRARY, NO_NAME, NO_FUNCTION, TWICE, NO_ENTRY. */
#include <stdio.h>
#include <string.h>
#include <vta/operator.h>

static int fail(vta_operator_call* call, const char* why) {
  snprintf(call->message, call->message_bytes, "%s", why);
  return 1;
}

static const vta_operator_attribute* find(const vta_operator_call* call, const char* name) {
  for (size_t i = 0; i < call->attribute_count; ++i) {
    if (strcmp(call->attributes[i].name, name) == 0) return &call->attributes[i];
  }
  return NULL;
}

static int64_t elementsOf(const vta_operator_tensor* tensor) {
  int64_t elems = 1;
  for (uint32_t d = 0; d < tensor->rank; ++d) elems *= tensor->shape[d];
  return elems;
}

/* y = factor * x + offset; the offset is an optional input of one element. */
static int inferScale(vta_operator_call* call) {
  if (call->inputs[0].dtype != VTA_OPERATOR_FLOAT32) return fail(call, "its input is not float32");
  if (find(call, "factor") == NULL) return fail(call, "it has no attribute factor");
  call->outputs[0] = call->inputs[0];
  return 0;
}

static int computeScale(const vta_operator_call* call) {
  const float factor = find(call, "factor")->floats[0];
  const int has_offset = call->input_count > 1 && call->inputs[1].dtype != VTA_OPERATOR_ABSENT;
  const float offset = has_offset ? *(const float*)call->inputs[1].data : 0;
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  if (factor < 0) {
    snprintf(call->message, call->message_bytes, "its factor is below 0");
    return 7;
  }
  for (int64_t i = 0; i < elementsOf(&call->inputs[0]); ++i) y[i] = factor * x[i] + offset;
  return 0;
}

/* [N] of any integer type, and a constant count C -> [C, N] of int64 with its rows, and [C] of
 * booleans: whether the number of a row is even. */
static int inferRows(vta_operator_call* call) {
  const vta_operator_tensor* x = &call->inputs[0];
  if (x->rank != 1) return fail(call, "its input has not one dimension");
  if (call->inputs[1].data == NULL) return fail(call, "its count is no constant");
  const int64_t count = *(const int64_t*)call->inputs[1].data;
  call->outputs[0] = (vta_operator_tensor){VTA_OPERATOR_INT64, 2, {count, x->shape[0]}, NULL};
  call->outputs[1] = (vta_operator_tensor){VTA_OPERATOR_BOOL, 1, {count}, NULL};
  return 0;
}

static int computeRows(const vta_operator_call* call) {
  const vta_operator_tensor* x = &call->inputs[0];
  const int64_t count = call->outputs[0].shape[0];
  for (int64_t row = 0; row < count; ++row) {
    for (int64_t i = 0; i < x->shape[0]; ++i) {
      const int64_t value = x->dtype == VTA_OPERATOR_UINT8 ? ((const uint8_t*)x->data)[i]
                                                           : ((const int8_t*)x->data)[i];
      ((int64_t*)call->outputs[0].data)[row * x->shape[0] + i] = value + row;
    }
    ((uint8_t*)call->outputs[1].data)[row] = row % 2 == 0;
  }
  return 0;
}

/* Types that are none, as the attribute `what` says. */
static int inferBroken(vta_operator_call* call) {
  const char* what = find(call, "what")->text;
  call->outputs[0] = call->inputs[0];
  if (strcmp(what, "dtype") == 0) call->outputs[0].dtype = (vta_operator_dtype)99;
  if (strcmp(what, "rank") == 0) call->outputs[0].rank = VTA_OPERATOR_MAX_RANK + 1;
  if (strcmp(what, "negative") == 0) call->outputs[0].shape[0] = -1;
  if (strcmp(what, "huge") == 0) call->outputs[0].shape[0] = INT64_MAX;
  if (strcmp(what, "silent") == 0) return 3;
  if (strcmp(what, "long") == 0) {
    memset(call->message, 'x', call->message_bytes);
    return 1;
  }
  return 0;
}

static int computeNothing(const vta_operator_call* call) {
  (void)call;
  return 0;
}

static const vta_operator kOperators[] = {
#if defined(TWICE)
    {"test.twice", "Twin", inferScale, computeScale},
    {"test.twice", "Twin", inferScale, computeScale},
#elif defined(NO_NAME)
    {"test.other", "", inferScale, computeScale},
#elif defined(NO_FUNCTION)
    {"test.other", "Half", inferScale, NULL},
#endif
    {"test.own", "Scale", inferScale, computeScale},
    {"test.own", "Rows", inferRows, computeRows},
    {"test.own", "Broken", inferBroken, computeNothing},
};

#ifndef NO_ENTRY
const vta_operator_library* vta_operators(void) {
#ifdef NO_LIBRARY
  return NULL;
#endif
  static const vta_operator_library library = {
#ifdef OLD_VERSION
      VTA_OPERATOR_API_VERSION + 1,
#else
      VTA_OPERATOR_API_VERSION,
#endif
      sizeof(kOperators) / sizeof(kOperators[0]), kOperators};
  return &library;
}
#endif
