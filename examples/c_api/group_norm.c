/* SPDX-License-Identifier: MIT
 * A group normalisation in C: y = (x - mean) / sqrt(variance + epsilon) over the channels of each group and all pixels.
 *
 * usage: group_norm [device] */
#include <ck_tile.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the program where a call has failed. */
static void check(ck_tile_status status)
{
    if(status == CK_TILE_SUCCESS)
        return;
    fprintf(stderr, "%s\n", ck_tile_last_error());
    exit(1);
}

int main(int count, char** arguments)
{
    /* Two images of 32 x 32 pixels, 8 groups of 16 channels, channels innermost. */
    const int64_t image[] = {32, 32};
    ck_tile_device* device;
    ck_tile_problem* problem;
    ck_tile_plan* plan;
    check(ck_tile_device_open(count > 1 ? arguments[1] : "auto", &device));
    check(ck_tile_problem_create("groupnorm_fwd", &problem));
    check(ck_tile_problem_set_int(problem, "N", 2));
    check(ck_tile_problem_set_ints(problem, "image", image, 2));
    check(ck_tile_problem_set_int(problem, "G", 8));
    check(ck_tile_problem_set_int(problem, "C", 16));
    check(ck_tile_problem_set_text(problem, "dtype", "fp32"));
    check(ck_tile_plan_create(device, problem, NULL, &plan));
    printf("%s: %s\n", ck_tile_device_name(device), ck_tile_plan_instances(plan));

    /* Memory on the device. A caller that has its own, as PyTorch has, passes addresses of that. gamma and beta are optional. */
    enum
    {
        tensors  = 6, /* x, gamma, beta, y, mean, inv_std */
        elements = 2 * 32 * 32 * 8 * 16
    };
    ck_tile_buffer* buffers[tensors] = {NULL};
    void* addresses[tensors]         = {NULL};
    for(int i = 0; i < tensors; ++i)
    {
        ck_tile_tensor t;
        check(ck_tile_problem_tensor(problem, i, &t));
        if(t.optional)
            continue;
        check(ck_tile_buffer_create(device, (size_t)t.bytes, &buffers[i]));
        addresses[i] = ck_tile_buffer_address(buffers[i]);
    }
    ck_tile_buffer* workspace;
    check(ck_tile_buffer_create(device, ck_tile_plan_workspace_bytes(plan), &workspace));

    static float x[elements], y[elements];
    for(int i = 0; i < elements; ++i)
        x[i] = (float)(i % 1000);
    check(ck_tile_copy_to_device(device, addresses[0], x, sizeof x, NULL));

    /* As often as needed, on the default stream; the copy waits for it. */
    check(ck_tile_run(plan, NULL, addresses, tensors, ck_tile_buffer_address(workspace)));
    check(ck_tile_copy_to_host(device, y, addresses[3], sizeof y, NULL));

    double sum = 0, squares = 0; /* of all groups: as many times 0 and 1 */
    for(int i = 0; i < elements; ++i)
    {
        sum += y[i];
        squares += y[i] * y[i];
    }
    printf("mean %.3f, variance %.3f\n", sum / elements, squares / elements);

    for(int i = 0; i < tensors; ++i)
        ck_tile_buffer_destroy(buffers[i]);
    ck_tile_buffer_destroy(workspace);
    ck_tile_plan_destroy(plan);
    ck_tile_problem_destroy(problem);
    ck_tile_device_close(device);
    return 0;
}
