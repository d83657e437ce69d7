"""What belongs to others in a cluster, and must be as it was whatever happens to trainings."""
from control_plane import wait_for

SPARE = {"spec": {"containers": [{"name": "x", "image": "registry.example/theirs"}],
                  "tolerations": [{"operator": "Exists"}], "nodeSelector": {"kubernetes.io/hostname": "nowhere"}}}
OBJECTS = {
    "cm": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"config.yaml": "theirs"}},
    "secret": {"apiVersion": "v1", "kind": "Secret", "data": {"token": "dGhlaXJz"}},
    "pods": {"apiVersion": "v1", "kind": "Pod", **SPARE},
    "networkpolicy": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "spec": {"podSelector": {}}},
    "pdb": {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "theirs"}}}},
    "jobs": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"suspend": True, "template": {
        "spec": {"restartPolicy": "Never", "containers": SPARE["spec"]["containers"]}}}},
    "mpijobs": {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "spec": {
        "runPolicy": {"suspend": True}, "slotsPerWorker": 1, "mpiReplicaSpecs": {
            role: {"replicas": 1, "template": SPARE} for role in ("Launcher", "Worker")}}}}


class Bystanders:
    """Objects of every kind that the operator writes, next to its trainings, two of them with its own labels."""

    def __init__(self, cluster):
        self.cluster = cluster
        for kind, value in OBJECTS.items():
            for name, labels in (("theirs", {}), ("labeled", {"ganscale.dev/training": "theirs"})):
                cluster.create(kind, {**value, "metadata": {"name": name, "labels": labels}})
        # Defaults, and what a controller writes once when it first sees an object.
        wait_for("theirs have settled", lambda: self.cluster.get("mpijobs", "theirs").get("status"))
        self.before = self.state()

    def state(self):
        """Returns what must stay of each object."""
        return {(kind, name): self._stays(self.cluster.get(kind, name)) for kind in OBJECTS for name in ("theirs", "labeled")}

    @staticmethod
    def _stays(stored):
        metadata = stored["metadata"]
        return ({key: stored.get(key) for key in ("data", "spec")},
                {key: metadata.get(key) for key in ("uid", "labels", "ownerReferences", "deletionTimestamp")})

    def changed(self):
        """Returns what of theirs is not as it was."""
        now = self.state()
        return {key: (value, now[key]) for key, value in self.before.items() if now[key] != value}
