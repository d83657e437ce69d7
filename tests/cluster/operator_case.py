"""What the tests of the operator share: the operator as a process, trainings, and questions about them."""
import atexit
import contextlib
import json
import re
import signal
import subprocess
import sys
import unittest
import urllib.request

from control_plane import PROJECT, ControlPlane, free_ports, wait_for

sys.path.insert(0, str(PROJECT / "tests" / "support"))
from programs import OPERATOR  # noqa: E402

MANIFESTS = PROJECT / "operator-manifests"
FOUR_OF_EACH = {"dgx_nodes": 4, "cpu_nodes": 4}  # the nodes of several tests, which therefore share a control plane


def install(cluster):
    """Applies the manifests as an administrator would; no operator runs yet."""
    cluster.kubectl("apply", "-k", MANIFESTS)
    cluster.kubectl("apply", "-f", MANIFESTS / "rbac/training-namespace.yaml")
    cluster.kubectl("scale", "-n", "ganscale-system", "deployment/ganscale-operator", "--replicas=0")
    wait_for("the API of GanTrainings", lambda: cluster.kubectl("get", "gt", check=False).returncode == 0)
    # Its garbage collector looks for new kinds when it starts, and then every 30 s: until then it leaves the pods of an MPIJob.
    cluster.restart("manager")


class Operator:
    """One operator process, with the rights of its ServiceAccount and no more."""
    account = "ganscale-operator"

    def __init__(self, cluster, name="operator", server=None, env=None, options=()):
        self.cluster, self.name, self.env, self.options = cluster, name, env, options
        self.metrics_port, self.health_port = free_ports(2)
        token = cluster.kubectl("create", "token", self.account, "-n", "ganscale-system",
                                "--duration=4h").strip()
        self.token_file = cluster.folder / f"{name}.token"
        self.token_file.write_text(token)
        self.kubeconfig = cluster.kubeconfig(name, {"tokenFile": str(self.token_file)}, server)

    def start(self):
        self.process = self.cluster.start(
            self.name, OPERATOR, "run", "--kubeconfig", self.kubeconfig, "--namespace", "ganscale-system",
            "--identity", self.name, "--metrics-address", "127.0.0.1", "--metrics-port", self.metrics_port,
            "--health-address", f"127.0.0.1:{self.health_port}", "--poll-seconds", 1, *self.options, env=self.env)
        return self

    def wait_ready(self):
        def ready():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.health_port}/readyz", timeout=2) as answer:
                    return answer.status == 200
            except OSError:
                return False
        wait_for(f"{self.name} is ready", ready)
        return self

    def stop(self, sig=signal.SIGTERM):
        return self.cluster.stop(self.name, sig)

    def metrics(self):
        """Returns {(name, labels): value} of /metrics."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
        return {(match[1], match[2] or ""): float(match[3])
                for match in re.finditer(r"^(\w+)(?:\{(.*)\})? (\S+)$", text, re.M)}

    def total(self, name, containing=""):
        return sum(value for (metric, labels), value in self.metrics().items()
                   if metric == name and containing in labels)


class SharedCluster:
    """The control plane of this process. Starting one takes as long as many test classes run, so consecutive classes that need
    the same nodes share it."""
    cluster, nodes, programs = None, None, set()

    @classmethod
    def enter(cls, nodes):
        """Returns the control plane with these nodes. The manifests are applied; no operator runs, and there are no trainings."""
        if cls.nodes == nodes:
            cls._clear()
            return cls.cluster
        cls.end()
        cls.cluster = ControlPlane(**nodes).__enter__()  # which ends what it started if it fails
        install(cls.cluster)
        cls.nodes, cls.programs = nodes, set(cls.cluster.processes)
        return cls.cluster

    @classmethod
    def end(cls):
        if cls.cluster is not None:
            cls.cluster.__exit__(None, None, None)
        cls.cluster = cls.nodes = None

    @classmethod
    def _clear(cls):
        """Ends what the class before this one started, and deletes its trainings and sweeps with all that belongs to them."""
        nodes, cls.nodes = cls.nodes, None  # if this fails, the next class gets another one
        for name in set(cls.cluster.processes) - cls.programs:
            cls.cluster.stop(name)
        for kind in ("sweep", "gt"):
            for item in cls.cluster.get(kind, namespace="")["items"]:
                place = (kind, item["metadata"]["name"], item["metadata"]["namespace"])
                with contextlib.suppress(subprocess.CalledProcessError):  # it has gone with its sweep or its namespace
                    cls.cluster.delete(*place)
                    # No operator is left that would ask for a checkpoint first.
                    cls.cluster.patch(kind, place[1], {"metadata": {"finalizers": None}}, namespace=place[2])
        # Bystanders stay, some of which have the label.
        of_trainings = "ganscale.dev/training,ganscale.dev/training!=theirs"
        wait_for("nothing of them is left", lambda: not any(
            cls.cluster.get(kind, selector=selector, namespace="")["items"]
            for kind, selector in (("sweep", ""), ("gt", ""), ("mpijobs", of_trainings), ("pods", of_trainings), ("cm", of_trainings))))
        cls.nodes = nodes


atexit.register(SharedCluster.end)


class OperatorCase(unittest.TestCase):
    """A control plane, perhaps that of the class before this one, with one operator unless `with_operator` is false."""
    with_operator = True
    nodes = {}

    @classmethod
    def setUpClass(cls):
        cls.cluster = SharedCluster.enter(cls.nodes)
        if cls.with_operator:
            cls.operator = Operator(cls.cluster).start().wait_ready()

    def run(self, result=None):
        """Runs the test, and prints what the cluster has if it fails: before the cleanups change that, unless it fails in a
        subtest."""
        before, printed = self.problems(result), False
        test = getattr(self, self._testMethodName)

        def told():
            nonlocal printed
            try:
                test()
            except unittest.SkipTest:
                raise
            except Exception:
                printed = True
                self.print_cluster()
                raise
        setattr(self, self._testMethodName, told)
        super().run(result)
        if self.problems(result) > before and not printed:
            self.print_cluster()

    @staticmethod
    def problems(result):
        return len(result.failures) + len(result.errors) if result else 0

    def print_cluster(self):
        for name in [name for name in self.cluster.logs_of() if name.startswith(("operator", "mpi-operator"))]:
            print(f"--- {name}\n{self.cluster.log(name)[-4000:]}")
        for kind in ("gt", "mpijobs", "jobs", "pods"):
            print(f"--- {kind}\n{self.cluster.kubectl('get', kind, '-o', 'wide', check=False).stdout}")
        with contextlib.suppress(subprocess.CalledProcessError):  # no API server
            for training in self.cluster.get("gt")["items"]:
                print(f"--- {training['metadata']['name']}: {training.get('status', {}).get('message')}")

    # --- trainings
    def training(self, name, **spec):
        """Creates a GanTraining on the fake nodes; `spec` overrides small defaults."""
        full = {"image": "registry.example/ganscale:test", "nodeProfile": "dgx-a100", "nodes": 1,
                "config": {"model": {"name": "dcgan", "resolution": 64}, "training": {"batch": 512}},
                "checkpointDeadlineSeconds": 1, "restartPolicy": {"backoffSeconds": 1, "maxBackoffSeconds": 2}}
        if "node" in spec:
            del full["nodeProfile"]
        full.update(spec)
        self.cluster.apply({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining",
                            "metadata": {"name": name}, "spec": {k: v for k, v in full.items() if v is not None}})
        return name

    def remove(self, kind, name):
        """Deletes an object and waits until it is gone."""
        self.cluster.kubectl("delete", kind, name, "--ignore-not-found", "--timeout=180s")

    def get(self, name):
        return self.cluster.get("gt", name)

    def status(self, name):
        return self.get(name).get("status", {})

    def condition(self, name, kind):
        for condition in self.status(name).get("conditions", []):
            if condition["type"] == kind:
                return condition
        return {}

    def wait_phase(self, name, phase, seconds=180):
        wait_for(f"{name} is {phase}", lambda: self.status(name).get("phase") == phase, seconds)

    def wait_running(self, name, attempt, seconds=180):
        def runs():
            status = self.status(name)
            return status.get("phase") == "Running" and status["attempt"]["number"] == attempt
        try:
            wait_for(f"{name}-r{attempt} runs", runs, min(seconds, 60))
        except AssertionError:
            if f"{name}-r{attempt}" not in self.jobs(name):
                raise
            # Every event of a pod during a sync doubles the MPI Operator's delay before the next, up to a quarter of an hour.
            print(f"{name}-r{attempt} does not run: restarting the MPI Operator")
            self.cluster.restart("mpi-operator")
            wait_for(f"{name}-r{attempt} runs", runs, seconds)

    def jobs(self, name):
        """Names of the MPIJobs of a training that are not being deleted."""
        items = self.cluster.get("mpijobs", selector=f"ganscale.dev/training={name}")["items"]
        return sorted(item["metadata"]["name"] for item in items if "deletionTimestamp" not in item["metadata"])

    def pods(self, name, role="worker"):
        return self.cluster.get("pods", selector=f"ganscale.dev/training={name},ganscale.dev/role={role}")["items"]

    def end_launcher(self, name, code, words=""):
        """Ends the launcher as a kubelet would report it."""
        pod = self.pods(name, "launcher")[-1]["metadata"]["name"]
        self.cluster.patch("pods", pod, {"metadata": {"annotations": {
            "test.ganscale.dev/exit-code": str(code), "test.ganscale.dev/last-words": words}}})

    def events(self, name):
        items = self.cluster.get("events")["items"]
        return [item for item in items if item["regarding"].get("name") == name]

    def refused(self, value):
        """Applies something and returns the API server's words of refusal."""
        result = self.cluster.kubectl("apply", "-f", "-", stdin=json.dumps(value), check=False)
        self.assertNotEqual(result.returncode, 0, "was accepted")
        return result.stderr
