"""The worker accepts every sample, as far as it can tell without data and devices: what the operator makes of those that are
resources, for the ranks that it starts (of a sweep those of its first and last point), and the run configurations by each command in
them. Those of papers are also validated and rendered as a training, and planned; one for each model and scheme is trained for two steps at
reduced size. `make check-long` takes all points, and trains all. The plans in docs/papers.md and configs/plans are made."""
import json
import math
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import unittest

import yaml

from blocks import DOCUMENTS, blocks

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "tests" / folder) for folder in ("charts", "support")]
from charts import objects  # noqa: E402
from programs import OPERATOR, WORKER, WRONG_CONFIGURATION  # noqa: E402
from thorough import thorough  # noqa: E402
from write_images import write_png  # noqa: E402

RESOURCES = sorted([*PROJECT.glob("operator-manifests/samples/*.yaml"), *PROJECT.glob("configs/sweeps/*.yaml")])
RUNS = sorted(PROJECT.glob("configs/runs/**/*.yaml"))
PLANS = sorted(PROJECT.glob("configs/plans/*.yaml"))
FOLDERS = ["loppi", "paragan", "dcgan", "wcgan"]  # one for each paper
PAPERS = [file for file in RUNS if file.parent.name in FOLDERS]
SWEEPS = [file for file in RESOURCES if file.parent.name == "sweeps" and file.name.partition("-")[0] in FOLDERS]
OURS = PROJECT / "configs/runs/wcgan/mnist.yaml"  # the paper has no MNIST
PLACES = {"R": "configs/runs", "S": "configs/sweeps"}  # what docs/papers.md abbreviates
# What a plan depends on: a sweep measures the training that docs/papers.md predicts.
SECTIONS = ["model", "loss", "generator", "discriminator"]
OF_TRAINING = ["batch", "precision", "accumulate", "devices_per_process"]
LABELS, BATCH, STEPS = 2, 4, 2
# What makes a model small, by the beginning of its name.
SMALL = {"dcgan": ["channels=0.1"], "conditional_dcgan": ["channels=0.1"], "wgan": ["channels=0.1"],
         "biggan": ["generator_channels=4", "discriminator_channels=4"],
         "stylegan": ["channel_base=256", "channel_max=8", "z_dim=8", "w_dim=8"]}


def run(*words):
    return subprocess.run(list(map(str, words)), cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def rendered(file):
    result = run(OPERATOR, "render", "-f", file)
    assert result.returncode == 0, result.stderr
    return objects(result.stdout)


def check(file, ranks, *settings):
    return run(WORKER, "train", "--config", file, "--check-config", "--world-size", ranks, *settings)


def commands(file):
    """Returns the ranks and the --set options of each command in the head of a run configuration."""
    found = []
    for line in file.read_text().splitlines():
        if "ganscale train --config" not in line or not line.startswith("#"):
            continue
        words = shlex.split(line.lstrip("# "))
        named = pathlib.Path(words[words.index("--config") + 1])
        assert (PROJECT / named) == file, f"{file} names {named}"
        ranks = int(words[2]) if words[:2] == ["mpirun", "-n"] else 1
        found.append((ranks, words[words.index("--config") + 2:]))
    return found or [(2, [])]


def experiments():
    """Returns the cells of each row of the tables of all experiments in docs/papers.md."""
    section = (PROJECT / "docs/papers.md").read_text().split("\n## Every experiment\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] != "claim"]


def resolved(file, *settings):
    """Returns the parts of a configuration, with all defaults, on which a plan depends."""
    result = run(WORKER, "train", "--config", file, *settings, "--print-config")
    assert result.returncode == 0, result.stderr
    config = yaml.safe_load(result.stdout)
    return {**{name: config[name] for name in SECTIONS}, **{name: config["training"][name] for name in OF_TRAINING}}


def set_all(settings):
    return [word for setting in settings for word in ("--set", setting)]


def kind(file):
    """Returns what distinguishes a run configuration of a paper from others but for its dataset and size."""
    config = yaml.safe_load(file.read_text())
    return file.parent, config["model"].get("name", config["model"].get("preset")), config["scheme"]["name"]


def some_papers():
    """Returns all run configurations of papers in `make check-long`, otherwise one of each kind."""
    return thorough(PAPERS, list({kind(file): file for file in PAPERS}.values()))


def small_model(file):
    """Returns the options that make the model of a run configuration small."""
    model = yaml.safe_load(file.read_text())["model"]
    name = model.get("name", model.get("preset"))
    [keys] = [keys for start, keys in SMALL.items() if name.startswith(start)]
    return set_all(f"model.{key}" for key in [*keys, "resolution=32"])


class Samples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    def accept(self, file, ranks):
        result = check(file, ranks)
        self.assertEqual(result.returncode, 0, result.stderr)

    def accept_training(self, parts):
        """Checks what the operator made of a GanTraining."""
        config = next(part["data"]["config.yaml"] for part in parts if part["kind"] == "ConfigMap")
        job = next(part for part in parts if part["kind"] == "MPIJob")
        arguments = job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["args"]
        self.accept(self.write("config.yaml", config), arguments[arguments.index("-np") + 1])

    def test_resources(self):
        self.assertGreater(len(RESOURCES), 5)
        for file in RESOURCES:
            parts = rendered(file)
            trainings = [part for part in parts if part["kind"] == "GanTraining"]
            with self.subTest(file.name):
                self.assertTrue(trainings or any(part["kind"] == "MPIJob" for part in parts))
                if not trainings:
                    self.accept_training(parts)
                different = list({json.dumps(part["spec"]): part for part in trainings}.values())
                for training in thorough(different, different[:1] + different[1:][-1:]):
                    self.accept_training(rendered(self.write("training.yaml", json.dumps(training))))

    def test_images_are_those_for_the_devices_of_the_nodes(self):
        for file in RESOURCES:
            spec = yaml.safe_load(file.read_text())["spec"]
            spec = spec.get("template", spec)
            with self.subTest(file.name):
                self.assertEqual(spec["image"].endswith("-cuda"), spec.get("nodeProfile") != "cpu")

    def test_run_configurations(self):
        self.assertGreater(len(RUNS), 20)
        for file in RUNS:
            for ranks, settings in commands(file):
                with self.subTest(file.name, settings=settings):
                    result = check(file, ranks, *settings)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_run_configurations_measure_or_say_why_not(self):
        for file in RUNS:
            text = file.read_text()
            with self.subTest(file.name):
                measures = bool(yaml.safe_load(text).get("evaluate", {}).get("metrics"))
                self.assertEqual("# No metrics: " in text, not measures)
                self.assertEqual("# The metrics need a feature network " in text, measures)

    def test_batch_norms_see_the_batch_of_the_paper_on_any_number_of_ranks(self):
        for file in PROJECT.glob("configs/runs/dcgan/*.yaml"):
            config = yaml.safe_load(file.read_text())
            with self.subTest(file.name):
                is_whole = config["scheme"]["name"] == "per_label" or config["model"].get("batch_norm") == "synchronized"
                self.assertTrue(is_whole or all(ranks == 1 for ranks, _ in commands(file)))

    def test_run_configurations_of_papers_are_trainings_of_the_operator(self):
        for file in PAPERS:
            ranks, _ = commands(file)[0]
            config = yaml.safe_load(file.read_text())
            devices = config["training"].get("devices_per_process", 1)
            ranks_of_node = math.gcd(ranks, 4)
            training = self.write("training.yaml", (
                "apiVersion: ganscale.dev/v1alpha1\nkind: GanTraining\nmetadata: {name: a}\nspec:\n  storage: {claimName: runs}\n"
                f"  image: x\n  nodes: {ranks // ranks_of_node}\n  node: {{gpus: {ranks_of_node * devices}}}\n"
                "  evaluation: {featureNet: {claimName: features}}\n  config:\n" + textwrap.indent(file.read_text(), "    ")))
            with self.subTest(file.name):
                result = run(OPERATOR, "validate", "-f", training)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"{ranks} ranks", result.stdout)
                text = run(OPERATOR, "render", "-f", training).stdout
                self.accept_training(objects(text))
                self.assertEqual("generator: 0" in text, config["scheme"]["name"] == "asynchronous", "roles are shown")

    def test_run_configurations_of_papers_can_be_planned(self):
        for file in PAPERS:
            per_label = yaml.safe_load(file.read_text())["scheme"]["name"] == "per_label"
            with self.subTest(file.name):
                result = run(WORKER, "plan", "--config", file, "--machine", "puhti-v100", "--nodes", 1, "--json", "--labels", LABELS,
                             "--mode", "per_label" if per_label else "strong", *small_model(file))
                self.assertEqual(result.returncode, 0, result.stderr)
                rows = json.loads(result.stdout)["rows"]
                self.assertEqual([row["gpus"] for row in rows], [4])
                self.assertGreater(rows[0]["efficiency"], 0)

    def test_run_configurations_of_papers_train(self):
        for label in map(str, range(LABELS)):
            (self.folder / "data" / label).mkdir(parents=True)
            for number in range(BATCH):
                write_png(self.folder / "data" / label / f"{number}.png")
        for file in some_papers():
            with self.subTest(file.name):
                result = self.train_small(file)
                self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
                ticks = self.folder.glob(f"run-{file.parent.name}-{file.stem}/**/stats.jsonl")
                steps = [json.loads(tick.read_text().splitlines()[-1])["step"] for tick in ticks]
                per_label = yaml.safe_load(file.read_text())["scheme"]["name"] == "per_label"
                self.assertEqual(steps, [STEPS] * (LABELS if per_label else 1))

    def train_small(self, file):
        """Trains two steps of each pair of networks, without a GPU, so that both networks share a device. With a device for each,
        NetworksOnTwoDevices in training_test computes the losses, and training_gpu_test the gradients, on GPUs."""
        pairs = LABELS if yaml.safe_load(file.read_text())["scheme"]["name"] == "per_label" else 1
        settings = [f"training.{key}" for key in [
            f"total_kimg={pairs * STEPS * BATCH / 1000}", f"batch={BATCH}", "accumulate=1", "precision=fp32", "device=cpu", "threads=1",
            "devices_per_process=1", "tick_kimg=0.001", "samples_every_kimg=0", "grid_rows=1", "grid_columns=2"]]
        settings += [f"data.path={self.folder / 'data'}", "data.fit=resize", "evaluate.metrics=[]", "telemetry.metrics_port=-1",
                     "telemetry.control_port=0"]
        return run(WORKER, "train", "--config", file, "--run", self.folder / f"run-{file.parent.name}-{file.stem}",
                   *small_model(file), *set_all(settings))


class Experiments(unittest.TestCase):
    def test_have_a_command_each(self):
        self.assertGreater(len(experiments()), 30)
        for row in experiments():
            with self.subTest(row[0]):
                self.assertEqual(len(row), 5, row)
                self.assertTrue(all(row), row)

    def test_name_each_file_of_a_paper_and_no_other(self):
        named = {PROJECT / PLACES[place] / f"{name}.yaml"
                 for row in experiments() for place, name in re.findall(r"\b([RS])/([\w/-]+)", " ".join(row))}
        self.assertEqual(named, {*PAPERS, *SWEEPS} - {OURS})

    def plan(self, words):
        """Returns the rows of a plan with these options."""
        result = run(WORKER, "plan", *words, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["rows"]

    def test_are_planned_up_to_their_nodes(self):
        plans = re.findall(r"`P (R/[^`]+)`", "\n".join(row[2] for row in experiments()))
        self.assertGreater(len(plans), 10)
        for plan in plans:
            with self.subTest(plan):
                words = ["--config", *plan.replace("R/", "configs/runs/").split()]
                self.assertEqual(self.plan(words)[-1]["nodes"], int(words[words.index("--nodes") + 1]))

    def test_sweeps_measure_the_training_that_is_predicted(self):
        rows = [row for row in experiments() if re.search(r"\bS/", row[1])]
        self.assertEqual(len(rows), len(SWEEPS))
        for row in rows:
            sweep = PROJECT / "configs/sweeps" / (re.search(r"\bS/([\w-]+)", row[1])[1] + ".yaml")
            words = re.search(r"`P R/([^`]+)`", row[2])[1].split()
            settings = set_all(words[i + 1] for i, word in enumerate(words) if word == "--set")
            configs = [part["spec"]["config"] for part in rendered(sweep) if part["kind"] == "GanTraining"]
            least = min(configs, key=lambda config: config["training"]["batch"])  # of a weak sweep, that of the first point
            with self.subTest(sweep.name), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "config.yaml"
                file.write_text(json.dumps(least))
                self.assertEqual(resolved(file, "--set", "data.path=/data"), resolved(PROJECT / "configs/runs" / words[0], *settings))

    def test_of_plans_have_the_command_in_their_head(self):
        for file in PLANS:
            command = " ".join(line.strip("# \\") for line in file.read_text().splitlines() if line.startswith("#   "))
            with self.subTest(file.name):
                self.assertIn(f"ganscale plan --calibrate {file.relative_to(PROJECT)} ", command)
                self.assertTrue(self.plan(command.split()[2:]))


class Commands(unittest.TestCase):
    def test_make_the_data_of_a_configuration_before_they_train_with_it(self):
        found = 0
        for document in DOCUMENTS:
            before = ""
            for command in [command for block in blocks(document) if block.mode != "show" for command in block.commands()]:
                named = re.search(r"(?s)\btrain --config (\S+)(?!.*(?:data\.path=|--data ))", command)
                files = [PROJECT / named[1], PROJECT / f"configs/runs/{named[1]}.yaml"] if named else []
                for file in filter(pathlib.Path.exists, files):
                    path = yaml.safe_load(file.read_text())["data"]["path"]
                    found += 1
                    with self.subTest(document.name, command=command):
                        self.assertIn(f"--to {path} ", before)
                before += f"{command} \n"
        self.assertGreater(found, 1)


class Mistakes(unittest.TestCase):
    def test_worker_and_operator_refuse_the_same_resolution(self):
        config = "model: {name: dcgan, resolution: 48}"
        with tempfile.TemporaryDirectory() as folder:
            run_file, training = pathlib.Path(folder) / "config.yaml", pathlib.Path(folder) / "training.yaml"
            run_file.write_text(config)
            training.write_text("{apiVersion: ganscale.dev/v1alpha1, kind: GanTraining, metadata: {name: a}, "
                                "spec: {image: x, nodeProfile: cpu, config: {%s}}}" % config)
            by_worker, by_operator = check(run_file, 1), run(OPERATOR, "validate", "-f", training)
        for result in (by_worker, by_operator):
            self.assertEqual(result.returncode, WRONG_CONFIGURATION, result.stderr)
            self.assertIn("model.resolution: ", result.stderr)

    def test_ranks_that_cannot_share_a_batch(self):
        file = PROJECT / "configs/runs/mnist-dcgan.yaml"
        self.assertEqual(check(file, 2).returncode, 0)
        refused = check(file, 7)
        self.assertEqual(refused.returncode, WRONG_CONFIGURATION)
        self.assertIn("training.batch: must be divisible by the number of ranks", refused.stderr)


if __name__ == "__main__":
    unittest.main()
