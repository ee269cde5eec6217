/* The C interface of the VTA SDK: compiles models, loads modules and runs them on a device.
 *
 * Handles are opaque. Every function that can fail returns a vta_status; vta_error_message() says
 * why the last call of this thread failed. Nothing throws, prints or exits.
 *
 * Threads: a module may be used by any number of threads. A session, and a device, may be used by
 * one thread at a time; sessions on one device take turns by themselves.
 *
 * Lifetime: a session keeps its module and its device alive, so handles may be released in any
 * order. Pointers that a function returns stay valid as long as the handle that it was asked of,
 * unless the function says something else.
 *
 * Versions: functions and fields are only added. Structures that you pass begin with their size, so
 * that a program and a library of different versions understand each other.
 */
#ifndef VTA_VTA_H
#define VTA_VTA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define VTA_API __attribute__((visibility("default")))
#else
#define VTA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every addition. */
#define VTA_API_VERSION 8

/* What a function that can fail returns. */
typedef enum vta_status {
  VTA_OK = 0,
  VTA_INVALID_ARGUMENT = 1,   /* the caller's input is wrong */
  VTA_NOT_FOUND = 2,          /* a file or a name does not exist */
  VTA_UNSUPPORTED = 3,        /* legal, but this library or device cannot do it */
  VTA_RESOURCE_EXHAUSTED = 4, /* no space left on the device or in memory */
  VTA_DEVICE_FAULT = 5,       /* the device stopped */
  VTA_DEADLINE_EXCEEDED = 6,  /* a wait timed out */
  VTA_IO_ERROR = 7,
  VTA_INTERNAL = 8
} vta_status;

/* Types of elements, by NumPy's names. */
typedef enum vta_dtype {
  VTA_FLOAT32 = 0,
  VTA_FLOAT64 = 1,
  VTA_INT8 = 2,
  VTA_UINT8 = 3,
  VTA_INT16 = 4,
  VTA_UINT16 = 5,
  VTA_INT32 = 6,
  VTA_UINT32 = 7,
  VTA_INT64 = 8,
  VTA_UINT64 = 9,
  VTA_BOOL = 10,
  VTA_FLOAT16 = 11,
  VTA_BFLOAT16 = 12
} vta_dtype;

/* A compiled model, loaded. It never changes, so that threads may share it. */
typedef struct vta_module vta_module;
/* What runs programs of the VTA: a simulator, a board, a card, or one of these on another
 * machine. */
typedef struct vta_device vta_device;
/* A module with its device, its inputs and the outputs of its last run. Owns the memory of its
 * tensors on the device. */
typedef struct vta_session vta_session;

/* Version of the library, "0.1.0", and its VTA_API_VERSION. */
VTA_API const char* vta_version(void);
/* VTA_API_VERSION of the library, which may be newer than the one that a program was compiled
 * with. */
VTA_API int vta_api_version(void);

/* Why the last call of this thread that failed did so, in one sentence. Valid until the next one.
 */
VTA_API const char* vta_error_message(void);
/* "invalid argument" */
VTA_API const char* vta_status_name(vta_status status);
/* "float32"; the empty text for no type. */
VTA_API const char* vta_dtype_name(vta_dtype dtype);
/* Bytes of one element; 0 for no type. */
VTA_API size_t vta_dtype_bytes(vta_dtype dtype);

/* ---- Modules -------------------------------------------------------------------------------- */

/* An input or an output of a module. Elements are in row-major order. The shape and the bytes of an
 * output whose size depends on data are its largest ones: vta_session_output_shape has the size of
 * a run. */
typedef struct vta_tensor_info {
  const char* name;     /* of the model; belongs to the module */
  vta_dtype dtype;      /* of each element */
  size_t rank;          /* 0 for a single element */
  const int64_t* shape; /* `rank` extents */
  size_t size_bytes;    /* of all elements, without padding */
} vta_tensor_info;

/* A layer of the model. The texts belong to the module. */
typedef struct vta_layer_info {
  const char* name; /* of its node in the model */
  /* "conv2d", "add", ... */
  const char* op;
  const char* where;  /* the machine that runs it, by its executor's name: "vta", "cpu", ... */
  const char* reason; /* why it is not on the VTA, or where its schedule comes from */
  int64_t macs;       /* multiply-accumulates */
} vta_layer_info;

/* Loads the file that vta-compile wrote. A module is native code: load only what you trust. */
VTA_API vta_status vta_module_load(const char* path, vta_module** module);
/* The same from memory; the bytes are copied. */
VTA_API vta_status vta_module_load_memory(const void* data, size_t size_bytes, vta_module** module);
/* Loads a shared library with operators of your own (vta/operator.h), for modules that call them
 * and are loaded afterwards. It is native code: load only what you trust. It stays loaded; loading
 * it once more does nothing. Errors: VTA_NOT_FOUND, VTA_INVALID_ARGUMENT (no such library, or an
 * operator that is known already), VTA_UNSUPPORTED (of another version). Since VTA_API_VERSION 7.
 */
VTA_API vta_status vta_operators_load(const char* path);
/* Releases the handle, which may be NULL. Sessions keep what they need of the module. */
VTA_API void vta_module_release(vta_module* module);

/* The model that the module was compiled from. */
VTA_API const char* vta_module_model(const vta_module* module);
/* The accelerator that it was compiled for; the empty text when nothing runs on one. */
VTA_API const char* vta_module_hardware(const vta_module* module);

/* How many inputs a run needs. */
VTA_API size_t vta_module_input_count(const vta_module* module);
/* How many outputs a run makes. */
VTA_API size_t vta_module_output_count(const vta_module* module);
/* How many layers the module has, whatever machine runs them. */
VTA_API size_t vta_module_layer_count(const vta_module* module);
/* Describes input `index`. Error: VTA_INVALID_ARGUMENT, there is none with this index. */
VTA_API vta_status vta_module_input(const vta_module* module, size_t index, vta_tensor_info* info);
/* Describes output `index`. Error: VTA_INVALID_ARGUMENT, there is none with this index. */
VTA_API vta_status vta_module_output(const vta_module* module, size_t index, vta_tensor_info* info);
/* Describes layer `index`, in the order of the model. Error: VTA_INVALID_ARGUMENT, there is none
 * with this index. */
VTA_API vta_status vta_module_layer(const vta_module* module, size_t index, vta_layer_info* info);

/* ---- Compiler (since VTA_API_VERSION 2) ------------------------------------------------------ */

/* How to compile. Set by vta_compile_options_init first. */
typedef struct vta_compile_options {
  size_t struct_bytes; /* sizeof(vta_compile_options) */
  /* Options of vta-compile as on its command line: {"--hw", "wide", "--calibrate", "images"}. */
  const char* const* arguments;
  size_t argument_count; /* how many texts `arguments` has */
  const char* output;    /* where the module's file stays; NULL: nowhere */
  /* Called with each line that the compiler prints, by the thread that called vta_compile; or NULL.
   * It may not call vta_compile, and nothing may be thrown through it. */
  void (*progress)(const char* line, void* context);
  void* context; /* passed on to `progress` */
} vta_compile_options;

/* Sets all options to their defaults. */
VTA_API void vta_compile_options_init(vta_compile_options* options);

/* Compiles the ONNX file `model` and loads the result; `module` may be NULL if there is an output.
 * It runs the program vta-compile, of the package vta-tools: the one that the environment variable
 * VTA_COMPILE names, or the first on PATH. Errors: VTA_NOT_FOUND (the model, or vta-compile),
 * VTA_INVALID_ARGUMENT (options), VTA_UNSUPPORTED (what vta-compile refuses; the message is its
 * own), VTA_INTERNAL (it was killed). Nothing is left of a compilation that failed. */
VTA_API vta_status vta_compile(const char* model, const vta_compile_options* options,
                               vta_module** module);

/* ---- Devices -------------------------------------------------------------------------------- */

/* The kinds of devices that this library has. NULL for an index that is too large. */
VTA_API size_t vta_device_kind_count(void);
/* The word that a specification of a device begins with: "cycle" */
VTA_API const char* vta_device_kind_name(size_t index);
/* One sentence for people who choose. */
VTA_API const char* vta_device_kind_description(size_t index);

/* Creates a device for the accelerator of `module`. `spec` is a kind with its options, for example
 * "functional", "cycle" or "functional:memory=256M"; NULL is "functional". */
VTA_API vta_status vta_device_create(const char* spec, const vta_module* module,
                                     vta_device** device);
/* The same for the accelerator of the YAML file `configuration`, which has to run the programs of
 * modules that are used with it. */
VTA_API vta_status vta_device_create_for(const char* spec, const char* configuration,
                                         vta_device** device);
/* Releases the handle, which may be NULL. Sessions keep the device until they are released. */
VTA_API void vta_device_release(vta_device* device);
/* The device's name, and the accelerator that it is. */
VTA_API const char* vta_device_name(const vta_device* device);
/* The accelerator that the device is, by the name of its configuration; valid while the device
 * is. */
VTA_API const char* vta_device_hardware(const vta_device* device);

/* ---- Sessions ------------------------------------------------------------------------------- */

/* How a session runs its module. Set by vta_session_options_init first. */
typedef struct vta_session_options {
  size_t struct_bytes; /* sizeof(vta_session_options) */
  int per_layer;   /* before the first run, run every layer by itself: a row of the profile for each
                    */
  int verify;      /* compare every layer of the VTA with its reference; implies per_layer */
  int num_threads; /* of the layers on the CPU; 0: one for each processor */
  uint64_t timeout_ms; /* of one launch; 0: ten minutes */
  /* Which GPU runs what the module has for one (since VTA_API_VERSION 5): its number in the list of
   * vta-info, a part of its name, or an interface ("vulkan", "opencl"); NULL: the first one. */
  const char* gpu;
} vta_session_options;

/* Sets all options to their defaults. */
VTA_API void vta_session_options_init(vta_session_options* options);

/* `device` may be NULL when the module runs nothing on a VTA, `options` for the defaults. */
VTA_API vta_status vta_session_create(vta_module* module, vta_device* device,
                                      const vta_session_options* options, vta_session** session);
/* Waits for a run in the background, and releases the handle, which may be NULL. */
VTA_API void vta_session_release(vta_session* session);

/* Copies the elements of input `index`; `size_bytes` has to be what vta_module_input says. An input
 * keeps its elements until it is set again. Of a module that reads several words of a text in a run
 * (vta-compile --prompt-chunk), the input may be the first of them alone. Outputs then have as many
 * rows as the smallest run of the module that is enough (vta_session_output_shape); those behind
 * its words mean nothing. */
VTA_API vta_status vta_session_set_input(vta_session* session, size_t index, const void* data,
                                         size_t size_bytes);

/* Runs the module once. Every input has to be set. */
VTA_API vta_status vta_session_run(vta_session* session);

/* The same in the background: vta_session_wait returns what vta_session_run would, or
 * VTA_DEADLINE_EXCEEDED after `timeout_ms` milliseconds, when it may be called again. Until it has
 * returned something else, only vta_session_wait may be called. Releasing the session waits. */
VTA_API vta_status vta_session_start(vta_session* session);
/* Errors also: VTA_INVALID_ARGUMENT, no run is in the background. */
VTA_API vta_status vta_session_wait(vta_session* session, uint64_t timeout_ms);

/* The elements of output `index` of the last run; valid until the next run. */
VTA_API vta_status vta_session_output(const vta_session* session, size_t index, const void** data,
                                      size_t* size_bytes);

/* The shape of output `index` of the last run (since VTA_API_VERSION 3): the one of
 * vta_module_output, unless the output's size depends on data, as the number of boxes that a
 * detector finds. `*shape` has `*rank` extents and is valid until the next run. */
VTA_API vta_status vta_session_output_shape(const vta_session* session, size_t index,
                                            const int64_t** shape, size_t* rank);

/* Forgets what earlier runs have left in a module that keeps state from run to run. */
VTA_API vta_status vta_session_clear_state(vta_session* session);

/* The words of a text that a session has read whose module keeps one (vta-compile
 * --context-length; since VTA_API_VERSION 5); else 0. */
VTA_API int64_t vta_session_text_length(const vta_session* session);
/* What earlier runs have left, as bytes; valid until the next call with the session (since
 * VTA_API_VERSION 5). */
VTA_API vta_status vta_session_save_state(vta_session* session, const void** data,
                                          size_t* size_bytes);
/* Goes on from what any session of the same module has saved (since VTA_API_VERSION 5). */
VTA_API vta_status vta_session_load_state(vta_session* session, const void* data,
                                          size_t size_bytes);
/* Another session on the same device, which goes on from where this one is (since VTA_API_VERSION
 * 5). */
VTA_API vta_status vta_session_fork(vta_session* session, vta_session** fork);

/* ---- Texts of language models (since VTA_API_VERSION 5) -------------------------------------- */

/* Text as numbers of tokens, and back. */
typedef struct vta_tokenizer vta_tokenizer;

/* Reads tokenizer.json of Hugging Face, where the library was built with it, or tokenizer.bin of
 * llama2.c. */
VTA_API vta_status vta_tokenizer_load(const char* path, vta_tokenizer** tokenizer);
/* Releases the handle, which may be NULL. */
VTA_API void vta_tokenizer_release(vta_tokenizer* tokenizer);
/* How many tokens there are. */
VTA_API int64_t vta_tokenizer_size(const vta_tokenizer* tokenizer);
/* The tokens of `text`, those included that begin every text; valid until the next call with the
 * tokenizer. */
VTA_API vta_status vta_tokenizer_encode(vta_tokenizer* tokenizer, const char* text,
                                        const int64_t** tokens, size_t* count);
/* The text of tokens, with a zero at its end; valid until the next call with the tokenizer. */
VTA_API vta_status vta_tokenizer_decode(vta_tokenizer* tokenizer, const int64_t* tokens,
                                        size_t count, const char** text);

/* How a text is made. Set by vta_generate_options_init first. */
typedef struct vta_generate_options {
  size_t struct_bytes;      /* sizeof(vta_generate_options) */
  int64_t max_tokens;       /* behind the prompt, at most; 256 */
  double temperature;       /* divides the scores of tokens; 0: always the likeliest one */
  int64_t top_k;            /* choose among so many of the likeliest; 0: all */
  double top_p;             /* choose among the likeliest with this probability together; 1 */
  uint64_t seed;            /* chooses the text; 1 */
  const char* const* stops; /* texts that end the text */
  size_t stop_count;
  /* Called with each piece of the text, in whole characters, as it is made; may be NULL. */
  void (*show)(const char* piece, void* context);
  void* context;
  /* Guess so many tokens from the text so far and check them in one run: the same text with fewer
   * runs. The module needs room for them (vta-compile --prompt-chunk); 0: none. */
  int64_t speculate;
  /* A session of a small model with the same tokenizer, which guesses instead. Forgets what it has
   * read. May be NULL. */
  vta_session* draft;
} vta_generate_options;

/* Sets all options to their defaults. */
VTA_API void vta_generate_options_init(vta_generate_options* options);

/* What was made. */
typedef struct vta_generation {
  const char* text; /* behind the prompt; valid until the next call with the session */
  const char* end;  /* why it ended: "end" token, "stop", "length", "capacity" */
  int64_t prompt_tokens;
  int64_t tokens;             /* behind the prompt */
  double seconds;             /* wall time */
  double first_token_seconds; /* of that, until the first token was known */
  uint64_t prompt_cycles;     /* of the accelerator, until then */
  uint64_t cycles;            /* of the accelerator, for the tokens behind it */
} vta_generation;

/* Reads the prompt behind what the session has read, and makes a text. The module has to keep it
 * (vta-compile --context-length). */
VTA_API vta_status vta_generate(vta_session* session, const vta_tokenizer* tokenizer,
                                const char* prompt, const vta_generate_options* options,
                                vta_generation* generation);

/* ---- Profile of the last run ---------------------------------------------------------------- */

/* One launch of the run or one step on the CPU; with per_layer, one layer in a launch of its own.
 * Layers of one launch overlap, so the run takes fewer cycles than they do by themselves:
 * vta_session_profile_cycles_in_run says how they share the run's. */
typedef struct vta_profile_row {
  size_t first_layer;   /* index of vta_module_layer */
  size_t layer_count;   /* layers [first_layer, first_layer + layer_count) in one launch */
  int on_vta;           /* 1: a launch of the accelerator, 0: a step on another machine */
  double host_seconds;  /* wall time on this machine */
  uint64_t cycles;      /* of the accelerator; 0 for the CPU and for devices without timing */
  uint64_t gemm_uops;   /* steps of the GEMM core */
  uint64_t alu_uops;    /* steps of the tensor ALU */
  uint64_t read_bytes;  /* of DRAM, by the accelerator */
  uint64_t write_bytes; /* to DRAM, by the accelerator */
  uint64_t busy_cycles; /* of the compute unit */
} vta_profile_row;

/* Rows of the last run's profile; 0 before a run, and while one is in the background. */
VTA_API size_t vta_session_profile_count(const vta_session* session);
/* Copies row `index`. Errors: VTA_INVALID_ARGUMENT, there is no such row or a run is in the
 * background. */
VTA_API vta_status vta_session_profile(const vta_session* session, size_t index,
                                       vta_profile_row* row);
/* Of the cycles of the run, those of row `index`; they add up to vta_session_cycles (since
 * VTA_API_VERSION 4). On a device that does not record when layers end, layers of one launch share
 * its cycles in proportion to what they take by themselves. 0 for a row that does not exist. */
VTA_API uint64_t vta_session_profile_cycles_in_run(const vta_session* session, size_t index);
/* Of the host_seconds of row `index`, those of copies between the memories of the host and of the
 * machine that runs it (since VTA_API_VERSION 8). A GPU with memory of its own copies beside the
 * work of other rows, so that rows may add up to more than vta_session_seconds. 0 on the CPU, and
 * for a row that does not exist. */
VTA_API double vta_session_profile_copy_seconds(const vta_session* session, size_t index);
/* Wall time of the last run. */
VTA_API double vta_session_seconds(const vta_session* session);
/* Cycles of the last run on the accelerator, whatever the options of the session are, and its clock
 * in MHz: milliseconds are cycles / (1000 * MHz). */
VTA_API uint64_t vta_session_cycles(const vta_session* session);
/* The clock that vta_session_cycles are counted with; 0 without an accelerator. */
VTA_API double vta_session_clock_mhz(const vta_session* session);

/* ---- Instructions at run time (since VTA_API_VERSION 6) -------------------------------------- */

/* Memory of a device, for what instructions load and store. Commands that use it keep it alive. */
typedef struct vta_buffer vta_buffer;
/* Instructions of one launch, while they are issued. */
typedef struct vta_commands vta_commands;

/* The memories of the accelerator that instructions move elements between and DRAM. */
typedef enum vta_memory {
  VTA_MEMORY_WGT = 1,
  VTA_MEMORY_INP = 2,
  VTA_MEMORY_ACC = 3,
  VTA_MEMORY_OUT = 4, /* of vta_commands_store */
  VTA_MEMORY_ACC8 = 5 /* accumulators from int8 */
} vta_memory;

/* The units, each with instructions of its own that run in order. */
typedef enum vta_unit { VTA_UNIT_LOAD = 0, VTA_UNIT_COMPUTE = 1, VTA_UNIT_STORE = 2 } vta_unit;

/* Allocates on the device, with zeros in it. */
VTA_API vta_status vta_buffer_create(vta_device* device, size_t size_bytes, vta_buffer** buffer);
/* Releases the handle, which may be NULL. */
VTA_API void vta_buffer_release(vta_buffer* buffer);
/* Copies `size_bytes` from `offset_bytes` of the buffer on, to it and from it. */
VTA_API vta_status vta_buffer_write(vta_buffer* buffer, size_t offset_bytes, const void* data,
                                    size_t size_bytes);
VTA_API vta_status vta_buffer_read(const vta_buffer* buffer, size_t offset_bytes, void* data,
                                   size_t size_bytes);

/* Rows of elements between DRAM and a memory. Set by vta_transfer_init first. */
typedef struct vta_transfer {
  size_t struct_bytes; /* sizeof(vta_transfer) */
  vta_memory memory;
  uint32_t sram_index;     /* the first element there */
  vta_buffer* buffer;      /* of the device that the commands are for */
  uint32_t first_elem;     /* in the buffer, counted in elements of the memory */
  uint32_t x_size, y_size; /* elements of a row, and rows; 1 */
  uint32_t x_stride;       /* from row to row in DRAM, in elements; 0: x_size */
  /* Of a load: elements of zeros around the rows. */
  uint32_t x_pad_before, x_pad_after, y_pad_before, y_pad_after;
} vta_transfer;

/* A step of a GEMM or an ALU instruction: the first element of ACC that it writes; of INP, or of
 * ACC for the ALU, that it reads; and of WGT, for a GEMM alone. */
typedef struct vta_micro_op {
  uint32_t dst, src, wgt;
} vta_micro_op;

/* A GEMM or an ALU instruction: two loops around micro-ops, whose indices grow by factors. Set by
 * vta_compute_init first. */
typedef struct vta_compute {
  size_t struct_bytes; /* sizeof(vta_compute) */
  const vta_micro_op* micro_ops;
  size_t micro_op_count;
  uint32_t iter_out, iter_in; /* iterations; 1 */
  uint32_t dst_factor_out, dst_factor_in;
  uint32_t src_factor_out, src_factor_in;
  uint32_t wgt_factor_out, wgt_factor_in;
  int reset;             /* of a GEMM: set ACC to zero instead */
  const char* operation; /* of the ALU: "min", "max", "add", "shr", ... (docs/isa.md) */
  int use_immediate;     /* of the ALU: the second operand is `immediate`, not ACC[src] */
  int32_t immediate;
} vta_compute;

/* Set all fields to their defaults. */
VTA_API void vta_transfer_init(vta_transfer* transfer);
VTA_API void vta_compute_init(vta_compute* compute);

VTA_API vta_status vta_commands_create(vta_device* device, vta_commands** commands);
/* Releases the handle, which may be NULL. */
VTA_API void vta_commands_release(vta_commands* commands);
/* Each of these appends an instruction. Nothing runs before vta_commands_run. Errors:
 * VTA_INVALID_ARGUMENT, a field that does not fit the accelerator's instruction. */
VTA_API vta_status vta_commands_load(vta_commands* commands, const vta_transfer* transfer);
VTA_API vta_status vta_commands_store(vta_commands* commands, const vta_transfer* transfer);
VTA_API vta_status vta_commands_gemm(vta_commands* commands, const vta_compute* compute);
VTA_API vta_status vta_commands_alu(vta_commands* commands, const vta_compute* compute);
/* The newest instruction of `from` sends a token to its neighbour `to`; the next instruction of
 * `to` waits for one of `from`. */
VTA_API vta_status vta_commands_push(vta_commands* commands, vta_unit from, vta_unit to);
VTA_API vta_status vta_commands_pop(vta_commands* commands, vta_unit from, vta_unit to);
/* Proves that the instructions are free of races, deadlocks and accesses out of bounds, runs them,
 * and waits. Then there are no instructions any more. `cycles` may be NULL; 0 from devices without
 * timing. `timeout_ms` 0: ten minutes. Errors: VTA_INVALID_ARGUMENT, what the proof finds, with the
 * instructions' numbers; those of the device. */
VTA_API vta_status vta_commands_run(vta_commands* commands, uint64_t timeout_ms, uint64_t* cycles);

#ifdef __cplusplus
}
#endif

#endif
