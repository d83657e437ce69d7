"""Nodes that end pods slowly, are cut off, or drained: never two attempts at once, and the training moves on."""
import contextlib
import time
import unittest

from control_plane import wait_for
from mishap_case import MishapCase

SLOWLY = "test.ganscale.dev/ends-slowly"
CUT_OFF = "test.ganscale.dev/cut-off"


class Nodes(MishapCase):
    nodes = {"dgx_nodes": 3, "cpu_nodes": 1}

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
