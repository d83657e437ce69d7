"""An MPI Operator that is upgraded while trainings run."""
import unittest

from mishap_case import MishapCase


class Upgrade(MishapCase):
    nodes = {"dgx_nodes": 4, "cpu_nodes": 1, "old_mpi_operator": True}

    def uids(self, name):
        """Returns what must be the same during an attempt."""
        items = self.cluster.get("mpijobs", selector=f"ganscale.dev/training={name}")["items"]
        return sorted(item["metadata"]["uid"] for item in items + self.pods(name) + self.pods(name, "launcher"))

    def test_leaves_a_running_training_alone(self):
        name = self.training("running", nodes=2)
        self.wait_right(name, 1)
        before = self.uids(name)
        self.cluster.upgrade_mpi_operator()
        self.training("next")
        self.wait_right("next", 1)  # by the new one
        self.assertEqual(self.uids(name), before)
        self.assertEqual(self.status(name)["restarts"], 0)
        self.cluster.kubectl("scale", f"gt/{name}", "--replicas=1")
        self.wait_right(name, 2)
        self.end_launcher(name, 0)
        self.wait_phase(name, "Succeeded")


if __name__ == "__main__":
    unittest.main(verbosity=2)
