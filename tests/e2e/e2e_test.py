"""From images to a finished run, the way an administrator and a researcher do it: a real kubelet, real pods, the real MPI Operator,
Helm, a real Prometheus. The steps build on each other, in the order of their numbers."""
import base64
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import unittest

from image_file import ImageFile
from real_cluster import CANNOT, PROJECT, RealCluster, wait_for

try:
    import yaml
except ImportError:
    print("SKIPPED: Python's yaml is missing (package python3-yaml)", file=sys.stderr)
    sys.exit(CANNOT)

sys.path[:0] = [str(PROJECT / "tests" / folder) for folder in ("charts", "cluster", "docs")]
from blocks import blocks, make_workspace  # noqa: E402
from charts import VERSION  # noqa: E402
from helm_test import DCGM, LATER, OF_OTHER_SWEEPS, OF_SWEEPS, metrics_of, queries  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("GANSCALE_BUILD", PROJECT / "build/release"))
RULES = PROJECT / "helm/ganscale-operator/files/rules/*.yaml"
REGISTRY = "localhost"
WORKER_IMAGE = f"{REGISTRY}/ganscale-worker:test"
SPACE = "research"
NAME = "emoji"
BATCH = 16
# Windows of whole ticks: eight steps a tick on one rank, four on two.
SWEEP_NAME, RANK_BATCH, WARMUP_STEPS, WINDOW_STEPS = "weak", 16, 16, 120
SWEEP = {"apiVersion": "ganscale.dev/v1alpha1", "kind": "ScalingSweep", "metadata": {"name": SWEEP_NAME},
         "spec": {"mode": "Weak", "points": [{"nodes": 1}, {"nodes": 2}], "batchPerRank": RANK_BATCH, "repeats": 1,
                  "warmup": {"steps": WARMUP_STEPS}, "measure": {"steps": WINDOW_STEPS},
                  "template": {"image": WORKER_IMAGE, "nodeProfile": "cpu", "deletePolicy": "Keep",
                               "data": {"claimName": "datasets", "path": "/data", "subPath": "emoji"},
                               "storage": {"claimName": "runs"},
                               "config": {"model": {"name": "conditional_dcgan", "resolution": 32, "channels": 0.5},
                                          "training": {"threads": 1, "tick_kimg": 8 * RANK_BATCH / 1000}}}}}
LOAD, WATCH, GET_IMAGES, FEATURES, OWN_IMAGES = 3, 5, 7, 8, 10  # which blocks of docs/tutorial-cluster.md
MINUTES = 60  # seconds; a busy machine with two cores


class EndToEnd(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.cluster = RealCluster()
        cls.files = cls.cluster.folder / "volumes"
        images = cls.cluster.folder / "images"
        built = subprocess.run([HERE / "images.sh", BUILD, images], check=False)
        if built.returncode == CANNOT:
            print("SKIPPED: this machine can't build the images; see above", file=sys.stderr)
            sys.exit(CANNOT)
        if built.returncode != 0:
            raise RuntimeError(f"images.sh failed: {built.returncode}")
        cls.images = {role: ImageFile(images / f"{role}.tar") for role in ("worker", "operator")}
        cls.make_workspace()
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.__exit__, None, None, None)
        for path in sorted(images.glob("*.tar")):
            cls.cluster.import_image(path)
            path.unlink()
        cls.cluster.ctr("images", "tag", WORKER_IMAGE, f"{REGISTRY}/ganscale:{VERSION}")

    @classmethod
    def make_workspace(cls):
        """The folders of the claims, and one where a reader of the tutorial would be, with kubectl on the PATH."""
        for name in ["datasets", "features", "runs"]:
            (cls.files / name).mkdir(parents=True)
            os.chown(cls.files / name, 1000, 1000)
        cls.workspace = cls.cluster.folder / "workspace"
        (cls.workspace / "bin").mkdir(parents=True)
        make_workspace(cls.workspace)
        command = cls.cluster.inside(cls.cluster.bin / "kubectl", "--kubeconfig", cls.cluster.folder / "admin.kubeconfig")
        (cls.workspace / "bin/kubectl").write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        (cls.workspace / "bin/kubectl").chmod(0o755)

    def follow(self, step, commands=slice(None)):
        """Runs commands of a block of the tutorial, as they stand in docs/tutorial-cluster.md."""
        block = blocks(PROJECT / "docs/tutorial-cluster.md")[step - 1]
        result = subprocess.run(
            ["bash", "-xeuo", "pipefail", "-c", "\n".join(block.commands()[commands])], cwd=self.workspace, text=True,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "REGISTRY": REGISTRY, "PATH": f"{self.workspace}/bin:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stdout)

    def run(self, result=None):
        if result and (result.failures or result.errors):
            return  # a step before this one failed
        super().run(result)
        if result and (result.failures or result.errors):
            self.tell()

    def tell(self):
        """Prints diagnostics after a failure."""
        kubectl = self.cluster.kubectl
        for words in [("get", "gt,mpijobs,pods", "-A", "-o", "wide"), ("get", "events", "-A", "--sort-by=.lastTimestamp"),
                      ("get", "gt", NAME, "-n", SPACE, "-o", "yaml")]:
            print(kubectl(*words, check=False).stdout[-4000:])
        for name in self.cluster.logs_of():
            print(f"--- {name}\n{self.cluster.log(name)[-1500:]}")
        for pod in kubectl("get", "pods", "-A", "--no-headers", "-o", "custom-columns=:.metadata.namespace,:.metadata.name",
                           check=False).stdout.splitlines():
            namespace, name = pod.split()
            print(f"--- {name}\n{kubectl('logs', '-n', namespace, name, check=False).stdout[-3000:]}")

    # --- questions
    def status(self):
        return self.cluster.look_up("gt", NAME, "-n", SPACE).get("status", {})

    def wait_running(self, attempt):
        """Waits until an attempt trains and has reported progress of its own; returns the status."""
        def runs():
            status = self.status()
            if status["phase"] != "Running" or status["attempt"]["number"] != attempt:
                return None
            start = self.resumed_at(attempt) if attempt > 1 else 0
            return status["kimg"] * 1000 > start and status
        return wait_for(f"attempt {attempt} trains", runs, 5 * MINUTES, 0.5)

    def kimg(self):
        return self.status().get("kimg", 0)

    def pods(self, role="worker"):
        return self.cluster.look_up("pods", "-n", SPACE, "-l", f"ganscale.dev/training={NAME},ganscale.dev/role={role}")["items"]

    def checkpoints(self):
        """Returns {images seen: progress} of all complete checkpoints."""
        manifests = [json.loads(path.read_text()) for path in
                     (self.files / "runs" / NAME / "checkpoints").glob("*/manifest.json")]
        return {manifest["images_seen"]: manifest["state"]["progress"] for manifest in manifests}

    def resumed_at(self, attempt):
        """Returns the images seen at which an attempt resumed, as its launcher logs it; fails until it has."""
        [pod] = [pod["metadata"]["name"] for pod in self.pods("launcher")
                 if pod["metadata"]["name"].startswith(f"{NAME}-r{attempt}-")]
        return round(float(re.findall(r"Resuming .* kimg=(\S+)", self.cluster.kubectl("logs", "-n", SPACE, pod))[0]) * 1000)

    # --- steps
    def test_1_images_are_small_and_say_what_is_in_them(self):
        for role, limit_bytes, user, holds in [
                ("operator", 80e6, "65532:65532", {"libc6", "libssl3"}),
                ("worker", 900e6, "1000:1000", {"libc6", "openmpi-bin", "openssh-server", "tini", "torch"})]:
            image = self.images[role]
            self.assertLess(image.size_bytes, limit_bytes)
            self.assertEqual(image.config["User"], user)
            labels = {name.rpartition(".")[2]: value for name, value in image.config["Labels"].items()
                      if name.startswith("org.opencontainers.image.")}
            self.assertEqual(labels["title"], {"operator": "ganscale-operator", "worker": "ganscale"}[role])
            self.assertEqual((labels["licenses"], labels["version"]), ("Apache-2.0", VERSION))
            bill = image.read("usr/local/share/ganscale/sbom.spdx")
            self.assertTrue(bill.startswith("SPDXVersion: SPDX-2.3\n"), bill[:100])
            self.assertLessEqual(holds, set(re.findall(r"^PackageName: (\S+)$", bill, re.M)))
            self.assertLessEqual({f"usr/local/share/ganscale/licenses/{part}/LICENSE" for part in ["ganscale", *holds & {"torch"}]},
                                 image.names)

    def test_2_the_operator_is_installed_and_tested_by_helm(self):
        for namespace in [SPACE, "ganscale-system"]:
            self.cluster.kubectl("create", "namespace", namespace)
            self.cluster.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
        self.cluster.helm("install", "ganscale", PROJECT / "helm/ganscale-operator", "-n", "ganscale-system",
                          "-f", HERE / "operator-values.yaml", "--wait", "--timeout=5m")
        told = self.cluster.helm("test", "ganscale", "-n", "ganscale-system", "--timeout=3m")
        self.assertRegex(told, r"TEST SUITE: +ganscale-operator-test\n.*\n.*\nPhase: +Succeeded")

    def test_3_the_worker_image_says_what_is_wrong_with_its_container(self):
        self.cluster.kubectl("run", "preflight", f"--image={WORKER_IMAGE}", "--restart=Never",
                             "--env=NCCL_SOCKET_IFNAME=eth9", "--", "ganscale", "--help")
        wait_for("it ends", lambda: self.cluster.look_up("pod", "preflight")["status"]["phase"] == "Succeeded", MINUTES)
        told = self.cluster.kubectl("logs", "preflight")
        self.assertIn("/dev/shm has 64 MiB", told)
        self.assertIn("NCCL_SOCKET_IFNAME=eth9 names no interface", told)
        self.assertIn("ganscale trains GANs", told)
        self.cluster.kubectl("delete", "pod", "preflight", "--wait=false")

    def test_4_a_training_runs_in_two_pods(self):
        self.cluster.kubectl("apply", "-n", SPACE, "-f", "-", stdin=(HERE / "volumes.yaml").read_text().replace(
            "@FILES@", str(self.files)))
        self.follow(LOAD)
        self.cluster.helm("install", NAME, PROJECT / "helm/ganscale-training", "-n", SPACE,
                          "-f", HERE / "training-values.yaml", "--set=nodes=2")
        status = self.wait_running(1)
        self.assertEqual(status["worldSize"], 2)
        wait_for("the rate is told", lambda: self.status().get("secondsPerKimg"), MINUTES)
        first = self.kimg()
        wait_for("kimg rises", lambda: self.kimg() > first, MINUTES)
        line = self.cluster.kubectl("get", "gt", NAME, "-n", SPACE).splitlines()[1].split()
        self.assertEqual(line[:5], [NAME, "conditional_dcgan", "2", "0", "Running"])
        self.assertGreater(float(line[6]), 0)  # kimg
        self.assertGreater(float(line[7]), 0)  # seconds per kimg
        self.assertGreater(float(line[8]), 0)  # images per second
        self.assertEqual(len(self.pods()), 2)
        self.follow(WATCH, commands=slice(-1, None))
        self.assertTrue((self.workspace / "samples/reals.png").is_file())

    def test_5_the_control_port_wants_the_token(self):
        rank0 = next(pod for pod in self.pods() if pod["metadata"]["name"].endswith("worker-0"))
        url = f"http://{rank0['status']['podIP']}:9401/status"
        self.assertEqual(self.cluster.http(url)[0], 401)
        self.assertEqual(self.cluster.http(url, token="guess")[0], 401)
        secret = self.cluster.look_up("secret", f"{NAME}-control", "-n", SPACE)["data"]["token"]
        token = base64.b64decode(secret).decode()
        code, body = self.cluster.http(url, token=token)
        self.assertEqual((code, json.loads(body)["state"]), (200, "running"))
        ssh_key = self.cluster.look_up("secret", f"{NAME}-r1-ssh", "-n", SPACE)["data"]["ssh-privatekey"]
        lines = base64.b64decode(ssh_key).decode().splitlines()
        self.assertIn("PRIVATE KEY", lines[0])
        self.check_they_are_told_nowhere([token, secret, ssh_key, *lines[1:-1]])

    def check_they_are_told_nowhere(self, secrets):
        told = json.dumps(self.cluster.look_up("gt,pods,mpijobs,configmaps,events", "-n", SPACE))
        for pod in self.pods() + self.pods("launcher"):
            told += self.cluster.kubectl("logs", "-n", SPACE, pod["metadata"]["name"])
        told += self.cluster.kubectl("logs", "-n", "ganscale-system", "-l", "app.kubernetes.io/name=ganscale-operator",
                                     "--tail=-1")
        self.assertEqual([number for number, secret in enumerate(secrets) if secret in told], [])

    def test_6_containers_have_no_rights(self):
        for pod in self.pods() + self.pods("launcher"):
            [container] = pod["spec"]["containers"]
            context = container["securityContext"]
            self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
            self.assertTrue(context["runAsNonRoot"])
            self.assertTrue(context["readOnlyRootFilesystem"])
            self.assertFalse(context["allowPrivilegeEscalation"])
            self.assertFalse(pod["spec"]["automountServiceAccountToken"])

    def test_6_pods_have_what_the_pod_template_says(self):
        for pod in self.pods():
            self.assertEqual(pod["metadata"]["annotations"]["example.com/network"], "rail-0")
            self.assertEqual(pod["metadata"]["labels"]["example.com/team"], "vision")
            self.assertIn("example.com/reserved", {each.get("key") for each in pod["spec"]["tolerations"]})
            told = self.cluster.kubectl("exec", "-n", SPACE, pod["metadata"]["name"], "-c", "worker", "--", "sh", "-c",
                                        "touch /scratch/x && xargs -0 -n 1 echo </proc/$(pgrep -x -o ganscale)/environ")
            self.assertIn("OVERLAID=each-rank\n", told)

    def test_6_pods_read_the_feature_network_from_its_claim(self):
        (self.files / "features/inception-2015-12-05.pt").write_text("a network")
        for pod in self.pods():
            told = self.cluster.kubectl("exec", "-n", SPACE, pod["metadata"]["name"], "-c", "worker", "--", "sh", "-c",
                                        "cat /features/inception-2015-12-05.pt; touch /features/x || echo read-only")
            self.assertEqual(told.splitlines(), ["a network" + "read-only"])

    def test_7_prometheus_scrapes_pods_and_every_query_returns_data(self):
        self.scrape_pods()
        (self.cluster.folder / "operator.json").write_text(json.dumps(self.service_targets()))
        self.cluster.start_prometheus((HERE / "prometheus.yml").read_text().replace("@RULES@", str(RULES)))
        wait_for("all pods are scraped", lambda: self.ups() == {"ganscale-trainings": 2, "ganscale-operator": 2}, MINUTES, 1)
        ranks = self.cluster.prometheus("query", query=f'ganscale_images_total{{run="{NAME}"}} > 0')["result"]
        self.assertEqual({sample["metric"]["rank"] for sample in ranks}, {"0", "1"})
        deadline = time.monotonic() + 2 * MINUTES  # a rate needs two samples
        while self.empty_queries() and time.monotonic() < deadline:
            time.sleep(2)
        self.assertEqual(self.empty_queries(), [])
        rules = [rule for group in self.cluster.prometheus("rules")["groups"] for rule in group["rules"]]
        self.assertEqual([rule["name"] for rule in rules if rule["health"] == "err"], [])

    def scrape_pods(self):
        """Gives Prometheus, which may be reading, the list of pods."""
        fresh = self.cluster.folder / "trainings.new"
        fresh.write_text(json.dumps(self.pod_targets()))
        fresh.rename(self.cluster.folder / "trainings.json")

    def monitor(self, kind):
        """Returns the spec of a monitor, as the chart makes it for a cluster with the Prometheus Operator."""
        text = self.cluster.helm("template", "ganscale", PROJECT / "helm/ganscale-operator", "-n", "ganscale-system",
                                 "-f", HERE / "operator-values.yaml",
                                 f"--set=monitoring.{kind[0].lower()}{kind[1:]}.enabled=true")
        [monitor] = [value for value in yaml.safe_load_all(text) if value and value["kind"] == kind]
        return monitor["spec"]

    def pod_targets(self):
        """What the PodMonitor selects, as the Prometheus Operator would."""
        spec = self.monitor("PodMonitor")
        self.assertEqual(spec["namespaceSelector"], {"any": True})
        [endpoint] = spec["podMetricsEndpoints"]
        targets = []
        for pod in self.cluster.look_up("pods", "-A", "-l", selector(spec))["items"]:
            [port] = [port["containerPort"] for port in pod["spec"]["containers"][0]["ports"]
                      if port["name"] == endpoint["port"]]
            targets.append({"targets": [f"{pod['status']['podIP']}:{port}"],
                            "labels": {"namespace": pod["metadata"]["namespace"], "pod": pod["metadata"]["name"]}})
        return targets

    def service_targets(self):
        """What the ServiceMonitor selects."""
        spec = self.monitor("ServiceMonitor")
        [endpoints] = self.cluster.look_up("endpoints", "-n", "ganscale-system", "-l", selector(spec))["items"]
        [subset] = endpoints["subsets"]
        [port] = [port["port"] for port in subset["ports"] if port["name"] == spec["endpoints"][0]["port"]]
        return [{"targets": [f"{address['ip']}:{port}"]} for address in subset["addresses"]]

    def ups(self):
        samples = self.cluster.prometheus("query", query="sum by (job) (up)")["result"]
        return {sample["metric"]["job"]: int(sample["value"][1]) for sample in samples}

    def empty_queries(self):
        """Returns the dashboards' queries that the running Prometheus has no data for, except those that cannot have any."""
        empty = []
        for path, query in queries():
            if path.suffix != ".json" or path.stem == "sweep" or metrics_of(query) & (LATER | DCGM):
                continue
            if not self.has_data(query):
                empty.append(query)
        return empty

    def has_data(self, query):
        return bool(self.cluster.prometheus("query", query=query)["result"])

    def test_8_scaling_to_one_and_back_loses_no_image(self):
        for attempt, nodes in [(2, 1), (3, 2)]:
            self.cluster.kubectl("scale", f"gantraining/{NAME}", "-n", SPACE, f"--replicas={nodes}")
            status = self.wait_running(attempt)
            self.assertEqual((status["nodes"], status["worldSize"]), (nodes, nodes))
            # It was asked to stop and exited after writing a checkpoint: the next attempt starts there.
            self.assertIn(self.resumed_at(attempt), self.checkpoints())
        events = self.cluster.look_up("events.events.k8s.io", "-n", SPACE)["items"]
        self.assertNotIn("CheckpointDeadline", {event["reason"] for event in events})
        ticks = [json.loads(line) for line in (self.files / "runs" / NAME / "stats.jsonl").read_text().splitlines()]
        seen = [tick["images_seen"] for tick in ticks]
        self.assertEqual(seen, sorted(set(seen)), "images were told twice")
        self.assertEqual([tick["step"] * BATCH for tick in ticks], seen, "a step over all attempts is a batch")
        for images, progress in self.checkpoints().items():
            # The cursor of the data plan: as many images read as were trained on, in whole batches.
            self.assertEqual((progress["images_seen"], progress["stream_position"]), (images, images))
            self.assertEqual(images % BATCH, 0)
        self.assertEqual(self.status()["restarts"], 0)

    def test_9_a_pod_deleted_by_force_ends_in_a_restart_and_a_finished_run(self):
        self.cluster.kubectl("delete", "pod", "-n", SPACE, self.pods()[-1]["metadata"]["name"], "--force",
                             "--grace-period=0")
        status = self.wait_running(4)
        self.assertEqual(status["restarts"], 1)
        goal = self.kimg() + 1
        self.cluster.helm("upgrade", NAME, PROJECT / "helm/ganscale-training", "-n", SPACE, "--reuse-values",
                          f"--set-json=settings.training.total_kimg={goal:.3f}")
        wait_for("the run is finished", lambda: self.status()["phase"] == "Succeeded", 8 * MINUTES, 1)
        wait_for("its last words are told", lambda: self.kimg() >= goal, MINUTES)
        last = self.files / "runs" / NAME / "checkpoints" / self.status()["lastCheckpoint"]["name"] / "manifest.json"
        self.assertEqual(json.loads(last.read_text())["images_seen"], max(self.checkpoints()))
        self.assertEqual(max(self.checkpoints()) % BATCH, 0)
        wait_for("its pods have ended", lambda: all(
            pod["status"]["phase"] != "Running" for pod in self.pods() + self.pods("launcher")), 2 * MINUTES)

    def test_A_a_sweep_reports_what_its_workers_logged(self):
        self.cluster.kubectl("apply", "-n", SPACE, "-f", "-", stdin=json.dumps(SWEEP))
        board = {query for path, query in queries() if path.stem == "sweep" and not metrics_of(query) & OF_OTHER_SWEEPS}
        self.assertTrue(OF_SWEEPS & set.union(*map(metrics_of, board)))

        def is_over():
            self.scrape_pods()
            board.difference_update([query for query in board if self.has_data(query)])
            return self.sweep()["status"].get("phase") == "Succeeded"
        wait_for("the sweep is done", is_over, 8 * MINUTES, 2)
        wait_for("the operator is scraped once more", lambda: is_over() and not board, MINUTES, 2)
        sweep = self.sweep()
        report = self.cluster.look_up("configmap", sweep["status"]["report"], "-n", SPACE)["data"]
        self.assertEqual(json.loads(report["report.json"])["status"]["points"], sweep["status"]["points"])
        rates = [self.check_point(point) for point in sweep["status"]["points"]]
        self.assertLess(abs(sweep["status"]["points"][1]["speedup"] / (rates[1] / rates[0]) - 1), 0.01)
        self.cluster.kubectl("delete", "scalingsweep", SWEEP_NAME, "-n", SPACE)
        wait_for("its report goes with it", lambda: self.cluster.kubectl(
            "get", "configmap", f"{SWEEP_NAME}-report", "-n", SPACE, check=False).returncode != 0, MINUTES)

    def sweep(self):
        return self.cluster.look_up("scalingsweep", SWEEP_NAME, "-n", SPACE)

    def check_point(self, point):
        """Compares a point with the ticks of its window, which its rank 0 logged; returns their images per second."""
        batch = RANK_BATCH * point["ranks"]
        self.assertEqual((point["n"], point["failed"], point["globalBatch"]), (1, 0, batch))
        self.assertIn("sha256:", point["imageIDs"][0])
        lines = (self.files / "runs" / f"{SWEEP_NAME}-{point['name']}-r1" / "stats.jsonl").read_text().splitlines()
        seen, images, seconds = 0, 0, 0.0
        waited = {"exposedAllReduceMs": 0.0, "dataWaitMs": 0.0}
        for tick in map(json.loads, lines):
            grown, seen = tick["images_seen"] - seen, tick["images_seen"]
            if seen > WARMUP_STEPS * batch:
                trained = grown / 1000 * tick["s_per_kimg"]
                images, seconds = images + grown, seconds + trained
                waited["exposedAllReduceMs"] += 1000 * trained * tick["all_reduce_share"]
                waited["dataWaitMs"] += 1000 * trained * tick["data_wait_share"]
        self.assertEqual(images, WINDOW_STEPS * batch)
        self.assertLess(abs(point["imagesPerSecond"] / (images / seconds) - 1), 0.01, point)
        rounding = 0.02  # milliseconds: what a status rounds, and what a busy host adds to one rank, which waits for nobody
        for figure, logged in waited.items():
            self.assertAlmostEqual(point["step"][figure], logged / WINDOW_STEPS, delta=0.01 * logged / WINDOW_STEPS + rounding,
                                   msg=f"{figure} of {point['name']}")
        return images / seconds

    def test_B_images_come_out_of_the_cluster_and_go_in(self):
        self.follow(GET_IMAGES)
        self.assertTrue((self.workspace / "grid.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("<html", (self.workspace / "report.html").read_text())
        (self.workspace / "inception-2015-12-05.pt").write_text("another network")
        self.follow(FEATURES, commands=slice(1))
        self.assertEqual((self.files / "features/inception-2015-12-05.pt").read_text(), "another network")
        self.follow(OWN_IMAGES)
        self.assertTrue(list((self.files / "datasets/faces").glob("*.tfrecords")))

    def test_C_uninstalling_leaves_nothing_behind(self):
        self.cluster.kubectl("delete", "job", "load-emoji", "-n", SPACE)
        self.cluster.helm("uninstall", NAME, "-n", SPACE, "--wait", "--timeout=3m")
        wait_for("its objects are gone", lambda: not self.owned(), 2 * MINUTES, 1)
        self.cluster.helm("uninstall", "ganscale", "-n", "ganscale-system", "--wait", "--timeout=3m")
        everywhere = self.cluster.kubectl("get", "crd,clusterroles,clusterrolebindings", "-o", "name")
        self.assertNotIn("ganscale", everywhere)
        # The operator's own key and Lease go with its namespace (docs/kubernetes.md).
        left = self.cluster.kubectl("get", "deployments,services,configmaps,secrets,leases,networkpolicies,poddisruptionbudgets",
                                    "-n", "ganscale-system", "-o", "name").split()
        self.assertEqual(sorted(name for name in left if "kube-root-ca" not in name),
                         ["lease.coordination.k8s.io/ganscale-operator", "secret/ganscale-operator-key"])
        self.assertTrue((self.files / "runs" / NAME / "checkpoints").is_dir(), "the run folder outlives the training")

    def owned(self):
        """The names of the objects that the operator and the MPI Operator created for the training."""
        kinds = "gt,mpijobs,pods,jobs,services,configmaps,secrets,networkpolicies,poddisruptionbudgets"
        names = self.cluster.kubectl("get", kinds, "-n", SPACE, "-o", "name").split()
        return [name for name in names if "kube-root-ca" not in name and "/sh.helm" not in name]


def selector(spec):
    return ",".join(f"{name}={value}" for name, value in spec["selector"]["matchLabels"].items())


if __name__ == "__main__":
    unittest.main(verbosity=2)
