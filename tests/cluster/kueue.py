"""Kueue in a ControlPlane, from its own manifests: its definitions, its webhooks, the certificates that it makes for them."""
import base64
import json
import shutil

from build_tools import build_tools
from control_plane import free_ports, wait_for

NAMESPACE = "kueue-system"
WEBHOOKS = "kueue-webhook-service"
# There are no addresses of services here: the API server finds a service of this type by the machine's name.
ON_THIS_MACHINE = [{"op": "replace", "path": "/spec", "value": {"type": "ExternalName", "externalName": "localhost"}}]
KUSTOMIZATION = {"namespace": NAMESPACE, "namePrefix": "kueue-",
                 "resources": [f"config/components/{part}" for part in ("crd", "webhook", "internalcert")],
                 "patches": [{"target": {"kind": "Service"}, "patch": json.dumps(ON_THIS_MACHINE)}]}


class Kueue:
    def __init__(self, cluster):
        self.cluster = cluster
        self.bin = build_tools("--addons", "kueue")
        self.folder = cluster.folder / "kueue"
        self.certificates = self.folder / "certificates"
        self.certificates.mkdir(parents=True)
        self.health, self.metrics, self.webhooks = free_ports(3)

    def install(self):
        """Installs Kueue and waits until it takes objects of its API."""
        shutil.copytree(self.bin / "kueue-config", self.folder / "config")
        (self.folder / "kustomization.yaml").write_text(json.dumps(KUSTOMIZATION))
        self.cluster.kubectl("create", "namespace", NAMESPACE)
        # kubectl's checks take the API server half a minute when it has just got definitions.
        self.cluster.kubectl("apply", "--server-side", "--validate=false", "-k", self.folder)
        self._set_the_port_of_webhooks()
        self._start()
        self._mount_certificates()
        probe = resource("ResourceFlavor", "probe", {})
        wait_for("Kueue's webhooks answer", lambda: self.create([probe], "--dry-run=server"))

    def create(self, values, *options):
        """Creates objects of its API or others. Returns what kubectl says."""
        values = json.dumps({"apiVersion": "v1", "kind": "List", "items": values})
        return self.cluster.kubectl("create", "--validate=false", *options, "-f", "-", stdin=values)

    def _set_the_port_of_webhooks(self):
        """Everywhere: conversions between versions of the API go to a webhook, too."""
        kinds = "mutatingwebhookconfigurations,validatingwebhookconfigurations,customresourcedefinitions"
        found = json.loads(self.cluster.kubectl("get", kinds, "-o", "json"), object_hook=self._with_port)
        found["items"] = [item for item in found["items"] if WEBHOOKS in json.dumps(item)]
        for item in found["items"]:
            del item["metadata"]["resourceVersion"]  # the API server still writes conditions of definitions
        self.cluster.kubectl("replace", "--validate=false", "-f", "-", stdin=json.dumps(found))

    def _with_port(self, value):
        return {**value, "port": self.webhooks} if value.get("name") == WEBHOOKS and "path" in value else value

    def _start(self):
        configuration = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "namespace": NAMESPACE,
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"},
            "metrics": {"bindAddress": f"127.0.0.1:{self.metrics}"},
            "webhook": {"host": "127.0.0.1", "port": self.webhooks, "certDir": str(self.certificates)},
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"qps": 200, "burst": 400},
            "internalCertManagement": {"enable": True, "webhookServiceName": WEBHOOKS,
                                       "webhookSecretName": "kueue-webhook-server-cert"},
            "featureGates": {"VisibilityOnDemand": False},  # its server reads the configuration of a pod
            "integrations": {"frameworks": ["batch/job", "kubeflow.org/mpijob", "pod"]}}
        (self.folder / "configuration.yaml").write_text(json.dumps(configuration))
        self.cluster.start("kueue", self.bin / "kueue", f"--config={self.folder}/configuration.yaml",
                           f"--kubeconfig={self.cluster.folder}/admin.kubeconfig", "--zap-stacktrace-level=panic")

    def _mount_certificates(self):
        """As the kubelet does once Kueue has written them to its Secret."""
        secret = wait_for("Kueue's certificates", lambda: self.cluster.get(
            "secret", "kueue-webhook-server-cert", namespace=NAMESPACE).get("data"))
        for name, content in secret.items():
            (self.certificates / name).write_bytes(base64.b64decode(content))


def resource(kind, name, spec, namespace=None):
    """Returns an object of Kueue's API."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": metadata, "spec": spec}
