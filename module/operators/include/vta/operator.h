/* Operators of your own for the VTA SDK: a shared library that exports vta_operators().
 *
 * The library is the definition of its operators. The compiler asks it for the shapes of results,
 * and every run calls it on the CPU: also those that calibrate, verify, and measure the float
 * network. docs/own-operators.md has an example from an empty folder.
 *
 * Tensors are dense and row-major. Floats of 16 bits never get here: the compiler computes them in
 * 32 bits. Functions may be called from several threads at once and must not throw.
 */
#ifndef VTA_OPERATOR_H
#define VTA_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every change that an older library would not understand. */
#define VTA_OPERATOR_API_VERSION 1

/* Most dimensions of a tensor. */
#define VTA_OPERATOR_MAX_RANK 16

/* Types of elements. The numbers are those of vta_dtype in vta/vta.h. A boolean is a byte, 0 or 1.
 */
typedef enum vta_operator_dtype {
  VTA_OPERATOR_ABSENT = -1, /* an optional input that the node does not have */
  VTA_OPERATOR_FLOAT32 = 0,
  VTA_OPERATOR_FLOAT64 = 1,
  VTA_OPERATOR_INT8 = 2,
  VTA_OPERATOR_UINT8 = 3,
  VTA_OPERATOR_INT16 = 4,
  VTA_OPERATOR_UINT16 = 5,
  VTA_OPERATOR_INT32 = 6,
  VTA_OPERATOR_UINT32 = 7,
  VTA_OPERATOR_INT64 = 8,
  VTA_OPERATOR_UINT64 = 9,
  VTA_OPERATOR_BOOL = 10
} vta_operator_dtype;

typedef struct vta_operator_tensor {
  vta_operator_dtype dtype;
  uint32_t rank;                        /* 0: a single element */
  int64_t shape[VTA_OPERATOR_MAX_RANK]; /* the first `rank` count */
  /* The elements. In `infer`: those of an input that is a constant, else null. In `compute`: null
   * where there are no elements. */
  void* data;
} vta_operator_tensor;

typedef enum vta_operator_attribute_kind {
  VTA_OPERATOR_INTEGERS = 0, /* INT and INTS of ONNX */
  VTA_OPERATOR_FLOATS = 1,   /* FLOAT and FLOATS */
  VTA_OPERATOR_TEXT = 2      /* STRING */
} vta_operator_attribute_kind;

/* An attribute of the node. */
typedef struct vta_operator_attribute {
  const char* name;
  vta_operator_attribute_kind kind;
  size_t count; /* of integers or floats; of a text, its bytes */
  const int64_t* integers;
  const float* floats;
  const char* text; /* ends in a zero that is not counted */
} vta_operator_attribute;

/* One node of a model. All of it belongs to the caller, and only during the call. */
typedef struct vta_operator_call {
  const char* node; /* its name, for messages */
  size_t attribute_count;
  const vta_operator_attribute* attributes; /* in the order of their names */
  size_t input_count;
  const vta_operator_tensor* inputs;
  size_t output_count;
  vta_operator_tensor* outputs;
  /* Where a function that fails writes why, as a phrase: "its input has 3 dimensions, expected 4".
   * `message_bytes` with the zero at the end. */
  char* message;
  size_t message_bytes;
} vta_operator_call;

typedef struct vta_operator {
  const char* domain; /* of ONNX; "" is its default one */
  const char* name;
  /* Sets dtype, rank and shape of each output. Returns 0, or another number where the node is
   * wrong. */
  int (*infer)(vta_operator_call* call);
  /* Writes every element of each output, whose types are those of `infer`. The same inputs have to
   * give the same outputs: a call may be left out or repeated. Returns 0, or another number where
   * the run has to end. */
  int (*compute)(const vta_operator_call* call);
} vta_operator;

typedef struct vta_operator_library {
  uint32_t api_version; /* VTA_OPERATOR_API_VERSION */
  size_t operator_count;
  const vta_operator* operators;
} vta_operator_library;

/* What the library exports. The result stays valid as long as the library is loaded. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const vta_operator_library*
vta_operators(void);

#ifdef __cplusplus
}
#endif

#endif /* VTA_OPERATOR_H */
