/* test_simulate.c - simulated runs against what can be worked out by hand. */
#include <math.h>
#include <string.h>

#include "cluster/simulate.h"
#include "tap.h"

#define PROMPTS 64
#define ROWS 100

static struct intake_item items[PROMPTS];
static struct footprint_stage cut[8];

/* Prompts that fill a batch each, 1 s a layer, messages and merging that take no time; 8 layers. */
static struct simulate_run make_run(size_t groups, size_t stages)
{
    for (size_t i = 0; i < PROMPTS; i++)
        items[i] = (struct intake_item){.line = i, .length = ROWS};
    for (size_t i = 0; i < stages; i++)
        cut[i] = (struct footprint_stage){i * 8 / stages, 8 / stages};
    struct simulate_run run = {.schedule = {.cost = {1.0, 0.0, 0.0}, .groups = groups, .stages = stages, .batch_tokens = ROWS},
                               .pace = {.seconds = {[PACE_TOKEN] = 1.0 / ROWS}, .last = 1.0, .merge = INFINITY},
                               .machine = {.ranks_per_node = 64, .cores = 64, .bandwidth = INFINITY, .local = INFINITY},
                               .cut = cut, .layers = 8, .hidden = 64, .intermediate = 64};
    return run;
}

static struct simulate_result simulate(const struct simulate_run *run, size_t count)
{
    struct simulate_result result;
    struct error e;
    if (simulate_run(&result, run, items, count, &e) != STATUS_OK)
        bail("no memory");
    return result;
}

static void test_pipelines(void)
{
    struct simulate_run run = make_run(1, 1);
    struct simulate_result r = simulate(&run, PROMPTS);
    is_double(r.prompts, 8.0 * PROMPTS, 1e-9, "one rank takes its work");
    is_double(r.efficiency, 1.0, 1e-12, "all of its time");
    is_uint(r.batches, PROMPTS, "a batch for each prompt");
    run = make_run(4, 1);
    is_double(simulate(&run, PROMPTS).prompts, 8.0 * PROMPTS / 4, 1e-9, "4 groups take a quarter");
    run = make_run(1, 4);
    r = simulate(&run, PROMPTS);
    is_double(r.prompts, 2.0 * (PROMPTS + 3), 1e-9, "4 stages wait for the first batch to come through");
    is_double(r.hidden_bytes, 0.0, 0.0, "within a node nothing crosses the network");
    run = make_run(2, 8);
    is_double(simulate(&run, PROMPTS).prompts, 1.0 * (PROMPTS / 2 + 7), 1e-9, "2 groups of 8 stages");
    run = make_run(4, 2);
    is_double(simulate(&run, 3).prompts, 8.0, 1e-9, "fewer prompts than groups");
}

/* A prompt of 4 chunks through 2 stages of 4 layers, 1 s a chunk and layer. */
static void test_chunks(void)
{
    struct simulate_run run = make_run(1, 2);
    items[0].length = 4 * ROWS;
    is_double(simulate(&run, 1).prompts, 4.0 * (4 + 1), 1e-9, "a long prompt goes on chunk by chunk: one is waited for");
    run.schedule.shape = (struct band_shape){2, 1};
    run.schedule.layers = 4;
    is_double(simulate(&run, 1).prompts, 2.0 * 4 + 2.0 + 4.0 * 4, 1e-9, "in bands of 2 of 4 layers: after the first band, and one");
    run.schedule.shape = (struct band_shape){200, 1};
    is_double(simulate(&run, 1).prompts, 3.0 * 4 + 1.0 + 4.0 * 4, 1e-9, "in bands of 1: after 3 of them, and one");
    is_double(simulate(&run, PROMPTS).prompts, 4.0 * (PROMPTS + 3) + 3.0 * 4 + 1.0, 1e-6,
              "others fill the time but for that");
    run = make_run(1, 1);
    items[0].length = 4 * ROWS;
    run.schedule.shape = (struct band_shape){2, 1};
    is_double(simulate(&run, 1).prompts, 8.0 * 4, 1e-9, "a rank alone waits for nothing");
}

static void test_sharing(void)
{
    struct simulate_run run = make_run(8, 1);
    run.machine.cores = 2;
    struct simulate_result r = simulate(&run, PROMPTS);
    is_double(r.prompts, 8.0 * PROMPTS / 2, 1e-9, "8 ranks on 2 cores take the time of 2");
    is_double(r.efficiency, 1.0, 1e-12, "which is all that 2 cores can do");
    run = make_run(1, 4);
    run.machine.cores = 1;
    is_double(simulate(&run, PROMPTS).prompts, 8.0 * PROMPTS, 1e-6, "4 stages on one core take the time of one");
}

static void test_network(void)
{
    struct simulate_run run = make_run(1, 2);
    double bytes = ROWS * 64.0 * sizeof(float);
    run.machine.ranks_per_node = 1;
    run.machine.bandwidth = bytes / 10.0; /* 10 s a message, more than a batch of 4 s */
    struct simulate_result r = simulate(&run, PROMPTS);
    is_double(r.prompts, 4.0 + 10.0 * PROMPTS + 4.0, 1e-6, "a slow network sets the pace");
    is_double(r.hidden_bytes, bytes * PROMPTS, 1e-3, "every batch crosses it");
    run.machine.bandwidth = bytes / 2.0;
    is_double(simulate(&run, PROMPTS).prompts, 4.0 * (PROMPTS + 1) + 2.0, 1e-6, "a faster one is hidden behind the work");
    run = make_run(2, 2);
    run.machine.ranks_per_node = 3; /* stage 0 of the second group shares no port with the first, whose stages are together */
    run.machine.bandwidth = bytes / 2.0;
    is_double(simulate(&run, PROMPTS).prompts, 4.0 * (PROMPTS / 2 + 1) + 2.0, 1e-6, "a group that lies across nodes");
    run = make_run(2, 1);
    run.machine.ranks_per_node = 1;
    run.machine.bandwidth = 1e6;
    run.pace.merge = 1e6;
    ok(simulate(&run, PROMPTS).merge > 0.1 && simulate(&run, PROMPTS).merge_bytes > 1e5, "a merge takes time and bytes");
}

static void test_pace(void)
{
    struct pace truth = {.seconds = {1e-3, 2e-5, 3e-9, 4e-4}}, fit = {.last = 0.8};
    struct pace_batch batches[5] = {{{0}}};
    const size_t prompts[5] = {1, 2, 8, 1, 20}, length[5] = {512, 250, 60, 2048, 5};
    double seconds[5];
    for (size_t b = 0; b < 5; b++) {
        for (size_t i = 0; i < prompts[b]; i++)
            pace_batch_add(&batches[b], length[b]);
        pace_batch_end(&batches[b], 512);
        seconds[b] = pace_seconds(&truth, &batches[b]);
    }
    is_double(batches[3].terms[PACE_CHUNK], 4.0, 0.0, "2,048 tokens are 4 chunks of 512");
    pace_fit(&fit, batches, seconds, 5);
    for (int i = 0; i < PACE_TERMS; i++)
        is_double(fit.seconds[i] / truth.seconds[i], 1.0, 1e-6, "term %d of the line is found again", i);
    is_double(fit.error, 0.0, 1e-9, "nothing is left over");
    is_double(fit.last, 0.8, 0.0, "the last layer's share is left alone");
    pace_fit(&fit, batches, (double[]){1, 1, 1, 1, 1}, 5);
    bool positive = true;
    for (int i = 0; i < PACE_TERMS; i++)
        positive = positive && fit.seconds[i] >= 0.0;
    ok(positive, "no term is negative, whatever was measured");
    pace_fit(&fit, batches, seconds, 1);
    is_double(pace_seconds(&fit, &batches[0]), seconds[0], 1e-12, "one measurement is met");
}

int main(void)
{
    test_pipelines();
    test_chunks();
    test_sharing();
    test_network();
    test_pace();
    return tap_done();
}
