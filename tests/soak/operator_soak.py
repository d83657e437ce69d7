#!/usr/bin/env python3
"""Lets trainings come and go for a long time, with an API server that answers some requests with an error, and reports whether
the operator's memory, file descriptors or threads grow.

  tests/soak/operator_soak.py --minutes 60 --trainings 100 --errors 0.01

The control plane is real, the nodes and pods are simulated. In the end each training must be as it should, and nothing may be
left once all are deleted. The program ends with 1 if something grows."""
import argparse
import collections
import contextlib
import pathlib
import random
import subprocess
import sys
import time

from growth import READ_EVERY_SECONDS, minutes, read_process, report

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
from control_plane import ControlPlane, wait_for  # noqa: E402
from fault_proxy import FaultProxy  # noqa: E402
from operator_case import Operator, install  # noqa: E402

ERRORS = [409, 429, 500, 503]
TRANSIENT_CODES = [71, 75, 143]
FAILED = 70
ENDED = ("Succeeded", "Failed")
SPEC = {"image": "registry.example/ganscale:test", "nodeProfile": "dgx-a100", "nodes": 1,
        "config": {"model": {"name": "dcgan", "resolution": 64}, "training": {"batch": 512}}, "checkpointDeadlineSeconds": 1,
        "restartPolicy": {"maxRestarts": 100000, "backoffSeconds": 1, "maxBackoffSeconds": 2}}


class Soak:
    """Trainings that come and go, and what was read of their operator: {"memory MiB": [(hours, value), ...]}."""

    def __init__(self, cluster, proxy, count, share):
        self.cluster, self.proxy, self.count, self.share = cluster, proxy, count, share
        self.operator = Operator(cluster, server=proxy.url).start().wait_ready()
        self.random = random.Random(1)
        self.names = []
        self.made = 0
        self.counts = collections.Counter()
        self.readings = {}

    def create(self):
        name = f"t{self.made:05}"
        self.made += 1
        self.cluster.create("gt", {"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining", "metadata": {"name": name}, "spec": SPEC})
        self.names.append(name)

    # --- what happens
    def end_launcher(self, name, code):
        pods = self.cluster.get("pods", selector=f"ganscale.dev/training={name},ganscale.dev/role=launcher")["items"]
        for pod in pods:
            self.cluster.patch("pods", pod["metadata"]["name"],
                               {"metadata": {"annotations": {"test.ganscale.dev/exit-code": str(code)}}})

    def succeed(self, name):
        self.end_launcher(name, 0)

    def fail(self, name):
        self.end_launcher(name, FAILED)

    def interrupt(self, name):
        self.end_launcher(name, self.random.choice(TRANSIENT_CODES))

    def resize(self, name):
        self.cluster.patch("gt", name, {"spec": {"replicas": self.random.choice([1, 2])}}, subresource="scale")

    def suspend(self, name):
        self.cluster.patch("gt", name, {"spec": {"suspend": True}})

    def resume(self, name):
        self.cluster.patch("gt", name, {"spec": {"suspend": False}})

    def replace(self, name):
        self.cluster.delete("gt", name)
        self.names.remove(name)
        self.create()

    def replace_ended(self, _):
        for item in self.cluster.get("gt")["items"]:
            if item.get("status", {}).get("phase") in ENDED and item["metadata"]["name"] in self.names:
                self.replace(item["metadata"]["name"])

    def change(self):
        """Makes one change to a training at random, as its user, its pods or the API server would."""
        happens = self.random.choice([self.succeed, self.fail, self.interrupt, self.interrupt, self.resize, self.suspend, self.resume,
                                      self.resume, self.replace, self.replace_ended])
        with contextlib.suppress(subprocess.CalledProcessError):  # it went meanwhile
            happens(self.random.choice(self.names))
            self.counts[happens.__name__] += 1

    def run(self, length):
        for _ in range(self.count):
            self.create()
        began = time.monotonic()
        while (passed := time.monotonic() - began) < 60 * length:
            self.proxy.fail(self.random.choice(ERRORS), self.share, 60)
            self.change()
            for name, value in read_process(self.operator.process.pid).items():
                self.readings.setdefault(name, []).append((passed / 3600, value))
            self.operator.metrics()
            time.sleep(READ_EVERY_SECONDS)

    # --- what must be in the end
    def wrong(self):
        """Returns what each training that is not as it should be is instead."""
        phases = {item["metadata"]["name"]: (item["spec"].get("suspend", False), item.get("status", {}).get("phase"))
                  for item in self.cluster.get("gt")["items"]}
        wrong = {name: phase for name, (suspended, phase) in phases.items()
                 if phase not in (*ENDED, "Suspended" if suspended else "Running")}
        return wrong | {name: "missing" for name in set(self.names) - set(phases)}

    def settle(self):
        """Waits until each training is as it should be. The MPI Operator is started anew: after many events of a gang it looks
        at it again only after up to a quarter of an hour."""
        self.cluster.restart("mpi-operator")
        try:
            wait_for("each training is as it should be", lambda: not self.wrong(), 600, 1)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.wrong()}\n{self.cluster.log(self.operator.name)[-4000:]}") from None

    def delete_all(self):
        for name in self.names:
            self.cluster.delete("gt", name)
        wait_for("nothing is left", lambda: self.cluster.kubectl(
            "get", "gt,cm,netpol,pdb,mpijob,pods,secrets", "-l", "ganscale.dev/training", "-o", "name") == "", 600, 1)

    def requests(self):
        """Returns how many requests the operator made, and how many were answered with a code that the proxy invents."""
        codes = collections.Counter()
        for (name, labels), value in self.operator.metrics().items():
            if name == "rest_client_requests_total":
                codes[labels.split('code="')[1].split('"')[0]] += int(value)
        return sum(codes.values()), sum(codes[str(code)] for code in ERRORS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=minutes, default=60)
    parser.add_argument("--trainings", type=int, default=100, help="that there are at any time")
    parser.add_argument("--errors", type=float, default=0.01, help="share of requests that are answered with an error")
    options = parser.parse_args()
    with ControlPlane(dgx_nodes=options.trainings * 5 // 4) as cluster:
        install(cluster)
        proxy = FaultProxy(cluster)
        try:
            soak = Soak(cluster, proxy, options.trainings, options.errors)
            soak.run(options.minutes)
            soak.settle()
            soak.delete_all()
        finally:
            proxy.close()
        requests, failed = soak.requests()
        changes = ", ".join(f"{count} x {name}" for name, count in sorted(soak.counts.items()))
        print(f"operator: {soak.made} trainings, {changes}; {requests} requests, {failed} of them answered with an error")
        return report(soak.readings)


if __name__ == "__main__":
    sys.exit(main())
