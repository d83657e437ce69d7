"""ScalingSweeps against a real API server, scheduler, MPI Operator and fake DGX nodes."""
import copy
import csv
import io
import json
import signal
import unittest

from control_plane import PROJECT, wait_for
from operator_case import OperatorCase

TAKES_OVER_WITHIN = 30  # seconds; the lease of a killed operator lasts 15
SWEEP = {"apiVersion": "ganscale.dev/v1alpha1", "kind": "ScalingSweep", "metadata": {"name": "weak"},
         "spec": {"mode": "Weak", "points": [{"nodes": 1}, {"nodes": 2}, {"nodes": 4}, {"nodes": 8}], "batchPerRank": 8,
                  "repeats": 1, "warmup": {"steps": 5}, "measure": {"steps": 20},
                  "template": {"image": "registry.example/ganscale:test", "nodeProfile": "dgx-a100",
                               "checkpointDeadlineSeconds": 1,
                               "config": {"model": {"name": "dcgan", "resolution": 64}}}}}


def sweep(name, **changes):
    value = copy.deepcopy(SWEEP)
    value["metadata"]["name"] = name
    value["spec"].update(changes)
    value["spec"] = {key: item for key, item in value["spec"].items() if item is not None}
    return value


class Sweeps(OperatorCase):
    def sweep(self, name):
        return self.cluster.get("sweep", name)

    def sweep_status(self, name):
        return self.sweep(name).get("status", {})

    def trainings(self, name):
        """Names of the trainings of a sweep."""
        items = self.cluster.get("gt", selector=f"ganscale.dev/sweep={name}")["items"]
        return sorted(item["metadata"]["name"] for item in items)

    def made_count(self):
        """How many trainings the operator has made, by the audit log."""
        events = [json.loads(line) for line in (self.cluster.folder / "audit.log").read_text().splitlines()]
        return sum(event["verb"] == "create" and event["objectRef"]["resource"] == "gantrainings" and
                   event["responseStatus"]["code"] == 201 for event in events)

    def wait_current(self, name):
        """Waits until a training of the sweep runs that has no result, and returns its name."""
        def current():
            trainings = self.trainings(name)
            self.assertLessEqual(len(trainings), 1, "one at a time")
            measured = {run["run"] for run in self.sweep_status(name).get("runs", [])}
            is_new = trainings[0] not in measured
            return is_new and self.status(trainings[0]).get("phase") == "Running" and trainings[0]
        return wait_for(f"a training of {name} runs", current)

    def end_run(self, training, rate):
        """Ends a training as a worker would that measured so many images per second on each node."""
        nodes = self.get(training)["spec"]["nodes"]
        images = 20 * 64 * nodes
        seconds = images / (rate * nodes)
        words = {"state": "done", "images_seen": images, "measured": {
            "steps": 20, "images": images, "seconds": seconds, "data_wait_seconds": seconds / 50,
            "all_reduce_seconds": seconds / 10, "straggler_ratio": 1.02, "step_seconds_median": seconds / 20,
            "step_seconds_p99": seconds / 15}}
        self.end_launcher(training, 0, json.dumps(words))

    def wait_sweep(self, name, phase, seconds=90):
        wait_for(f"{name} is {phase}", lambda: self.sweep_status(name).get("phase") == phase, seconds)

    def test_measures_each_point_once_though_the_operator_is_killed_twice(self):
        made_before = self.made_count()
        self.cluster.apply(SWEEP)
        rates = {1: 1000.0, 2: 980.0, 4: 950.0, 8: 900.0}  # of each node
        ran = []
        for i in range(4):
            training = self.wait_current("weak")
            ran.append(training)
            if i == 1:  # while a run runs
                self.operator.stop(signal.SIGKILL)
                self.operator.start().wait_ready()
            self.end_run(training, rates[self.get(training)["spec"]["nodes"]])
            if i == 2:  # just as one ends
                self.operator.stop(signal.SIGKILL)
                self.operator.start().wait_ready()
            wait_for("its result is stored", lambda done=i + 1: self.sweep_status("weak")["done"] == f"{done}/4",
                     TAKES_OVER_WITHIN)
        self.wait_sweep("weak", "Succeeded")
        self.assertEqual(sorted(ran), ["weak-n1-r1", "weak-n2-r1", "weak-n4-r1", "weak-n8-r1"])
        wait_for("no training is left", lambda: not self.trainings("weak"))
        self.check_figures()
        self.check_report()
        head, row = self.cluster.kubectl("get", "scalingsweeps", "weak").splitlines()
        self.assertEqual(head.split(), ["NAME", "MODE", "PHASE", "DONE", "BEST-IMG/S", "SPEEDUP", "EFF%", "COMM%", "AGE"])
        self.assertEqual(row.split()[:8], ["weak", "Weak", "Succeeded", "4/4", "7200", "7.2", "90", "10"])
        self.cluster.kubectl("wait", "--for=condition=Succeeded", "sweep/weak", "--timeout=5s")
        self.assertEqual(self.made_count() - made_before, 4, "each run was made once")

    def check_figures(self):
        status = self.sweep_status("weak")
        points = {point["nodes"]: point for point in status["points"]}
        self.assertEqual(points[8]["imagesPerSecond"], 7200)
        self.assertEqual(points[8]["speedup"], 7.2)
        self.assertEqual(points[8]["efficiencyPercent"], 90)
        self.assertEqual(points[4]["globalBatch"], 256)
        self.assertEqual(len(points[8]["nodeNames"]), 8)
        self.assertAlmostEqual(status["fit"]["usl"]["rSquared"], 1, places=3)

    def check_report(self):
        report = wait_for("the report is complete", lambda: (
            lambda data: data["data"] if '"n8"' in data["data"]["report.json"] else None)(
                self.cluster.get("cm", "weak-report")))
        rows = list(csv.DictReader(io.StringIO(report["points.csv"])))
        self.assertEqual([row["ranks"] for row in rows], ["8", "16", "32", "64"])
        self.assertIn("<svg", report["report.html"])
        self.assertEqual(json.loads(report["report.json"])["status"]["baseline"], "n1")

    def test_leaves_no_training_behind_that_is_edited_suspended_or_deleted(self):
        self.cluster.apply(sweep("brief", points=[{"nodes": 1}, {"nodes": 2}]))
        self.wait_current("brief")
        # An edit of what is measured: the training of the old spec goes.
        [old] = self.cluster.get("gt", selector="ganscale.dev/sweep=brief")["items"]
        self.cluster.kubectl("patch", "sweep", "brief", "--type=merge", "-p", '{"spec":{"measure":{"steps":30}}}')
        wait_for("a new one takes its place", lambda: [
            item for item in self.cluster.get("gt", selector="ganscale.dev/sweep=brief")["items"]
            if item["metadata"]["uid"] != old["metadata"]["uid"] and item["spec"]["config"]["measure"]["steps"] == 30])
        self.wait_current("brief")
        self.cluster.kubectl("patch", "sweep", "brief", "--type=merge", "-p", '{"spec":{"suspend":true}}')
        self.wait_sweep("brief", "Suspended")
        wait_for("nothing is left", lambda: not self.trainings("brief") and not self.cluster.get(
            "pods", selector="ganscale.dev/role=worker")["items"])
        self.cluster.kubectl("patch", "sweep", "brief", "--type=merge", "-p", '{"spec":{"suspend":false}}')
        self.wait_current("brief")
        self.remove("sweep", "brief")
        wait_for("its training goes with it", lambda: not self.trainings("brief"))

    def test_says_what_failed_and_what_gave_no_figures(self):
        self.cluster.apply(sweep("odd", points=[{"nodes": 1}, {"nodes": 2}]))
        first = self.wait_current("odd")
        self.end_launcher(first, 65, "ganscale: error: truncated record")
        wait_for("its end is noted", lambda: self.sweep_status("odd")["done"] == "1/2")
        second = self.wait_current("odd")
        self.end_launcher(second, 0, json.dumps({"state": "done", "images_seen": 64}))
        self.wait_sweep("odd", "Failed")
        runs = {run["run"]: run["message"] for run in self.sweep_status("odd")["runs"]}
        self.assertEqual(runs[first], "exit code 65: truncated record")
        self.assertIn("the worker reported no window", runs[second])
        self.remove("sweep", "odd")

    def test_reports_a_fault_that_admission_cannot_see(self):
        template = {**SWEEP["spec"]["template"], "config": {"training": {"bach": 1}}}
        self.cluster.apply(sweep("fault", template=template))
        def condition():
            return {item["type"]: item for item in self.sweep_status("fault").get("conditions", [])}.get("Validated", {})
        wait_for("the condition tells", lambda: condition().get("status") == "False")
        self.assertIn("spec.template.config.training", condition()["message"])
        self.assertEqual(self.trainings("fault"), [])
        self.remove("sweep", "fault")


class SweepAdmission(OperatorCase):
    """What the API server does by itself, by the CustomResourceDefinition."""
    with_operator = False

    def test_refuses_with_a_readable_reason(self):
        template = SWEEP["spec"]["template"]
        strong = {"mode": "Strong", "batchPerRank": None}
        per_label = {"mode": "PerLabel", "batchPerRank": None}
        with_labels = {**template, "config": {"scheme": {"name": "per_label", "labels": [0, 1, 2, 3, 4, 5, 6]}}}  # 8 ranks
        with_batch = {**template, "config": {"training": {"batch": 60}}}
        cases = [
            (sweep("a" * 28), "metadata.name must have at most 27 characters"),
            (sweep("bad", points=[{"nodes": 2}, {"nodes": 2}]), "spec.points: a point repeats"),
            (sweep("bad", points=[{"nodes": 1, "gpusPerNode": 16}]), "gpusPerNode exceeds the GPUs of a node"),
            (sweep("bad", baseline={"nodes": 3}), "spec.baseline must be one of spec.points"),
            (sweep("bad", measure={"steps": 0}), "spec.measure.steps: Invalid value: 0"),
            (sweep("bad", batchPerRank=None), "spec.batchPerRank: mode Weak needs it"),
            (sweep("bad", **strong), "spec.template.config.training.batch: mode Strong needs it"),
            (sweep("bad", **strong, template=with_batch), "must be divisible by the number of ranks of every point"),
            (sweep("bad", **per_label), "spec.measure and spec.warmup: mode PerLabel"),
            (sweep("bad", **per_label, measure=None, warmup=None), "mode PerLabel requires per_label"),
            (sweep("bad", **per_label, measure=None, warmup=None, template=with_labels),
             "spec.template.config.scheme.labels must have a label for each rank"),
            (sweep("bad", maxConcurrent=2), "spec.maxConcurrent: Invalid value: 2"),
            (sweep("bad", template={**template, "nodes": 2}), "spec.template can't have nodes"),
            (sweep("bad", template={**template, "node": {"gpus": 1}}), "give either spec.template.nodeProfile"),
            (sweep("bad", mode="Sideways"), 'Unsupported value: "Sideways"'),
        ]
        for value, words in cases:
            with self.subTest(words):
                self.assertIn(words, self.refused(value))

    def test_takes_the_sweeps_of_the_repository_as_they_are(self):
        for path in sorted((PROJECT / "configs" / "sweeps").glob("*.yaml")):
            self.cluster.kubectl("apply", "--dry-run=server", "-f", path)

    def test_takes_a_batch_that_the_ranks_of_each_role_share(self):
        config = {"scheme": {"name": "asynchronous", "ratio": "1:3"}, "training": {"batch": 6}}
        self.cluster.apply({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining", "metadata": {"name": "roles"},
                            "spec": {"image": "x", "nodes": 4, "nodeProfile": "generic-gpu", "config": config}})
        template = {**SWEEP["spec"]["template"], "nodeProfile": "generic-gpu", "config": config}
        self.cluster.apply(sweep("roles", mode="Strong", batchPerRank=None, points=[{"nodes": 4}], template=template))

    def test_takes_a_batch_of_each_label_that_no_number_of_ranks_divides(self):
        self.cluster.apply({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining", "metadata": {"name": "labels"},
                            "spec": {"image": "x", "nodes": 3, "nodeProfile": "generic-gpu", "storage": {"claimName": "runs"}, "config": {
                                "scheme": {"name": "per_label"}, "training": {"batch": 32}}}})
        self.cluster.apply({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining", "metadata": {"name": "pairs"},
                            "spec": {"image": "x", "nodes": 1, "nodeProfile": "puhti-v100", "config": {
                                "training": {"batch": 2, "devices_per_process": 2}}}})


if __name__ == "__main__":
    unittest.main(verbosity=2)
