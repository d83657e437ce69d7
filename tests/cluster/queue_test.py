"""A real Kueue: trainings wait for their quota, make room for a higher priority, and get nodes that are near each other."""
import signal
import unittest

from control_plane import wait_for
from kueue import Kueue, resource
from mishap_case import MishapCase
from workers_here import WorkersHere

ROW = "topology.kubernetes.io/zone"
PLENTY = {"cpu": "10k", "memory": "100Ti", "rdma/rdma_shared_device_a": "1k"}
FIVE_NODES = {**PLENTY, "nvidia.com/gpu": "40"}
LAUNCHERS = {"plain": {**PLENTY, "nvidia.com/gpu": "0"}}
ONE_TRAINING = {"plain": {"cpu": "3", "memory": "16Gi"}}  # on one node of the profile cpu
SLOWLY = "test.ganscale.dev/ends-slowly"


def cluster_queue(name, flavors):
    """Returns a queue with a quota of each flavor, in which a higher priority takes nodes back from a lower one."""
    quotas = [{"name": flavor, "resources": [{"name": key, "nominalQuota": quota} for key, quota in sorted(quotas.items())]}
              for flavor, quotas in flavors.items()]
    return resource("ClusterQueue", name, {
        "namespaceSelector": {}, "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [{"coveredResources": sorted(next(iter(flavors.values()))), "flavors": quotas}]})


class Queue(MishapCase):
    nodes = {"dgx_nodes": 5, "cpu_nodes": 1}  # a row of four and one of one

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        kueue = Kueue(cls.cluster)
        kueue.install()
        dgx = {"nodeLabels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"},
               "nodeTaints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]}
        kueue.create([
            resource("Topology", "rows", {"levels": [{"nodeLabel": ROW}, {"nodeLabel": "kubernetes.io/hostname"}]}),
            resource("ResourceFlavor", "dgx", dgx), resource("ResourceFlavor", "dgx-in-rows", {**dgx, "topologyName": "rows"}),
            resource("ResourceFlavor", "plain", {}),
            cluster_queue("any-row", {"dgx": FIVE_NODES, **LAUNCHERS}),
            cluster_queue("one-row", {"dgx-in-rows": FIVE_NODES, **LAUNCHERS}),
            cluster_queue("one-training", ONE_TRAINING),
            *(resource("LocalQueue", name, {"clusterQueue": name}, namespace="default")
              for name in ("any-row", "one-row", "one-training")),
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000}])

    def print_cluster(self):
        super().print_cluster()
        print(f"--- kueue\n{self.cluster.log('kueue')[-4000:]}",
              self.cluster.kubectl("get", "workloads,events", "-o", "wide", check=False).stdout)

    def wait_queued(self, name, attempt):
        """Waits until an attempt is held back by its queue."""
        wait_for(f"{name}-r{attempt} is the only MPIJob", lambda: self.jobs(name) == [f"{name}-r{attempt}"])
        self.wait_told(name, "Queued")
        self.assertEqual(self.pods(name), [])
        self.assertTrue(self.cluster.get("mpijobs", f"{name}-r{attempt}")["spec"]["runPolicy"]["suspend"])

    def check_that_nothing_was_put_back(self, *names):
        for name in names:
            self.assertNotIn("PutBack", {event["reason"] for event in self.events(name)}, "the operator undid what Kueue did")

    def test_admits_a_training_once_another_gives_its_nodes_back(self):
        first = self.training("first", queueName="any-row", nodes=4)
        self.wait_right(first, 1)
        second = self.training("second", queueName="any-row", nodes=2)
        self.wait_queued(second, 1)
        self.cluster.patch("gt", first, {"spec": {"suspend": True}})
        self.wait_right(second, 1)
        self.cluster.patch("gt", first, {"spec": {"suspend": False}})
        self.wait_queued(first, 2)
        self.end_launcher(second, 0)
        self.wait_phase(second, "Succeeded")
        self.wait_right(first, 2)
        self.check_that_nothing_was_put_back(first, second)

    def preempt(self, name, worker):
        """Does to the worker of a preempted training what the kubelet does: its pod is there until the worker has ended."""
        [pod] = [item["metadata"]["name"] for item in self.pods(name)]
        self.cluster.patch("pods", pod, {"metadata": {"annotations": {SLOWLY: "true"}}})
        urgent = self.training("urgent", queueName="one-training", nodeProfile="cpu", priorityClassName="urgent")
        wait_for("its pod is to end", lambda: "deletionTimestamp" in self.pods(name)[0]["metadata"])
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(timeout=180), 143, self.cluster.log("worker-1")[-2000:])
        self.assertNotIn(f"{name}-r2", self.jobs(name))
        self.cluster.patch("pods", pod, {"metadata": {"annotations": {SLOWLY: None}}})
        return urgent

    def test_preempts_a_training_which_resumes_later_and_has_no_failure(self):
        workers = WorkersHere(self)
        name = self.training("low", queueName="one-training", **workers.spec())
        self.wait_right(name, 1)
        first = workers.start(name, 1)
        before = wait_for("progress is told", lambda: self.status(name).get("kimg"))
        urgent = self.preempt(name, first)
        self.wait_right(urgent, 1)
        self.wait_queued(name, 2)
        self.assertIn("Preempted", {event["reason"] for event in self.events(name)})
        self.end_launcher(urgent, 0)
        self.wait_right(name, 2)
        second = workers.start(name, 2)
        wait_for("it goes on", lambda: self.status(name).get("kimg", 0) > before)
        self.assertIn("Resuming", self.cluster.log("worker-2"))
        self.assertEqual((self.status(name)["restarts"], self.status(name).get("failures", 0)), (0, 0))
        self.check_that_nothing_was_put_back(name, urgent)
        second.kill()
        self.end_launcher(name, 0)
        self.wait_phase(name, "Succeeded")

    def rows(self, name):
        labels = {node["metadata"]["name"]: node["metadata"]["labels"].get(ROW) for node in self.cluster.get("nodes")["items"]}
        return {labels[pod["spec"]["nodeName"]] for pod in self.pods(name)}

    def test_gives_a_gang_nodes_of_one_row(self):
        near = {"queueName": "one-row", "topology": {"required": ROW}, "config": {
            "model": {"name": "dcgan", "resolution": 64}, "training": {"batch": 480}}}
        three = self.training("three", nodes=3, **near)
        self.wait_right(three, 1)
        self.assertEqual(self.rows(three), {"row-0"})
        # Two nodes are left, one in each row.
        two = self.training("two", nodes=2, **near)
        self.wait_queued(two, 1)
        self.end_launcher(three, 0)
        self.wait_right(two, 1)
        self.assertEqual(self.rows(two), {"row-0"})
        self.check_that_nothing_was_put_back(three, two)


if __name__ == "__main__":
    unittest.main(verbosity=2)
