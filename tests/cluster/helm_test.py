"""The charts against a real API server: what is refused and why, what is accepted, what is left behind; and that every
metric which dashboards and rules name is one that the programs have."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from control_plane import PROJECT, ControlPlane, free_ports, wait_for
from operator_case import MANIFESTS, Operator

sys.path[:0] = [str(PROJECT / "tests" / "charts"), str(PROJECT / "tests" / "support")]
from programs import WORKER  # noqa: E402
from queries import annotations, metrics_of, queries, rule_files  # noqa: E402
from write_images import write_png  # noqa: E402

CHARTS = PROJECT / "helm"
VALUES = PROJECT / "tests" / "charts" / "values"
# Named in queries by other exporters, or by parts of PromQL that look like a metric.
DCGM = {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE",
        "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_XID_ERRORS"}
# Worker metrics that a short run of DC-GAN on a CPU does not reach; docs/metrics.md, which a test keeps in step with the
# registry, has them.
LATER = {"ganscale_fid", "ganscale_inception_score", "ganscale_augment_p", "ganscale_gpu_memory_bytes",
         "ganscale_role_wait_seconds_total", "ganscale_staleness_steps_bucket", "ganscale_staleness_steps_sum",
         "ganscale_staleness_steps_count"}


def documented_samples(page):
    """Returns the names of all samples of the metrics in a page of docs."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+)", (PROJECT / "docs" / page).read_text(), re.M)
    suffixes = {"histogram": ("_bucket", "_sum", "_count")}
    return {name + suffix for name, kind in rows for suffix in suffixes.get(kind, ("",))}


# What the operator exposes of the points of sweeps, once there is one.
OF_SWEEPS = {name for name in documented_samples("metrics-operator.md") if name.startswith("ganscale_sweep")}
# Of these, what points of a sweep in mode Weak on nodes without GPUs do not have.
OF_OTHER_SWEEPS = {"ganscale_sweep_completion_seconds", "ganscale_sweep_gpu_use_ratio", "ganscale_sweep_memory_ratio"}


class BareControlPlane(ControlPlane):
    """A cluster without the MPI Operator, until install_mpi_operator()."""

    def _install_mpi_operator(self):
        pass

    def install_mpi_operator(self):
        super()._install_mpi_operator()


class HelmCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = BareControlPlane(dgx_nodes=0, cpu_nodes=2)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.__exit__, None, None, None)

    def helm(self, *words, check=True):
        result = subprocess.run(
            [str(self.cluster.bin / "helm"), "--kubeconfig", str(self.cluster.folder / "admin.kubeconfig"),
             *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if check:
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout
        self.assertNotEqual(result.returncode, 0, "was accepted")
        return result.stderr

    def left_over(self, release):
        """Names of all objects with a release's label."""
        kinds = self.cluster.kubectl("api-resources", "--verbs=list", "-o", "name").split()
        kinds = [kind for kind in kinds if not kind.startswith("events") and "endpoint" not in kind]
        return self.cluster.kubectl("get", ",".join(kinds), "-A", "-o", "name",
                                    "-l", f"app.kubernetes.io/managed-by=Helm,app.kubernetes.io/instance={release}").split()

    def test_from_install_to_uninstall(self):
        install = ["install", "ganscale", CHARTS / "ganscale-operator", "-n", "ganscale-system", "--create-namespace",
                   "--set=image.repository=registry.example/ganscale-operator"]
        self.assertIn("This cluster has no Kubeflow MPI Operator", self.helm(*install, check=False))
        train = ["install", "digits", CHARTS / "ganscale-training", "--set=config=mnist-dcgan", "--set=nodes=2",
                 "--set=nodeProfile=cpu", "--set=image.repository=registry.example/ganscale", "--set=checkpointDeadlineSeconds=1"]
        refused = self.helm(*train, check=False)
        self.assertIn("This cluster has no ganscale operator", refused)
        self.assertIn("--set image.repository=REGISTRY/ganscale-operator --set 'trainingNamespaces={default}'\n", refused)

        self.cluster.install_mpi_operator()
        install.append("--set=trainingNamespaces={research,ganscale-system}")
        self.assertIn("trainingNamespaces: this cluster has no namespace research", self.helm(*install, check=False))
        self.cluster.kubectl("create", "namespace", "research")
        notes = self.helm(*install)
        self.assertIn("2 replicas, one of which leads", notes)
        self.assertIn("-n research --set image.repository=registry.example/ganscale ", notes)
        wait_for("the API of GanTrainings",
                 lambda: self.cluster.kubectl("get", "gt", check=False).returncode == 0)
        for folder in ["quick-start", "samples"]:
            self.cluster.kubectl("apply", "--server-side", "--dry-run=server", "-n", "research", "-f", MANIFESTS / folder)
        train += ["-n", "research", "--kube-as-user=researcher"]
        self.cluster.kubectl("create", "rolebinding", "researchers", "--clusterrole=edit", "--user=researcher", "-n", "research")
        wait_for("the role edit has trainings", lambda: self.cluster.kubectl(
            "auth", "can-i", "create", "gantrainings", "--as=researcher", "-n", "research", check=False).returncode == 0)
        self.assertIn("the namespace research has no PersistentVolumeClaim named datasets", self.helm(*train, check=False))
        self.make_claim("datasets")
        self.make_volumes(2)
        self.assertIn("kubectl -n research get gantraining digits", self.helm(*train))

        self.check_the_operator_works_with_the_charts_rights()
        self.check_a_training_outlives_what_helm_does(install)
        self.check_every_rendered_object_is_accepted()
        self.check_upgrade_brings_new_fields()

        self.helm("uninstall", "digits", "-n", "research", "--no-hooks", "--wait=false")
        self.assertEqual(self.left_over("digits"), ["persistentvolumeclaim/digits-runs"])  # checkpoints stay
        self.helm("uninstall", "ganscale", "-n", "ganscale-system")
        self.assertEqual(self.left_over("ganscale"), ["customresourcedefinition.apiextensions.k8s.io/" + path.stem
                                                      for path in sorted((MANIFESTS / "crd").glob("*.yaml"))])
        self.check_another_release_takes_the_definitions_over()

    def check_another_release_takes_the_definitions_over(self):
        install = ["install", "gans", CHARTS / "ganscale-operator", "-n", "gans-system", "--create-namespace",
                   "--set=image.repository=registry.example/ganscale-operator"]
        self.assertIn("invalid ownership metadata", self.helm(*install, check=False))
        self.helm(*install, "--take-ownership")
        self.assertEqual(self.left_over("ganscale"), [])
        self.check_no_upgrade_loses_the_definitions()
        self.check_no_namespace_has_two_operators()
        self.check_no_one_needs_more_rights_than_to_a_namespace()

    def check_no_upgrade_loses_the_definitions(self):
        upgrade = ["upgrade", "gans", CHARTS / "ganscale-operator", "-n", "gans-system", "--reset-then-reuse-values"]
        self.helm(*upgrade, "--set=crds.keep=false")
        self.assertIn("crds.install=false would delete the CustomResourceDefinitions",
                      self.helm(*upgrade, "--set=crds.install=false", check=False))
        self.helm(*upgrade, "--set=crds.keep=true")
        self.helm(*upgrade, "--set=crds.install=false")
        self.assertEqual(self.cluster.kubectl("get", "gt", "-A", check=False).returncode, 0)

    def check_no_namespace_has_two_operators(self):
        """Not even if Helm itself sees no conflict, since they own no object together."""
        second = ["install", "second", CHARTS / "ganscale-operator", "-n", "gans-system", "--set=nameOverride=second,crds.install=false",
                  "--set=rbac.users=false", "--set=image.repository=registry.example/ganscale-operator"]
        some = "--set=operator.watchAllNamespaces=false"
        told = "The Deployment ganscale-operator in the namespace gans-system is another ganscale operator, which watches "
        self.assertIn(told + "all namespaces", self.helm(*second, some, "--set=trainingNamespaces={students}", check=False))
        self.helm("upgrade", "gans", CHARTS / "ganscale-operator", "-n", "gans-system", "--reset-then-reuse-values", some,
                  "--set=trainingNamespaces={default,research}")
        for settings in [[], [some, "--set=trainingNamespaces={research}"]]:
            self.assertIn(told + "default,research", self.helm(*second, *settings, check=False))
        self.helm(*second, some, "--set=trainingNamespaces={students}")
        self.helm("uninstall", "second", "-n", "gans-system")

    def check_no_one_needs_more_rights_than_to_a_namespace(self):
        """If someone else installs what is cluster-wide."""
        self.cluster.kubectl("create", "rolebinding", "admins", "--clusterrole=admin", "--user=admin-of-students", "-n", "students")
        self.helm("install", "own", CHARTS / "ganscale-operator", "-n", "students", "--kube-as-user=admin-of-students",
                  "--set=image.repository=registry.example/ganscale-operator", "--set=crds.install=false", "--set=rbac.create=false",
                  "--set=rbac.users=false")

    def make_claim(self, name):
        self.cluster.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                            "metadata": {"name": name, "namespace": "research"},
                            "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})

    def make_volumes(self, count):
        for i in range(count):
            self.cluster.apply({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"volume-{i}"}, "spec": {
                "capacity": {"storage": "100Ti"}, "accessModes": ["ReadWriteMany"], "hostPath": {"path": "/nowhere"}}})

    def check_the_operator_works_with_the_charts_rights(self):
        """The nodes are fake; the operator is a process here, with the account that the chart made."""
        operator = Operator(self.cluster).start().wait_ready()
        wait_for("the training got its MPIJob", lambda: self.cluster.kubectl(
            "get", "mpijob", "digits-r1", "-n", "research", check=False).returncode == 0)
        wait_for("a reconcile is counted", lambda: operator.total("controller_runtime_reconcile_total"))
        type(self).operator_names = {name for name, _ in operator.metrics()}
        operator.stop()

    def attempt_of_digits(self):
        """Returns what stays the same during the attempt of the training."""
        status = self.cluster.get("gt", "digits", namespace="research")["status"]
        objects = [*self.cluster.get("mpijobs", namespace="research")["items"], *self.cluster.get("pods", namespace="research")["items"]]
        return status["phase"], status["attempt"]["number"], sorted(item["metadata"]["uid"] for item in objects)

    def check_a_training_outlives_what_helm_does(self, install):
        """An upgrade, its rollback, and an operator that is uninstalled and installed again."""
        operator = Operator(self.cluster, "operator-upgraded").start().wait_ready()
        wait_for("the training runs", lambda: self.attempt_of_digits()[:2] == ("Running", 1))
        before = self.attempt_of_digits()
        self.helm("upgrade", "ganscale", CHARTS / "ganscale-operator", "-n", "ganscale-system", "--reset-then-reuse-values",
                  "--set=replicas=1")
        self.helm("rollback", "ganscale", "1", "-n", "ganscale-system")
        reconciles = operator.total("controller_runtime_reconcile_total")
        self.cluster.kubectl("label", "gt", "digits", "-n", "research", "looked=1")
        wait_for("the operator goes on", lambda: operator.total("controller_runtime_reconcile_total") > reconciles)
        self.assertEqual(self.attempt_of_digits(), before)
        self.helm("uninstall", "ganscale", "-n", "ganscale-system")
        operator.stop()
        self.assertEqual(self.attempt_of_digits(), before)
        self.helm(*install)
        operator = Operator(self.cluster, "operator-installed-again").start().wait_ready()
        wait_for("it leads", lambda: operator.total("leader_election_master_status") == 1)
        wait_for("it has looked at the training", lambda: operator.total("controller_runtime_reconcile_total"))
        self.assertEqual(self.attempt_of_digits(), before)
        self.cluster.kubectl("scale", "gt/digits", "-n", "research", "--replicas=1")
        wait_for("the next attempt runs", lambda: self.attempt_of_digits()[:2] == ("Running", 2))
        operator.stop()
        # Its finalizer asks for a checkpoint before the training goes; no operator is left to do that.
        self.cluster.kubectl("patch", "gt", "digits", "-n", "research", "--type=merge", "-p",
                             '{"metadata":{"finalizers":null}}')

    def check_every_rendered_object_is_accepted(self):
        for path in (self.cluster.bin / "monitoring-crds").glob("*.yaml"):
            self.cluster.kubectl("create", "-f", path)
        wait_for("the API of monitors", lambda: self.cluster.kubectl(
            "get", "podmonitors,servicemonitors,prometheusrules", check=False).returncode == 0)
        self.cluster.kubectl("create", "namespace", "students")
        for values in sorted(VALUES.glob("*.yaml")):
            chart = "ganscale-" + values.stem.split("-")[0]
            namespace = "ganscale-system" if chart == "ganscale-operator" else "research"
            # Next to the objects that are installed, whose selectors can't change.
            other = ["--set=nameOverride=other"] if chart == "ganscale-operator" else []
            text = self.helm("template", "other", CHARTS / chart, "-n", namespace, "-f", values, *other)
            with self.subTest(values.stem):
                accepted = self.cluster.kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-",
                                                stdin=text)
                self.assertEqual(len(accepted.splitlines()), len(re.findall(r"^kind: ", text, re.M)))

    def check_upgrade_brings_new_fields(self):
        """An older definition is replaced by the chart's, and the trainings stay."""
        self.cluster.kubectl("patch", "crd", "gantrainings.ganscale.dev", "--type=json", "-p", json.dumps(
            [{"op": "remove", "path": "/spec/versions/0/additionalPrinterColumns"}]))
        self.helm("upgrade", "ganscale", CHARTS / "ganscale-operator", "-n", "ganscale-system", "--reset-then-reuse-values")
        crd = self.cluster.get("crd", "gantrainings.ganscale.dev")
        self.assertIn("Kimg", {column["name"] for column in crd["spec"]["versions"][0]["additionalPrinterColumns"]})
        self.assertEqual(len(self.cluster.get("gt", namespace="research")["items"]), 1)

    def test_queries_name_metrics_that_exist(self):
        names = self.operator_names | scrape_a_worker(self.cluster)
        self.assertEqual(LATER - documented_samples("metrics.md"), set())
        recorded = set(re.findall(r"record: (\S+)", "".join(path.read_text() for path in rule_files())))
        known = names | LATER | OF_SWEEPS | DCGM | recorded
        for place, query in [*queries(), *annotations()]:
            for name in metrics_of(query):
                with self.subTest(place=str(place), query=query):
                    self.assertIn(name, known)


def scrape_a_worker(cluster):
    """Trains for a moment and returns the names of all samples of /metrics."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "images").mkdir()
        for i in range(64):
            write_png(folder / "images" / f"{i:02}.png")
        subprocess.run([WORKER, "data", "convert", "--from", folder / "images", "--to", folder / "data",
                        "--resolution", "32"], check=True)
        port = free_ports(1)[0]
        settings = ["model.name=dcgan", "model.resolution=32", "model.channels=0.125", f"data.path={folder}/data",
                    "training.total_kimg=1000", "training.batch=8", "training.tick_kimg=0.04", "training.threads=1", "checkpoint.every_kimg=0.08",
                    f"telemetry.metrics_port={port}", "telemetry.control_port=-1"]
        process = cluster.start("worker", WORKER, "train", "--run", folder / "run",
                                *(word for each in settings for word in ("--set", each)))

        def names():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                    found = set(re.findall(r"^(\w+)(?:\{| )", answer.read().decode(), re.M))
            except OSError:
                return None
            # Gauges appear with their first value; the last one to appear is a checkpoint's.
            return found if "ganscale_checkpoint_seconds" in found else None
        found = wait_for("the worker told everything", names, 120)
        cluster.stop("worker")
        assert process.returncode in (0, 143), process.returncode
        return found


if __name__ == "__main__":
    unittest.main(verbosity=2)
