"""Times the operator with many GanTrainings of 8 DGX nodes, against a real API server and MPI Operator.

    python3 benchmarks/operator/scale.py [--trainings 500] [--nodes 80]

The nodes that there are hold nodes/8 trainings; the pods of the others wait. All MPIJobs are made all the same.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "cluster"))
from control_plane import ControlPlane, wait_for  # noqa: E402
from operator_case import Operator, install  # noqa: E402


def training(i):
    return {"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining", "metadata": {"name": f"t{i:04}"},
            "spec": {"nodes": 8, "nodeProfile": "dgx-a100", "image": "registry.example/ganscale:test",
                     "config": {"model": {"name": "dcgan", "resolution": 64}, "training": {"batch": 512}}}}


def resident_mb(operator):
    status = pathlib.Path(f"/proc/{operator.process.pid}/status").read_text()
    return {key: int(re.search(rf"{key}:\s+(\d+)", status)[1]) / 1024 for key in ("VmRSS", "VmHWM")}


RECONCILE, REQUEST = "controller_runtime_reconcile_time_seconds", "rest_client_request_duration_seconds"
WRITES = ("POST", "PATCH", "DELETE")


def quantile(before, after, q, histogram, label=""):
    """Upper bound of the histogram's bucket that holds the quantile of what came in between."""
    buckets = {}
    for (name, labels), value in after.items():
        if name == f"{histogram}_bucket" and label in labels:
            bound = re.search(r'le="([^"]+)"', labels)[1]
            buckets[float(bound.replace("+Inf", "inf"))] = value - before.get((name, labels), 0)
    total = buckets[float("inf")]
    return next(bound for bound in sorted(buckets) if buckets[bound] >= q * total)


def p50_p99(before, after, histogram=RECONCILE, label='controller="gantraining"'):
    return ", ".join(f"{1000 * quantile(before, after, q, histogram, label):.0f}" for q in (.5, .99)) + " ms"


def requests(metrics, methods=("GET", "POST", "PUT", "PATCH", "DELETE")):
    return sum(value for (name, labels), value in metrics.items()
               if name == "rest_client_requests_total" and any(f'method="{m}"' in labels for m in methods))


def reconciles(metrics):
    return metrics[("controller_runtime_reconcile_time_seconds_count", 'controller="gantraining"')]


def wait_quiet(operator, seconds=10):
    """Waits until no reconcile has begun for a while."""
    last, since = reconciles(operator.metrics()), time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.5)
        now = reconciles(operator.metrics())
        if now != last:
            last, since = now, time.monotonic()


def measure(cluster, operator, count):
    empty, memory = operator.metrics(), resident_mb(operator)
    rows = [("resident memory, no training", f"{memory['VmRSS']:.0f} MB")]
    start = time.monotonic()
    items = [training(i) for i in range(count)]
    for first in range(0, count, 100):
        cluster.kubectl("create", "-f", "-", stdin=json.dumps(
            {"apiVersion": "v1", "kind": "List", "items": items[first:first + 100]}))
    rows.append((f"{count} GanTrainings created (kubectl)", f"{time.monotonic() - start:.1f} s"))
    wait_for("every MPIJob is made", lambda: cluster.count("mpijobs") == count, 1800, 0.5)
    rows.append((f"{count} MPIJobs made, since the first create", f"{time.monotonic() - start:.1f} s"))
    wait_for("every worker pod is made", lambda: cluster.count("pods") >= 8 * count, 3600, 1)
    rows.append((f"{8 * count} pods made by the MPI Operator", f"{time.monotonic() - start:.0f} s"))
    wait_quiet(operator)
    made = operator.metrics()
    rows += [("reconciles until then", f"{reconciles(made) - reconciles(empty):.0f}"),
             ("reconcile time p50, p99 (bucket)", p50_p99(empty, made)),
             ("API server's time for a PATCH p50, p99 (bucket)", p50_p99(empty, made, REQUEST, 'verb="PATCH"')),
             ("API server's time for a PUT p50, p99 (bucket)", p50_p99(empty, made, REQUEST, 'verb="PUT"')),
             ("API calls a reconcile", f"{(requests(made) - requests(empty)) / (reconciles(made) - reconciles(empty)):.2f}")]
    memory = resident_mb(operator)
    rows += [(f"resident memory, {count} trainings (peak)", f"{memory['VmRSS']:.0f} ({memory['VmHWM']:.0f}) MB")]

    before, start = operator.metrics(), time.monotonic()
    cluster.kubectl("label", "gt", "--all", "looked=1")
    wait_quiet(operator)
    after = operator.metrics()
    looked = reconciles(after) - reconciles(before)
    writes = requests(after, WRITES) - requests(before, WRITES)
    election = (time.monotonic() - start) / 2  # a GET and a PUT every two seconds
    rows += [("steady: reconciles, one label changed on each", f"{looked:.0f}"),
             ("steady: reconcile time p50, p99 (bucket)", p50_p99(before, after)),
             ("steady: writes (POST, PATCH, DELETE)", f"{writes:.0f}"),
             ("steady: API calls a reconcile, without the election",
              f"{max(0.0, requests(after) - requests(before) - 2 * election) / looked:.2f}")]
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trainings", type=int, default=500)
    options.add_argument("--nodes", type=int, default=80)
    options.add_argument("--workers", type=int, default=2, help="of the operator")
    options = options.parse_args()
    with ControlPlane(dgx_nodes=options.nodes, pods_here=False) as cluster:
        install(cluster)
        operator = Operator(cluster, options=["--workers", options.workers]).start().wait_ready()
        wait_for("it leads", lambda: operator.total("leader_election_master_status") == 1)
        for what, value in measure(cluster, operator, options.trainings):
            print(f"| {what} | {value} |", flush=True)


if __name__ == "__main__":
    main()
