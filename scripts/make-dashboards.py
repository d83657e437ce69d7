#!/usr/bin/env python3
"""Writes the Grafana dashboards of the chart ganscale-operator from the tables below.

    scripts/make-dashboards.py            writes helm/ganscale-operator/files/dashboards/*.json
    scripts/make-dashboards.py --check    only says which is stale, with exit code 1
"""
import json
import sys

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from grafana_panels import BAD, GOOD, NEUTRAL, NONE_IS_GOOD, WARNING, PrometheusAnnotation, dashboard, variable, worse_above, worse_below
from write_or_check import write_or_check

FOLDER = "helm/ganscale-operator/files/dashboards"
RATE = "[$__rate_interval]"

WHERE = 'job=~"$job", instance=~"$instance"'
RUN = f'{{namespace=~"$namespace", run=~"$run", {WHERE}}}'
# The GPUs of the selected trainings: the DCGM exporter names the pod that has a GPU.
ITS_RUN = f'* on (namespace, pod) group_left (run) (0 * max by (namespace, pod, run) (ganscale_world_size{{pod!="", {RUN[1:]}) + 1)'
ALLREDUCE = f"rate(ganscale_allreduce_seconds_total{RUN}{RATE})"

# Steps where alerts begin: files/rules/.
TIME_LOST = worse_above(0.1, 0.2)
EFFICIENT = worse_below(0.8, 0.5)
IMAGES_A_SECOND = "count:images/s"
PHASES = {"Pending": NEUTRAL, "Validated": NEUTRAL, "Suspended": NEUTRAL, "Scheduling": WARNING, "Resizing": "purple",
          "Restarting": WARNING, "Running": "blue", "Succeeded": GOOD, "Failed": BAD}
# The most frequent ones of NVIDIA's "XID Errors". Red are those that GanscaleGpuXid takes for a failed GPU, as every one that is not
# here; orange those that a program can cause, or that the GPU has dealt with.
XID = {0: ("none", GOOD), 13: ("13: graphics engine exception", WARNING), 31: ("31: page fault", WARNING),
       43: ("43: program stopped", WARNING), 45: ("45: channel ended", WARNING), 48: ("48: double-bit ECC error", BAD),
       63: ("63: row remapped", WARNING), 64: ("64: row remapping failed", BAD), 68: ("68: video processor exception", WARNING),
       74: ("74: NVLink error", BAD), 79: ("79: fell off the bus", BAD), 94: ("94: contained ECC error", WARNING),
       95: ("95: uncontained ECC error", BAD), 109: ("109: context switch timeout", WARNING),
       119: ("119: GSP does not answer", BAD), 140: ("140: unrecovered ECC error", BAD)}


def by_role(rates):
    """Returns a query of ranks with the network that each trains, from its waiting time."""
    return f"{rates} * on (namespace, run, instance, rank) group_left (network) (0 * ganscale_role_wait_seconds_total{RUN} + 1)"


def by_group(rates):
    """Returns a query of ranks with the network where each role has its own ranks, which average their own gradients."""
    return f"{by_role(rates)} or on (namespace, run, instance, rank) {rates}"


# What a ring of ranks carries over each link: 2 (n - 1) / n of the bytes. All ranks count, also those of pods that are not selected.
ALL_RANKS = '{namespace=~"$namespace", run=~"$run", job=~"$job"}'
GROUP_SIZE = (f"(count by (namespace, run, network) (ganscale_role_wait_seconds_total{ALL_RANKS})"
              f" or on (namespace, run) max by (namespace, run) (ganscale_world_size{ALL_RANKS}))")
BUS_BANDWIDTH = (f"sum by (namespace, run, network) ({by_group(f'rate(ganscale_allreduce_bytes_total{RUN}{RATE})')})"
                 f" / sum by (namespace, run, network) ({by_group(ALLREDUCE)}) * 2 * (1 - 1 / {GROUP_SIZE})")
# The time that goes to waiting for the slowest rank, which waits least itself.
OWN_ALLREDUCE = by_group(ALLREDUCE)
STRAGGLING = (f"max by (namespace, run) (max by (namespace, run, network) ({OWN_ALLREDUCE})"
              f" - min by (namespace, run, network) ({OWN_ALLREDUCE}))")


def gpus(metric):
    return f'{metric}{{pod!=""}} {ITS_RUN}'


def age(part):
    return f"sum by (namespace, run, network) ({by_role(f'rate(ganscale_staleness_steps_{part}{RUN}{RATE})')})"


# A panel: (title, unit, what it shows, [(query, legend), ...], options); the options: grafana_panels.py. Bars and the table show
# points of a sweep, in the order of their ranks: the first query is RANKS, the legends are the names of the columns.
TRAINING = [
    ("Throughput", [
        ("Images per second", IMAGES_A_SECOND, "Real images that all ranks train on.",
         [(f"sum by (namespace, run) (rate(ganscale_images_total{RUN}{RATE}))", "{{namespace}}/{{run}}")], {}),
        ("Seconds per kimg", "s", "Seconds that the run takes for 1000 images, over the latest tick.",
         [(f"max by (namespace, run) (ganscale_seconds_per_kimg{RUN})", "{{namespace}}/{{run}}")], {}),
        ("kimg and ranks", "none", "Thousands of images seen, across restarts; number of processes.",
         [(f"max by (namespace, run) (ganscale_images_seen{RUN}) / 1000", "{{namespace}}/{{run}} kimg"),
          (f"max by (namespace, run) (ganscale_world_size{RUN})", "{{namespace}}/{{run}} ranks")], {"type": "stat", "units": {"/kimg$/": "count:kimg", "/ranks$/": "count:ranks"}}),
        ("Time left", "dtdurations", "Time until the run has seen all images that its configuration asks for, at the rate of the latest tick.",
         [(f"max by (namespace, run) ((ganscale_images_goal{RUN} - ganscale_images_seen{RUN}) / 1000 * ganscale_seconds_per_kimg{RUN})",
           "{{namespace}}/{{run}}")], {"type": "stat"}),
    ]),
    ("Step", [
        ("Step time", "s", "Median and 99th percentile.",
         [(f"histogram_quantile(0.5, sum by (namespace, run, le) (rate(ganscale_step_seconds_bucket{RUN}{RATE})))", "{{namespace}}/{{run}} p50"),
          (f"histogram_quantile(0.99, sum by (namespace, run, le) (rate(ganscale_step_seconds_bucket{RUN}{RATE})))", "{{namespace}}/{{run}} p99")], {}),
        ("Time by phase", "percentunit",
         "Share of the time of each phase of a step, with its optimizer, mean of the ranks; on a GPU, the time to launch it. Lines, not "
         "stacked: all-reduce, which partly overlaps with the backward passes, and waiting for the next batch, between the phases.",
         [(f"avg by (namespace, run, phase) (rate(ganscale_phase_seconds_total{RUN}{RATE}))", "{{namespace}}/{{run}} {{phase}}"),
          (f"avg by (namespace, run) ({ALLREDUCE})", "{{namespace}}/{{run}} all-reduce"),
          (f"avg by (namespace, run) (rate(ganscale_data_wait_seconds_total{RUN}{RATE}))", "{{namespace}}/{{run}} waits for data")],
         {"stack": True, "lines": "/ (all-reduce|waits for data)$/"}),
        ("Step times", "s", "Number of steps by duration.",
         [(f"sum by (le) (increase(ganscale_step_seconds_bucket{RUN}{RATE}))", "{{le}}")], {"type": "heatmap"}),
    ]),
    ("Communication", [
        ("All-reduce in progress", "percentunit",
         "Share of the time that an all-reduce is in progress, hidden behind the backward pass or not, mean of the ranks.",
         [(f"avg by (namespace, run) (rate(ganscale_allreduce_seconds_total{RUN}{RATE}))", "{{namespace}}/{{run}}")], {}),
        ("Gradient bytes per second", "Bps",
         "Bytes that a rank all-reduces, mean of the ranks, and bytes that a ring sends over each link during an all-reduce; with scheme "
         "asynchronous, the ring of each role.",
         [(f"avg by (namespace, run) (rate(ganscale_allreduce_bytes_total{RUN}{RATE}))", "{{namespace}}/{{run}} given"),
          (BUS_BANDWIDTH, "{{namespace}}/{{run}} bus {{network}}")], {}),
        ("Waiting for the slowest rank", "percentunit",
         "Gap between the rank that waits longest in all-reduce and the one that waits least; with scheme asynchronous, of one role.",
         [(STRAGGLING, "{{namespace}}/{{run}}")], {"steps": TIME_LOST}),
        ("All-reduce by rank", "percentunit",
         "The rank with the lowest share is the one that the others wait for; with scheme asynchronous, those of its role.",
         [(f"rate(ganscale_allreduce_seconds_total{RUN}{RATE})", "{{namespace}}/{{run}} rank {{rank}}")], {"type": "state"}),
    ]),
    ("Roles (scheme asynchronous)", [
        ("Waiting for the other role", "percentunit",
         "Share of the time in which a role's ranks wait for images or snapshots of the other role, mean of its ranks.",
         [(f"avg by (namespace, run, network) (rate(ganscale_role_wait_seconds_total{RUN}{RATE}))", "{{namespace}}/{{run}} {{network}}")], {}),
        ("Step time by role", "s", "Median duration of the steps of each role.",
         [(f"histogram_quantile(0.5, sum by (namespace, run, network, le) ({by_role(f'rate(ganscale_step_seconds_bucket{RUN}{RATE})')}))",
           "{{namespace}}/{{run}} {{network}}")], {}),
        ("Steps per second by role", "ops", "Steps of a rank of each role.",
         [(f"avg by (namespace, run, network) ({by_role(f'rate(ganscale_step_seconds_count{RUN}{RATE})')})", "{{namespace}}/{{run}} {{network}}")], {}),
        ("Staleness", "count:steps", "Mean age in steps of what a role gets from the other one: the generator gets weights, the discriminator images.",
         [(f"{age('sum')} / {age('count')}", "{{namespace}}/{{run}} {{network}}")], {}),
        ("Ages", "count:steps", "Number of steps of both roles by the age of the images or weights that they used.",
         [(f"sum by (le) (increase(ganscale_staleness_steps_bucket{RUN}{RATE}))", "{{le}}")], {"type": "heatmap"}),
    ]),
    ("Data", [
        ("Waiting for data", "percentunit", "Share of the time that a rank waits for its next batch.",
         [(f"rate(ganscale_data_wait_seconds_total{RUN}{RATE})", "{{namespace}}/{{run}} rank {{rank}}")], {"steps": TIME_LOST}),
        ("Prefetch depth", "count:batches", "Batches that the prefetcher may keep ready.",
         [(f"ganscale_prefetch_depth{RUN}", "{{namespace}}/{{run}} rank {{rank}}")], {}),
        ("Reader threads", "count:threads", "Threads that read and decode records: more while storage is congested.",
         [(f"ganscale_reader_threads{RUN}", "{{namespace}}/{{run}} rank {{rank}}")], {}),
        ("Reads from storage", "s", "Median and 95th percentile of the slowest rank; calm: the 95th percentile while storage is not congested.",
         [(f"max by (namespace, run) (ganscale_read_tail_seconds{RUN})", "{{namespace}}/{{run}} p95"),
          (f"max by (namespace, run) (ganscale_read_median_seconds{RUN})", "{{namespace}}/{{run}} p50"),
          (f"max by (namespace, run) (ganscale_read_calm_tail_seconds{RUN})", "{{namespace}}/{{run}} p95, calm")], {}),
    ]),
    ("Learning", [
        ("Loss", "none", "Loss in the latest tick, mean over its steps and ranks.",
         [(f"avg by (namespace, run, network) (ganscale_loss{RUN})", "{{namespace}}/{{run}} {{network}}")], {}),
        ("FID", "none", "Fréchet inception distance of the latest evaluation.",
         [(f"max by (namespace, run) (ganscale_fid{RUN})", "{{namespace}}/{{run}}")], {}),
        ("Inception score", "none", "Inception score of the latest evaluation.",
         [(f"max by (namespace, run) (ganscale_inception_score{RUN})", "{{namespace}}/{{run}}")], {}),
        ("Augmentation", "percentunit", "Current augmentation probability of ADA.",
         [(f"max by (namespace, run) (ganscale_augment_p{RUN})", "{{namespace}}/{{run}}")], {}),
    ]),
    ("Safety", [
        ("Age of the latest checkpoint", "s", "Time since the latest checkpoint, or since training began: what a failure now would lose.",
         [(f"time() - max by (namespace, run) (ganscale_checkpoint_last_success_timestamp_seconds{RUN})", "{{namespace}}/{{run}}")],
         {"steps": worse_above(3600, 7200)}),
        ("Time to write a checkpoint", "s", "Time to write the latest checkpoint, while training continues.",
         [(f"max by (namespace, run) (ganscale_checkpoint_seconds{RUN})", "{{namespace}}/{{run}}")], {}),
        ("Checkpoints that failed", "none", "Failures since the rank's process started.",
         [(f"sum by (namespace, run) (ganscale_checkpoint_failures_total{RUN})", "{{namespace}}/{{run}}")], {"type": "stat", "steps": NONE_IS_GOOD, "words": {0: ("none", GOOD)}}),
        ("Steps with NaN or infinity", "count:steps", "Updates that were skipped, by phase, since the process started.",
         [(f"max by (namespace, run, phase) (ganscale_nonfinite_total{RUN})", "{{namespace}}/{{run}} {{phase}}")], {"steps": NONE_IS_GOOD}),
    ]),
    ("Processes", [
        ("CPU", "count:cores", "Cores that a rank keeps busy.",
         [(f"rate(process_cpu_seconds_total{RUN}{RATE})", "{{namespace}}/{{run}} rank {{rank}}")], {}),
        ("Memory", "bytes", "Resident memory of a rank.",
         [(f"process_resident_memory_bytes{RUN}", "{{namespace}}/{{run}} rank {{rank}}")], {}),
        ("GPU memory", "bytes", "GPU memory that a rank had allocated at the latest tick.",
         [(f"ganscale_gpu_memory_bytes{RUN}", "{{namespace}}/{{run}} rank {{rank}}")], {}),
    ]),
    ("GPUs (needs the DCGM exporter, with pods)", [
        ("Engine and tensor cores", "percentunit", "Share of the time in which the GPU and its tensor cores are active.",
         [(gpus("DCGM_FI_PROF_GR_ENGINE_ACTIVE"), "{{namespace}}/{{run}} {{Hostname}} {{gpu}} engine"),
          (gpus("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"), "{{namespace}}/{{run}} {{Hostname}} {{gpu}} tensor")], {}),
        ("Memory bandwidth", "percentunit", "Share of the time in which the GPU's memory is active.",
         [(gpus("DCGM_FI_PROF_DRAM_ACTIVE"), "{{namespace}}/{{run}} {{Hostname}} {{gpu}}")], {}),
        ("Power", "watt", "Power of each GPU.", [(gpus("DCGM_FI_DEV_POWER_USAGE"), "{{namespace}}/{{run}} {{Hostname}} {{gpu}}")], {}),
        ("XID", "none", "Code of each GPU's latest error.",
         [(gpus("DCGM_FI_DEV_XID_ERRORS"), "{{namespace}}/{{run}} {{Hostname}} {{gpu}}")], {"type": "state", "steps": NONE_IS_GOOD, "words": XID}),
    ]),
]


# The workers of a sweep's runs, which are named after it: weak-n2-r1, weak-n1g4-r1.
SWEEP_RUN = f'{{namespace=~"$namespace", run=~"($sweep)-n[0-9]+(g[0-9]+)?-r[0-9]+", {WHERE}}}'


def figure(name, *conditions):
    """Returns the query for a figure of each point, which every replica of the operator exposes."""
    selector = ", ".join(['namespace=~"$namespace"', 'sweep=~"$sweep"', WHERE, *conditions])
    return f"max by (namespace, sweep, point, ranks) (ganscale_sweep_{name}{{{selector}}})"


def step_part(name):
    """Returns the query for a part of each point's step."""
    return figure("step_seconds", f'part="{name}"')


RANKS = figure("ranks")
IMAGES = figure("images_per_second")
SECONDS_PER_KIMG = f"1000 / {IMAGES}"
SPEEDUP = figure("speedup")
EFFICIENCY = figure("efficiency_ratio")
COMMUNICATION = figure("communication_ratio")
STRAGGLER = figure("straggler_ratio")
SWEEP = [
    ("Points", [
        ("Scaling", "none", "Medians over the runs of each point of each sweep. Speedup and efficiency are relative to the sweep's baseline.",
         [(RANKS, "Ranks"), (figure("runs_measured"), "Runs"), (figure("runs_failed"), "Failed runs"), (IMAGES, "Images per second"),
          (SECONDS_PER_KIMG, "Seconds per kimg"), (SPEEDUP, "Speedup"), (EFFICIENCY, "Efficiency"),
          (COMMUNICATION, "Communication"), (STRAGGLER, "Straggler ratio")],
         {"type": "table",
          "units": {"Images per second": IMAGES_A_SECOND, "Seconds per kimg": "s", "Speedup": "suffix:×", "Efficiency": "percentunit",
                    "Communication": "percentunit", "Straggler ratio": "suffix:×"},
          "cells": {"Failed runs": NONE_IS_GOOD, "Efficiency": EFFICIENT}}),
    ]),
    ("Scaling", [
        ("Images per second", IMAGES_A_SECOND, "Median over the runs' measured windows, by number of ranks.",
         [(RANKS, "Ranks"), (IMAGES, "Images per second")], {"type": "bars"}),
        ("Speedup", "suffix:×", "Images per second relative to the baseline; ideal: proportional to the number of ranks.",
         [(RANKS, "Ranks"), (SPEEDUP, "Speedup"), (f"{SPEEDUP} / {EFFICIENCY}", "Ideal")], {"type": "bars", "colors": {"Ideal": NEUTRAL}}),
        ("Parallel efficiency", "percentunit", "Images per second per rank, relative to the baseline.",
         [(RANKS, "Ranks"), (EFFICIENCY, "Efficiency")], {"type": "bars", "steps": EFFICIENT}),
        ("GPU time and memory", "percentunit", "Share of the time in which GPUs compute, mean over the ranks; share of memory in use on the fullest GPU.",
         [(RANKS, "Ranks"), (figure("gpu_use_ratio"), "Time"), (figure("memory_ratio"), "Memory")], {"type": "bars"}),
        ("Seconds per kimg", "s", "Seconds for 1000 images, by number of ranks.",
         [(RANKS, "Ranks"), (SECONDS_PER_KIMG, "Seconds per kimg")], {"type": "bars"}),
    ]),
    ("What it costs", [
        ("Time of a step", "s",
         "Where the time of a step goes, except in mode PerLabel. Exposed all-reduce: ranks have nothing to compute while they wait for "
         "gradients. Wait for the other role: with scheme asynchronous.",
         [(RANKS, "Ranks"), (step_part("compute"), "Compute"), (step_part("exposed all-reduce"), "Exposed all-reduce"),
          (step_part("data wait"), "Data wait"), (step_part("wait for the other role"), "Wait for the other role")],
         {"type": "bars", "stack": True}),
        ("Time of a training", "s", "Duration of a whole training on its slowest rank; in mode PerLabel only.",
         [(RANKS, "Ranks"), (figure("completion_seconds"), "Training")], {"type": "bars"}),
        ("Communication", "percentunit", "Share of the time in which ranks have nothing to compute while they wait for gradients.",
         [(RANKS, "Ranks"), (COMMUNICATION, "Communication")], {"type": "bars"}),
        ("Step time", "s", "Median and 99th percentile.",
         [(RANKS, "Ranks"), (figure("step_median_seconds"), "p50"), (figure("step_p99_seconds"), "p99")], {"type": "bars"}),
        ("Straggler ratio", "suffix:×", "Work of the slowest rank relative to the mean; 1 if all ranks are equally fast.",
         [(RANKS, "Ranks"), (STRAGGLER, "Straggler ratio")], {"type": "bars"}),
    ]),
    ("Runs", [
        ("Images per second now", IMAGES_A_SECOND, "Real images that all ranks of a run train on.",
         [(f"sum by (namespace, run) (rate(ganscale_images_total{SWEEP_RUN}{RATE}))", "{{namespace}}/{{run}}")], {}),
        ("Images per second and rank", IMAGES_A_SECOND, "Horizontal lines: perfect scaling.",
         [(f"avg by (namespace, run) (rate(ganscale_images_total{SWEEP_RUN}{RATE}))", "{{namespace}}/{{run}}")], {}),
        ("Ranks", "count:ranks", "Processes of each run.",
         [(f"max by (namespace, run) (ganscale_world_size{SWEEP_RUN})", "{{namespace}}/{{run}}")], {}),
        ("Sweeps by phase", "count:sweeps", "ScalingSweeps of the cluster.",
         [(f"max by (phase) (ganscale_sweeps{{{WHERE}}})", "{{phase}}")], {"stack": True, "colors": PHASES}),
    ]),
]

KINDS = "gantraining|scalingsweep"
CONTROLLER = f'{{controller=~"{KINDS}", {WHERE}}}'
QUEUE = f'{{name=~"{KINDS}", {WHERE}}}'


def reconcile_time(quantile):
    rates = f"rate(controller_runtime_reconcile_time_seconds_bucket{CONTROLLER}{RATE})"
    return f"histogram_quantile({quantile}, sum by (controller, le) ({rates}))"


def queue_time(quantile):
    return f"histogram_quantile({quantile}, sum by (name, le) (rate(workqueue_queue_duration_seconds_bucket{QUEUE}{RATE})))"


OPERATOR = [
    ("State", [
        ("Leaders", "none", "Always one for each Lease. With none, nothing is started, resized or restarted.",
         [(f"sum by (namespace, name) (leader_election_master_status{{{WHERE}}})", "{{namespace}}/{{name}}")],
         {"type": "stat", "steps": [(None, BAD), (1, GOOD), (2, BAD)], "words": {0: ("no leader", BAD), 1: ("one", GOOD)}}),
        ("Leading replica", "none", "Which replica leads, and since when.",
         [(f"leader_election_master_status{{{WHERE}}}", "{{instance}}")],
         {"type": "state", "steps": [(None, NEUTRAL), (1, GOOD)], "words": {0: ("standby", NEUTRAL), 1: ("leads", GOOD)}}),
        ("Trainings by phase", "count:trainings", "GanTrainings of the cluster.",
         [(f"max by (phase) (ganscale_trainings{{{WHERE}}})", "{{phase}}")], {"stack": True, "colors": PHASES}),
        ("Longest wait", "s", "Longest time that a training has been waiting to run.",
         [(f"max(ganscale_training_longest_wait_seconds{{{WHERE}}})", "waiting")], {"steps": worse_above(900, 1800)}),
    ]),
    ("Reconciling", [
        ("Reconciles per second", "ops", "Reconciles of trainings and sweeps by result; requeue_after: done, and due again later.",
         [(f"sum by (controller, result) (rate(controller_runtime_reconcile_total{CONTROLLER}{RATE}))", "{{controller}} {{result}}")],
         {"stack": True, "colors": {"/ success$/": GOOD, "/ requeue_after$/": NEUTRAL, "/ requeue$/": WARNING, "/ error$/": BAD}}),
        ("Errors per second", "ops", "Reconciles that failed and are retried.",
         [(f"sum by (controller) (rate(controller_runtime_reconcile_errors_total{CONTROLLER}{RATE}))", "{{controller}}")],
         {"steps": NONE_IS_GOOD}),
        ("Time of a reconcile", "s", "Median and 99th percentile.",
         [(reconcile_time(0.5), "{{controller}} p50"), (reconcile_time(0.99), "{{controller}} p99")], {}),
        ("Reconciles in progress", "none", "Reconciles in progress; at most operator.workers for each kind.",
         [(f"sum by (controller) (controller_runtime_active_workers{CONTROLLER})", "{{controller}}")], {}),
    ]),
    ("Queue", [
        ("Depth", "none", "Trainings and sweeps that wait for a reconcile.", [(f"sum by (name) (workqueue_depth{QUEUE})", "{{name}}")], {}),
        ("Time in the queue", "s", "Median and 99th percentile of the time that a key waits.",
         [(queue_time(0.5), "{{name}} p50"), (queue_time(0.99), "{{name}} p99")], {}),
        ("Added and retried", "ops", "Keys added, and added again after a failure.",
         [(f"sum by (name) (rate(workqueue_adds_total{QUEUE}{RATE}))", "{{name}} added"),
          (f"sum by (name) (rate(workqueue_retries_total{QUEUE}{RATE}))", "{{name}} retried")], {"colors": {"/ retried$/": WARNING}}),
    ]),
    ("API server", [
        ("Requests per second", "ops", "Requests by method and response code; code 0: no response.",
         [(f"sum by (method, code) (rate(rest_client_requests_total{{{WHERE}}}{RATE}))", "{{method}} {{code}}")],
         {"stack": True, "colors": {"/ 2..$/": GOOD, "/ 4..$/": WARNING, "/ (0|5..)$/": BAD}}),
    ]),
]


def before(value):
    """Returns the query for the latest value of a minute ago or before; a training is away for minutes while it restarts."""
    return f"last_over_time(({value})[15m:30s] offset 1m)"


def annotations(selector):
    """Returns the marks of restarts and resizes, which appear in every panel over time.

    selector: the runs, in braces
    """
    ranks, images = (f"max by (namespace, run) ({metric}{selector})" for metric in ["ganscale_world_size", "ganscale_images_total"])
    resized = f"{ranks} != {before(ranks)}"
    return [PrometheusAnnotation("Resizes", "purple", f'count_values by (namespace, run) ("ranks", {resized})', "{{namespace}}/{{run}}: {{ranks}} ranks"),
            # A process counts its images from 0.
            PrometheusAnnotation("Restarts", WARNING, f"{images} < {before(images)} unless {resized}", "{{namespace}}/{{run}} restarted")]


def main():
    of_runs = [variable("namespace", "label_values(ganscale_world_size, namespace)", "Namespace"),
               variable("run", 'label_values(ganscale_world_size{namespace=~"$namespace"}, run)', "Training"),
               variable("job", 'label_values(ganscale_world_size{namespace=~"$namespace", run=~"$run"}, job)', "Job"),
               variable("instance", 'label_values(ganscale_world_size{namespace=~"$namespace", run=~"$run", job=~"$job"}, instance)',
                        "Pod")]
    of_replicas = [variable("job", "label_values(leader_election_master_status, job)", "Job"),
                   variable("instance", 'label_values(leader_election_master_status{job=~"$job"}, instance)', "Replica")]
    # The operator exposes the figures, the workers what runs now.
    both = '{__name__=~"ganscale_sweep_ranks|ganscale_world_size", namespace=~"$namespace"}'
    of_sweeps = [variable("namespace", "label_values(ganscale_sweep_ranks, namespace)", "Namespace"),
                 variable("sweep", 'label_values(ganscale_sweep_ranks{namespace=~"$namespace"}, sweep)', "Sweep"),
                 variable("job", f"label_values({both}, job)", "Job"),
                 variable("instance", f"label_values({both}, instance)", "Pod")]
    boards = {
        "training": dashboard(
            ("ganscale-training", "ganscale / Training", "Rate, step, communication, data, learning and safety of trainings."),
            of_runs, TRAINING, annotations(RUN)),
        "sweep": dashboard(
            ("ganscale-sweep", "ganscale / Scaling sweep", "Results of ScalingSweeps: how trainings scale with their "
             "ranks, and what it costs."), of_sweeps, SWEEP, annotations(SWEEP_RUN)),
        "operator": dashboard(
            ("ganscale-operator", "ganscale / Operator", "Leader, queue and reconciles of the ganscale operator."),
            of_replicas, OPERATOR, annotations("")),
    }
    return write_or_check({f"{FOLDER}/{name}.json": json.dumps(board, cls=JSONEncoder, indent=1, ensure_ascii=False) + "\n"
                           for name, board in boards.items()})


if __name__ == "__main__":
    sys.exit(main())
