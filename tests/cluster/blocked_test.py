"""Trainings that can't have their pods: the status says why, and they continue once they can."""
import time
import unittest

from control_plane import wait_for
from denying_webhook import DenyingWebhook
from mishap_case import MishapCase
from operator_case import MANIFESTS


class Blocked(MishapCase):
    nodes = {"dgx_nodes": 3, "cpu_nodes": 1}  # as in nodes_test.py

    def test_by_an_image_that_is_not_there(self):
        name = self.training("absent", nodes=2, image="registry.example/absent:1")
        self.wait_told(name, "ImagePullBackOff", "registry.example/absent:1")
        self.assertEqual(self.status(name)["phase"], "Scheduling")
        self.assertTrue(self.is_the_only_attempt(name, 1))
        self.cluster.patch("gt", name, {"spec": {"image": "registry.example/ganscale:test"}})
        self.wait_right(name, 2)

    def test_by_too_few_nodes_for_the_gang(self):
        name = self.training("wide", nodes=4, schedulingDeadlineSeconds=6, config={
            "model": {"name": "dcgan", "resolution": 64}, "training": {"batch": 1024}})
        self.wait_told(name, "Unschedulable", "0/4 nodes are available")
        # It gives the three nodes that it has back, and tries again.
        wait_for("an event tells", lambda: "SchedulingDeadline" in {event["reason"] for event in self.events(name)})
        wait_for("a second attempt", lambda: self.jobs(name) == [f"{name}-r2"])
        self.assertEqual(self.status(name).get("failures", 0), 0)
        self.cluster.add_dgx(3)
        self.addCleanup(self.cluster.delete, "nodes", "dgx-3")
        wait_for("it runs", lambda: self.status(name)["phase"] == "Running")
        self.wait_right(name, self.status(name)["attempt"]["number"])

    def webhook(self):
        webhook = DenyingWebhook(self.cluster)
        self.addCleanup(webhook.close)
        return webhook

    def test_by_a_webhook_that_denies_its_job(self):
        webhook = self.webhook()
        webhook.deny("kubeflow.org", "v2beta1", "mpijobs", "jobs are for Fridays")
        name = self.training("denied")
        self.wait_refused(name, "jobs are for Fridays")
        self.assertEqual(self.jobs(name), [])
        webhook.allow()
        self.wait_right(name, 1)
        wait_for("the condition holds again", lambda: self.condition(name, "Reconciled")["status"] == "True")

    def test_by_a_quota_on_pods(self):
        here = len(self.cluster.get("pods")["items"])
        self.cluster.apply({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few-pods"},
                            "spec": {"hard": {"pods": str(here + 1)}}})
        lift = ("delete", "resourcequota", "few-pods", "--ignore-not-found")
        self.addCleanup(self.cluster.kubectl, *lift)
        wait_for("the quota is counted", lambda: self.cluster.kubectl(
            "get", "resourcequota", "few-pods", "-o", "jsonpath={.status.used.pods}") == str(here))
        name = self.training("many", nodes=2)
        self.wait_told(name, "QuotaExceeded", "exceeded quota: few-pods")
        self.assertTrue(self.is_the_only_attempt(name, 1))
        self.cluster.kubectl(*lift)
        self.cluster.restart("mpi-operator")  # it tries later and later
        self.wait_right(name, 1)

    def test_by_a_webhook_that_denies_its_pods(self):
        webhook = self.webhook()
        webhook.deny("", "v1", "pods", "images of unknown origin")
        name = self.training("unsigned")
        self.wait_told(name, "AdmissionDenied", "images of unknown origin")
        self.assertEqual(self.jobs(name), [f"{name}-r1"])
        webhook.allow()
        self.cluster.restart("mpi-operator")
        self.wait_right(name, 1)

    def test_by_the_deletion_of_their_namespace(self):
        other = self.training("elsewhere")
        self.wait_running(other, 1)
        self.cluster.kubectl("create", "namespace", "team")
        self.cluster.kubectl("apply", "-n", "team", "-f", MANIFESTS / "rbac/training-namespace.yaml")
        spec = dict(self.get(other)["spec"], checkpointDeadlineSeconds=3)
        self.cluster.create("gt", {"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining",
                                   "metadata": {"name": "doomed"}, "spec": spec}, namespace="team")
        wait_for("it runs", lambda: self.cluster.get("gt", "doomed", namespace="team")["status"]["phase"] == "Running")
        self.cluster.kubectl("delete", "namespace", "team", "--wait=false")
        wait_for("the namespace is gone", lambda: "team" not in [
            item["metadata"]["name"] for item in self.cluster.get("namespaces")["items"]])
        self.assertIsNone(self.operator.process.poll(), "the operator lives")
        errors = self.operator.total("controller_runtime_reconcile_total", 'result="error"')
        time.sleep(3)
        self.assertEqual(self.operator.total("controller_runtime_reconcile_total", 'result="error"'), errors)
        self.wait_right(other, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
