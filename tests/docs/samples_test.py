"""The worker accepts every sample, as far as it can tell without data and devices: what the operator makes of those that are
resources, for the ranks that it starts, and the run configurations for the ranks that they name."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "tests" / folder) for folder in ("charts", "support")]
from charts import objects  # noqa: E402
from programs import OPERATOR, WORKER, WRONG_CONFIGURATION  # noqa: E402

RESOURCES = sorted([*PROJECT.glob("operator-manifests/samples/*.yaml"), *PROJECT.glob("configs/sweeps/*.yaml")])
RUNS = sorted(PROJECT.glob("configs/runs/*.yaml"))


def run(*words):
    return subprocess.run(list(map(str, words)), cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def rendered(file):
    result = run(OPERATOR, "render", "-f", file)
    assert result.returncode == 0, result.stderr
    return objects(result.stdout)


def check(file, ranks):
    return run(WORKER, "train", "--config", file, "--check-config", "--world-size", ranks)


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
                for training in {json.dumps(part["spec"]): part for part in trainings}.values():
                    self.accept_training(rendered(self.write("training.yaml", json.dumps(training))))

    def test_run_configurations(self):
        self.assertGreater(len(RUNS), 10)
        for file in RUNS:
            ranks = re.search(r"^#.*mpirun -n (\d+)", file.read_text(), re.M)
            with self.subTest(file.name):
                self.accept(file, ranks[1] if ranks else 2)


class Mistakes(unittest.TestCase):
    def test_worker_and_operator_refuse_the_same_resolution(self):
        config = "model: {name: dcgan, resolution: 48}"
        with tempfile.TemporaryDirectory() as folder:
            run_file, training = pathlib.Path(folder) / "config.yaml", pathlib.Path(folder) / "training.yaml"
            run_file.write_text(config)
            training.write_text("{kind: GanTraining, metadata: {name: a}, spec: {image: x, nodeProfile: cpu, config: {%s}}}" % config)
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
