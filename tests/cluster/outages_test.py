"""An API server that hangs, is slow, reports late or is set back to a backup: trainings continue, and get nothing twice."""
import signal
import threading
import time
import unittest

from control_plane import wait_for
from fault_proxy import FaultProxy
from mishap_case import MishapCase
from operator_case import Operator

HANGS_FOR = 25  # seconds; a leader gives up after 10, and the lease lasts 15


class Outages(MishapCase):
    nodes = {"dgx_nodes": 3, "cpu_nodes": 1}
    with_operator = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = FaultProxy(cls.cluster)
        cls.addClassCleanup(cls.proxy.close)
        cls.operators = [Operator(cls.cluster, name, cls.proxy.url).start() for name in ("operator-a", "operator-b")]
        cls.operators[0].wait_ready()
        threading.Thread(target=cls.keep_operators, daemon=True).start()

    @classmethod
    def keep_operators(cls):
        """As the kubelet does."""
        while not cls.cluster.over.wait(0.5):
            for operator in cls.operators:
                cls.cluster.revive(operator.name)

    def uid_of_job(self, name, attempt):
        return self.cluster.get("mpijobs", f"{name}-r{attempt}")["metadata"]["uid"]

    def test_of_an_api_server_that_hangs(self):
        name = self.training("hung", nodes=2)
        self.wait_right(name, 1)
        apiserver = self.cluster.processes["apiserver"]
        apiserver.send_signal(signal.SIGSTOP)
        time.sleep(HANGS_FOR)
        apiserver.send_signal(signal.SIGCONT)
        # It has lost nothing, and works on: with whichever of the two leads now.
        self.cluster.kubectl("scale", f"gt/{name}", "--replicas=1")
        self.wait_right(name, 2)
        self.assertEqual(self.status(name)["restarts"], 0)

    def test_of_an_api_server_that_is_slow(self):
        self.proxy.slow_down(0.7)
        self.addCleanup(self.proxy.slow_down, 0)
        name = self.training("late", nodes=2)
        self.wait_right(name, 1)
        self.cluster.kubectl("scale", f"gt/{name}", "--replicas=1")
        self.wait_right(name, 2)
        self.assertEqual(self.status(name)["restarts"], 0)

    def test_of_a_watch_that_lags_behind_the_others(self):
        name = self.training("lagging", restartPolicy={"backoffSeconds": 6, "maxBackoffSeconds": 6})
        self.wait_right(name, 1)
        self.end_launcher(name, 75)
        self.wait_phase(name, "Restarting")
        time.sleep(1)  # until the operator has heard of that itself
        # From here on it sees MPIJobs and pods, and of the training what it was before the second attempt.
        self.proxy.lag("/gantrainings")
        self.addCleanup(self.proxy.catch_up)
        uid = wait_for("the second attempt", lambda: self.uid_of_job(name, 2))
        time.sleep(5)
        self.assertEqual(self.uid_of_job(name, 2), uid)
        self.assertEqual(self.jobs(name), [f"{name}-r2"])
        self.proxy.catch_up()
        self.wait_right(name, 2)
        self.assertEqual((self.uid_of_job(name, 2), self.status(name)["restarts"]), (uid, 1))

    def test_of_an_etcd_that_is_set_back_to_a_backup(self):
        name = self.training("early")
        self.wait_right(name, 1)
        uid = self.uid_of_job(name, 1)
        backup = self.cluster.back_up_etcd()
        self.cluster.kubectl("scale", f"gt/{name}", "--replicas=2")
        self.wait_right(name, 2)
        self.training("lost")
        self.wait_right("lost", 1)
        self.cluster.restore_etcd(backup)
        # The second attempt never was, nor was the other training.
        self.wait_right(name, 1)
        self.assertEqual(self.uid_of_job(name, 1), uid)
        self.assertEqual(self.cluster.get("mpijobs", selector="ganscale.dev/training=lost")["items"], [])
        # It hears of what comes after.
        self.cluster.kubectl("scale", f"gt/{name}", "--replicas=2")
        self.wait_right(name, 2)
        self.training("lost")
        self.wait_right("lost", 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
