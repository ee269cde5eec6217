/* Host code of the modules that runtime tests build: what a compiler would have emitted. */
#include "module/host_abi.h"

enum { kPixels = 64, kLanes = 16, kElements = kPixels * kLanes };

static void packRows(void* closure, int64_t begin, int64_t end) {
  void* const* arguments = closure;
  const float* image = arguments[0];
  int8_t* packed = arguments[1];
  for (int64_t pixel = begin; pixel < end; ++pixel) {
    for (int lane = 0; lane < kLanes; ++lane) {
      packed[pixel * kLanes + lane] = (int8_t)image[lane * kPixels + pixel];
    }
  }
}

/* image f32 [1, 16, 8, 8] -> packed i8 [1, 1, 8, 8, 1, 16] */
void test_pack(const VtaHostContext* context, void* const* arguments) {
  context->mark(context, 1); /* the parts in another order, one in two pieces, and one too many */
  context->parallel_for(context, packRows, (void*)arguments, kPixels);
  context->mark(context, 0);
  context->mark(context, 1);
  context->mark(context, 2);
}

/* packed i8, constant f32 [1] -> f32 [1, 16, 8, 8], multiplied by the constant */
void test_unpack(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  const int8_t* packed = arguments[0];
  const float* factor = arguments[1];
  float* image = arguments[2];
  for (int pixel = 0; pixel < kPixels; ++pixel) {
    for (int lane = 0; lane < kLanes; ++lane) {
      image[lane * kPixels + pixel] = (float)packed[pixel * kLanes + lane] * *factor;
    }
  }
}

static void add(void* const* arguments, int amount) {
  const int8_t* input = arguments[0];
  int8_t* output = arguments[1];
  for (int i = 0; i < kElements; ++i) output[i] = (int8_t)(input[i] + amount);
}

/* References of a kernel that adds 3, one of them wrong in lane 2 of pixel 9. */
void test_add_3(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  add(arguments, 3);
}
void test_add_3_wrong(const VtaHostContext* context, void* const* arguments) {
  test_add_3(context, arguments);
  ((int8_t*)arguments[1])[9 * kLanes + 2] ^= 1;
}

/* hook i64 [2] -> i64 [2]: calls the function at the address in hook[0] with hook[1]; goes on for
   ever when that is -1. */
typedef void (*Hook)(int64_t);
static void callHook(void* const* arguments, int result) {
  const volatile int64_t* hook = arguments[0];
  while (hook[0] == -1) {
  }
  int64_t* called = arguments[result];
  if (hook[0] != 0) ((Hook)(intptr_t)hook[0])(hook[1]);
  called[0] = hook[0];
  called[1] = hook[1];
}
void test_hook(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  callHook(arguments, 1);
}

/* The same behind a packed tensor, whose first element is added to the second result. */
void test_hook_behind(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  callHook(arguments, 2);
  ((int64_t*)arguments[2])[1] += *(const int8_t*)arguments[1];
}

/* packed i8 -> the same bytes elsewhere */
void test_copy(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  add(arguments, 0);
}

/* packed i8, packed i8 -> their sum */
void test_sum_2(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  const int8_t* one = arguments[0];
  const int8_t* other = arguments[1];
  int8_t* sum = arguments[2];
  for (int i = 0; i < kElements; ++i) sum[i] = (int8_t)(one[i] + other[i]);
}

/* i64 [2] -> i64 [2]: the first one more, the second the same */
void test_count(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  const int64_t* from = arguments[0];
  int64_t* to = arguments[1];
  to[0] = from[0] + 1;
  to[1] = from[1];
}

/* i64 [2] -> the same numbers elsewhere */
void test_copy_pair(const VtaHostContext* context, void* const* arguments) {
  (void)context;
  const int64_t* from = arguments[0];
  int64_t* to = arguments[1];
  to[0] = from[0];
  to[1] = from[1];
}
