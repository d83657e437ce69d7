"""Nodes that end pods slowly, are cut off, or drained: never two attempts at once, and the training moves on."""
import contextlib
import json
import time
import unittest

from control_plane import wait_for
from mishap_case import MishapCase

SLOWLY = "test.ganscale.dev/ends-slowly"
CUT_OFF = "test.ganscale.dev/cut-off"


class Nodes(MishapCase):
    nodes = {"dgx_nodes": 3, "cpu_nodes": 1}  # as in blocked_test.py

    def annotate(self, kind, name, key, value):
        self.cluster.patch(kind, name, {"metadata": {"annotations": {key: value}}})

    def only_worker(self, name):
        [pod] = self.pods(name)
        return pod["metadata"]["name"], pod["spec"]["nodeName"]

    def stays_without_a_second_attempt(self, name, seconds=3):
        """Checks that nothing of a second attempt comes up."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.assertNotIn(f"{name}-r2", self.jobs(name))
            time.sleep(0.2)

    def test_that_end_a_pod_slowly(self):
        name = self.training("slow")
        self.wait_right(name, 1)
        pod, _ = self.only_worker(name)
        self.annotate("pods", pod, SLOWLY, "true")
        self.cluster.kubectl("scale", f"gt/{name}", "--replicas=2")
        wait_for("its MPIJob goes", lambda: self.jobs(name) == [])
        self.stays_without_a_second_attempt(name)
        status = self.status(name)
        self.assertEqual(status["phase"], "Resizing")
        self.assertIn(status["reason"], ("Resize", "PodNotGone"))  # the second after half a minute
        self.annotate("pods", pod, SLOWLY, None)
        self.wait_right(name, 2)

    @contextlib.contextmanager
    def cut_off(self, node):
        """A node whose kubelet is not heard: it is not ready, and its pods' end is not confirmed."""
        self.annotate("nodes", node, CUT_OFF, "true")
        for pod in self.cluster.get("pods")["items"]:
            if pod["spec"].get("nodeName") == node:
                self.annotate("pods", pod["metadata"]["name"], SLOWLY, "true")
        conditions = self.cluster.get("nodes", node)["status"]["conditions"]
        for condition in conditions:
            condition.update({"status": "Unknown", "reason": "NodeStatusUnknown"} if condition["type"] == "Ready" else {})
        self.cluster.patch("nodes", node, {"status": {"conditions": conditions}}, subresource="status")
        try:
            yield
        finally:
            self.cluster.kubectl("taint", "node", node, "node.kubernetes.io/out-of-service-", check=False)
            self.annotate("nodes", node, CUT_OFF, None)

    def test_that_are_cut_off(self):
        # Without this it takes Kubernetes five minutes to give up the pods of such a node.
        gone = {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1}
        name = self.training("cut-off", podTemplate={"worker": {"spec": {"tolerations": [gone]}}})
        self.wait_right(name, 1)
        _, node = self.only_worker(name)
        with self.cut_off(node):
            self.wait_told(name, "PodNotGone", f"whose node does not confirm it: {node}")
            self.stays_without_a_second_attempt(name)
            # As the message says.
            self.cluster.kubectl("taint", "node", node, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
            self.wait_right(name, 2)
            self.assertNotEqual(self.only_worker(name)[1], node)
            self.assertEqual(self.status(name).get("failures", 0), 0)

    def test_that_are_drained(self):
        name = self.training("drained")
        self.wait_right(name, 1)
        _, node = self.only_worker(name)
        self.addCleanup(self.cluster.kubectl, "uncordon", node)
        self.cluster.kubectl("drain", node, "--delete-emptydir-data", "--force", "--ignore-daemonsets", "--timeout=180s")
        self.wait_right(name, 2)
        self.assertNotEqual(self.only_worker(name)[1], node)
        notes = {event["reason"]: event["note"] for event in self.events(name)}
        self.assertIn(f"its node is cordoned: {node}", notes["Disruption"])
        self.assertEqual(self.status(name).get("failures", 0), 0)

    def fail_preflight(self, name, attempt, worker):
        """Ends an attempt as a preflight does that names the node of one of its workers. Returns that node."""
        pod = f"{name}-r{attempt}-worker-{worker}"
        [node] = [item["spec"]["nodeName"] for item in self.pods(name) if item["metadata"]["name"] == pod]
        found = {"gigabytes_per_second": 9.5, "floor_gigabytes_per_second": 100, "ranks": 16, "nodes": 2, "hcas": 8,
                 "measured_unix_seconds": 1760000000 + attempt, "message": "the all-reduce is slow",
                 "faulty_nodes": [{"host": pod, "first_rank": 8 * worker, "reason": "9.5 GB/s at best with a neighbor"}]}
        self.end_launcher(name, 69, f"ganscale: preflight: {json.dumps(found)}\nganscale: error: {found['message']}\n")
        return node

    def test_that_are_below_the_floor_of_the_preflight(self):
        name = self.training("floor", nodes=2, restartPolicy={"maxRestarts": 0, "backoffSeconds": 1, "avoidNodeSeconds": 20})
        self.wait_right(name, 1)
        environment = self.pods(name)[0]["spec"]["containers"][0]["env"]
        self.assertIn({"name": "GANSCALE_PREFLIGHT", "value": "require"}, environment)
        self.assertIn({"name": "GANSCALE_PREFLIGHT_FLOOR", "value": "100"}, environment)
        slow = self.fail_preflight(name, 1, 1)
        self.wait_right(name, 2)  # there are three nodes
        self.assertNotIn(slow, [pod["spec"]["nodeName"] for pod in self.pods(name)])
        status = self.status(name)
        self.assertEqual([(node["name"], node["reason"]) for node in status["avoidedNodes"]], [(slow, "Fabric")])
        self.assertEqual((status["preflight"]["passed"], status["preflight"]["gigabytesPerSecond"]), (False, 9.5))
        self.assertEqual(status.get("failures", 0), 0)
        fabric = self.condition(name, "FabricReady")
        self.assertEqual((fabric["status"], fabric["reason"]), ("False", "FabricBelowFloor"))
        self.assertIn("FabricBelowFloor", {event["reason"] for event in self.events(name)})
        # Now it avoids as many nodes as it has. The third attempt may use one of them, and only warns.
        self.fail_preflight(name, 2, 0)
        self.wait_right(name, 3)
        self.assert_fabric_is_accepted(name)

    def assert_fabric_is_accepted(self, name):
        environment = self.pods(name)[0]["spec"]["containers"][0]["env"]
        self.assertIn({"name": "GANSCALE_PREFLIGHT", "value": "warn"}, environment)
        self.assertEqual(self.condition(name, "FabricReady")["reason"], "Accepted")

    def test_that_are_all_needed_although_one_is_below_the_floor(self):
        name = self.training("needed", nodes=3, restartPolicy={"backoffSeconds": 1, "avoidNodeSeconds": 20},
                             config={"model": {"name": "dcgan", "resolution": 64}, "training": {"batch": 48}})
        self.wait_right(name, 1)
        self.fail_preflight(name, 1, 2)
        self.wait_told(name, "Unschedulable")
        wait_for("the condition tells that there are too few nodes",
                 lambda: self.condition(name, "FabricReady").get("reason") == "TooFewNodes")
        self.wait_right(name, 3)
        self.assert_fabric_is_accepted(name)
        self.assertEqual(self.status(name).get("failures", 0), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
