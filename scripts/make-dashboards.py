#!/usr/bin/env python3
"""Writes the Grafana dashboards of the chart ganscale-operator from the tables below.

    scripts/make-dashboards.py            writes helm/ganscale-operator/files/dashboards/*.json
    scripts/make-dashboards.py --check    only says which is stale, with exit code 1
"""
import json
import sys

from write_or_check import write_or_check

FOLDER = "helm/ganscale-operator/files/dashboards"
RATE = "[$__rate_interval]"

WHERE = 'job=~"$job", instance=~"$instance"'
RUN = f'{{namespace=~"$namespace", run=~"$run", {WHERE}}}'
GPU = '{Hostname=~"$hostname"}'
ALLREDUCE = f"rate(ganscale_allreduce_seconds_total{RUN}{RATE})"


def bus_bandwidth(by):
    """Returns the query for what a ring of the ranks carries over each link: 2 (n - 1) / n of the bytes."""
    return (f"sum by ({by}) (rate(ganscale_allreduce_bytes_total{RUN}{RATE})) / sum by ({by}) ({ALLREDUCE})"
            f" * 2 * (1 - 1 / max by ({by}) (ganscale_world_size{RUN}))")


def straggling(by):
    """Returns the query for the time that goes to waiting for the slowest rank: it waits least itself."""
    return f"max by ({by}) ({ALLREDUCE}) - min by ({by}) ({ALLREDUCE})"


# A panel: (title, unit, what it shows, [(query, legend), ...], options). Rows hold up to four side by side. Bars and the table
# show points of a sweep, in the order of their ranks: the first query is RANKS, the legends are the names of the columns.
TRAINING = [
    ("Throughput", [
        ("Images per second", "short", "Real images that all ranks train on.",
         [(f"sum by (run) (rate(ganscale_images_total{RUN}{RATE}))", "{{run}}")], {}),
        ("Seconds per kimg", "s", "Seconds the run takes for 1000 images, of the latest tick.",
         [(f"max by (run) (ganscale_seconds_per_kimg{RUN})", "{{run}}")], {}),
        ("kimg and ranks", "short", "Thousands of images seen, over all restarts; processes of the training.",
         [(f"max by (run) (ganscale_images_seen{RUN}) / 1000", "{{run}} kimg"),
          (f"max by (run) (ganscale_world_size{RUN})", "{{run}} ranks")], {"type": "stat"}),
        ("Time left", "s", "Until the images that the configuration asks for have been seen, at the rate of the latest tick.",
         [(f"max by (run) ((ganscale_images_goal{RUN} - ganscale_images_seen{RUN}) / 1000 * ganscale_seconds_per_kimg{RUN})",
           "{{run}}")], {"type": "stat"}),
    ]),
    ("Step", [
        ("Step time", "s", "Half of the steps, and 99 of 100, take no longer than this.",
         [(f"histogram_quantile(0.5, sum by (run, le) (rate(ganscale_step_seconds_bucket{RUN}{RATE})))", "{{run}} p50"),
          (f"histogram_quantile(0.99, sum by (run, le) (rate(ganscale_step_seconds_bucket{RUN}{RATE})))", "{{run}} p99")], {}),
        ("Time by phase", "percentunit",
         "Share of the time that each phase of a step takes, with its optimizer's, mean of the ranks. As lines, not stacked: all-reduce, "
         "which the backward passes hide in part, and the wait for the next batch, between the phases.",
         [(f"avg by (run, phase) (rate(ganscale_phase_seconds_total{RUN}{RATE}))", "{{run}} {{phase}}"),
          (f"avg by (run) ({ALLREDUCE})", "{{run}} all-reduce"),
          (f"avg by (run) (rate(ganscale_data_wait_seconds_total{RUN}{RATE}))", "{{run}} waits for data")],
         {"stack": True, "lines": "/ (all-reduce|waits for data)$/"}),
        ("Step times", "s", "How many steps took how long.",
         [(f"sum by (le) (increase(ganscale_step_seconds_bucket{RUN}{RATE}))", "{{le}}")], {"type": "heatmap"}),
    ]),
    ("Communication", [
        ("Gradients on their way", "percentunit",
         "Share of the time that all-reduce is at work, hidden behind the backward pass or not, mean of the ranks.",
         [(f"avg by (run) (rate(ganscale_allreduce_seconds_total{RUN}{RATE}))", "{{run}}")], {}),
        ("Gradient bytes per second", "Bps",
         "Bytes that a rank gives to all-reduce, mean of the ranks; and what a ring carries over each link while they are on their way.",
         [(f"avg by (run) (rate(ganscale_allreduce_bytes_total{RUN}{RATE}))", "{{run}} given"),
          (bus_bandwidth("run"), "{{run}} bus")], {}),
        ("Waiting for the slowest rank", "percentunit", "Gap between the rank that waits longest in all-reduce and the one that waits least.",
         [(straggling("run"), "{{run}}")], {}),
        ("All-reduce by rank", "percentunit", "The rank with the least is the one that the others wait for.",
         [(f"rate(ganscale_allreduce_seconds_total{RUN}{RATE})", "{{run}} rank {{rank}}")], {"type": "state"}),
    ]),
    ("Roles (scheme asynchronous)", [
        ("Waiting for the other role", "percentunit",
         "Share of the time that the ranks of a role wait for images or snapshots of the other one, mean of its ranks.",
         [(f"avg by (run, network) (rate(ganscale_role_wait_seconds_total{RUN}{RATE}))", "{{run}} {{network}}")], {}),
        ("Staleness", "short", "Mean age, in steps, of the images or weights that a rank uses from the other role.",
         [(f"rate(ganscale_staleness_steps_sum{RUN}{RATE}) / rate(ganscale_staleness_steps_count{RUN}{RATE})",
           "{{run}} rank {{rank}}")], {}),
        ("Ages", "short", "How many steps used images or weights of which age.",
         [(f"sum by (le) (increase(ganscale_staleness_steps_bucket{RUN}{RATE}))", "{{le}}")], {"type": "heatmap"}),
    ]),
    ("Data", [
        ("Waiting for data", "percentunit", "Share of the time that a rank waits for its next batch.",
         [(f"rate(ganscale_data_wait_seconds_total{RUN}{RATE})", "{{run}} rank {{rank}}")], {}),
        ("Prefetch depth", "short", "Batches that the prefetcher may hold ready.",
         [(f"ganscale_prefetch_depth{RUN}", "{{run}} rank {{rank}}")], {}),
        ("Reader threads", "short", "Threads that read and decode records: more while storage is congested.",
         [(f"ganscale_reader_threads{RUN}", "{{run}} rank {{rank}}")], {}),
        ("Reads from storage", "s", "Half of the reads, and 95 of 100, take no longer; and the latter while storage is not congested. The slowest rank.",
         [(f"max by (run) (ganscale_read_tail_seconds{RUN})", "{{run}} p95"),
          (f"max by (run) (ganscale_read_median_seconds{RUN})", "{{run}} p50"),
          (f"max by (run) (ganscale_read_calm_tail_seconds{RUN})", "{{run}} p95, calm")], {}),
    ]),
    ("Learning", [
        ("Loss", "short", "Loss of the latest tick, mean over its steps and ranks.",
         [(f"avg by (run, network) (ganscale_loss{RUN})", "{{run}} {{network}}")], {}),
        ("FID", "short", "Fréchet inception distance of the latest evaluation.",
         [(f"max by (run) (ganscale_fid{RUN})", "{{run}}")], {}),
        ("Inception score", "short", "Inception score of the latest evaluation.",
         [(f"max by (run) (ganscale_inception_score{RUN})", "{{run}}")], {}),
        ("Augmentation", "percentunit", "Probability of augmentation that ADA has reached.",
         [(f"max by (run) (ganscale_augment_p{RUN})", "{{run}}")], {}),
    ]),
    ("Safety", [
        ("Age of the latest checkpoint", "s", "What would be lost by a fault now.",
         [(f"time() - max by (run) (ganscale_checkpoint_last_success_timestamp_seconds{RUN})", "{{run}}")], {}),
        ("Time to write a checkpoint", "s", "Of the latest one; training goes on meanwhile.",
         [(f"max by (run) (ganscale_checkpoint_seconds{RUN})", "{{run}}")], {}),
        ("Checkpoints that failed", "short", "Since the rank's process started.",
         [(f"sum by (run) (ganscale_checkpoint_failures_total{RUN})", "{{run}}")], {"type": "stat"}),
        ("Steps with NaN or infinity", "short", "Steps that were not applied, by phase, since the process started.",
         [(f"max by (run, phase) (ganscale_nonfinite_total{RUN})", "{{run}} {{phase}}")], {}),
    ]),
    ("Processes", [
        ("CPU", "short", "Cores that a rank keeps busy.",
         [(f"rate(process_cpu_seconds_total{RUN}{RATE})", "{{run}} rank {{rank}}")], {}),
        ("Memory", "bytes", "Resident memory of a rank.",
         [(f"process_resident_memory_bytes{RUN}", "{{run}} rank {{rank}}")], {}),
        ("GPU memory", "bytes", "Most GPU memory that a rank has had allocated.",
         [(f"ganscale_gpu_memory_bytes{RUN}", "{{run}} rank {{rank}}")], {}),
    ]),
    ("GPUs (needs the DCGM exporter)", [
        ("Engine and tensor cores", "percentunit", "Share of the time that the GPU, and its tensor cores, are at work.",
         [(f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{GPU}", "{{Hostname}} {{gpu}} engine"),
          (f"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{GPU}", "{{Hostname}} {{gpu}} tensor")], {}),
        ("Memory bandwidth", "percentunit", "Share of the time that the GPU's memory is at work.",
         [(f"DCGM_FI_PROF_DRAM_ACTIVE{GPU}", "{{Hostname}} {{gpu}}")], {}),
        ("Power", "watt", "Of each GPU.", [(f"DCGM_FI_DEV_POWER_USAGE{GPU}", "{{Hostname}} {{gpu}}")], {}),
        ("XID", "short", "Code of the latest error of each GPU; 0: none.",
         [(f"DCGM_FI_DEV_XID_ERRORS{GPU}", "{{Hostname}} {{gpu}}")], {}),
    ]),
]


def point(value):
    """Returns the query for the points of a sweep: a point is a run with one number of ranks, in the label `ranks`, and its value
    is the median over the time shown. It holds for runs that came one after the other, and for one that was scaled.

    value: a query with one sample a run, by (namespace, run)
    """
    ranks = f'count_values by (namespace, run) ("ranks", max by (namespace, run) (ganscale_world_size{RUN}))'
    return f"quantile_over_time(0.5, ({value} * on (namespace, run) group_right () {ranks})[$__range:$__interval])"


def mean_rate(counter):
    """Returns the query for what a counter grows by in a second, mean of the ranks of each run."""
    return f"avg by (namespace, run) (rate({counter}{RUN}{RATE}))"


def against_smallest(value):
    """Returns the query for points relative to those with the fewest ranks; of several such, to their mean."""
    return f"{value} / scalar(avg({value} and {RANKS} == scalar(min({RANKS}))))"


def step_time(quantile):
    return point(f"histogram_quantile({quantile}, sum by (namespace, run, le) (rate(ganscale_step_seconds_bucket{RUN}{RATE})))")


RANKS = point(f"max by (namespace, run) (ganscale_world_size{RUN})")
IMAGES = point(f"1000 / max by (namespace, run) (ganscale_seconds_per_kimg{RUN})")
SECONDS_PER_KIMG = point(f"max by (namespace, run) (ganscale_seconds_per_kimg{RUN})")
SPEEDUP = against_smallest(IMAGES)
EFFICIENCY = against_smallest(f"({IMAGES} / {RANKS})")
COMMUNICATION = point(mean_rate("ganscale_allreduce_seconds_total"))
WAITING_FOR_SLOWEST = point(f"({straggling('namespace, run')})")
WAITING_FOR_DATA = point(mean_rate("ganscale_data_wait_seconds_total"))
BANDWIDTH = point(bus_bandwidth("namespace, run"))
SWEEP = [
    ("Points", [
        ("Scaling", "short",
         "Each run with each number of ranks, medians over the time shown. Speed-up and efficiency are relative to the fewest ranks.",
         [(RANKS, "Ranks"), (IMAGES, "Images per second"), (SECONDS_PER_KIMG, "Seconds per kimg"), (SPEEDUP, "Speed-up"),
          (EFFICIENCY, "Efficiency"), (COMMUNICATION, "Communication"), (WAITING_FOR_SLOWEST, "Waiting for the slowest rank"),
          (WAITING_FOR_DATA, "Waiting for data")],
         {"type": "table", "units": {"Seconds per kimg": "s", "Efficiency": "percentunit", "Communication": "percentunit",
                                     "Waiting for the slowest rank": "percentunit", "Waiting for data": "percentunit"}}),
    ]),
    ("Scaling", [
        ("Images per second", "short", "By ranks: the median of the ticks, without checkpoints and grids.",
         [(RANKS, "Ranks"), (IMAGES, "Images per second")], {"type": "bars"}),
        ("Speed-up", "short", "Images per second relative to the fewest ranks; ideal: as many times faster as there are more ranks.",
         [(RANKS, "Ranks"), (SPEEDUP, "Speed-up"), (against_smallest(RANKS), "Ideal")], {"type": "bars"}),
        ("Parallel efficiency", "percentunit", "Images per second and rank, relative to the fewest ranks.",
         [(RANKS, "Ranks"), (EFFICIENCY, "Efficiency")], {"type": "bars"}),
        ("Seconds per kimg", "s", "By ranks: the median of the ticks.",
         [(RANKS, "Ranks"), (SECONDS_PER_KIMG, "Seconds per kimg")], {"type": "bars"}),
    ]),
    ("What it costs", [
        ("Gradients on their way", "percentunit",
         "Share of the time that all-reduce is at work, hidden behind the backward pass or not, mean of the ranks.",
         [(RANKS, "Ranks"), (COMMUNICATION, "Communication")], {"type": "bars"}),
        ("Bus bandwidth", "Bps", "Bytes a second that a ring of the ranks carries over each link while gradients are on their way.",
         [(RANKS, "Ranks"), (BANDWIDTH, "Bus bandwidth")], {"type": "bars"}),
        ("Step time", "s", "Half of the steps, and 99 of 100, take no longer than this.",
         [(RANKS, "Ranks"), (step_time(0.5), "p50"), (step_time(0.99), "p99")], {"type": "bars"}),
        ("Waiting", "percentunit", "Share of the time that ranks wait for the slowest one, and for their next batch.",
         [(RANKS, "Ranks"), (WAITING_FOR_SLOWEST, "For the slowest rank"), (WAITING_FOR_DATA, "For data")], {"type": "bars"}),
    ]),
    ("Runs", [
        ("Images per second now", "short", "Real images that all ranks train on.",
         [(f"sum by (namespace, run) (rate(ganscale_images_total{RUN}{RATE}))", "{{run}}")], {}),
        ("Images per second and rank", "short", "Level lines: perfect scaling.", [(mean_rate("ganscale_images_total"), "{{run}}")], {}),
        ("Ranks", "short", "Processes of each run.", [(f"max by (namespace, run) (ganscale_world_size{RUN})", "{{run}}")], {}),
        ("Stragglers", "percentunit", "Share of the time that the most patient rank waits more than this one: the slow rank has most.",
         [(f"max by (namespace, run) ({ALLREDUCE}) - on (namespace, run) group_right () {ALLREDUCE}", "{{run}} rank {{rank}}")],
         {"type": "state"}),
    ]),
]

CONTROLLER = f'{{controller="gantraining", {WHERE}}}'
QUEUE = f'{{name="gantraining", {WHERE}}}'
OPERATOR = [
    ("State", [
        ("Leaders", "short", "One, always. 0: nothing is started, resized or restarted.",
         [(f"sum(leader_election_master_status{{{WHERE}}})", "leaders")], {"type": "stat"}),
        ("Who leads", "short", "1 for the replica that leads.",
         [(f"leader_election_master_status{{{WHERE}}}", "{{instance}}")], {"type": "state"}),
        ("Trainings by phase", "short", "GanTrainings of the cluster.",
         [(f"max by (phase) (ganscale_trainings{{{WHERE}}})", "{{phase}}")], {"stack": True}),
        ("Longest wait", "s", "How long the training that waits longest has waited to start.",
         [(f"max(ganscale_training_longest_wait_seconds{{{WHERE}}})", "waiting")], {}),
    ]),
    ("Reconciling", [
        ("Reconciles per second", "ops", "By result; requeue_after: done, and due again later.",
         [(f"sum by (result) (rate(controller_runtime_reconcile_total{CONTROLLER}{RATE}))", "{{result}}")], {"stack": True}),
        ("Errors per second", "ops", "Reconciles that failed and are tried again.",
         [(f"sum(rate(controller_runtime_reconcile_errors_total{CONTROLLER}{RATE}))", "errors")], {}),
        ("Time of a reconcile", "s", "Half of them, and 99 of 100, take no longer than this.",
         [(f"histogram_quantile(0.5, sum by (le) (rate(controller_runtime_reconcile_time_seconds_bucket{CONTROLLER}{RATE})))", "p50"),
          (f"histogram_quantile(0.99, sum by (le) (rate(controller_runtime_reconcile_time_seconds_bucket{CONTROLLER}{RATE})))", "p99")], {}),
        ("Reconciles at work", "short", "Of operator.workers at most.",
         [(f"sum(controller_runtime_active_workers{CONTROLLER})", "at work")], {}),
    ]),
    ("Queue", [
        ("Depth", "short", "Trainings that wait for a reconcile.", [(f"sum(workqueue_depth{QUEUE})", "waiting")], {}),
        ("Time in the queue", "s", "Half of the keys, and 99 of 100, wait no longer than this.",
         [(f"histogram_quantile(0.5, sum by (le) (rate(workqueue_queue_duration_seconds_bucket{QUEUE}{RATE})))", "p50"),
          (f"histogram_quantile(0.99, sum by (le) (rate(workqueue_queue_duration_seconds_bucket{QUEUE}{RATE})))", "p99")], {}),
        ("Added and tried again", "ops", "Keys added, and added again after a failure.",
         [(f"sum(rate(workqueue_adds_total{QUEUE}{RATE}))", "added"),
          (f"sum(rate(workqueue_retries_total{QUEUE}{RATE}))", "tried again")], {}),
    ]),
    ("API server", [
        ("Requests per second", "ops", "By method and answer; code 0: no answer.",
         [(f"sum by (method, code) (rate(rest_client_requests_total{{{WHERE}}}{RATE}))", "{{method}} {{code}}")], {"stack": True}),
    ]),
]

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
POINTS = {"format": "table", "instant": True, "range": False}


def variable(name, query, label):
    return {"name": name, "label": label, "type": "query", "datasource": DATASOURCE, "refresh": 2, "sort": 1,
            "query": {"query": query, "refId": name}, "definition": query, "includeAll": True, "allValue": ".*",
            "multi": True, "current": {"text": ["All"], "value": ["$__all"]}}


def one_table(queries, hidden):
    """Returns the transformations that lay the answers to all queries side by side: a row a point, sorted by the first query."""
    columns = {f"Value #{chr(ord('A') + i)}": name for i, (_, name) in enumerate(queries)}
    return [{"id": "merge", "options": {}},
            {"id": "sortBy", "options": {"fields": {}, "sort": [{"field": "Value #A"}]}},
            {"id": "organize", "options": {"excludeByName": {"Time": True, hidden: True}, "indexByName": {},
                                           "renameByName": {"namespace": "Namespace", "run": "Run", **columns}}}]


def panel(number, definition, place):
    title, unit, description, queries, options = definition
    kind = {"heatmap": "heatmap", "stat": "stat", "state": "status-history", "bars": "barchart", "table": "table"}.get(
        options.get("type"), "timeseries")
    custom = {"stacking": {"mode": "normal"}, "fillOpacity": 40} if options.get("stack") else {}
    overrides = [{"matcher": {"id": "byName", "options": column}, "properties": [{"id": "unit", "value": value}]}
                 for column, value in options.get("units", {}).items()]
    if "lines" in options:
        overrides.append({"matcher": {"id": "byRegexp", "options": options["lines"]}, "properties": [
            {"id": "custom.stacking", "value": {"mode": "none"}}, {"id": "custom.fillOpacity", "value": 0}]})
    form = {"heatmap": {"format": "heatmap"}, "barchart": POINTS, "table": POINTS}.get(kind, {})
    value = {"id": number, "type": kind, "title": title, "description": description, "datasource": DATASOURCE,
             "gridPos": place, "fieldConfig": {"defaults": {"unit": unit, "custom": custom}, "overrides": overrides},
             "options": {"xField": "ranks", "orientation": "vertical"} if kind == "barchart" else {}, "targets": [
                 {"refId": chr(ord("A") + i), "expr": query, "legendFormat": legend, "datasource": DATASOURCE, **form}
                 for i, (query, legend) in enumerate(queries)]}
    if form is POINTS:
        value["transformations"] = one_table(queries, hidden="ranks" if kind == "table" else "Value #A")
    return value


def dashboard(uid, title, description, variables, rows):
    panels, y = [], 0
    for name, row in rows:
        panels.append({"id": len(panels) + 1, "type": "row", "title": name, "collapsed": False, "panels": [],
                       "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}})
        width = 24 // len(row)
        for i, definition in enumerate(row):
            place = {"h": 8, "w": width, "x": i * width, "y": y + 1}
            panels.append(panel(len(panels) + 1, definition, place))
        y += 9
    source = {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}
    return {"uid": uid, "title": title, "description": description, "tags": ["ganscale"], "schemaVersion": 39, "version": 1,
            "editable": True, "refresh": "30s", "time": {"from": "now-3h", "to": "now"}, "timezone": "",
            "templating": {"list": [source, *variables]}, "annotations": {"list": []}, "links": [], "panels": panels}


def main():
    of_runs = [variable("namespace", "label_values(ganscale_world_size, namespace)", "Namespace"),
               variable("run", 'label_values(ganscale_world_size{namespace=~"$namespace"}, run)', "Training"),
               variable("job", 'label_values(ganscale_world_size{namespace=~"$namespace", run=~"$run"}, job)', "Job"),
               variable("instance", 'label_values(ganscale_world_size{namespace=~"$namespace", run=~"$run", job=~"$job"}, instance)',
                        "Pod")]
    of_gpus = [variable("hostname", "label_values(DCGM_FI_DEV_POWER_USAGE, Hostname)", "Node (DCGM)")]
    of_replicas = [variable("job", "label_values(leader_election_master_status, job)", "Job"),
                   variable("instance", 'label_values(leader_election_master_status{job=~"$job"}, instance)', "Replica")]
    boards = {
        "training": dashboard(
            "ganscale-training", "ganscale / Training", "Rate, step, communication, data, learning and safety of trainings.",
            of_runs + of_gpus, TRAINING),
        "sweep": dashboard(
            "ganscale-sweep", "ganscale / Scaling sweep", "How trainings scale with their ranks, and what it costs. Choose the runs "
            "to compare and a time that holds them all.", of_runs, SWEEP),
        "operator": dashboard(
            "ganscale-operator", "ganscale / Operator", "Leader, queue and reconciles of the ganscale operator.",
            of_replicas, OPERATOR),
    }
    return write_or_check({f"{FOLDER}/{name}.json": json.dumps(board, indent=1, ensure_ascii=False) + "\n"
                           for name, board in boards.items()})


if __name__ == "__main__":
    sys.exit(main())
