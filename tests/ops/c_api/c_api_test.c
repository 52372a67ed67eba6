/* SPDX-License-Identifier: MIT
 * The C API as a program in C uses it, on each target that is named: results against their definition, every rejection, threads,
 * handles in any order.
 *
 * usage: c_api_test <target>... */
#include <ck_tile.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void fail(const char* file, int line, const char* what, const char* text)
{
    ++failures;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, text);
}

#define EXPECT(condition)                                                                                              \
    do                                                                                                                 \
    {                                                                                                                  \
        if(!(condition))                                                                                               \
            fail(__FILE__, __LINE__, #condition, ck_tile_last_error());                                                \
    } while(0)

/* What a call rejects, with which code and text; the text may be the beginning of the reason. */
static void expect_rejected(int line, ck_tile_status found, ck_tile_status code, const char* text)
{
    if(found != code || strncmp(ck_tile_last_error(), text, strlen(text)) != 0)
    {
        fprintf(stderr, "expected %d: %s\nfound    %d: %s\n", code, text, found, ck_tile_last_error());
        fail(__FILE__, line, "another rejection", text);
    }
}
#define EXPECT_REJECTED(call, code, text) expect_rejected(__LINE__, call, code, text)

enum
{
    most_tensors = 16
};

/* A problem with its plan, and memory for everything. */
typedef struct
{
    ck_tile_device* device;
    ck_tile_problem* problem;
    ck_tile_plan* plan;
    int count;
    ck_tile_buffer* buffers[most_tensors];
    void* addresses[most_tensors];
    ck_tile_buffer* workspace;
} job;

static ck_tile_problem* new_problem(const char* operation)
{
    ck_tile_problem* problem = NULL;
    EXPECT(ck_tile_problem_create(operation, &problem) == CK_TILE_SUCCESS);
    return problem;
}

static void set_pair(ck_tile_problem* problem, const char* field, int64_t first, int64_t second)
{
    int64_t both[2];
    both[0] = first;
    both[1] = second;
    EXPECT(ck_tile_problem_set_ints(problem, field, both, 2) == CK_TILE_SUCCESS);
}

static int has_operation(const char* name)
{
    int i;
    for(i = 0; i < ck_tile_operation_count(); ++i)
        if(strcmp(ck_tile_operation_name(i), name) == 0)
            return 1;
    return 0;
}

/* Plans the problem, which becomes the job's; 0 if nothing was built for the target in its type. */
static int start(job* j, const char* target, ck_tile_problem* problem, const ck_tile_request* request)
{
    ck_tile_status planned;
    int i;
    memset(j, 0, sizeof *j);
    j->problem = problem;
    EXPECT(ck_tile_device_open(target, &j->device) == CK_TILE_SUCCESS);
    planned = ck_tile_plan_create(j->device, problem, request, &j->plan);
    if(planned == CK_TILE_UNSUPPORTED && strstr(ck_tile_last_error(), "built") != NULL)
        return 0;
    EXPECT(planned == CK_TILE_SUCCESS);
    if(planned != CK_TILE_SUCCESS)
        return 0;
    EXPECT(strlen(ck_tile_plan_instances(j->plan)) > 0);
    EXPECT(ck_tile_plan_splits(j->plan) >= 1);
    EXPECT(ck_tile_problem_tensor_count(problem, &j->count) == CK_TILE_SUCCESS);
    EXPECT(j->count > 0 && j->count <= most_tensors);
    for(i = 0; i < j->count; ++i)
    {
        ck_tile_tensor t;
        EXPECT(ck_tile_problem_tensor(problem, i, &t) == CK_TILE_SUCCESS);
        if(t.role == CK_TILE_ABSENT)
            continue;
        EXPECT(ck_tile_buffer_create(j->device, (size_t)t.bytes, &j->buffers[i]) == CK_TILE_SUCCESS);
        j->addresses[i] = ck_tile_buffer_address(j->buffers[i]);
        memset(j->addresses[i], t.role == CK_TILE_INPUT ? 0 : 0xff, (size_t)t.bytes); /* results are NaNs */
    }
    EXPECT(ck_tile_buffer_create(j->device, ck_tile_plan_workspace_bytes(j->plan), &j->workspace) == CK_TILE_SUCCESS);
    return 1;
}

static ck_tile_status run(const job* j)
{
    return ck_tile_run(j->plan, NULL, j->addresses, j->count, ck_tile_buffer_address(j->workspace));
}

static void finish(job* j)
{
    int i;
    ck_tile_device_close(j->device);
    ck_tile_problem_destroy(j->problem);
    for(i = 0; i < j->count; ++i)
        ck_tile_buffer_destroy(j->buffers[i]);
    ck_tile_buffer_destroy(j->workspace);
    ck_tile_plan_destroy(j->plan);
}

/* The number of a tensor by its name. */
static int number_of(const job* j, const char* name)
{
    int i;
    for(i = 0; i < j->count; ++i)
    {
        ck_tile_tensor t;
        EXPECT(ck_tile_problem_tensor(j->problem, i, &t) == CK_TILE_SUCCESS);
        if(strcmp(t.name, name) == 0)
            return i;
    }
    fail(__FILE__, __LINE__, "no tensor", name);
    return 0;
}

static float* floats(const job* j, const char* name) { return (float*)j->addresses[number_of(j, name)]; }

/* Small whole numbers, of which sums and products are exact. */
static void fill(float* values, int count, unsigned seed)
{
    int i;
    for(i = 0; i < count; ++i)
    {
        seed      = seed * 1664525u + 1013904223u;
        values[i] = (float)((int)(seed >> 24) % 9 - 4);
    }
}

/* ---- Operations against their definition ---- */

static int group_norm(const char* target)
{
    enum
    {
        n      = 2,
        pixels = 15,
        g      = 2,
        c      = 8
    };
    ck_tile_problem* problem = new_problem("groupnorm_fwd");
    job j;
    float *x, *gamma, *beta, *y;
    int round, image, group, i, k;
    EXPECT(ck_tile_problem_set_int(problem, "N", n) == CK_TILE_SUCCESS);
    set_pair(problem, "image", 3, 5);
    EXPECT(ck_tile_problem_set_int(problem, "G", g) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "C", c) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_text(problem, "dtype", "fp32") == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_real(problem, "epsilon", 0.5) == CK_TILE_SUCCESS);
    if(!start(&j, target, problem, NULL))
        return finish(&j), 0;
    x = floats(&j, "x"), gamma = floats(&j, "gamma"), beta = floats(&j, "beta"), y = floats(&j, "y");
    fill(x, n * pixels * g * c, 1);
    fill(gamma, g * c, 2);
    fill(beta, g * c, 3);
    for(round = 0; round < 2; ++round) /* the second without the parameters, which are optional */
    {
        EXPECT(run(&j) == CK_TILE_SUCCESS);
        EXPECT(ck_tile_device_synchronize(j.device, NULL) == CK_TILE_SUCCESS);
        for(image = 0; image < n; ++image)
            for(group = 0; group < g; ++group)
            {
                double sum = 0, squares = 0, mean, inverse;
                for(i = 0; i < pixels; ++i)
                    for(k = 0; k < c; ++k)
                    {
                        const double v = x[((image * pixels + i) * g + group) * c + k];
                        sum += v;
                        squares += v * v;
                    }
                mean    = sum / (pixels * c);
                inverse = 1 / sqrt(squares / (pixels * c) - mean * mean + 0.5);
                EXPECT(fabs(floats(&j, "mean")[image * g + group] - mean) < 1e-5);
                EXPECT(fabs(floats(&j, "inv_std")[image * g + group] - inverse) < 1e-5);
                for(i = 0; i < pixels; ++i)
                    for(k = 0; k < c; ++k)
                    {
                        const int at        = ((image * pixels + i) * g + group) * c + k;
                        const double normal = (x[at] - mean) * inverse;
                        const double right  = round == 0 ? normal * gamma[group * c + k] + beta[group * c + k] : normal;
                        EXPECT(fabs(y[at] - right) < 1e-4);
                    }
            }
        j.addresses[number_of(&j, "gamma")] = NULL;
        j.addresses[number_of(&j, "beta")]  = NULL;
        memset(y, 0xff, sizeof(float) * n * pixels * g * c);
    }
    return finish(&j), 1;
}

static int max_pool(const char* target)
{
    enum
    {
        n    = 2,
        c    = 8,
        side = 6,
        out  = 3
    };
    ck_tile_problem* problem = new_problem("maxpool_fwd");
    job j;
    const float* x;
    const float* y;
    const unsigned char* indices;
    int image, h, w, k;
    EXPECT(ck_tile_problem_set_int(problem, "N", n) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "C", c) == CK_TILE_SUCCESS);
    set_pair(problem, "input", side, side);
    set_pair(problem, "window", 2, 2);
    set_pair(problem, "strides", 2, 2);
    set_pair(problem, "dilations", 1, 1);
    set_pair(problem, "left_pads", 0, 0);
    set_pair(problem, "right_pads", 0, 0);
    EXPECT(ck_tile_problem_set_text(problem, "dtype", "fp32") == CK_TILE_SUCCESS);
    if(!start(&j, target, problem, NULL))
        return finish(&j), 0;
    x = floats(&j, "in"), y = floats(&j, "out");
    indices = (const unsigned char*)j.addresses[number_of(&j, "indices")];
    fill(floats(&j, "in"), n * side * side * c, 4);
    EXPECT(run(&j) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_device_synchronize(j.device, NULL) == CK_TILE_SUCCESS);
    for(image = 0; image < n; ++image)
        for(h = 0; h < out; ++h)
            for(w = 0; w < out; ++w)
                for(k = 0; k < c; ++k)
                {
                    const int at = ((image * out + h) * out + w) * c + k;
                    float best   = -100;
                    int first    = 0, tap;
                    for(tap = 0; tap < 4; ++tap)
                    {
                        const float v = x[((image * side + 2 * h + tap / 2) * side + 2 * w + tap % 2) * c + k];
                        if(v > best)
                            best = v, first = tap;
                    }
                    EXPECT(y[at] == best);
                    EXPECT(indices[at] == first);
                }
    return finish(&j), 1;
}

/* 3x3, padded; with the reduction split, which takes a workspace and several launches. */
static int convolution(const char* target)
{
    enum
    {
        n        = 1,
        channels = 32,
        side     = 6
    };
    static const ck_tile_request split = {NULL, 2, NULL, 0};
    ck_tile_problem* problem           = new_problem("grouped_conv_fwd");
    job j;
    const float *x, *weights, *y;
    int h, w, k, r, s, c;
    EXPECT(ck_tile_problem_set_int(problem, "ndim", 2) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "G", 1) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "N", n) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "K", channels) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "C", channels) == CK_TILE_SUCCESS);
    set_pair(problem, "filter", 3, 3);
    set_pair(problem, "input", side, side);
    set_pair(problem, "strides", 1, 1);
    set_pair(problem, "dilations", 1, 1);
    set_pair(problem, "left_pads", 1, 1);
    set_pair(problem, "right_pads", 1, 1);
    EXPECT(ck_tile_problem_set_text(problem, "dtype", "fp32") == CK_TILE_SUCCESS);
    if(!start(&j, target, problem, &split))
        return finish(&j), 0;
    EXPECT(ck_tile_plan_splits(j.plan) == 2);
    EXPECT(ck_tile_plan_workspace_bytes(j.plan) > 0);
    EXPECT_REJECTED(ck_tile_run(j.plan, NULL, j.addresses, j.count, NULL), CK_TILE_INVALID,
                    "grouped_conv_fwd: the plan needs a workspace, but its address is null: pass the address of ");
    x = floats(&j, "in"), weights = floats(&j, "wei"), y = floats(&j, "out");
    fill(floats(&j, "in"), n * side * side * channels, 5);
    fill(floats(&j, "wei"), channels * 9 * channels, 6);
    EXPECT(run(&j) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_device_synchronize(j.device, NULL) == CK_TILE_SUCCESS);
    for(h = 0; h < side; ++h)
        for(w = 0; w < side; ++w)
            for(k = 0; k < channels; ++k)
            {
                float sum = 0;
                for(r = 0; r < 3; ++r)
                    for(s = 0; s < 3; ++s)
                        for(c = 0; c < channels; ++c)
                        {
                            const int row = h + r - 1, column = w + s - 1;
                            if(row >= 0 && row < side && column >= 0 && column < side)
                                sum += x[(row * side + column) * channels + c] *
                                       weights[((k * 3 + r) * 3 + s) * channels + c];
                        }
                EXPECT(y[(h * side + w) * channels + k] == sum);
            }
    return finish(&j), 1;
}

/* ---- Every operation, by what the library says of it ---- */

static int ends_with(const char* text, const char* end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Sets what has to be set: two spatial dimensions, small sizes, fp32. */
static void set_small(ck_tile_problem* problem, int64_t number)
{
    int i;
    for(i = 0; i < ck_tile_problem_field_count(problem); ++i)
    {
        ck_tile_field f;
        int64_t length;
        EXPECT(ck_tile_problem_field(problem, i, &f) == CK_TILE_SUCCESS);
        if(f.value != NULL)
            continue;
        switch(f.kind)
        {
        case CK_TILE_NUMBER:
            length = strcmp(f.name, "ndim") == 0 || strcmp(f.name, "N") == 0 ? 2 : number;
            EXPECT(ck_tile_problem_set_int(problem, f.name, length) == CK_TILE_SUCCESS);
            break;
        case CK_TILE_LIST:
            length = ends_with(f.name, "pads")                                        ? 0
                     : ends_with(f.name, "strides") || ends_with(f.name, "dilations") ? 1
                     : strcmp(f.name, "filter") == 0 || strcmp(f.name, "window") == 0 ? 3
                                                                                      : 9;
            set_pair(problem, f.name, length, length);
            break;
        case CK_TILE_CHOICE: EXPECT(ck_tile_problem_set_text(problem, f.name, "fp32") == CK_TILE_SUCCESS); break;
        case CK_TILE_REAL:
        case CK_TILE_FLAG: fail(__FILE__, __LINE__, "has no default", f.name);
        }
    }
}

/* Runs an operation twice: all of its results are written, and the bits are the same. */
static int any_operation(const char* target, const char* name)
{
    ck_tile_problem* problem = new_problem(name);
    unsigned char* first[most_tensors];
    job j;
    int round, i, at;
    set_small(problem, strncmp(name, "narrow", 6) == 0 ? 1 : 8); /* of channels, too */
    if(!start(&j, target, problem, NULL))
        return finish(&j), 0;
    for(round = 0; round < 2; ++round)
        for(i = 0; i < j.count; ++i)
        {
            ck_tile_tensor t;
            EXPECT(ck_tile_problem_tensor(j.problem, i, &t) == CK_TILE_SUCCESS);
            if(t.role == CK_TILE_INPUT && strcmp(t.dtype, "fp32") == 0)
                fill((float*)j.addresses[i], (int)(t.bytes / 4), (unsigned)i);
            if(t.role != CK_TILE_RESULT)
                continue;
            memset(j.addresses[i], 0xff, (size_t)t.bytes);
            if(round == 0)
                first[i] = (unsigned char*)malloc((size_t)t.bytes);
            EXPECT(run(&j) == CK_TILE_SUCCESS);
            if(round == 0)
                memcpy(first[i], j.addresses[i], (size_t)t.bytes);
            else
            {
                EXPECT(memcmp(first[i], j.addresses[i], (size_t)t.bytes) == 0);
                free(first[i]);
            }
            for(at = 0; strcmp(t.dtype, "fp32") == 0 && at < t.bytes / 4; ++at)
                if(isnan(((float*)j.addresses[i])[at]))
                {
                    fail(__FILE__, __LINE__, "not written", t.name);
                    break;
                }
        }
    return finish(&j), 1;
}

/* ---- What is rejected ---- */

/* Plans on each of a group norm's instances: by name, by id and as a tuned table says. */
static void requests(const ck_tile_device* device, ck_tile_problem* problem, int count)
{
    static const char file[] = "c_api_test_tuned.json";
    int number, planned = 0;
    for(number = 0; number < count; ++number)
    {
        ck_tile_instance instance;
        ck_tile_request by_name, by_id, tuned;
        ck_tile_plan *plan, *same, *from_table;
        FILE* table;
        memset(&by_name, 0, sizeof by_name);
        memset(&by_id, 0, sizeof by_id);
        memset(&tuned, 0, sizeof tuned);
        EXPECT(ck_tile_problem_instance(problem, number, &instance) == CK_TILE_SUCCESS);
        EXPECT(strncmp(instance.name, "groupnorm_fwd_", 14) == 0 && strncmp(instance.id, "gn_fwd.", 7) == 0);
        EXPECT(instance.fields[0] == '{');
        by_name.instance = instance.name;
        by_id.instance   = instance.id;
        if(instance.reason != NULL)
        {
            EXPECT(ck_tile_plan_create(device, problem, &by_name, &plan) == CK_TILE_UNSUPPORTED);
            EXPECT(strstr(ck_tile_last_error(), instance.reason) != NULL);
            continue;
        }
        table = fopen(file, "w");
        fprintf(table,
                "{\"operation\": \"groupnorm_fwd\", \"choices\": [{\"target\": \"%s\", \"problem\": {\"N\": 2, "
                "\"image\": [4], "
                "\"G\": 2, \"C\": 8, \"dtype\": \"fp32\", \"layout\": \"nhwgc\", \"epsilon\": 1e-05}, \"instance\": "
                "\"%s\", "
                "\"splits\": 1}]}",
                ck_tile_device_name(device), instance.name);
        fclose(table);
        tuned.tuned_table = file;
        if(ck_tile_plan_create(device, problem, &by_name, &plan) != CK_TILE_SUCCESS)
            continue; /* a pass that finds no other */
        ++planned;
        EXPECT(ck_tile_plan_create(device, problem, &by_id, &same) == CK_TILE_SUCCESS);
        EXPECT(ck_tile_plan_create(device, problem, &tuned, &from_table) == CK_TILE_SUCCESS);
        EXPECT(strstr(ck_tile_plan_instances(plan), instance.name) != NULL);
        EXPECT(strcmp(ck_tile_plan_instances(plan), ck_tile_plan_instances(same)) == 0);
        EXPECT(strcmp(ck_tile_plan_instances(plan), ck_tile_plan_instances(from_table)) == 0);
        ck_tile_plan_destroy(same);
        ck_tile_plan_destroy(plan);
        ck_tile_plan_destroy(from_table);
        remove(file);
    }
    EXPECT(planned > 0);
}

static void rejections(const char* target)
{
    ck_tile_device* device;
    ck_tile_problem* problem;
    ck_tile_plan* plan;
    ck_tile_buffer* buffer;
    ck_tile_field field;
    ck_tile_tensor tensor;
    ck_tile_instance instance;
    ck_tile_request request;
    job j;
    int count, i;
    void* one[1];
    int64_t image[4] = {4, 4, 4, 4};
    char beginning[200];

    device  = NULL;
    problem = NULL;
    plan    = NULL;
    buffer  = NULL;
    EXPECT_REJECTED(ck_tile_device_open(NULL, &device), CK_TILE_INVALID,
                    "ck_tile_device_open: name must not be null: pass one, as ck_tile.h says");
    EXPECT_REJECTED(ck_tile_device_open("host", NULL), CK_TILE_INVALID, "ck_tile_device_open: device must not be null");
    EXPECT_REJECTED(
        ck_tile_device_open("toaster", &device), CK_TILE_NO_DEVICE,
        "target 'toaster' is not known: choose one of auto, hip, cuda, hip:<number>, cuda:<number>, host, ");
    EXPECT(device == NULL);
    EXPECT_REJECTED(ck_tile_buffer_create(NULL, 1, &buffer), CK_TILE_INVALID,
                    "ck_tile_buffer_create: device must not be null");
    EXPECT_REJECTED(ck_tile_device_synchronize(NULL, NULL), CK_TILE_INVALID,
                    "ck_tile_device_synchronize: device must not be null");
    EXPECT(ck_tile_device_open(target, &device) == CK_TILE_SUCCESS);
    EXPECT(strcmp(ck_tile_device_name(device), target) == 0 && ck_tile_device_is_host(device) == 1);
    EXPECT(strstr(ck_tile_targets(), target) != NULL);
    EXPECT_REJECTED(ck_tile_buffer_create(device, ~(size_t)0 / 2, &buffer), CK_TILE_NO_MEMORY,
                    "9223372036854775807 bytes of memory cannot be allocated: choose a smaller problem");
    EXPECT_REJECTED(ck_tile_copy_to_device(device, NULL, one, 1, NULL), CK_TILE_INVALID,
                    "ck_tile_copy_to_device: destination must not be null");
    EXPECT_REJECTED(ck_tile_copy_to_host(device, one, NULL, 1, NULL), CK_TILE_INVALID,
                    "ck_tile_copy_to_host: source must not be null");

    EXPECT(ck_tile_operation_name(-1) == NULL && ck_tile_operation_name(ck_tile_operation_count()) == NULL);
    EXPECT_REJECTED(ck_tile_problem_create("transpose", &problem), CK_TILE_INVALID,
                    "'transpose' is not an operation of this library: choose one of ");
    EXPECT_REJECTED(ck_tile_problem_create("groupnorm_fwd", NULL), CK_TILE_INVALID,
                    "ck_tile_problem_create: problem must not be null");
    problem = new_problem("groupnorm_fwd");
    EXPECT_REJECTED(ck_tile_problem_set_int(NULL, "N", 1), CK_TILE_INVALID,
                    "ck_tile_problem_set_int: problem must not be null");
    EXPECT_REJECTED(ck_tile_problem_set_int(problem, NULL, 1), CK_TILE_INVALID,
                    "ck_tile_problem_set_int: field must not be null");
    EXPECT_REJECTED(
        ck_tile_problem_set_int(problem, "channels", 1), CK_TILE_INVALID,
        "a problem of groupnorm_fwd has no field 'channels': choose one of N, image, G, C, dtype, layout, epsilon");
    EXPECT_REJECTED(
        ck_tile_problem_set_int(problem, "image", 1), CK_TILE_INVALID,
        "ck_tile_problem_set_int: the field 'image' of groupnorm_fwd must be a list of 1 to 3 whole numbers: "
        "set it by ck_tile_problem_set_ints");
    EXPECT_REJECTED(ck_tile_problem_set_ints(problem, "N", image, 1), CK_TILE_INVALID,
                    "ck_tile_problem_set_ints: the field 'N' of groupnorm_fwd must be a whole number: set it by "
                    "ck_tile_problem_set_int");
    EXPECT_REJECTED(ck_tile_problem_set_ints(problem, "image", NULL, 1), CK_TILE_INVALID,
                    "ck_tile_problem_set_ints: the field 'image' of groupnorm_fwd must be a list");
    EXPECT_REJECTED(ck_tile_problem_set_ints(problem, "image", image, -1), CK_TILE_INVALID,
                    "ck_tile_problem_set_ints: the field 'image' of groupnorm_fwd must be a list");
    EXPECT_REJECTED(
        ck_tile_problem_set_real(problem, "layout", 1), CK_TILE_INVALID,
        "ck_tile_problem_set_real: the field 'layout' of groupnorm_fwd must be one of nhwgc, ngchw: set it by "
        "ck_tile_problem_set_text");
    EXPECT_REJECTED(ck_tile_problem_set_text(problem, "epsilon", "1"), CK_TILE_INVALID,
                    "ck_tile_problem_set_text: the field 'epsilon' of groupnorm_fwd must be a number: set it by "
                    "ck_tile_problem_set_real");
    EXPECT_REJECTED(ck_tile_problem_set_text(problem, "layout", NULL), CK_TILE_INVALID,
                    "ck_tile_problem_set_text: the field 'layout' of groupnorm_fwd must be one of nhwgc, ngchw");

    count = ck_tile_problem_field_count(problem);
    EXPECT(count == 7 && ck_tile_problem_field_count(NULL) == 0);
    EXPECT_REJECTED(ck_tile_problem_field(problem, 7, &field), CK_TILE_INVALID,
                    "ck_tile_problem_field: number must be from 0 to 6, but is 7: choose one of them");
    EXPECT_REJECTED(ck_tile_problem_field(problem, -1, &field), CK_TILE_INVALID,
                    "ck_tile_problem_field: number must be from 0 to 6, but is -1");
    EXPECT_REJECTED(ck_tile_problem_field(problem, 0, NULL), CK_TILE_INVALID,
                    "ck_tile_problem_field: field must not be null");
    EXPECT(ck_tile_problem_field(problem, 1, &field) == CK_TILE_SUCCESS && strcmp(field.name, "image") == 0);
    EXPECT(field.kind == CK_TILE_LIST && field.value == NULL);
    EXPECT(strcmp(field.values, "a list of 1 to 3 whole numbers") == 0);
    EXPECT(ck_tile_problem_field(problem, 4, &field) == CK_TILE_SUCCESS && field.kind == CK_TILE_CHOICE);
    EXPECT(strcmp(field.values, "one of fp16, bf16, fp32") == 0 && field.value == NULL);
    EXPECT(ck_tile_problem_field(problem, 5, &field) == CK_TILE_SUCCESS && strcmp(field.value, "nhwgc") == 0);
    EXPECT(ck_tile_problem_field(problem, 6, &field) == CK_TILE_SUCCESS && strcmp(field.value, "1e-05") == 0);
    EXPECT(field.kind == CK_TILE_REAL);

    /* Values, when they are needed. */
    EXPECT_REJECTED(ck_tile_problem_tensor_count(problem, &count), CK_TILE_INVALID,
                    "a problem's N must be a whole number, but is not given");
    EXPECT_REJECTED(ck_tile_problem_tensor(problem, 0, &tensor), CK_TILE_INVALID,
                    "a problem's N must be a whole number, but is not given");
    EXPECT_REJECTED(ck_tile_plan_create(device, problem, NULL, &plan), CK_TILE_INVALID,
                    "a problem's N must be a whole number, but is not given");
    EXPECT(ck_tile_problem_set_int(problem, "N", 2) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "G", 2) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_int(problem, "C", 0) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_ints(problem, "image", image, 4) == CK_TILE_SUCCESS);
    EXPECT(ck_tile_problem_set_text(problem, "dtype", "fp8") == CK_TILE_SUCCESS);
    EXPECT_REJECTED(ck_tile_problem_tensor_count(problem, &count), CK_TILE_INVALID,
                    "a problem's image must be a list of 1 to 3 whole numbers, but is [4,4,4,4]");
    EXPECT(ck_tile_problem_set_ints(problem, "image", image, 1) == CK_TILE_SUCCESS);
    EXPECT_REJECTED(ck_tile_problem_tensor_count(problem, &count), CK_TILE_INVALID,
                    "a problem's dtype must be one of fp16, bf16, fp32, but is \"fp8\"");
    EXPECT(ck_tile_problem_set_text(problem, "dtype", "\xff") == CK_TILE_SUCCESS); /* no UTF-8 */
    EXPECT_REJECTED(ck_tile_problem_tensor_count(problem, &count), CK_TILE_INVALID, "a problem's dtype must be one of");
    EXPECT(ck_tile_problem_set_text(problem, "dtype", "fp32") == CK_TILE_SUCCESS);
    EXPECT_REJECTED(ck_tile_problem_tensor_count(problem, &count), CK_TILE_INVALID,
                    "C must be positive, but is 0: choose 1 or more");
    EXPECT(ck_tile_problem_set_int(problem, "C", 8) == CK_TILE_SUCCESS);
    EXPECT_REJECTED(ck_tile_problem_tensor_count(problem, NULL), CK_TILE_INVALID,
                    "ck_tile_problem_tensor_count: count must not be null");
    EXPECT(ck_tile_problem_tensor_count(problem, &count) == CK_TILE_SUCCESS && count == 6);
    EXPECT_REJECTED(ck_tile_problem_tensor(problem, 6, &tensor), CK_TILE_INVALID,
                    "ck_tile_problem_tensor: number must be from 0 to 5, but is 6");
    EXPECT_REJECTED(ck_tile_problem_tensor(problem, 0, NULL), CK_TILE_INVALID,
                    "ck_tile_problem_tensor: tensor must not be null");
    EXPECT(ck_tile_problem_tensor(problem, 0, &tensor) == CK_TILE_SUCCESS);
    EXPECT(strcmp(tensor.name, "x") == 0 && strcmp(tensor.dtype, "fp32") == 0 && tensor.role == CK_TILE_INPUT);
    EXPECT(tensor.optional == 0 && tensor.rank == 4 && tensor.bytes == 2 * 4 * 2 * 8 * 4);
    EXPECT(tensor.lengths[1] == 4 && tensor.strides[0] == 64 && tensor.strides[3] == 1);
    EXPECT(ck_tile_problem_tensor(problem, 1, &tensor) == CK_TILE_SUCCESS && tensor.optional == 1);
    EXPECT(ck_tile_problem_tensor(problem, 5, &tensor) == CK_TILE_SUCCESS && tensor.role == CK_TILE_RESULT);

    /* Plans. */
    memset(&request, 0, sizeof request);
    EXPECT_REJECTED(ck_tile_plan_create(NULL, problem, NULL, &plan), CK_TILE_INVALID,
                    "ck_tile_plan_create: device must not be null");
    EXPECT_REJECTED(ck_tile_plan_create(device, NULL, NULL, &plan), CK_TILE_INVALID,
                    "ck_tile_plan_create: problem must not be null");
    EXPECT_REJECTED(ck_tile_plan_create(device, problem, NULL, NULL), CK_TILE_INVALID,
                    "ck_tile_plan_create: plan must not be null");
    request.instance = "fastest";
    sprintf(beginning, "instance 'fastest' is not one of %s: ", target);
    EXPECT_REJECTED(ck_tile_plan_create(device, problem, &request, &plan), CK_TILE_UNSUPPORTED, beginning);
    request.instance = NULL;
    request.splits   = 2;
    EXPECT_REJECTED(ck_tile_plan_create(device, problem, &request, &plan), CK_TILE_UNSUPPORTED,
                    "groupnorm_fwd has no reduction to split, and splits is 2: leave it out");
    request.splits      = 0;
    request.tuned_table = "no/such/table.json";
    EXPECT_REJECTED(ck_tile_plan_create(device, problem, &request, &plan), CK_TILE_INVALID,
                    "the tuned table no/such/table.json must be a file that can be read");
    EXPECT(plan == NULL);
    EXPECT_REJECTED(ck_tile_problem_instance(problem, 0, &instance), CK_TILE_INVALID,
                    "ck_tile_problem_instance: there are no instances: list them first");
    EXPECT_REJECTED(ck_tile_problem_list_instances(problem, NULL, &count), CK_TILE_INVALID,
                    "ck_tile_problem_list_instances: device must not be null");
    EXPECT(ck_tile_problem_list_instances(problem, device, &count) == CK_TILE_SUCCESS && count > 0);
    EXPECT_REJECTED(ck_tile_problem_instance(problem, count, &instance), CK_TILE_INVALID,
                    "ck_tile_problem_instance: number must be from 0 to ");
    EXPECT_REJECTED(ck_tile_problem_instance(problem, 0, NULL), CK_TILE_INVALID,
                    "ck_tile_problem_instance: instance must not be null");
    EXPECT(ck_tile_plan_workspace_bytes(NULL) == 0 && ck_tile_plan_instances(NULL) == NULL);
    EXPECT(ck_tile_plan_splits(NULL) == 0 && ck_tile_buffer_address(NULL) == NULL && ck_tile_device_name(NULL) == NULL);

    /* Runs. */
    if(start(&j, target, problem, NULL))
    {
        EXPECT(ck_tile_problem_list_instances(problem, device, &count) == CK_TILE_SUCCESS);
        requests(device, problem, count);
        /* Its problem may change: the plan does not. */
        EXPECT(ck_tile_problem_set_int(j.problem, "N", 7) == CK_TILE_SUCCESS);
        EXPECT(ck_tile_problem_tensor(j.problem, 0, &tensor) == CK_TILE_SUCCESS && tensor.lengths[0] == 7);
        EXPECT(ck_tile_problem_field(j.problem, 0, &field) == CK_TILE_SUCCESS && strcmp(field.value, "7") == 0);
        EXPECT(run(&j) == CK_TILE_SUCCESS);
        EXPECT_REJECTED(ck_tile_run(NULL, NULL, j.addresses, j.count, NULL), CK_TILE_INVALID,
                        "ck_tile_run: plan must not be null");
        EXPECT_REJECTED(ck_tile_run(j.plan, NULL, NULL, j.count, NULL), CK_TILE_INVALID,
                        "ck_tile_run: tensors must not be null");
        for(i = -1; i < j.count; ++i)
        {
            sprintf(beginning, "groupnorm_fwd takes the addresses of its 6 tensors, but %d are given: pass all",
                    i < 0 ? 0 : i);
            EXPECT_REJECTED(ck_tile_run(j.plan, NULL, j.addresses, i, NULL), CK_TILE_INVALID, beginning);
        }
        one[0]         = j.addresses[0];
        j.addresses[0] = NULL;
        EXPECT_REJECTED(
            run(&j), CK_TILE_INVALID,
            "groupnorm_fwd: x must be in the device's memory, but its address is null: pass the address of 512 bytes");
        j.addresses[0] = (char*)one[0] + 8;
        EXPECT_REJECTED(run(&j), CK_TILE_INVALID,
                        "groupnorm_fwd: the address of x must be a multiple of 16, but is 0x");
        j.addresses[0] = one[0];
        EXPECT_REJECTED(ck_tile_run(j.plan, NULL, j.addresses, j.count, (char*)ck_tile_buffer_address(j.workspace) + 1),
                        CK_TILE_INVALID,
                        "groupnorm_fwd: the address of the workspace must be a multiple of 16, but is 0x");
        EXPECT(run(&j) == CK_TILE_SUCCESS);
    }
    finish(&j); /* its problem, too */
    if(has_operation("maxpool_fwd"))
    {
        problem = new_problem("maxpool_fwd");
        EXPECT(ck_tile_problem_field(problem, 8, &field) == CK_TILE_SUCCESS && strcmp(field.name, "ceil") == 0);
        EXPECT(field.kind == CK_TILE_FLAG && strcmp(field.value, "false") == 0);
        EXPECT(ck_tile_problem_set_int(problem, "ceil", 1) == CK_TILE_SUCCESS);
        EXPECT(ck_tile_problem_field(problem, 8, &field) == CK_TILE_SUCCESS && strcmp(field.value, "true") == 0);
        EXPECT_REJECTED(ck_tile_problem_set_int(problem, "ceil", 2), CK_TILE_INVALID,
                        "ck_tile_problem_set_int: the field 'ceil' of maxpool_fwd must be true or false: set it by "
                        "ck_tile_problem_set_int, to 0 or 1");
        ck_tile_problem_destroy(problem);
    }
    if(has_operation("grouped_conv_fwd"))
    {
        problem = new_problem("grouped_conv_fwd");
        EXPECT(ck_tile_problem_field(problem, 5, &field) == CK_TILE_SUCCESS);
        EXPECT(strcmp(field.values, "a list of 3 whole numbers") == 0);
        EXPECT(ck_tile_problem_set_int(problem, "ndim", 2) == CK_TILE_SUCCESS);
        EXPECT(ck_tile_problem_field(problem, 5, &field) == CK_TILE_SUCCESS);
        EXPECT(strcmp(field.name, "filter") == 0 && strcmp(field.values, "a list of 2 whole numbers") == 0);
        ck_tile_problem_destroy(problem);
    }
    ck_tile_device_close(device);
}

/* ---- Threads ---- */

typedef struct
{
    const char* target;
    const char* wrong; /* the name of no operation */
    int (*compute)(const char* target);
    int ran, failures;
} thread_work;

static void* work_of_thread(void* given)
{
    thread_work* const work  = (thread_work*)given;
    ck_tile_problem* problem = NULL;
    char text[64];
    int i;
    sprintf(text, "'%s' is not an operation", work->wrong);
    for(i = 0; i < 8; ++i)
    {
        if(ck_tile_problem_create(work->wrong, &problem) != CK_TILE_INVALID)
            ++work->failures;
        work->ran = work->compute(work->target);
        if(strncmp(ck_tile_last_error(), text, strlen(text)) != 0 && work->ran)
            ++work->failures; /* the other thread's, or none */
    }
    return NULL;
}

static void two_threads(const char* target)
{
    thread_work works[2];
    pthread_t threads[2];
    int i;
    memset(works, 0, sizeof works);
    works[0].target = works[1].target = target;
    works[0].wrong                    = "one";
    works[1].wrong                    = "another";
    works[0].compute                  = group_norm;
    works[1].compute                  = has_operation("maxpool_fwd") ? max_pool : group_norm;
    for(i = 0; i < 2; ++i)
        if(pthread_create(&threads[i], NULL, work_of_thread, &works[i]) != 0)
        {
            fail(__FILE__, __LINE__, "no thread", "");
            return;
        }
    for(i = 0; i < 2; ++i)
    {
        EXPECT(pthread_join(threads[i], NULL) == 0);
        EXPECT(works[i].failures == 0);
    }
}

int main(int count, char** targets)
{
    int i, operation, ran[3] = {0, 0, 0}, every = 0;
    const int built[3] = {has_operation("groupnorm_fwd"), has_operation("maxpool_fwd"),
                          has_operation("grouped_conv_fwd")};
    EXPECT(ck_tile_api_version() == CK_TILE_API_VERSION);
    EXPECT(strlen(ck_tile_version()) > 0);
    EXPECT(strcmp(ck_tile_last_error(), "") == 0);
    ck_tile_device_close(NULL);
    ck_tile_buffer_destroy(NULL);
    ck_tile_problem_destroy(NULL);
    ck_tile_plan_destroy(NULL);
    for(i = 1; i < count; ++i)
    {
        if(built[0])
        {
            rejections(targets[i]);
            ran[0] += group_norm(targets[i]);
            two_threads(targets[i]);
        }
        if(built[1])
            ran[1] += max_pool(targets[i]);
        if(built[2])
            ran[2] += convolution(targets[i]);
    }
    for(operation = 0; operation < ck_tile_operation_count(); ++operation)
    {
        int ran_it = 0;
        for(i = 1; i < count; ++i)
            ran_it += any_operation(targets[i], ck_tile_operation_name(operation));
        if(ran_it == 0)
            fail(__FILE__, __LINE__, "ran on no target", ck_tile_operation_name(operation));
        every += ran_it;
    }
    for(i = 0; i < 3; ++i)
        EXPECT(ran[i] > 0 || !built[i]);
    printf("group norms %d, poolings %d, convolutions %d, any operation %d: %d failures\n", ran[0], ran[1], ran[2],
           every, failures);
    return failures == 0 ? 0 : 1;
}
