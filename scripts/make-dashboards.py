#!/usr/bin/env python3
"""Writes the Grafana dashboards of the chart ganscale-operator from the tables below.

    scripts/make-dashboards.py            writes helm/ganscale-operator/files/dashboards/*.json
    scripts/make-dashboards.py --check    only says which is stale, with exit code 1
"""
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "helm/ganscale-operator/files/dashboards"
RATE = "[$__rate_interval]"

# A panel: (title, unit, what it shows, [(query, legend), ...], options). Rows hold up to four side by side.
RUN = '{namespace=~"$namespace", run=~"$run"}'
STRAGGLER = f"max by (run) (rate(ganscale_allreduce_seconds_total{RUN}{RATE})) - min by (run) (rate(ganscale_allreduce_seconds_total{RUN}{RATE}))"
TRAINING = [
    ("Throughput", [
        ("Images per second", "short", "Real images that all ranks train on.",
         [(f"sum by (run) (rate(ganscale_images_total{RUN}{RATE}))", "{{run}}")], {}),
        ("Seconds per kimg", "s", "Seconds the run takes for 1000 images, of the latest tick.",
         [(f"max by (run) (ganscale_seconds_per_kimg{RUN})", "{{run}}")], {}),
        ("kimg", "short", "Thousands of images seen, over all restarts.",
         [(f"max by (run) (ganscale_images_seen{RUN}) / 1000", "{{run}}")], {"type": "stat"}),
        ("Ranks", "short", "Processes of the training.",
         [(f"max by (run) (ganscale_world_size{RUN})", "{{run}}")], {"type": "stat"}),
    ]),
    ("Step", [
        ("Step time", "s", "Half of the steps, and 99 of 100, take no longer than this.",
         [(f"histogram_quantile(0.5, sum by (run, le) (rate(ganscale_step_seconds_bucket{RUN}{RATE})))", "{{run}} p50"),
          (f"histogram_quantile(0.99, sum by (run, le) (rate(ganscale_step_seconds_bucket{RUN}{RATE})))", "{{run}} p99")], {}),
        ("Time by phase", "percentunit", "Share of the time that each phase of a step takes, mean of the ranks.",
         [(f"avg by (run, phase) (rate(ganscale_phase_seconds_total{RUN}{RATE}))", "{{run}} {{phase}}")], {"stack": True}),
        ("Step times", "s", "How many steps took how long.",
         [(f"sum by (le) (increase(ganscale_step_seconds_bucket{RUN}{RATE}))", "{{le}}")], {"type": "heatmap"}),
    ]),
    ("Communication", [
        ("Gradients on their way", "percentunit",
         "Share of the time that all-reduce is at work, hidden behind the backward pass or not, mean of the ranks.",
         [(f"avg by (run) (rate(ganscale_allreduce_seconds_total{RUN}{RATE}))", "{{run}}")], {}),
        ("Gradient bytes per second", "Bps", "Bytes that a rank gives to all-reduce, mean of the ranks.",
         [(f"avg by (run) (rate(ganscale_allreduce_bytes_total{RUN}{RATE}))", "{{run}}")], {}),
        ("Waiting for the slowest rank", "percentunit", "Gap between the rank that waits longest in all-reduce and the one that waits least.",
         [(STRAGGLER, "{{run}}")], {}),
        ("All-reduce by rank", "percentunit", "The rank with the least is the one that the others wait for.",
         [(f"rate(ganscale_allreduce_seconds_total{RUN}{RATE})", "{{run}} rank {{rank}}")], {"type": "state"}),
    ]),
    ("Data", [
        ("Waiting for data", "percentunit", "Share of the time that a rank waits for its next batch.",
         [(f"rate(ganscale_data_wait_seconds_total{RUN}{RATE})", "{{run}} rank {{rank}}")], {}),
        ("Prefetch depth", "short", "Batches that the prefetcher may hold ready.",
         [(f"ganscale_prefetch_depth{RUN}", "{{run}} rank {{rank}}")], {}),
        ("Reader threads", "short", "Threads that read and decode records.",
         [(f"ganscale_reader_threads{RUN}", "{{run}} rank {{rank}}")], {}),
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
         [("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "{{Hostname}} {{gpu}} engine"),
          ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "{{Hostname}} {{gpu}} tensor")], {}),
        ("Memory bandwidth", "percentunit", "Share of the time that the GPU's memory is at work.",
         [("DCGM_FI_PROF_DRAM_ACTIVE", "{{Hostname}} {{gpu}}")], {}),
        ("Power", "watt", "Of each GPU.", [("DCGM_FI_DEV_POWER_USAGE", "{{Hostname}} {{gpu}}")], {}),
        ("XID", "short", "Code of the latest error of each GPU; 0: none.",
         [("DCGM_FI_DEV_XID_ERRORS", "{{Hostname}} {{gpu}}")], {}),
    ]),
]

WHERE = 'job=~"$job", instance=~"$instance"'
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


def variable(name, query, label):
    return {"name": name, "label": label, "type": "query", "datasource": DATASOURCE, "refresh": 2, "sort": 1,
            "query": {"query": query, "refId": name}, "definition": query, "includeAll": True, "allValue": ".*",
            "multi": True, "current": {"text": ["All"], "value": ["$__all"]}}


def panel(number, definition, place):
    title, unit, description, queries, options = definition
    kind = {"heatmap": "heatmap", "stat": "stat", "state": "status-history"}.get(options.get("type"), "timeseries")
    custom = {"stacking": {"mode": "normal"}, "fillOpacity": 40} if options.get("stack") else {}
    return {"id": number, "type": kind, "title": title, "description": description, "datasource": DATASOURCE,
            "gridPos": place, "fieldConfig": {"defaults": {"unit": unit, "custom": custom}, "overrides": []},
            "options": {}, "targets": [
                {"refId": chr(ord("A") + i), "expr": query, "legendFormat": legend, "datasource": DATASOURCE,
                 **({"format": "heatmap"} if kind == "heatmap" else {})}
                for i, (query, legend) in enumerate(queries)]}


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
    boards = {
        "training": dashboard(
            "ganscale-training", "ganscale / Training", "Rate, step, communication, data, learning and safety of trainings.",
            [variable("namespace", "label_values(ganscale_world_size, namespace)", "Namespace"),
             variable("run", 'label_values(ganscale_world_size{namespace=~"$namespace"}, run)', "Training")], TRAINING),
        "operator": dashboard(
            "ganscale-operator", "ganscale / Operator", "Leader, queue and reconciles of the ganscale operator.",
            [variable("job", "label_values(leader_election_master_status, job)", "Job"),
             variable("instance", 'label_values(leader_election_master_status{job=~"$job"}, instance)', "Replica")], OPERATOR),
    }
    stale = 0
    for name, value in boards.items():
        path = FOLDER / f"{name}.json"
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale = 1
            print(f"{path.name} is stale: scripts/make-dashboards.py renews it", file=sys.stderr)
    return stale


if __name__ == "__main__":
    sys.exit(main())
