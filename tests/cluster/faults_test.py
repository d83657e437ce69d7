"""Random faults; afterward each training has one live attempt and the right status.

Thirty faults, 200 in `make check-long`; GANSCALE_FAULTS and GANSCALE_FAULT_SEED set how many and which.
"""
import collections
import contextlib
import json
import os
import random
import signal
import subprocess
import threading
import time
import unittest
import urllib.request

from control_plane import wait_for
from fault_proxy import FaultProxy
from operator_case import Operator, OperatorCase
from thorough import thorough

COUNT = int(os.environ.get("GANSCALE_FAULTS", thorough(200, 30)))
SEED = int(os.environ.get("GANSCALE_FAULT_SEED", "1"))
RIGHT_WITHIN = 300  # seconds
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


class Faults(OperatorCase):
    with_operator = False

    def setUp(self):
        self.random = random.Random(SEED)
        self.proxy = FaultProxy(self.cluster)
        self.addCleanup(self.proxy.close)
        environment = {}
        self.clock = self.cluster.folder / "clock"
        self.clock.write_text("+0")
        if os.path.exists(FAKETIME):
            environment = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1",
                           "DONT_FAKE_MONOTONIC": "1"}
        self.operators = [Operator(self.cluster, name, self.proxy.url, environment).start()
                          for name in ("operator-a", "operator-b")]
        self.names = [self.training(f"run-{i}", nodes=1, restartPolicy={
            "maxRestarts": 100000, "backoffSeconds": 0, "maxBackoffSeconds": 1}) for i in range(4)]
        self.suspended = set()
        self.two_at_once = []
        self.counts = collections.Counter()
        self.over = threading.Event()
        self.starting = threading.Lock()

    # --- what goes wrong
    def kill_operator(self):
        operator = self.random.choice(self.operators)
        with self.starting:
            operator.stop(signal.SIGKILL)
            operator.start()

    def restart_apiserver(self):
        self.cluster.stop("apiserver", signal.SIGKILL)
        self.cluster.start_apiserver()
        # A controller manager of several ends when it can't renew its lease. Ours has none, and its garbage collector may
        # never hear of what was deleted while it looked for the kinds that the new server has.
        self.cluster.restart("manager")

    def compact_etcd(self):
        def ask(path, body):
            request = urllib.request.Request(f"http://127.0.0.1:{self.cluster.ports['etcd']}/v3/kv/{path}",
                                             json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        revision = ask("range", {"key": "AA=="})["header"]["revision"]
        try:
            ask("compaction", {"revision": revision, "physical": True})
        except urllib.error.HTTPError:
            pass  # nothing was written since the last time

    def drop_watches(self):
        self.proxy.drop()

    def answer_with_errors(self):
        self.proxy.fail(self.random.choice([409, 429, 500]), share=0.5, seconds=1.5)

    def steal_lease(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self.cluster.patch("lease", "ganscale-operator", {"spec": {"holderIdentity": "thief", "leaseDurationSeconds": 3}},
                               namespace="ganscale-system")

    def delete_owned(self):
        kind = self.random.choice(["mpijobs", "cm", "networkpolicy", "pdb", "pods"])
        names = self.labeled(kind)
        if names:
            with contextlib.suppress(subprocess.CalledProcessError):
                self.cluster.delete(kind, self.random.choice(names))

    def labeled(self, kind, labels="ganscale.dev/training"):
        return [item["metadata"]["name"] for item in self.cluster.get(kind, selector=labels)["items"]]

    def flip_clock(self):
        self.clock.write_text(self.random.choice(["+0", "+3h", "-3h", "+40d", "-40d"]))

    def end_worker(self):
        launchers = self.labeled("pods", "ganscale.dev/role=launcher")
        if launchers:
            with contextlib.suppress(subprocess.CalledProcessError):
                self.cluster.patch("pods", self.random.choice(launchers), {"metadata": {"annotations": {
                    "test.ganscale.dev/exit-code": str(self.random.choice([71, 75, 143]))}}})

    def scale(self):
        self.cluster.patch("gt", self.random.choice(self.names), {"spec": {"replicas": self.random.choice([1, 2])}},
                           subresource="scale")

    def suspend_or_resume(self):
        name = self.random.choice(self.names)
        self.suspended ^= {name}
        self.cluster.patch("gt", name, {"spec": {"suspend": name in self.suspended}})

    def delete_and_make_again(self):
        name = self.random.choice(self.names)
        spec = self.get(name)["spec"]
        self.cluster.delete("gt", name)
        wait_for(f"{name} is gone", lambda: name not in self.labeled("gt", ""), 240)
        self.cluster.apply({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining",
                            "metadata": {"name": name}, "spec": spec})

    # --- what must never be
    def look_for_two(self):
        while not self.over.wait(0.3):
            try:
                items = self.cluster.get("mpijobs")["items"]
            except subprocess.CalledProcessError:
                continue
            live = {}
            for item in items:
                if "deletionTimestamp" not in item["metadata"]:
                    live.setdefault(item["metadata"]["labels"]["ganscale.dev/training"], []).append(item["metadata"]["name"])
            self.two_at_once += [names for names in live.values() if len(names) > 1]

    def keep_operators(self):
        """Starts an operator that ended, as the kubelet would."""
        while not self.over.wait(0.5):
            for name in ("operator-a", "operator-b"):
                with self.starting:
                    self.cluster.revive(name)

    # --- what must be in the end
    def pods_of(self, name):
        return self.cluster.get("pods", selector=f"ganscale.dev/training={name}")["items"]

    def is_right(self, name):
        training = self.get(name)
        status = training.get("status", {})
        jobs = self.jobs(name)
        pods = self.pods_of(name)
        if training["spec"].get("suspend"):
            return status.get("phase") == "Suspended" and not jobs and not pods
        attempt = status["attempt"]["number"]
        nodes = training["spec"]["nodes"]
        names = {pod["metadata"]["name"].split("-launcher")[0].split("-worker")[0] for pod in pods}
        return (status.get("phase") == "Running" and jobs == [f"{name}-r{attempt}"] and names == set(jobs)
                and len(self.pods(name)) == nodes and status["nodes"] == nodes
                and status["observedGeneration"] == training["metadata"]["generation"])

    def wait_right(self, name):
        try:
            wait_for(f"{name} is right", lambda: self.is_right(name), RIGHT_WITHIN)
        except AssertionError as error:
            training = self.get(name)
            pods = [(pod["metadata"]["name"], pod["metadata"].get("deletionTimestamp"), pod["status"].get("phase"))
                    for pod in self.pods_of(name)]
            raise AssertionError(f"{error}\nspec {training['spec']}\nmetadata {training['metadata']}\n"
                                 f"status {training.get('status')}\njobs {self.jobs(name)}\npods {pods}") from None

    def make_faults(self):
        """Makes COUNT faults, one after the other; counts them in self.counts."""
        often = [self.drop_watches, self.answer_with_errors, self.delete_owned, self.end_worker, self.flip_clock,
                 self.scale, self.suspend_or_resume, self.compact_etcd]
        seldom = [self.kill_operator, self.restart_apiserver, self.steal_lease, self.delete_and_make_again]
        seconds = collections.Counter()
        for _ in range(COUNT):
            fault = self.random.choice(often * 3 + seldom)
            began = time.monotonic()
            self.counts[fault.__name__] += 1
            fault()
            seconds[fault.__name__] += time.monotonic() - began
            # Faster than this, kube-controller-manager was seen to leave the pods of a deleted Job behind.
            time.sleep(0.5 + self.random.random())
        rounded = {name: round(value, 1) for name, value in seconds.items()}
        print("faults:", dict(self.counts), "seconds:", rounded, flush=True)

    def print_state(self):
        seen = self.cluster.kubectl("get", "gt,mpijobs,pods", "-o", "wide", check=False)
        print("faults until then:", dict(self.counts), seen.stdout, seen.stderr)
        for name in ("apiserver", "etcd", "mpi-operator"):
            process = self.cluster.processes.get(name)
            print(f"--- {name}: {process and process.poll()}\n{self.cluster.log(name)[-3000:]}")

    @contextlib.contextmanager
    def watched(self):
        """Looks for two attempts at once, and keeps the operators alive, until the block ends."""
        threads = [threading.Thread(target=target) for target in (self.look_for_two, self.keep_operators)]
        for thread in threads:
            thread.start()
        try:
            yield
        except BaseException:
            self.print_state()
            raise
        finally:
            self.over.set()
            for thread in threads:
                thread.join()

    def test_leave_each_training_with_one_live_attempt(self):
        wait_for("all run", lambda: all(self.is_right(name) for name in self.names))
        with self.watched():
            self.make_faults()
            self.clock.write_text("+0")
            # It tries what failed later and later, up to 1,000 s, and each change of an object doubles the wait.
            self.cluster.restart("mpi-operator")
            for name in self.names:
                self.wait_right(name)
        self.assertEqual(self.two_at_once, [])
        for kind in ("cm", "networkpolicy"):
            found = self.labeled(kind)
            self.assertEqual(len(found), len(self.names), found)
        for name in self.names:
            self.cluster.delete("gt", name)
        wait_for("nothing is left", lambda: self.cluster.kubectl(
            "get", "cm,netpol,pdb,mpijob,pods,secrets", "-l", "ganscale.dev/training", "-o", "name") == "", 120)


if __name__ == "__main__":
    unittest.main(verbosity=2)
