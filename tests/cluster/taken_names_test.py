"""Objects of other owners by the names that a training or a sweep needs: never touched, and the status says which."""
import unittest

from control_plane import wait_for
from operator_case import FOUR_OF_EACH, OperatorCase
from sweep_test import sweep

PODS = {"spec": {"containers": [{"name": "x", "image": "x"}]}}
SUSPENDED_JOB = {"runPolicy": {"suspend": True}, "slotsPerWorker": 1, "mpiReplicaSpecs": {
    role: {"replicas": 1, "template": PODS} for role in ("Launcher", "Worker")}}
TYPES = {"cm": ("v1", "ConfigMap"), "secret": ("v1", "Secret"), "networkpolicy": ("networking.k8s.io/v1", "NetworkPolicy"),
         "pdb": ("policy/v1", "PodDisruptionBudget"), "mpijobs": ("kubeflow.org/v2beta1", "MPIJob")}
PLURALS = {kind: type_name.lower().removesuffix("y") + ("ies" if type_name.endswith("y") else "s") for kind, (_, type_name) in TYPES.items()}
CONFIG = "training: {batch: 512}\nmodel: {name: dcgan, resolution: 64}\n"


class TakenNames(OperatorCase):
    nodes = FOUR_OF_EACH

    def put(self, kind, name, **content):
        """Makes an object as a user would."""
        api_version, type_name = TYPES[kind]
        self.cluster.create(kind, {"apiVersion": api_version, "kind": type_name, "metadata": {"name": name}, **content})

    def stays(self, kind, name):
        """Returns what must stay as it is."""
        stored = self.cluster.get(kind, name)
        metadata = stored["metadata"]
        return ({key: stored.get(key) for key in ("data", "spec")},
                {key: metadata.get(key) for key in ("uid", "labels", "ownerReferences", "deletionTimestamp")})

    def wait_taken(self, get, what):
        def taken():
            for condition in get().get("status", {}).get("conditions", []):
                if condition["type"] == "Reconciled" and condition["reason"] == "NameTaken":
                    return condition["message"]
            return None
        self.assertIn(f"{what} belongs to another owner", wait_for(f"the status names {what}", taken))

    def check(self, name, kind, object_name, **spec):
        """Checks that a training leaves an object alone as long as it lives, and when it is deleted."""
        before = self.stays(kind, object_name)
        self.training(name, **spec)
        self.wait_taken(lambda: self.get(name), f"{PLURALS[kind]} default/{object_name}")
        self.assertIsNotNone(self.status(name).get("phase"))
        self.assertEqual(self.stays(kind, object_name), before)
        self.remove("gt", name)
        self.assertEqual(self.stays(kind, object_name), before)

    def test_of_a_config_map_that_the_training_itself_reads(self):
        self.put("cm", "a-settings", data={"config.yaml": CONFIG})
        self.check("a", "cm", "a-settings", config=None, configFrom={"name": "a-settings"})

    def test_of_no_other_training_whose_name_is_that_of_an_mpi_job(self):
        # The MPI Operator gives each MPIJob a ConfigMap, a Secret and more that are named after it.
        self.training("g-r1")
        self.wait_running("g-r1", 1)
        self.training("g")
        self.wait_running("g", 1)
        for name in ("g", "g-r1"):
            self.remove("gt", name)

    def test_of_a_secret(self):
        self.put("secret", "b-control", data={"token": "dGhlaXJz"})
        self.check("b", "secret", "b-control")

    def test_of_a_network_policy_and_continues_once_it_is_gone(self):
        self.put("networkpolicy", "c", spec={"podSelector": {}})
        self.check("c", "networkpolicy", "c")
        self.training("c")
        self.wait_taken(lambda: self.get("c"), "networkpolicies default/c")
        self.cluster.delete("networkpolicy", "c")
        self.wait_running("c", 1)
        wait_for("the condition holds again", lambda: self.condition("c", "Reconciled")["status"] == "True")
        self.remove("gt", "c")

    def test_of_a_disruption_budget(self):
        self.put("pdb", "d", spec={
            "minAvailable": 1, "selector": {"matchLabels": {"app": "theirs"}}})
        self.check("d", "pdb", "d")

    def test_of_an_mpi_job(self):
        self.put("mpijobs", "e-r1", spec=SUSPENDED_JOB)
        self.check("e", "mpijobs", "e-r1")

    def test_of_the_report_of_a_sweep(self):
        self.put("cm", "f-report", data={"report.html": "theirs"})
        before = self.stays("cm", "f-report")
        self.cluster.apply(sweep("f", points=[{"nodes": 1}]))
        self.wait_running("f-n1-r1", 1)
        self.end_launcher("f-n1-r1", 78, "ganscale: error: no")
        self.wait_taken(lambda: self.cluster.get("sweep", "f"), "configmaps default/f-report")
        self.assertEqual(self.stays("cm", "f-report"), before)
        self.remove("sweep", "f")
        self.assertEqual(self.stays("cm", "f-report"), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
