"""A real Kubernetes on this machine: the control plane of tests/cluster, and one node with a kubelet and containerd whose pods
are real. All of it lives in a network namespace with no way out. Needs root.

    with RealCluster() as cluster:
        cluster.import_image(path)
        cluster.kubectl("get", "nodes")
"""
import atexit
import fcntl
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
sys.path.insert(0, str(PROJECT / "tests" / "cluster"))
from control_plane import CANNOT, ControlPlane, wait_for  # noqa: E402

NETWORK = "ganscale-e2e"
ADDRESS = "10.244.0.1"
NODE = "node"
NEEDED = ["containerd", "ctr", "runc", "ip", "nft", "nsenter", "openssl", "curl", "prometheus"]
CNI = "/usr/lib/cni"


def skip_unless_possible():
    """Ends the test as skipped, with the reason, where this machine can't have real pods."""
    reasons = []
    if os.geteuid() != 0:
        reasons.append("needs root")
    reasons += [f"{name} is missing" for name in NEEDED if not shutil.which(name)]
    if not pathlib.Path(CNI, "bridge").exists():
        reasons.append(f"{CNI}/bridge is missing (package containernetworking-plugins)")
    if pathlib.Path("/var/lib/kubelet/device-plugins/kubelet.sock").exists() and process_runs("kubelet"):
        reasons.append("a kubelet runs here already, and there can be one")
    if not reasons:
        probe = subprocess.run(["ip", "netns", "add", f"{NETWORK}-probe"], capture_output=True, text=True, check=False)
        subprocess.run(["ip", "netns", "del", f"{NETWORK}-probe"], capture_output=True, check=False)
        if probe.returncode != 0:
            reasons.append(f"no network namespace: {probe.stderr.strip()}")
    if reasons:
        print("SKIPPED: " + "; ".join(reasons), file=sys.stderr)
        sys.exit(CANNOT)


def process_runs(name):
    return any(path.read_text().strip() == name for path in pathlib.Path("/proc").glob("[0-9]*/comm") if path.exists())


def quietly(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout


class RealCluster(ControlPlane):
    label = "e2e"

    def __init__(self):
        skip_unless_possible()
        subprocess.run([PROJECT / "tests/cluster/build-tools.sh", "kubelet", "coredns"], check=True,
                       stdout=subprocess.DEVNULL)
        super().__init__(dgx_nodes=0, cpu_nodes=0)
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.socket = self.folder / "containerd.sock"

    @staticmethod
    def _wait_for_turn(cache):
        lock = open(cache / "e2e.lock", "w")  # its ports are its own: only another one of its kind is in the way
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    @property
    def url(self):
        return f"https://{ADDRESS}:6443"

    # --- processes
    def inside(self, *command):
        """Returns a command that runs in the cluster's network."""
        return ["nsenter", f"--net=/run/netns/{NETWORK}", *map(str, command)]

    def start(self, name, *command, env=None):
        return super().start(name, *self.inside(*command), env=env)

    def kubectl(self, *words, stdin=None, check=True, text=True):
        command = self.inside(self.bin / "kubectl", "--kubeconfig", self.folder / "admin.kubeconfig", *words)
        result = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text,
                                check=False)
        if check and result.returncode != 0:
            error = subprocess.CalledProcessError(result.returncode, words, result.stdout, result.stderr)
            error.add_note(result.stderr) if hasattr(error, "add_note") else None
            raise error
        return result.stdout if check else result

    def look_up(self, *words):
        """Returns what `kubectl get ... -o json` prints, as Python values."""
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    def helm(self, *words):
        command = self.inside(self.bin / "helm", "--kubeconfig", self.folder / "admin.kubeconfig", *words)
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if result.returncode != 0:
            raise AssertionError(f"helm {' '.join(map(str, words))}: {result.stdout}\n{result.stderr}")
        return result.stdout

    def http(self, url, token=None):
        """Returns (status, body) of a GET from the node."""
        header = ["-H", f"Authorization: Bearer {token}"] if token else []
        result = subprocess.run(self.inside("curl", "-s", "-m", 10, "-w", "\n%{http_code}", *header, url),
                                stdout=subprocess.PIPE, text=True, check=False)
        body, _, status = result.stdout.rpartition("\n")
        return int(status or 0), body

    def ctr(self, *words):
        return quietly("ctr", "-a", self.socket, "-n", "k8s.io", *words)

    def import_image(self, path):
        subprocess.run(["ctr", "-a", str(self.socket), "-n", "k8s.io", "images", "import", "--snapshotter", "overlayfs",
                        str(path)], check=True, stdout=subprocess.DEVNULL)

    # --- start
    def __enter__(self):
        # Also where the test is interrupted: real processes, mounts and cgroups would stay behind.
        atexit.register(self.__exit__, None, None, None)
        signal.signal(signal.SIGTERM, lambda *ignored: sys.exit(1))
        return super().__enter__()

    def _make_keys(self):
        self._make_network()
        super()._make_keys()
        token = secrets.token_hex(16)
        with open(self.folder / "pki" / "tokens.csv", "a") as file:
            file.write(f"{token},system:node:{NODE},system:node:{NODE},system:nodes\n")
        self.kubeconfig("kubelet", {"token": token})

    def _make_network(self):
        for process in quietly("ip", "netns", "pids", NETWORK).split():
            os.kill(int(process), signal.SIGKILL)  # of a run that was killed
        quietly("ip", "netns", "del", NETWORK)
        subprocess.run(["ip", "netns", "add", NETWORK], check=True)
        for command in ["ip link set lo up", "ip link add cni0 type bridge", f"ip addr add {ADDRESS}/24 dev cni0",
                        # The API server and the kubelet need a default route; it leads nowhere.
                        "ip link set cni0 up", f"ip route replace default via {ADDRESS} dev cni0"]:
            quietly(*self.inside(*command.split()))
        # All that is needed of kube-proxy: the API server's own Service.
        rules = f"""table ip svc {{
          chain pre {{ type nat hook prerouting priority dstnat; ip daddr 10.96.0.1 tcp dport 443 dnat to {ADDRESS}:6443; }}
          chain out {{ type nat hook output priority -100; ip daddr 10.96.0.1 tcp dport 443 dnat to {ADDRESS}:6443; }}
        }}"""
        subprocess.run(self.inside("nft", "-f", "-"), input=rules, text=True, check=True)

    def start_apiserver(self):
        pki = self.folder / "pki"
        self.start(
            "apiserver", self.bin / "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self.ports['etcd']}",
            "--bind-address=0.0.0.0", f"--advertise-address={ADDRESS}", "--secure-port=6443", f"--cert-dir={pki}",
            f"--token-auth-file={pki}/tokens.csv", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={pki}/sa.key", f"--service-account-signing-key-file={pki}/sa.key",
            "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
            "--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged=true",
            "--kubelet-preferred-address-types=InternalIP", "--endpoint-reconciler-type=master-count",
            "--shutdown-delay-duration=0s")
        wait_for("kube-apiserver is ready", lambda: self.kubectl("get", "--raw", "/readyz") == "ok")

    def _start_kubelets(self):
        self._start_containerd()
        self._start_dns()
        config = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
                  "containerRuntimeEndpoint": f"unix://{self.socket}", "cgroupDriver": "cgroupfs",
                  "failCgroupV1": False, "failSwapOn": False, "makeIPTablesUtilChains": False,
                  "enforceNodeAllocatable": [], "resolvConf": f"{self.folder}/resolv.conf", "clusterDNS": [ADDRESS],
                  "clusterDomain": "cluster.local",
                  "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
                  "authorization": {"mode": "AlwaysAllow"}, "imageGCHighThresholdPercent": 100,
                  "imageGCLowThresholdPercent": 99, "syncFrequency": "5s", "podLogsDir": f"{self.folder}/podlogs",
                  "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"}}
        (self.folder / "kubelet.json").write_text(json.dumps(config))
        (self.folder / "resolv.conf").write_text("")
        self.start("kubelet", self.bin / "kubelet", f"--config={self.folder}/kubelet.json",
                   f"--kubeconfig={self.folder}/kubelet.kubeconfig", f"--hostname-override={NODE}", f"--node-ip={ADDRESS}",
                   f"--root-dir={self.folder}/kubelet", f"--cert-dir={self.folder}/kubelet-pki")
        ready = "{.status.conditions[?(@.type=='Ready')].status}"
        wait_for("the node is ready", lambda: self.kubectl("get", "node", NODE, "-o", f"jsonpath={ready}") == "True", 90)

    def _start_containerd(self):
        (self.folder / "cni").mkdir()
        (self.folder / "cni" / "10-bridge.conflist").write_text(json.dumps({
            "cniVersion": "1.0.0", "name": "pods", "plugins": [
                {"type": "bridge", "bridge": "cni0", "isGateway": True, "ipMasq": False, "hairpinMode": True,
                 "ipam": {"type": "host-local", "dataDir": f"{self.folder}/ipam", "routes": [{"dst": "0.0.0.0/0"}],
                          "ranges": [[{"subnet": "10.244.0.0/24", "rangeStart": "10.244.0.10"}]]}},
                {"type": "portmap", "capabilities": {"portMappings": True}}]}))
        (self.folder / "containerd.toml").write_text(f"""version = 2
root = "{self.folder}/containerd/root"
state = "{self.folder}/containerd/state"
[grpc]
  address = "{self.socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/ganscale-pause:test"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{CNI}"
    conf_dir = "{self.folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
""")
        self.start("containerd", "containerd", "--config", self.folder / "containerd.toml")
        wait_for("containerd answers", lambda: self.ctr("version"), 30)

    def _start_dns(self):
        (self.folder / "Corefile").write_text(f""".:53 {{
  bind {ADDRESS}
  errors
  kubernetes cluster.local in-addr.arpa {{
    kubeconfig {self.folder}/admin.kubeconfig
    pods insecure
    ttl 0
  }}
}}
""")
        self.start("coredns", self.bin / "coredns", "-conf", self.folder / "Corefile")

    def _make_nodes(self):
        pass  # the kubelet registers its own

    # --- Prometheus
    def start_prometheus(self, config):
        """Runs a Prometheus in the cluster's network; `config` is its prometheus.yml."""
        (self.folder / "prometheus.yml").write_text(config)
        self.start("prometheus", "prometheus", f"--config.file={self.folder}/prometheus.yml",
                   f"--storage.tsdb.path={self.folder}/prometheus", "--web.listen-address=127.0.0.1:9090")
        wait_for("Prometheus is ready", lambda: self.http("http://127.0.0.1:9090/-/ready")[0] == 200, 30)

    def prometheus(self, path, **parameters):
        """Returns `data` of an answer of Prometheus's API."""
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        status, body = self.http(f"http://127.0.0.1:9090/api/v1/{path}{query}")
        if status != 200:
            raise AssertionError(f"Prometheus: {status} {body}")
        return json.loads(body)["data"]

    # --- end
    def __exit__(self, kind, error, trace):
        atexit.unregister(self.__exit__)
        for name in ["prometheus", "mpi-operator", "kubelet", "coredns"]:
            self.stop(name, signal.SIGKILL)
        if "containerd" in self.processes:
            self._end_containers()
        self.stop("containerd")
        self._unmount()
        for path in sorted(pathlib.Path("/sys/fs/cgroup").glob("**/kubepods"), reverse=True):
            quietly("find", path, "-depth", "-type", "d", "-exec", "rmdir", "{}", "+")
        quietly("find", "/var/log/containers", "-maxdepth", "1", "-type", "l", "-lname", f"{self.folder}/*", "-delete")
        result = super().__exit__(kind, error, trace)
        quietly("ip", "netns", "del", NETWORK)
        return result

    def _end_containers(self):
        """The kubelet is gone: ends each task, and removes the networks of the pods, for which no CNI DEL is run."""
        containers = self.ctr("containers", "ls", "-q").split()
        networks = set()
        for name in containers:
            networks.update(re.findall(r"netns/(cni-[0-9a-f-]+)", self.ctr("containers", "info", name)))
        for name in self.ctr("tasks", "ls", "-q").split():
            self.ctr("tasks", "kill", "-s", "KILL", name)
        time.sleep(0.5)
        for name in self.ctr("tasks", "ls", "-q").split():
            self.ctr("tasks", "rm", "-f", name)
        for network in networks:
            quietly("ip", "netns", "del", network)
        for name in containers:
            for path in pathlib.Path("/var/lib/cni/results").glob(f"*-{name}-*"):
                path.unlink()

    def _unmount(self):
        mounts = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
        for mount in sorted((mount for mount in mounts if mount.startswith(f"{self.folder}/")), reverse=True):
            quietly("umount", "-l", mount)
