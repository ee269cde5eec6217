/* The binary interface between a module's host functions and the runtime that calls them.
 *
 * Every host function of a module is a C function
 *     void NAME(const VtaHostContext* context, void* const* arguments);
 * `arguments` holds one pointer for each input and then one for each result: dense row-major
 * buffers. They are 64-byte aligned, but for int8 tensors that are parts of others, which begin
 * anywhere. A result overlaps no other argument. The function writes every result completely,
 * unless it reports a failure, keeps no state, and may be called from any thread. Booleans take one
 * byte, 0 or 1. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs iterations [begin, end) of a loop; called concurrently for disjoint ranges. */
typedef void (*VtaLoopBody)(void* closure, int64_t begin, int64_t end);

/* What a host function may report. It ends without its results then, or with any. */
typedef enum VtaHostFailure {
  VTA_HOST_NO_MEMORY = 1, /* `value` bytes are not there; `where` is null */
  VTA_HOST_BAD_INDEX = 2, /* `where` is the node; `value` is not from -limit to limit - 1 */
} VtaHostFailure;

typedef struct VtaHostContext {
  uint32_t abi_version; /* VTA_HOST_ABI_VERSION */
  uint32_t num_threads;
  /* Calls body over [0, count) split into ranges, on the runtime's threads; returns when all are
   * done. */
  void (*parallel_for)(const struct VtaHostContext* context, VtaLoopBody body, void* closure,
                       int64_t count);
  void* pool; /* the runtime's own */
  /* Reports a failure, a VtaHostFailure; `where` is a text that lives as long as the code. The call
   * of the host function fails with the first that is reported. From any of the runtime's threads.
   */
  void (*fail)(const struct VtaHostContext* context, uint32_t failure, const char* where,
               int64_t value, int64_t limit);
  void* call; /* the runtime's own */
  /* Called on the thread of the call when a part of the function has ended, by its number; the
   * module says what the parts are. Parts may be in pieces: then each piece is marked. Never null.
   */
  void (*mark)(const struct VtaHostContext* context, int64_t part);
  /* Computes an operator of a library of the user's. `node` has `node_bytes` bytes of
   * module/operators/operator_node.h; `arguments` are its inputs and outputs, without those that
   * are absent or have no elements. A failure is reported as by `fail`. */
  void (*call_operator)(const struct VtaHostContext* context, const char* node, int64_t node_bytes,
                        void* const* arguments);
} VtaHostContext;

#define VTA_HOST_ABI_VERSION 4u

typedef void (*VtaHostFunction)(const VtaHostContext* context, void* const* arguments);

#ifdef __cplusplus
}
#endif
