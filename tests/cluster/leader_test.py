"""Two operators: one leads, the other takes over, and never do both write."""
import json
import signal
import time
import unittest

from control_plane import wait_for
from fault_proxy import FaultProxy
from operator_case import Operator, OperatorCase

WRITES = {"create", "update", "patch", "delete"}
TAKES_OVER_WITHIN = 20  # seconds; the lease lasts 15


class Leader(OperatorCase):
    with_operator = False

    def holder(self):
        return self.cluster.get("lease", "ganscale-operator", namespace="ganscale-system")["spec"]["holderIdentity"]

    def writes(self, *names):
        """Returns (time, operator) of each write of these operators except the election's, from the audit log."""
        found = []
        for line in (self.cluster.folder / "audit.log").read_text().splitlines():
            event = json.loads(line)
            agent = event.get("userAgent", "")
            if event["verb"] in WRITES and event["objectRef"]["resource"] != "leases" and agent.startswith("ganscale"):
                found.append((event["requestReceivedTimestamp"], agent.split("(")[1].rstrip(")")))
        return sorted(write for write in found if write[1] in names)

    def turns(self, *names):
        """Returns the writers, in turn."""
        writers = [writer for _, writer in self.writes(*names)]
        return [writer for i, writer in enumerate(writers) if i == 0 or writer != writers[i - 1]]

    def user_of(self, job):
        """Returns as whom the workers of an MPIJob run."""
        template = self.cluster.get("mpijobs", job)["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
        return template["spec"]["containers"][0]["securityContext"]["runAsUser"]

    def test_ends_at_its_deadline_while_its_requests_for_the_lease_hang(self):
        proxy = FaultProxy(self.cluster)
        self.addCleanup(proxy.close)
        first = Operator(self.cluster, "operator-c", proxy.url).start().wait_ready()
        wait_for("the first leads", lambda: self.holder() == "operator-c")
        second = Operator(self.cluster, "operator-d").start().wait_ready()
        self.training("cut-off")
        self.wait_running("cut-off", 1)
        proxy.hang("/leases/")

        # Each change is undone by the leader: all along, after the second has taken over, and until the first has ended.
        def first_ends_after_a_change():
            self.cluster.patch("networkpolicy", "cut-off", {"spec": {"ingress": []}})
            return second.total("leader_election_master_status") == 1 and first.process.poll() is not None
        wait_for("the second leads, and the first ends", first_ends_after_a_change, 60, interval=1)
        self.cluster.patch("networkpolicy", "cut-off", {"spec": {"ingress": []}})
        wait_for("the second writes", lambda: self.cluster.get("networkpolicy", "cut-off")["spec"].get("ingress"))
        self.assertEqual(first.process.poll(), 75, "it goes on without a lease")
        self.assertEqual(self.turns("operator-c", "operator-d"), ["operator-c", "operator-d"], "two wrote side by side")
        second.stop()

    def test_writes_nothing_after_it_was_stopped_and_continued(self):
        """As on a node that slept, or whose hypervisor moved it."""
        first = Operator(self.cluster, "operator-e").start().wait_ready()
        wait_for("the first leads", lambda: self.holder() == "operator-e", TAKES_OVER_WITHIN)
        second = Operator(self.cluster, "operator-f").start().wait_ready()
        self.training("slept")
        self.wait_running("slept", 1)
        first.process.send_signal(signal.SIGSTOP)
        wait_for("the second leads", lambda: self.holder() == "operator-f", TAKES_OVER_WITHIN + 5)
        self.cluster.patch("networkpolicy", "slept", {"spec": {"ingress": []}})
        wait_for("the second writes", lambda: self.cluster.get("networkpolicy", "slept")["spec"].get("ingress"))
        # What the first would put back, if it took itself for the leader still.
        self.cluster.patch("networkpolicy", "slept", {"spec": {"ingress": []}})
        first.process.send_signal(signal.SIGCONT)
        self.assertEqual(first.process.wait(timeout=20), 75, "it goes on without a lease")
        wait_for("the second writes", lambda: self.cluster.get("networkpolicy", "slept")["spec"].get("ingress"))
        self.assertEqual(self.turns("operator-e", "operator-f"), ["operator-e", "operator-f"], "two wrote side by side")
        second.stop()

    def test_is_followed_by_the_other_after_a_kill(self):
        first = Operator(self.cluster, "operator-a").start().wait_ready()
        wait_for("the first leads", lambda: self.holder() == "operator-a")
        second = Operator(self.cluster, "operator-b").start().wait_ready()
        self.training("before")
        self.wait_running("before", 1)
        self.assertEqual(first.total("leader_election_master_status"), 1)
        self.assertEqual(second.total("leader_election_master_status"), 0)

        first.stop(signal.SIGKILL)
        killed = time.monotonic()
        wait_for("the second leads", lambda: second.total("leader_election_master_status") == 1, TAKES_OVER_WITHIN)
        print(f"took over {time.monotonic() - killed:.1f} s after kill -9")
        self.training("after")
        self.wait_running("after", 1)

        # One that ends in good order gives the lease free: the next need not wait for it to expire.
        first.start().wait_ready()
        second.stop()
        ended = time.monotonic()
        wait_for("the first leads again", lambda: first.total("leader_election_master_status") == 1, TAKES_OVER_WITHIN)
        print(f"took over {time.monotonic() - ended:.1f} s after an orderly end")
        self.cluster.kubectl("scale", "gt/before", "--replicas=2")
        self.wait_running("before", 2)
        # A new leader reads all by lists, in which built-in objects lack their kind: they have not changed.
        self.assertNotIn("PutBack", {event["reason"] for event in self.events("after")})

        self.assertEqual(self.turns("operator-a", "operator-b"), ["operator-a", "operator-b", "operator-a"],
                         "two wrote side by side")
        first.stop()

    def test_leaves_trainings_alone_to_which_it_would_give_other_pods(self):
        """As another version of the operator may, or one with other node profiles."""
        first = Operator(self.cluster, "operator-g").start().wait_ready()
        for name in ("continues", "complete"):
            self.training(name)
            self.wait_running(name, 1)
        self.end_launcher("complete", 0)
        self.wait_phase("complete", "Succeeded")
        before = {name: self.jobs(name) for name in ("continues", "complete")}
        user = self.user_of("continues-r1")
        first.stop()
        second = Operator(self.cluster, "operator-h", options=["--unlimited-memlock"]).start().wait_ready()
        wait_for("the second leads", lambda: self.holder() == "operator-h", TAKES_OVER_WITHIN + 5)
        for name in before:
            self.cluster.kubectl("label", f"gt/{name}", "looked=1")
        wait_for("it has looked at both", lambda: second.total("controller_runtime_reconcile_total") >= 4)
        self.assertEqual({name: self.jobs(name) for name in before}, before)
        self.assertEqual([self.status(name)["phase"] for name in before], ["Running", "Succeeded"])
        self.cluster.kubectl("scale", "gt/continues", "--replicas=2")
        self.wait_running("continues", 2)
        self.assertNotEqual(self.user_of("continues-r2"), user)
        second.stop()


if __name__ == "__main__":
    unittest.main(verbosity=2)
