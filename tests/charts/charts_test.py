"""The charts without a cluster: lint, schema, golden templates, security, generated files.

GANSCALE_UPDATE_GOLDEN=1 rewrites the golden templates.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from charts import CHARTS, PROJECT, VALUE_SETS, VALUES, VERSION, Helm, build_tools, objects, yaml
from promtool import promtool
from queries import panels, rule_files

GOLDEN = PROJECT / "tests" / "golden" / "charts"
MANIFESTS = PROJECT / "operator-manifests"
NO_CRDS = "--set=crds.install=false"
IMAGE = "--set=image.repository=registry.example/image"
# The panels that Grafana has without plugins, as far as the dashboards use them.
PANELS = {"timeseries", "stat", "heatmap", "status-history", "barchart", "table"}


class Charts(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.helm = Helm(build_tools("helm") / "helm")
        cls.rendered = {name: cls.helm.template(name) for name in VALUE_SETS}

    def kinds(self, value_set, kind):
        return [value for value in objects(self.rendered[value_set]) if value["kind"] == kind]

    def test_lint_finds_nothing(self):
        for name in VALUE_SETS:
            chart = "ganscale-operator" if name.startswith("operator") else "ganscale-training"
            with self.subTest(name):
                self.helm("lint", "--strict", CHARTS / chart, "-f", VALUES / f"{name}.yaml")

    def test_templates_are_the_golden_ones(self):
        for name in VALUE_SETS:
            # Files copied verbatim from elsewhere in the tree are compared by other tests.
            text = self.helm.template(name, *([NO_CRDS] if name.startswith("operator") else []))
            derived = re.compile(r"^kind: (ClusterRole|Role|PrometheusRule)$|^  name: \S+-dashboard-", re.M)
            text = "---\n".join(part for part in text.split("---\n") if not derived.search(part))
            golden = GOLDEN / f"{name}.yaml"
            if os.environ.get("GANSCALE_UPDATE_GOLDEN"):
                golden.write_text(text)
            with self.subTest(name):
                self.assertEqual(text, golden.read_text())

    def refused(self, chart, *settings):
        result = self.helm("template", "x", CHARTS / f"ganscale-{chart}", IMAGE, *(f"--set={each}" for each in settings),
                           check=False)
        self.assertNotEqual(result.returncode, 0, settings)
        return result.stderr

    def test_wrong_values_are_refused_with_their_name(self):
        for chart, setting, words in [
                ("operator", "replicas=0", "replicas: Must be greater than or equal to 1"),
                ("operator", "replicas=two", "replicas: Invalid type. Expected: integer, given: string"),
                ("operator", "replicaCount=2", "Additional property replicaCount is not allowed"),
                ("operator", "image.digest=abc", "image.digest: Does not match pattern"),
                ("operator", "image.repository=host:5000/a/b:v1", "image.repository: Does not match pattern"),
                ("operator", "operator.logFormat=xml", 'operator.logFormat must be one of the following: "json", "text"'),
                ("operator", "monitoring.podMonitor.interval=often", "monitoring.podMonitor.interval: Does not match"),
                ("operator", "trainingNamespaces={Research}", "trainingNamespaces.0: Does not match pattern"),
                ("operator", "trainingNamespaces=null,operator.watchAllNamespaces=false", "trainingNamespaces is required"),
                ("operator", "monitoring.rules.runbookUrl=docs/", "monitoring.rules.runbookUrl: Does not match pattern"),
                ("operator", "nameOverride=7gans", "nameOverride: Does not match pattern"),
                ("operator", "crds=null", "crds is required"),
                ("training", "image.repository=a/b@sha256:1", "image.repository: Does not match pattern"),
                ("training", "nodes=0", "nodes: Must be greater than or equal to 1"),
                ("training", "node=cpu", "node: Invalid type. Expected: object, given: string"),
                ("training", "deletePolicy=Shred", 'deletePolicy must be one of the following: "", "Keep", "Purge"'),
                ("training", "evaluation.featureNet.path=/x", "evaluation.featureNet: claimName is required"),
                ("training", "data.path=data", "data.path: Does not match pattern"),
                ("training", "config=demo-emoji32,nodeProfile=null", "nodeProfile is empty"),
                ("training", "storage.create.size=much", "storage.create.size: Does not match pattern")]:
            with self.subTest(setting):
                self.assertIn(words, self.refused(chart, setting))

    def test_values_that_templates_rely_on_are_required(self):
        def unguarded(schema, values):
            for key, value in values.items():
                has_parts = isinstance(value, dict) and "properties" in schema["properties"][key]
                nullable = key in ["nodeProfile", "claimName"]  # the templates themselves see to them
                if (has_parts or isinstance(value, (bool, int)) or value and isinstance(value, str)) and not nullable:
                    if key not in schema.get("required", []):
                        yield key
                if has_parts:
                    yield from unguarded(schema["properties"][key], value)

        for chart in ["operator", "training"]:
            folder = CHARTS / f"ganscale-{chart}"
            schema, values = (yaml.safe_load((folder / name).read_text()) for name in ["values.schema.json", "values.yaml"])
            self.assertEqual(list(unguarded(schema, values)), [])

    def test_maps_may_be_null(self):
        for chart, settings in [("operator", ["podLabels", "resources", "monitoring.dashboards.labels", "nodeProfiles"]),
                                ("training", ["labels", "sweep", "evaluation", "podTemplate"])]:
            config = ["--set=config=demo-emoji32"] if chart == "training" else []
            text = self.helm("template", "x", CHARTS / f"ganscale-{chart}", IMAGE, *config, *(f"--set={each}=null" for each in settings))
            self.assertNotRegex(text, r": null\n")

    def test_a_copy_without_what_its_links_point_to_is_refused(self):
        for chart, links in [("operator", ["crd", "rbac", "policy"]), ("training", ["runs"])]:
            with self.subTest(chart), tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / "chart"
                shutil.copytree(CHARTS / f"ganscale-{chart}", copy, ignore=shutil.ignore_patterns(*links))
                result = self.helm("template", "x", copy, IMAGE, *(["--set=config=demo-emoji32"] if chart == "training" else []), check=False)
                self.assertIn(f"Use the packaged chart: helm package helm/ganscale-{chart}\n", result.stderr)

    def test_without_an_image_a_chart_says_how_to_make_one(self):
        for chart, image in [("operator", "ganscale-operator"), ("training", "ganscale")]:
            told = self.refused(chart, "image.repository=")
            self.assertIn("No public registry has the image", told)
            self.assertIn(f"docker push REGISTRY/{image}:{VERSION}\n", told)
            self.assertIn(f"--set image.repository=REGISTRY/{image}\n", told)

    def test_helm_test_runs_worker_and_operator(self):
        for settings, image in [(["image.repository=host:5000/a/ganscale-operator"], f"host:5000/a/ganscale:{VERSION}"),
                                (["image.repository=operator", "image.tag=v7"], "ganscale:v7"),
                                (["image.repository=a/b", "test.image=c:8"], "c:8")]:
            text = self.helm("template", "x", CHARTS / "ganscale-operator", *(f"--set={each}" for each in settings))
            [pod] = [value for value in objects(text) if value["kind"] == "Pod"]
            self.assertEqual(pod["spec"]["containers"][0]["image"], image)

    def test_a_training_lists_the_known_configurations(self):
        self.assertIn("Known: ", self.refused("training", "config=ffhq"))
        self.assertIn("loppi/ffhq256-strong", self.refused("training", "config=ffhq"))
        self.assertIn("mnist-dcgan", self.refused("training", "config=ffhq"))
        self.assertIn("There is nothing to train", self.refused("training"))

    def test_a_sweep_refuses_values_that_it_decides_itself(self):
        sweep = ["config=demo-emoji32", "sweep.mode=Weak", "sweep.batchPerRank=8", "sweep.points[0].nodes=1"]
        for setting, instead in [("nodes=4", "sweep.points"), ("settings.training.batch=32", "sweep.batchPerRank"), ("gpusPerNode=2", "sweep.points"), ("suspend=true", "sweep.suspend"),
                                 ("ttlSecondsAfterFinished=0", "sweep.ttlSecondsAfterFinished")]:
            with self.subTest(setting):
                self.assertRegex(self.refused("training", *sweep, setting),
                                 rf"{setting.split('=')[0]}: has no effect with (a weak )?sweep; use {instead}")

    def test_only_a_sweep_of_whole_trainings_has_a_claim(self):
        for mode, kinds in [("Strong", ["ScalingSweep"]), ("Weak", ["ScalingSweep"]),
                            ("PerLabel", ["PersistentVolumeClaim", "ScalingSweep"])]:
            text = self.helm("template", "x", CHARTS / "ganscale-training", IMAGE, "--set=config=demo-emoji32",
                             f"--set=sweep.mode={mode},sweep.points[0].nodes=1")
            made = objects(text)
            with self.subTest(mode):
                self.assertEqual([value["kind"] for value in made], kinds)
                self.assertEqual("storage" in made[-1]["spec"]["template"], mode == "PerLabel")

    def test_settings_override_the_named_configuration(self):
        [training] = self.kinds("training-cpu", "GanTraining")
        config = training["spec"]["config"]
        self.assertEqual(config["training"]["total_kimg"], 50)
        self.assertEqual(config["training"]["batch"], 16, "as configs/runs/demo-emoji32.yaml has it")
        self.assertNotIn("path", config["data"], "the operator sets it to where the claim is mounted")
        self.assertNotIn("telemetry", config, "ports of a pod, not of the demo's machine")

    def test_null_removes_a_setting_of_the_named_configuration(self):
        text = self.helm("template", "x", CHARTS / "ganscale-training", IMAGE, "--set=config=demo-emoji32",
                         "--set=settings.training.batch=null,settings.checkpoint=null,settings.evaluate.metrics=null")
        [config] = [value["spec"]["config"] for value in objects(text) if value["kind"] == "GanTraining"]
        self.assertNotIn("batch", config["training"])
        self.assertEqual(config["training"]["total_kimg"], 180)
        self.assertNotIn("checkpoint", config)
        self.assertEqual(config["evaluate"], {})

    def test_names_of_digits_stay_names_and_seconds_stay_whole(self):
        names = {"nodeProfile": "7", "data.claimName": "1", "data.subPath": "256", "storage.claimName": "2", "storage.subPath": "2026",
                 "priorityClassName": "3", "queueName": "4", "schedulerName": "5"}
        text = self.helm("template", "x", CHARTS / "ganscale-training", IMAGE, "-n", "2001234", "--set=config=demo-emoji32",
                         *(f"--set-string={name}={value}" for name, value in names.items()), "--set-json=ttlSecondsAfterFinished=2592000")
        [training] = objects(text)
        spec = training["spec"]
        for name, value in names.items():
            outer, _, inner = name.partition(".")
            with self.subTest(name):
                self.assertEqual(spec[outer][inner] if inner else spec[outer], value)
        self.assertEqual(training["metadata"]["namespace"], "2001234")
        self.assertIn("\n  ttlSecondsAfterFinished: 2592000\n", text, "as in a file of values, where each number is a float to Helm")
        text = self.helm("template", "2024", CHARTS / "ganscale-operator", IMAGE)
        self.assertEqual(set(re.findall(r"^ +app\.kubernetes\.io/instance: (.*)$", text, re.M)), {'"2024"'})
        for all_namespaces in ["true", "false"]:
            text = self.helm("template", "x", CHARTS / "ganscale-operator", IMAGE, "--set-string=trainingNamespaces={2001234}",
                             f"--set=operator.watchAllNamespaces={all_namespaces}")
            bound = {value["metadata"]["namespace"] for value in objects(text) if value["kind"] == "RoleBinding"}
            self.assertEqual(bound, {"default", "2001234"})

    def test_every_run_configuration_can_be_named(self):
        for path in sorted((PROJECT / "configs/runs").rglob("*.yaml")):
            name = path.relative_to(PROJECT / "configs/runs").with_suffix("")
            text = self.helm("template", "x", CHARTS / "ganscale-training", IMAGE, f"--set=config={name}")
            [training] = [value for value in objects(text) if value["kind"] == "GanTraining"]
            self.assertEqual(numeric(training["spec"]["config"]["model"]), numeric(yaml.safe_load(path.read_text())["model"]))

    def test_the_operator_renders_what_the_chart_makes(self):
        for name in ["training-dgx", "training-paragan", "training-cpu", "training-sweep"]:
            with self.subTest(name):  # the whole output, with the claim that the chart makes
                subprocess.run([os.environ["GANSCALE_OPERATOR"], "validate", "-f", "-"], input=self.rendered[name], text=True,
                               check=True)

    def test_definitions_and_roles_are_those_of_the_manifests(self):
        for path in sorted((MANIFESTS / "crd").glob("*.yaml")):
            [theirs] = objects(path.read_text())
            [ours] = [crd for crd in self.kinds("operator-default", "CustomResourceDefinition")
                      if crd["metadata"]["name"] == theirs["metadata"]["name"]]
            self.assertEqual(ours["spec"], theirs["spec"])
            self.assertEqual(ours["metadata"]["annotations"], {"helm.sh/resource-policy": "keep"})
        for kind in ["ClusterRole", "Role"]:
            theirs = {value["metadata"]["name"]: value["rules"]
                      for file in ["operator.yaml", "users.yaml"]
                      for value in objects((MANIFESTS / "rbac" / file).read_text()) if value["kind"] == kind}
            ours = {value["metadata"]["name"]: value["rules"] for value in self.kinds("operator-default", kind)}
            self.assertEqual(ours, theirs)

    def test_the_service_is_that_of_the_manifests(self):
        [theirs] = [value for value in objects((MANIFESTS / "manager/manager.yaml").read_text()) if value["kind"] == "Service"]
        [ours] = self.kinds("operator-default", "Service")
        self.assertEqual({**ours["spec"], "selector": theirs["spec"]["selector"]}, theirs["spec"])

    def test_bound_roles_belong_to_the_release(self):
        for name in ["operator-default", "operator-full"]:
            made = {(kind, role["metadata"]["name"]) for kind in ["ClusterRole", "Role"] for role in self.kinds(name, kind)}
            bound = {(value["roleRef"]["kind"], value["roleRef"]["name"])
                     for kind in ["ClusterRoleBinding", "RoleBinding"] for value in self.kinds(name, kind)}
            with self.subTest(name):
                self.assertEqual(made - bound, {("ClusterRole", "ganscale-view"), ("ClusterRole", "ganscale-edit")})
                self.assertEqual(bound - made, set())

    def test_the_lease_is_that_of_the_release(self):
        for name, lease in [("operator-default", "ganscale-operator"), ("operator-full", "gans")]:
            [deployment] = self.kinds(name, "Deployment")
            [role] = self.kinds(name, "Role")
            with self.subTest(name):
                self.assertIn(f"--lease-name={lease}", self.pod_of(deployment)["containers"][0]["args"])
                named = [(rule["resources"], rule["resourceNames"]) for rule in role["rules"] if "resourceNames" in rule]
                self.assertEqual(named, [(["leases"], [lease]), (["secrets"], ["ganscale-operator-key"])])

    def test_without_all_namespaces_nothing_is_bound_cluster_wide(self):
        self.assertEqual(len(self.kinds("operator-default", "ClusterRoleBinding")), 1)
        self.assertEqual(self.kinds("operator-full", "ClusterRoleBinding"), [])
        bound = {(value["metadata"]["namespace"], value["roleRef"]["name"]) for value in self.kinds("operator-full", "RoleBinding")}
        self.assertEqual(bound, {("ganscale-system", "gans"), *((namespace, role) for namespace in ["research", "students"]
                                                               for role in ["gans", "gans-training-namespace"])})
        [deployment] = self.kinds("operator-full", "Deployment")
        self.assertIn("--watch-namespaces=research,students", deployment["spec"]["template"]["spec"]["containers"][0]["args"])

    def test_labels_of_the_pods_do_not_replace_those_of_the_selector(self):
        [deployment] = self.kinds("operator-full", "Deployment")
        template, selector = deployment["spec"]["template"]["metadata"], deployment["spec"]["selector"]["matchLabels"]
        self.assertEqual(template["labels"], {**selector, "example.com/team": "vision"})
        self.assertEqual(template["annotations"]["example.com/note"], "yes")
        self.assertNotEqual(template["annotations"]["ganscale.dev/files"], "other")

    def test_the_policy_matches_the_manifests(self):
        self.assertEqual(self.kinds("operator-default", "ValidatingAdmissionPolicy"), [])
        theirs = objects((MANIFESTS / "policy/pod-template.yaml").read_text())
        ours = self.kinds("operator-full", "ValidatingAdmissionPolicy") + self.kinds("operator-full", "ValidatingAdmissionPolicyBinding")
        self.assertEqual(ours[0]["spec"], theirs[0]["spec"])
        self.assertEqual(ours[1]["spec"], {**theirs[1]["spec"], "policyName": ours[0]["metadata"]["name"]})
        old = self.helm("template", "x", CHARTS / "ganscale-operator", IMAGE, "--set=podTemplatePolicy.enabled=true",
                        "--kube-version=1.29.0", check=False)
        self.assertIn("needs Kubernetes 1.30", old.stderr)

    def test_users_have_their_roles_even_without_the_operators(self):
        text = self.helm("template", "ganscale", CHARTS / "ganscale-operator", IMAGE, "--set=rbac.create=false")
        self.assertEqual([value["metadata"]["name"] for value in objects(text) if "Role" in value["kind"]],
                         ["ganscale-view", "ganscale-edit"])

    def test_without_keep_the_definitions_are_deleted_with_the_chart(self):
        for crd in self.kinds("operator-full", "CustomResourceDefinition"):
            self.assertNotIn("annotations", crd["metadata"])

    def test_pods_are_restricted(self):
        for name in ["operator-default", "operator-bare", "operator-full"]:
            pods = [self.pod_of(value) for kind in ["Deployment", "Pod"] for value in self.kinds(name, kind)]
            self.assertEqual(len(pods), 2)
            for pod in pods:
                self.check_restricted(pod)

    def test_a_cluster_may_assign_the_user_ids(self):
        ids = ["runAsUser", "runAsGroup"]
        text = self.helm("template", "x", CHARTS / "ganscale-operator", IMAGE, *(f"--set=podSecurityContext.{each}=null" for each in ids))
        for pod in [self.pod_of(value) for value in objects(text) if value["kind"] in ["Deployment", "Pod"]]:
            self.assertEqual(pod["securityContext"], {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}})

    def pod_of(self, value):
        return value["spec"]["template"]["spec"] if value["kind"] == "Deployment" else value["spec"]

    def test_pods_of_the_quick_start_are_restricted(self):
        [job] = objects((MANIFESTS / "quick-start/load-emoji.yaml").read_text())
        [shell] = objects((MANIFESTS / "quick-start/shell.yaml").read_text())
        for pod in [job["spec"]["template"]["spec"], shell["spec"]]:
            self.check_restricted(pod)

    def check_restricted(self, pod):
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        for container in pod["containers"]:
            self.assertEqual(set(container["resources"]), {"requests", "limits"}, "else a quota refuses it")
            self.assertEqual(container["securityContext"], {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})

    def test_only_metrics_and_health_of_the_operator_can_be_reached(self):
        [policy] = self.kinds("operator-full", "NetworkPolicy")
        monitoring = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
        [test] = [{"podSelector": {"matchLabels": pod["metadata"]["labels"]}} for pod in self.kinds("operator-full", "Pod")]
        self.assertEqual(policy["spec"]["policyTypes"], ["Ingress"])
        self.assertEqual(policy["spec"]["ingress"], [
            {"ports": [{"protocol": "TCP", "port": "metrics"}], "from": [monitoring, test]},
            {"ports": [{"protocol": "TCP", "port": "health"}]}])

    def test_every_value_is_documented(self):
        subprocess.run(["/usr/bin/python3", PROJECT / "scripts/chart-readme.py", "--check"], check=True)

    def test_dashboards_are_labeled_for_grafana(self):
        maps = [value for value in self.kinds("operator-default", "ConfigMap")]
        self.assertEqual(len(maps), 3)
        for value in maps:
            self.assertEqual(value["metadata"]["labels"]["grafana_dashboard"], "1")
            [text] = value["data"].values()
            self.check_dashboard(json.loads(text))

    def check_dashboard(self, board):
        """What Grafana and its readers need of each panel."""
        panels = [panel for panel in board["panels"] if panel["type"] != "row"]
        self.assertGreater(len(panels), 8)
        self.assertEqual(len({panel["id"] for panel in board["panels"]}), len(board["panels"]))
        self.assertEqual(board["schemaVersion"], 39, "Grafana 10.4 and later read it as it is")
        variables = {variable["name"]: variable for variable in board["templating"]["list"]}
        self.assertEqual(variables["datasource"]["type"], "datasource")
        self.assertLessEqual({"datasource", "job", "instance"}, set(variables))
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(board)))
        self.assertEqual({name for name in used if not name.startswith("__")}, set(variables), "each is defined and used")
        for panel in panels:
            with self.subTest(panel["title"]):
                self.check_panel(panel)
        for a, b in itertools.combinations(panels, 2):
            self.assertTrue(apart(a["gridPos"], b["gridPos"]), (a["title"], b["title"]))

    def check_panel(self, panel):
        self.assertTrue(panel["title"] and panel["description"].endswith("."))
        self.assertIn(panel["type"], PANELS)
        self.assertEqual(panel["datasource"]["uid"], "${datasource}")
        place = panel["gridPos"]
        self.assertTrue(0 <= place["x"] and place["w"] > 0 and place["x"] + place["w"] <= 24, place)
        identities = [target["refId"] for target in panel["targets"]]
        self.assertEqual(len(set(identities)), len(identities))
        for target in panel["targets"]:
            self.assertRegex(target["expr"], "=~\"[$]instance\"", "scoped by what is chosen")
            self.assertNotRegex(target["expr"], r"\[\d+[smh]\]", "a rate over $__rate_interval fits any resolution")

    def test_packages_hold_the_linked_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for chart in ["ganscale-operator", "ganscale-training"]:
                self.helm("package", CHARTS / chart, "-d", folder)
                text = subprocess.run(["tar", "tzf", f"{folder}/{chart}-{VERSION}.tgz"], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
                self.assertRegex(text, r"files/(crd/gantrainings|runs/demo-emoji32)\S*\.yaml")

    def test_a_version_with_build_metadata_fits_labels_and_tags(self):
        """Flux adds such metadata to the version of a chart. As the value of a label, this one is cut after a dot."""
        metadata = ".".join(4 * ["abcdefabcdef"])
        for chart, settings in [("operator", []), ("training", ["--set=config=demo-emoji32"])]:
            with self.subTest(chart), tempfile.TemporaryDirectory() as folder:
                self.helm("package", CHARTS / f"ganscale-{chart}", "-d", folder,
                          f"--version=0.1.0+{metadata}", f"--app-version=0.1.0+{metadata}")
                text = self.helm("template", "x", *pathlib.Path(folder).iterdir(), "--set=image.repository=host:5000/a/b", *settings)
                labels = {label for value in objects(text) for label in value["metadata"].get("labels", {}).values()}
                self.assertEqual([label for label in labels if not re.fullmatch(r"([A-Za-z0-9]([\w.-]{,61}[A-Za-z0-9])?)?", label)], [])
                self.assertIn(f"ganscale-{chart}-0.1.0_{metadata[:38]}", labels)
                self.assertEqual({image.split(":")[2] for image in re.findall(r"image: (host:\S+)", text)}, {f"0.1.0_{metadata}"})


def numeric(section):
    """Returns a section with the numbers that PyYAML takes for texts, such as 1e-5, as numbers."""
    return {key: float(value) if re.fullmatch(r"\d+e-\d+", str(value)) else value for key, value in section.items()}


def apart(a, b):
    """Whether two panels do not overlap."""
    return (a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
            or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"])


class Dashboards(unittest.TestCase):
    """The results that Prometheus returns for the queries."""
    maxDiff = None

    def test_a_sweep_shows_what_comes_out_by_hand(self):
        """faces: 100 images per second on 1 rank and 250 on 4, as both replicas of the operator report."""
        figures = {"n1": {"ranks": 1, "images_per_second": 100, "speedup": 1, "efficiency_ratio": 1, "completion_seconds": 60},
                   "n4": {"ranks": 4, "images_per_second": 250, "speedup": 2.5, "efficiency_ratio": 0.625, "completion_seconds": 72}}
        series = {}
        for point, values in figures.items():
            for replica, (name, value) in itertools.product("ab", values.items()):
                labels = f'namespace="lab", sweep="faces", point="{point}", ranks="{values["ranks"]}", instance="{replica}"'
                series[f"ganscale_sweep_{name}{{{labels}}}"] = f"{value}x12"
        for part, seconds in [("compute", 0.5), ("data wait", 0.25), ("wait for the other role", 0.125)]:
            labels = f'namespace="lab", sweep="faces", point="n4", ranks="4", instance="a", part="{part}"'
            series[f"ganscale_sweep_step_seconds{{{labels}}}"] = f"{seconds}x12"
        for run, rank in [("faces-n4-r1", 0), ("faces-n4-r1", 1), ("faces", 0)]:  # the last is no run of a sweep
            series[f'ganscale_images_total{{namespace="lab", run="{run}", rank="{rank}"}}'] = "0+150x12"
        sweep = dict(panels("sweep"))
        expected = [
            (sweep["Images per second"][1], {"n1": 100, "n4": 250}),
            (sweep["Speedup"][1], {"n1": 1, "n4": 2.5}),
            (sweep["Speedup"][2], {"n1": 1, "n4": 4}),
            (sweep["Parallel efficiency"][1], {"n1": 1, "n4": 0.625}),
            (sweep["Seconds per kimg"][1], {"n1": 10, "n4": 4}),
            (sweep["Time of a step"][1], {"n4": 0.5}),
            (sweep["Time of a step"][3], {"n4": 0.25}),
            (sweep["Time of a step"][4], {"n4": 0.125}),
            (sweep["Time of a training"][1], {"n1": 60, "n4": 72})]
        tests = [{"expr": f"round({query}, 0.001)", "eval_time": "3m", "exp_samples": [
            {"labels": f'{{namespace="lab", sweep="faces", point="{point}", ranks="{figures[point]["ranks"]}"}}', "value": value}
            for point, value in values.items()]} for query, values in expected]
        tests.append({"expr": f'round({sweep["Images per second now"][0]}, 0.001)', "eval_time": "3m", "exp_samples": [
            {"labels": '{namespace="lab", run="faces-n4-r1"}', "value": 20}]})
        self.assertEqual(promtool("test", "rules", "test.yaml", test=json.dumps({"tests": [
            {"interval": "15s", "input_series": [{"series": name, "values": values} for name, values in series.items()],
             "promql_expr_test": tests}]})), "")

    def test_each_role_of_an_asynchronous_run_shows_its_own_steps(self):
        """Rank 0 trains the generator, 2 steps per second on weights of age 1; ranks 1 and 2 the discriminator, 4 on images of age 3.
        Rank 1 waits for rank 2, a tenth of the time; rank 0 has nobody to average gradients with."""
        series = {}
        for rank, network, steps, steps_old, allreduce in [
                (0, "generator", 30, 1, 0), (1, "discriminator", 60, 3, 9), (2, "discriminator", 60, 3, 7.5)]:
            labels = f'namespace="lab", run="faces", instance="node", rank="{rank}"'
            series[f"ganscale_allreduce_seconds_total{{{labels}}}"] = f"0+{allreduce}x12"
            series[f"ganscale_step_seconds_count{{{labels}}}"] = f"0+{steps}x12"
            series[f"ganscale_staleness_steps_count{{{labels}}}"] = f"0+{steps}x12"
            series[f"ganscale_staleness_steps_sum{{{labels}}}"] = f"0+{steps * steps_old}x12"
            series[f'ganscale_role_wait_seconds_total{{{labels}, network="{network}"}}'] = "0+1x12"
            for le in ("0.25", "0.5", "+Inf"):
                in_time = steps if le != "0.25" or network == "discriminator" else 0
                series[f'ganscale_step_seconds_bucket{{{labels}, le="{le}"}}'] = f"0+{in_time}x12"
        # A rank of a run without roles is in none of the panels of roles.
        series['ganscale_step_seconds_count{namespace="lab", run="digits", instance="node", rank="0"}'] = "0+15x12"
        # Ranks without roles all wait for each other.
        for rank, allreduce in [(0, 6), (1, 3)]:
            labels = f'namespace="lab", run="digits", instance="node", rank="{rank}"'
            series[f"ganscale_allreduce_seconds_total{{{labels}}}"] = f"0+{allreduce}x12"
        training = dict(panels("training"))
        expected = [("Steps per second by role", {"generator": 2, "discriminator": 4}), ("Staleness", {"generator": 1, "discriminator": 3}),
                    ("Step time by role", {"generator": 0.375, "discriminator": 0.125})]
        tests = [{"expr": f"round({training[title][0]}, 0.001)", "eval_time": "3m", "exp_samples": [
            {"labels": f'{{namespace="lab", run="faces", network="{network}"}}', "value": value} for network, value in values.items()]}
            for title, values in expected]
        tests.append({"expr": f"round({training['Waiting for the slowest rank'][0]}, 0.001)", "eval_time": "3m", "exp_samples": [
            {"labels": f'{{namespace="lab", run="{run}"}}', "value": value} for run, value in [("faces", 0.1), ("digits", 0.2)]]})
        self.assertEqual(promtool("test", "rules", "test.yaml", test=json.dumps({"tests": [
            {"interval": "15s", "input_series": [{"series": name, "values": values} for name, values in series.items()],
             "promql_expr_test": tests}]})), "")


class Rules(unittest.TestCase):
    files = {path.stem: path.read_text() for path in rule_files()}

    def test_each_alert_fires_when_it_should(self):
        files = {**self.files, "rules_test": (PROJECT / "tests/charts/rules_test.yaml").read_text()}
        self.assertEqual(promtool("check", "rules", "--lint-fatal", *(f"{name}.yaml" for name in self.files), **files), "")
        self.assertEqual(promtool("test", "rules", "rules_test.yaml", **files), "")

    def test_each_alert_has_a_test_and_a_page(self):
        alerts = re.findall(r"- alert: (\w+)", "".join(self.files.values()))
        tested = re.findall(r"alertname: (\w+)\n", (PROJECT / "tests/charts/rules_test.yaml").read_text())
        self.assertEqual(set(alerts) - set(tested), set())
        pages = {path.stem: path.read_text() for path in (PROJECT / "docs/runbooks").glob("Ganscale*.md")}
        self.assertEqual(set(pages), set(alerts))
        for alert, page in pages.items():
            with self.subTest(alert):
                self.assertEqual(re.findall("^#+ .*", page, re.M), [f"# {alert}", "## Meaning", "## Impact", "## Diagnosis", "## Mitigation"])

    def groups(self):
        return [group for text in self.files.values() for group in yaml.safe_load(text)["groups"]]

    def test_the_chart_carries_the_rules_as_they_are(self):
        helm = Helm(build_tools("helm") / "helm")
        want = {"groups": self.groups()}
        for url in ["", "https://docs.example/runbooks"]:
            text = helm.template("operator-full", f"--set=monitoring.rules.runbookUrl={url}")
            [rule] = [value for value in objects(text) if value["kind"] == "PrometheusRule"]
            for alert in [rule for group in want["groups"] for rule in group["rules"] if url and "alert" in rule]:
                alert["annotations"]["runbook_url"] = f"{url}/{alert['alert']}.md"
            with self.subTest(url):
                self.assertEqual(rule["spec"], want)


if __name__ == "__main__":
    unittest.main(verbosity=2)
