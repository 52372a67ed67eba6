/* SPDX-License-Identifier: MIT
 * The operations of ck_tile in C: a problem by the names of its fields, a plan for it on a device, runs of the plan on memory and
 * streams of the caller's. docs/c_api.md has an example.
 *
 * Functions that can fail return a ck_tile_status; ck_tile_last_error() then says why: rule, value, fix. Nothing throws, and
 * nothing is kept between calls but what handles hold, and each thread's last error. Handles are destroyed in any order: a plan
 * needs neither its problem nor the handle of its device. Devices and plans may be used by several threads at once, problems by
 * one at a time.
 *
 * All texts are UTF-8, end with a zero, and belong to the library. */
#ifndef CK_TILE_H
#define CK_TILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CK_TILE_API extern "C" __attribute__((visibility("default")))
#else
#define CK_TILE_API __attribute__((visibility("default")))
#endif

/* What this header declares. A library of a later version has all of it, with the same meaning, and more; one that has not would be
 * called libck_tile.so.2. */
#define CK_TILE_API_VERSION 1

typedef enum ck_tile_status
{
    CK_TILE_SUCCESS     = 0,
    CK_TILE_INVALID     = 1, /* an argument is wrong: a name, a value, an address */
    CK_TILE_NO_DEVICE   = 2, /* the device is not known, not there, or the library has no code for it */
    CK_TILE_UNSUPPORTED = 3, /* the problem is one, but nothing that was built computes it */
    CK_TILE_NO_MEMORY   = 4, /* of the device, or of this process */
    CK_TILE_FAILED      = 5  /* the device's driver failed */
} ck_tile_status;

typedef struct ck_tile_device ck_tile_device;   /* where work is done */
typedef struct ck_tile_buffer ck_tile_buffer;   /* memory of a device */
typedef struct ck_tile_problem ck_tile_problem; /* what is to be computed */
typedef struct ck_tile_plan ck_tile_plan;       /* how a device computes it */

/* ---- The library ---- */

/* CK_TILE_API_VERSION when it was built, and its release, "0.1.0". */
CK_TILE_API int ck_tile_api_version(void);
CK_TILE_API const char* ck_tile_version(void);

/* The targets that it was built for: "host:gfx942, gfx942, sm90". Those that begin with host are names of devices. */
CK_TILE_API const char* ck_tile_targets(void);

/* Why the last call of this thread that did not succeed, did not; "" if none. Valid until the next that does not. */
CK_TILE_API const char* ck_tile_last_error(void);

/* ---- Devices ---- */

/* Opens "hip:<n>", "cuda:<n>" (GPU n from 0), "hip", "cuda" (the first), "host:<architecture>" (the CPU in that shape) or "auto"
 * (the first GPU that there is, else the CPU). CUDA's GPUs are used in their primary context, HIP's as HIP does; both are what
 * PyTorch uses. A thread that has another GPU as its own has it again after each call. */
CK_TILE_API ck_tile_status ck_tile_device_open(const char* name, ck_tile_device** device);
CK_TILE_API void ck_tile_device_close(ck_tile_device* device); /* of null: nothing, as of all that is destroyed */

/* "hip:gfx942", "host:sm90"; and 1 if it is the CPU. */
CK_TILE_API const char* ck_tile_device_name(const ck_tile_device* device);
CK_TILE_API int ck_tile_device_is_host(const ck_tile_device* device);

/* Waits for what is queued on a stream. A stream is its native handle, a hipStream_t or cudaStream_t, or null for the default
 * stream, here and below. On the CPU it is null, and work is done when its call returns. */
CK_TILE_API ck_tile_status ck_tile_device_synchronize(const ck_tile_device* device, void* stream);

/* Memory, for callers that have none on the device; its address is a multiple of 256. Work that uses it must be done before it is
 * destroyed. */
CK_TILE_API ck_tile_status ck_tile_buffer_create(const ck_tile_device* device, size_t bytes, ck_tile_buffer** buffer);
CK_TILE_API void ck_tile_buffer_destroy(ck_tile_buffer* buffer);
CK_TILE_API void* ck_tile_buffer_address(const ck_tile_buffer* buffer);

/* Copy when what was queued on the stream before is done, and return when the copy is. */
CK_TILE_API ck_tile_status ck_tile_copy_to_device(const ck_tile_device* device, void* destination, const void* source,
                                                  size_t bytes, void* stream);
CK_TILE_API ck_tile_status ck_tile_copy_to_host(const ck_tile_device* device, void* destination, const void* source,
                                                size_t bytes, void* stream);

/* ---- Operations and their problems ---- */

/* How many there are, and the name of each, from 0: "groupnorm_fwd"; null beyond the last. */
CK_TILE_API int ck_tile_operation_count(void);
CK_TILE_API const char* ck_tile_operation_name(int number);

/* A problem of an operation, whose sizes and type are to be set. */
CK_TILE_API ck_tile_status ck_tile_problem_create(const char* operation, ck_tile_problem** problem);
CK_TILE_API void ck_tile_problem_destroy(ck_tile_problem* problem);

typedef enum ck_tile_kind
{
    CK_TILE_NUMBER = 0, /* set by ck_tile_problem_set_int */
    CK_TILE_LIST   = 1, /* ... set_ints */
    CK_TILE_REAL   = 2, /* ... set_real */
    CK_TILE_FLAG   = 3, /* ... set_int, to 0 or 1 */
    CK_TILE_CHOICE = 4  /* ... set_text */
} ck_tile_kind;

/* A field of a problem. Texts are valid until the problem is set or destroyed. */
typedef struct ck_tile_field
{
    const char* name; /* "filter" */
    ck_tile_kind kind;
    const char* values; /* what it may be, for people: "a list of 2 whole numbers", "one of nhwgc, ngchw" */
    const char* value;  /* what it is, or is by default: "[3,3]", "nhwgc", "true"; null: it is to be set */
} ck_tile_field;

/* How many fields the problem has, and each, from 0. */
CK_TILE_API int ck_tile_problem_field_count(const ck_tile_problem* problem);
CK_TILE_API ck_tile_status ck_tile_problem_field(ck_tile_problem* problem, int number, ck_tile_field* field);

/* Set a field, in any order. Names and kinds are checked at once, values when tensors or a plan are asked for. */
CK_TILE_API ck_tile_status ck_tile_problem_set_int(ck_tile_problem* problem, const char* field, int64_t value);
CK_TILE_API ck_tile_status ck_tile_problem_set_ints(ck_tile_problem* problem, const char* field, const int64_t* values,
                                                    int count);
CK_TILE_API ck_tile_status ck_tile_problem_set_real(ck_tile_problem* problem, const char* field, double value);
CK_TILE_API ck_tile_status ck_tile_problem_set_text(ck_tile_problem* problem, const char* field, const char* value);

typedef enum ck_tile_role
{
    CK_TILE_INPUT  = 0,
    CK_TILE_RESULT = 1,
    CK_TILE_ABSENT = 2 /* this problem has none, or no kernel needs it: its address is null */
} ck_tile_role;

/* A tensor of a problem. What is pointed to is valid until the problem is set or destroyed. */
typedef struct ck_tile_tensor
{
    const char* name;  /* "x" */
    const char* dtype; /* "fp16", "bf16", "fp32", "u8", "int32", "int64" */
    ck_tile_role role;
    int optional; /* 1: its address may be null; the operation's README says what that means */
    int rank;
    const int64_t* lengths; /* in the order of memory, slowest dimension first */
    const int64_t* strides; /* in elements */
    int64_t bytes;
} ck_tile_tensor;

/* How many tensors the problem has, and each, from 0: runs take their addresses in this order. Both reject a problem that is none,
 * as one that lacks a size. */
CK_TILE_API ck_tile_status ck_tile_problem_tensor_count(ck_tile_problem* problem, int* count);
CK_TILE_API ck_tile_status ck_tile_problem_tensor(ck_tile_problem* problem, int number, ck_tile_tensor* tensor);

/* ---- Plans ---- */

/* What a plan may be asked to run. Texts are valid until instances are listed again, or the problem is destroyed. */
typedef struct ck_tile_instance
{
    const char* name;
    const char* id;     /* the same, short */
    const char* fields; /* of its configuration, as JSON */
    const char* reason; /* why it cannot compute the problem; null: it can */
} ck_tile_instance;

/* Lists what the library has for a device, says how many that are; and each, from 0. To tune is to plan and to time each. */
CK_TILE_API ck_tile_status ck_tile_problem_list_instances(ck_tile_problem* problem, const ck_tile_device* device,
                                                          int* count);
CK_TILE_API ck_tile_status ck_tile_problem_instance(const ck_tile_problem* problem, int number,
                                                    ck_tile_instance* instance);

/* What a caller may prescribe; zeros and nulls leave it to the library. */
typedef struct ck_tile_request
{
    const char* instance;    /* an instance by name or id */
    int splits;              /* of the reduction, where there is one to split */
    const char* tuned_table; /* a file that the profiler has written; where it has no choice, as without it */
    int by_cost;             /* 1: what the library's own tuned tables say does not count */
} ck_tile_request;

/* Chooses how the device computes the problem, and loads the code, which takes its time: plans are kept. `request` may be null. */
CK_TILE_API ck_tile_status ck_tile_plan_create(const ck_tile_device* device, const ck_tile_problem* problem,
                                               const ck_tile_request* request, ck_tile_plan** plan);
CK_TILE_API void ck_tile_plan_destroy(ck_tile_plan* plan);

/* Device memory that a run needs beside the tensors, with any content. Runs that may overlap need one each. */
CK_TILE_API size_t ck_tile_plan_workspace_bytes(const ck_tile_plan* plan);

/* The instances that it runs, "name" or "name, name"; and the splits of the reduction, 1 or more. */
CK_TILE_API const char* ck_tile_plan_instances(const ck_tile_plan* plan);
CK_TILE_API int ck_tile_plan_splits(const ck_tile_plan* plan);

/* Queues the plan's kernels on the stream; nothing is waited for, nor allocated or loaded on the device. `tensors` are the addresses
 * of all `count` tensors of the problem, `workspace` may be null where no bytes are needed; all are multiples of 16. The same inputs
 * give the same bits on every run. */
CK_TILE_API ck_tile_status ck_tile_run(const ck_tile_plan* plan, void* stream, void* const* tensors, int count,
                                       void* workspace);

#endif
