"""What the tests share that let something go wrong: afterward each training has one attempt, and nothing of others is touched."""
import functools

from bystanders import Bystanders
from control_plane import wait_for
from operator_case import OperatorCase


@functools.cache
def bystanders_of(cluster):
    """Returns the bystanders of a control plane: classes that share it share them."""
    return Bystanders(cluster)


class MishapCase(OperatorCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bystanders = bystanders_of(cls.cluster)

    def tearDown(self):
        self.assertEqual(self.bystanders.changed(), {}, "something of others was changed")

    def training(self, name, **spec):
        """Creates a GanTraining that is deleted at the end of the test."""
        self.addCleanup(self.remove, "gt", name)
        return super().training(name, **spec)

    def wait_told(self, name, reason, words="", seconds=180):
        """Waits until the status has a reason, and these words with it. Returns the message."""
        def told():
            status = self.status(name)
            return status.get("reason") == reason and words in status.get("message", "") and status
        return wait_for(f"the status of {name} tells: {reason}: {words}", told, seconds)["message"]

    def wait_refused(self, name, words):
        """Waits until the condition Reconciled has the API server's words."""
        wait_for(f"the condition Reconciled of {name} tells: {words}",
                 lambda: words in self.condition(name, "Reconciled").get("message", ""))

    def is_the_only_attempt(self, name, attempt):
        """Whether nothing else of a training is left than this attempt: one MPIJob, and pods of it alone."""
        pods = self.cluster.get("pods", selector=f"ganscale.dev/training={name}")["items"]
        jobs = self.cluster.get("mpijobs", selector=f"ganscale.dev/training={name}")["items"]
        job = f"{name}-r{attempt}"
        return ([item["metadata"]["name"] for item in jobs] == [job]
                and {pod["metadata"]["name"].rsplit("-launcher", 1)[0].rsplit("-worker", 1)[0] for pod in pods} == {job})

    def wait_right(self, name, attempt, seconds=180):
        """Waits until an attempt runs, and no other is left."""
        self.wait_running(name, attempt, seconds)
        wait_for(f"{name}-r{attempt} is the only attempt", lambda: self.is_the_only_attempt(name, attempt))
        self.assertEqual(len(self.pods(name)), self.get(name)["spec"]["nodes"])
