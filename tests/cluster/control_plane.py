"""A real Kubernetes control plane on free ports of 127.0.0.1, without root: etcd, kube-apiserver, kube-controller-manager,
kube-scheduler, the MPI Operator, and kwok for the nodes. It has a network of its own where the machine allows that. With
GANSCALE_KUBERNETES=next in the environment, it is a newer Kubernetes.

    with ControlPlane() as cluster:
        cluster.kubectl("get", "nodes")
"""
import fcntl
import http.client
import json
import os
import pathlib
import random
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from build_tools import CANNOT, build_tools
from own_network import enter_own_network

# Programs in Go collect garbage less often: a control plane lives for minutes, and tests next to it need the cores.
os.environ.setdefault("GOGC", "400")

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
PATHS = {"pods": "/api/v1/{}pods", "cm": "/api/v1/{}configmaps", "secret": "/api/v1/{}secrets",
         "gt": "/apis/ganscale.dev/v1alpha1/{}gantrainings", "sweep": "/apis/ganscale.dev/v1alpha1/{}scalingsweeps",
         "mpijobs": "/apis/kubeflow.org/v2beta1/{}mpijobs",
         "pdb": "/apis/policy/v1/{}poddisruptionbudgets", "networkpolicy": "/apis/networking.k8s.io/v1/{}networkpolicies",
         "events": "/apis/events.k8s.io/v1/{}events", "lease": "/apis/coordination.k8s.io/v1/{}leases",
         "jobs": "/apis/batch/v1/{}jobs", "nodes": "/api/v1/nodes", "namespaces": "/api/v1/namespaces",
         "crd": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"}


def free_ports(count):
    """Returns ports of 127.0.0.1 that are free, and that no outgoing connection gets before a program listens there."""
    first_of_connections = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = []
    while len(ports) < count:
        port = random.randrange(first_of_connections - 20000, first_of_connections)
        with socket.socket() as probe:
            if port not in ports and probe.connect_ex(("127.0.0.1", port)) != 0:
                ports.append(port)
    return ports


def wait_for(what, holds, seconds=180, interval=0.1):
    """Calls `holds` until it returns something true, and returns that. It waits as long as a busy machine may take."""
    deadline = time.monotonic() + seconds
    last = None
    while time.monotonic() < deadline:
        try:
            last = holds()
            if last:
                return last
        except (subprocess.CalledProcessError, KeyError, IndexError) as error:
            last = error
        time.sleep(interval)
    raise AssertionError(f"{what}: not within {seconds} s: {last!r}")


class ControlPlane:
    label = "cluster"  # of its folder

    def __init__(self, dgx_nodes=8, cpu_nodes=2, pods_here=True, old_mpi_operator=False):
        """pods_here: pods get addresses of this machine, so that what listens here answers for them. old_mpi_operator: it is
        the old one until upgrade_mpi_operator()."""
        self.over = threading.Event()
        self.bin = build_tools()
        self.kubernetes = build_tools("--next") if os.environ.get("GANSCALE_KUBERNETES") == "next" else self.bin
        self.addons = build_tools("--addons")
        self.mpi_operator = build_tools("mpi-operator") if old_mpi_operator else self.addons  # its program and definition
        self.turn = self._wait_for_turn(self.bin.parent)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"ganscale-{self.label}-"))
        self.pods_here = pods_here
        self.processes, self.commands = {}, {}
        self.restarting = threading.Lock()  # what ended by itself is started again by another thread
        self.connections = threading.local()
        self.admin_token = ""
        names = ["etcd", "peer", "api", "manager", "scheduler", "mpi_monitoring", "kwok"]
        self.ports = dict(zip(names, free_ports(len(names))))
        self.nodes = [self._dgx(i) for i in range(dgx_nodes)] + [self._cpu(i) for i in range(cpu_nodes)]

    @staticmethod
    def _wait_for_turn(cache):
        """The MPI Operator answers for its health on port 8080 and no other: one control plane in a network. Where this
        process can't have a network of its own, returns a lock on the machine's."""
        if enter_own_network():
            return None
        lock = open(cache / "cluster.lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("0.0.0.0", 8080))
            except OSError:
                print("SKIPPED: port 8080, which the MPI Operator needs, is taken", file=sys.stderr)
                sys.exit(CANNOT)
        return lock

    # --- processes
    def start(self, name, *command, env=None):
        """Starts a program with its output in a file; ended with the cluster."""
        self.commands[name] = (command, env)
        log = open(self.folder / f"{name}.log", "ab")
        environment = dict(os.environ, **(env or {}))
        self.processes[name] = subprocess.Popen(
            [str(word) for word in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)
        log.close()
        return self.processes[name]

    def stop(self, name, sig=signal.SIGTERM):
        process = self.processes.pop(name, None)
        if process is None:
            return None
        process.send_signal(sig)
        try:
            return process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def restart(self, name):
        """Kills a program and starts it again, as a kubelet would."""
        command, env = self.commands[name]
        with self.restarting:
            self.stop(name, signal.SIGKILL)
            self.start(name, *command, env=env)

    def revive(self, name):
        """Starts a program that ended by itself, as the kubelet would."""
        with self.restarting:
            process = self.processes.get(name)
            if process is not None and process.poll() is not None:
                command, env = self.commands[name]
                self.start(name, *command, env=env)

    def logs_of(self):
        return sorted(path.stem for path in self.folder.glob("*.log"))

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    # --- access
    @property
    def url(self):
        return f"https://127.0.0.1:{self.ports['api']}"

    def kubeconfig(self, name, user, server=None):
        """Writes a kubeconfig; `user` is {"token": ...} or {"tokenFile": ...}. Returns its path."""
        path = self.folder / f"{name}.kubeconfig"
        cluster = {"server": server or self.url}
        if not server:
            cluster["certificate-authority"] = str(self.folder / "pki" / "apiserver.crt")
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": cluster}], "users": [{"name": "u", "user": user}]}))
        return path

    def kubectl(self, *words, stdin=None, check=True, text=True):
        """Returns what kubectl printed. Raises CalledProcessError, with its message in `stderr`."""
        result = subprocess.run(
            [str(self.kubernetes / "kubectl"), "--kubeconfig", str(self.folder / "admin.kubeconfig"), *map(str, words)],
            input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text, check=False)
        if check and result.returncode != 0:
            error = subprocess.CalledProcessError(result.returncode, words, result.stdout, result.stderr)
            error.add_note(result.stderr) if hasattr(error, "add_note") else None
            raise error
        return result.stdout if check else result

    # As kubectl does, but without a process for each: a hundred times as fast.
    def get(self, kind, name="", selector="", namespace="default"):
        """Returns an object, or the list of objects with the labels."""
        query = f"?labelSelector={urllib.parse.quote(selector)}" if selector else ""
        return self._call("GET", self._path(kind, name, namespace) + query)

    def count(self, kind, namespace="default"):
        """Returns how many there are, without reading them all."""
        page = self._call("GET", self._path(kind, "", namespace) + "?limit=1")
        return len(page["items"]) + page["metadata"].get("remainingItemCount", 0)

    def create(self, kind, value, namespace="default"):
        """Makes an object as it is, without what kubectl would say of it before."""
        return self._call("POST", self._path(kind, "", namespace), value)

    def try_create(self, kind, value, namespace="default"):
        """Asks whether an object could be made, as strictly as kubectl does; makes nothing."""
        return self._call("POST", self._path(kind, "", namespace) + "?dryRun=All&fieldValidation=Strict", value)

    def patch(self, kind, name, value, namespace="default", subresource=""):
        """Merges `value` into an object."""
        return self._call("PATCH", self._path(kind, name, namespace) + (subresource and f"/{subresource}"), value)

    def delete(self, kind, name, namespace="default"):
        """Asks for an object's end, and does not wait for it."""
        return self._call("DELETE", self._path(kind, name, namespace), {"propagationPolicy": "Background"})

    def is_ready(self):
        """Whether the API server says so."""
        return self._ask("GET", "/readyz")[0] == 200

    @staticmethod
    def _path(kind, name, namespace):
        """Returns the path of an object or of a list, of all namespaces if `namespace` is empty."""
        return PATHS[kind].format(namespace and f"namespaces/{namespace}/") + (f"/{name}" if name else "")

    def _ask(self, method, path, value=None):
        """Returns the status of the answer, 0 if there is none, and its text, or why there is none."""
        headers = {"Authorization": f"Bearer {self.admin_token}",
                   "Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json"}
        for new in (False, True):  # a connection that was kept may be closed by now
            try:
                connection = self._connection(new)
                connection.request(method, path, value and json.dumps(value), headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException) as error:
                reason = str(error)
        return 0, reason

    def _call_once(self, method, path, value):
        """Returns the answer. Raises CalledProcessError if the API server answers with an error, or not at all."""
        status, text = self._ask(method, path, value)
        if status not in (200, 201, 202):
            raise subprocess.CalledProcessError(status or 1, [method, path], text)
        return json.loads(text)

    def _call(self, method, path, value=None):
        """As _call_once(), which it repeats while the API server asks for that: it does while a definition changes."""
        for _ in range(30):
            try:
                return self._call_once(method, path, value)
            except subprocess.CalledProcessError as error:
                if error.returncode != 429:
                    raise
            time.sleep(1)
        return self._call_once(method, path, value)

    def _connection(self, new):
        """The calling thread's connection to the API server."""
        kept = getattr(self.connections, "one", None)
        if new and kept:
            kept.close()
        if new or not kept:
            context = ssl.create_default_context(cafile=str(self.folder / "pki" / "apiserver.crt"))
            self.connections.one = http.client.HTTPSConnection("127.0.0.1", self.ports["api"], timeout=10, context=context)
        return self.connections.one

    def apply(self, value):
        return self.kubectl("apply", "-f", "-", stdin=json.dumps(value))

    # --- start
    def __enter__(self):
        try:
            self._make_keys()
            self.start_etcd()
            self.start_apiserver()
            self._start_controllers()
            self._start_kubelets()
            self._make_nodes()
            self._install_mpi_operator()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def _make_keys(self):
        pki = self.folder / "pki"
        pki.mkdir(mode=0o700)
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", pki / "sa.key"],
                       check=True, stderr=subprocess.DEVNULL)
        users = {"admin": "system:masters", "system:kube-controller-manager": "", "system:kube-scheduler": ""}
        lines = []
        for user, group in users.items():
            token = secrets.token_hex(16)
            lines.append(f"{token},{user},{user}" + (f",{group}" if group else ""))
            self.kubeconfig(user.rsplit(":", 1)[-1], {"token": token})
            if user == "admin":
                self.admin_token = token
        (pki / "tokens.csv").write_text("\n".join(lines) + "\n")
        (self.folder / "audit.yaml").write_text(json.dumps({
            "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [
                {"level": "Metadata", "userGroups": ["system:serviceaccounts:ganscale-system"]},
                {"level": "None"}]}))

    def start_etcd(self):
        client, peer = (f"http://127.0.0.1:{self.ports[name]}" for name in ("etcd", "peer"))
        self.start("etcd", self.bin / "etcd", "--data-dir", self.folder / "etcd", "--unsafe-no-fsync",
                   "--listen-client-urls", client, "--advertise-client-urls", client,
                   "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                   "--initial-cluster", f"default={peer}")

    def restore_etcd(self, backup):
        """Sets the cluster back to a backup of etcd's folder, as the manual says: the API server stops before
        and whoever has a cache of it starts again. The operator is not asked to."""
        self.stop("apiserver", signal.SIGKILL)
        self.stop("etcd", signal.SIGKILL)
        shutil.rmtree(self.folder / "etcd")
        shutil.copytree(backup, self.folder / "etcd")
        self.start_etcd()
        self.start_apiserver()
        for name in ("manager", "scheduler", "kwok", "mpi-operator"):
            self.restart(name)

    def back_up_etcd(self):
        """Returns a copy of etcd's folder."""
        backup = self.folder / "etcd-backup"
        self.stop("etcd")
        shutil.copytree(self.folder / "etcd", backup)
        self.start_etcd()
        wait_for("kube-apiserver is ready", self.is_ready, 600)
        return backup

    def start_apiserver(self):
        pki = self.folder / "pki"
        self.start(
            "apiserver", self.kubernetes / "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self.ports['etcd']}",
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={self.ports['api']}",
            f"--cert-dir={pki}", f"--token-auth-file={pki}/tokens.csv",
            "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={pki}/sa.key",
            f"--service-account-signing-key-file={pki}/sa.key", "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged=true", "--endpoint-reconciler-type=none",
            f"--audit-log-path={self.folder}/audit.log", f"--audit-policy-file={self.folder}/audit.yaml",
            "--audit-log-mode=blocking", "--shutdown-delay-duration=0s")
        wait_for("kube-apiserver is ready", self.is_ready, 600)

    def _start_controllers(self):
        pki = self.folder / "pki"
        leaderless = ["--leader-elect=false", "--bind-address=127.0.0.1"]
        self.start("manager", self.kubernetes / "kube-controller-manager", *leaderless,
                   f"--kubeconfig={self.folder}/kube-controller-manager.kubeconfig",
                   f"--secure-port={self.ports['manager']}", f"--service-account-private-key-file={pki}/sa.key",
                   f"--root-ca-file={pki}/apiserver.crt", "--use-service-account-credentials",
                   "--kube-api-qps=200", "--kube-api-burst=400", "--concurrent-gc-syncs=20")
        config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                  "leaderElection": {"leaderElect": False},
                  "clientConnection": {"kubeconfig": f"{self.folder}/kube-scheduler.kubeconfig", "qps": 500,
                                       "burst": 1000}}
        (self.folder / "scheduler.yaml").write_text(json.dumps(config))
        self.start("scheduler", self.kubernetes / "kube-scheduler", "--bind-address=127.0.0.1",
                   f"--config={self.folder}/scheduler.yaml", f"--secure-port={self.ports['scheduler']}")

    def _start_kubelets(self):
        self.start("kwok", self.bin / "kwok", f"--kubeconfig={self.folder}/admin.kubeconfig",
                   "--manage-all-nodes=false", "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
                   "--cidr=127.128.0.0/10" if self.pods_here else "--cidr=198.18.0.0/15", "--node-ip=127.0.0.1", "--node-lease-duration-seconds=40",
                   f"--config={HERE}/stages/nodes.yaml", f"--config={HERE}/stages/pods.yaml", f"--server-address=127.0.0.1:{self.ports['kwok']}")

    def _install_mpi_operator(self):
        self.kubectl("create", "--save-config=false", "-f", self.mpi_operator / "mpijobs-crd.yaml")
        wait_for("the API of MPIJobs", lambda: self.kubectl("get", "mpijobs", "-A", check=False).returncode == 0)
        self.kubectl("create", "namespace", "mpi-operator")
        self._start_mpi_operator()
        threading.Thread(target=self._keep_controllers, daemon=True).start()

    def _start_mpi_operator(self):
        self.start("mpi-operator", self.mpi_operator / "mpi-operator", f"--kubeConfig={self.folder}/admin.kubeconfig",
                   "--lock-namespace=mpi-operator", "--kube-api-qps=200", "--kube-api-burst=400", "--threadiness=8",
                   f"--monitoring-port={self.ports['mpi_monitoring']}")

    def upgrade_mpi_operator(self):
        """Puts the definition and program of today in the place of the old ones, as an administrator would."""
        self.mpi_operator = self.addons
        self.stop("mpi-operator")
        self.kubectl("replace", "-f", self.mpi_operator / "mpijobs-crd.yaml")
        self._start_mpi_operator()

    def _keep_controllers(self):
        """They end without an API server, and the MPI Operator when it can't renew its lease for five seconds, as on a busy
        machine."""
        while not self.over.wait(0.5):
            for name in ("manager", "scheduler", "kwok", "mpi-operator"):
                self.revive(name)

    # --- nodes
    @staticmethod
    def _node(name, labels, taints, extra):
        resources = {"cpu": "256", "memory": "2Ti", "pods": "110", **extra}
        return {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"},
                             "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **labels}},
                "spec": {"taints": taints}, "status": {"allocatable": resources, "capacity": resources}}

    def _dgx(self, i):
        return self._node(f"dgx-{i}", {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB",
                                       "topology.kubernetes.io/zone": f"row-{i // 4}"},
                          [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
                          {"nvidia.com/gpu": "8", "rdma/rdma_shared_device_a": "63"})

    def _cpu(self, i):
        return self._node(f"cpu-{i}", {}, [], {})

    def add_dgx(self, i):
        """Adds a node to those that the cluster began with."""
        self.apply(self._dgx(i))

    def _make_nodes(self):
        # kubectl's checks take the API server half a minute when it has just started on a busy machine.
        self.kubectl("apply", "--validate=false", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": self.nodes}))

    # --- end
    def __exit__(self, kind, error, trace):
        self.over.set()
        # Writers first, the API server and etcd last.
        for name in sorted(self.processes, key=lambda name: {"apiserver": 1, "etcd": 2}.get(name, 0)):
            self.stop(name, signal.SIGKILL)
        if kind is None or "GANSCALE_KEEP_CLUSTER" not in os.environ:
            shutil.rmtree(self.folder, ignore_errors=True)
        if self.turn:
            self.turn.close()
        return False
