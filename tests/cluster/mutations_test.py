"""Mutated GanTrainings: each is refused with a reason or gets a status with one, and each can be deleted.
`ganscale-operator validate` says of each what the API server and the operator say.

A hundred, 300 in `make check-long`; GANSCALE_MUTATIONS and GANSCALE_MUTATION_SEED set how many and which.
"""
import copy
import json
import os
import pathlib
import random
import subprocess
import time
import unittest

from control_plane import PROJECT, wait_for
from operator_case import FOUR_OF_EACH, OPERATOR, OperatorCase
from thorough import thorough

COUNT = int(os.environ.get("GANSCALE_MUTATIONS", thorough(300, 100)))
SEED = int(os.environ.get("GANSCALE_MUTATION_SEED", "1"))
MOST_MEMORY_MIB = 150
QUIET_SECONDS = thorough(20, 10)  # without an error
# Only a cluster has what a spec refers to.
OF_THE_CLUSTER = ("MissingClaim", "MissingConfigMap")

GOOD = {
    "image": "registry.example/ganscale:test", "imagePullPolicy": "IfNotPresent", "imagePullSecrets": ["registry"],
    "nodes": 1, "preflight": True, "config": {"model": {"name": "dcgan", "resolution": 32}, "data": {"path": "/data"},
                           "training": {"batch": 64, "total_kimg": 100}, "telemetry": {"control_port": 9401},
                           "generator": {"optimizer": {"name": "adam", "lr": 0.0002}}},
    "evaluation": {"every_kimg": 10}, "data": {"claimName": "faces", "path": "/data", "subPath": "a"},
    "storage": {"claimName": "runs", "path": "/runs"}, "suspend": True,
    "restartPolicy": {"maxRestarts": 3, "backoffSeconds": 1, "maxBackoffSeconds": 9, "avoidNodeSeconds": 60},
    "checkpointDeadlineSeconds": 1, "priorityClassName": "urgent", "queueName": "research", "schedulerName": "volcano",
    "podTemplate": {"worker": {"metadata": {"annotations": {"a": "b"}, "labels": {"c": "d"}},
                               "spec": {"tolerations": [{"key": "a", "operator": "Exists"}], "nodeSelector": {"kubernetes.io/os": "linux"},
                                        "volumes": [{"name": "scratch", "emptyDir": {}}],
                                        "containers": [{"name": "worker", "env": [{"name": "A", "value": "b"}],
                                                        "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]},
                                                       {"name": "side", "image": "registry.example/side"}]}}},
    "deletePolicy": "Keep"}
NODES = [{"nodeProfile": "cpu"}, {"node": {"gpus": 2, "ranks": 2, "cpu": "2", "memory": "1Gi", "shm": "1Gi", "exclusive": True,
                                           "resources": {"example.com/nic": "1"}, "nodeSelector": {"disk": "fast"},
                                           "tolerations": [{"key": "a", "operator": "Exists"}],
                                           "environment": {"NCCL_DEBUG": "INFO"}, "mpirun": ["--bind-to", "none"], "preflight": True,
                                           "fabric": {"floorGigabytesPerSecond": 1.5, "hcas": 2}}}]
NUMBERS = [0, -1, 1, 0.5, 1e300, -1e300, 2**31, 2**32 + 1, 2**53, 2**63 - 1, -2**63]
TEXTS = ["", " ", "\u202e", "a\u202eb", "\u0000", "\x1b[31mred", "../../secrets/ganscale-operator-key", "a/b?c=d&e#f", "%2e%2e", "x" * 20000,
         "'; rm -rf / #", "$(reboot)", "{{ .Values }}", "\n---\nkind: Secret", "☃", "null", "true", "1e9", "&a [*a]", "-", "A.B"]
KEYS = ["unknown", "name", "__proto__", "", "a.b", "path", "\u202e", "/"]


def deep(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def places(value, path=()):
    """Returns the path of each value in a tree, the root's last."""
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places(inner, path + (key,))
    return found + [path]


def set_at(tree, path, value):
    for key in path[:-1]:
        tree = tree[key]
    tree[path[-1]] = value


class Mutator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self):
        kinds = [lambda: self.random.choice(NUMBERS), lambda: self.random.choice(TEXTS),
                 lambda: self.random.choice([None, True, False, [], {}, [None], [[]], {"": None}, {"a": [1, "b", {"c": 3.5}]}]),
                 lambda: deep(self.random.choice([3, 40, 150]))]
        return self.random.choice(kinds)()

    def mutate(self, spec):
        """Changes one thing: a value, a key that is gone, an unknown key."""
        path = self.random.choice([path for path in places(spec) if path])
        what = self.random.random()
        if what < 0.7:
            set_at(spec, path, self.value())
            return
        parent = spec
        for key in path[:-1]:
            parent = parent[key]
        if what < 0.85:
            del parent[path[-1]]
        elif isinstance(parent, dict):
            parent[self.random.choice(KEYS)] = self.value()
        else:
            parent.append(self.value())

    def training(self, number):
        spec = copy.deepcopy(GOOD)
        spec.update(copy.deepcopy(self.random.choice(NODES)))
        # Some things that keep a training from its pods are taken away, so that the mutations reach these.
        for key in ("queueName", "schedulerName", "priorityClassName", "suspend", "data", "storage", "imagePullSecrets", "podTemplate"):
            if self.random.random() < 0.5:
                del spec[key]
        for _ in range(self.random.choice([1, 1, 2, 4])):
            self.mutate(spec)
        return {"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining",
                "metadata": {"name": f"mutated-{number}"}, "spec": spec}


class Mutations(OperatorCase):
    nodes = FOUR_OF_EACH

    def create(self, training):
        """Returns the API server's words of refusal; none if it took the training."""
        try:
            self.cluster.create("gt", training)
        except subprocess.CalledProcessError as error:
            self.assertIn(error.returncode, (400, 413, 422), error.output)
            self.assertGreater(len(str(error.output)), 20)
            return str(error.output)
        return ""

    def words_of_validate(self, value):
        """Returns why `ganscale-operator validate` refuses an object; none if it does not."""
        file = self.cluster.folder / "validated.json"
        file.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        result = subprocess.run([OPERATOR, "validate", "-f", file], capture_output=True, text=True, check=False)
        self.assertIn(result.returncode, (0, 78), result.stderr)
        return result.stderr if result.returncode else ""

    def is_refused_strictly(self, kind, value):
        """Whether the API server refuses an object as `kubectl apply` sends it: a field that it does not know is a fault."""
        try:
            self.cluster.try_create(kind, value)
        except subprocess.CalledProcessError as error:
            self.assertIn(error.returncode, (400, 413, 422), error.output)
            return True
        return False

    def has_status(self, name):
        """Whether a status says what became of the training: its phase has a reason, or a condition has the words."""
        status = self.status(name)
        conditions = {each["type"]: each for each in status.get("conditions", [])}
        if "Validated" not in conditions:
            return False
        for condition in conditions.values():
            self.assertTrue(condition["reason"], (name, condition))
        for kind in ("Validated", "Reconciled"):
            if conditions.get(kind, {}).get("status") == "False":
                return bool(conditions[kind]["message"])
        return bool(status.get("reason"))

    def memory_mib(self):
        text = pathlib.Path(f"/proc/{self.operator.process.pid}/status").read_text(encoding="utf-8")
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    def errors(self):
        return self.operator.total("controller_runtime_reconcile_total", 'result="error"')

    def test_are_refused_or_reported_and_can_all_be_deleted(self):
        mutator = Mutator(SEED)
        refused, taken, validated = 0, [], {}
        for number in range(COUNT):
            training = mutator.training(number)
            with self.subTest(number=number, spec=str(training["spec"])[:2000]):
                words = self.words_of_validate(training)
                if self.is_refused_strictly("gt", training):
                    self.assertTrue(words, "validate takes what the API server refuses")
                else:
                    validated[training["metadata"]["name"]] = words
                if self.create(training):
                    refused += 1
                else:
                    taken.append(training["metadata"]["name"])
        print(f"mutations: {refused} refused, {len(taken)} taken", flush=True)
        self.assertGreater(refused, COUNT // 10)
        self.assertGreater(len(taken), COUNT // 10)
        for name in taken:
            with self.subTest(name, spec=str(self.get(name)["spec"])[:2000]):
                wait_for(f"{name} has a status with a reason", lambda: self.has_status(name), 120)
                condition = self.condition(name, "Validated")
                if name in validated and condition["reason"] not in OF_THE_CLUSTER:
                    self.assertEqual(condition["status"], "False" if validated[name] else "True", (validated[name], condition))

        # What failed so far was reported; nothing keeps failing.
        def is_quiet():
            before = self.errors()
            time.sleep(QUIET_SECONDS)
            return self.errors() == before
        wait_for("no error repeats", is_quiet, 300, interval=0)
        self.assertIsNone(self.operator.process.poll(), "the operator lives")
        self.assertLess(self.memory_mib(), MOST_MEMORY_MIB)

        for name in taken:
            self.cluster.delete("gt", name)
        wait_for("all are gone", lambda: self.cluster.count("gt") == 0, 180)
        self.assertIsNone(self.operator.process.poll(), "the operator lives")

    def test_the_api_server_refuses_every_spec_of_the_table(self):
        rows = json.loads((PROJECT / "tests/support/refused_specs.json").read_text(encoding="utf-8"))
        for row in rows:
            if "before" in row:  # an edit, as in life_test.py
                continue
            value = {"apiVersion": "ganscale.dev/v1alpha1", **{key: row[key] for key in ("kind", "metadata", "spec")}}
            with self.subTest(row["fault"]):
                self.assertTrue(self.is_refused_strictly({"GanTraining": "gt", "ScalingSweep": "sweep"}[row["kind"]], value))

    def test_holds_up_no_other(self):
        self.create({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining", "metadata": {"name": "odd"},
                     "spec": {"image": "x", "nodeProfile": "cpu", "config": {"data": 3}, "data": {"claimName": "c"}}})
        wait_for("its words", lambda: self.condition("odd", "Validated").get("message") == "spec.config.data: expected a map")
        name = self.training("good", nodeProfile="cpu")
        self.wait_running(name, 1)
        for each in ("odd", "good"):
            self.remove("gt", each)


if __name__ == "__main__":
    unittest.main(verbosity=2)
