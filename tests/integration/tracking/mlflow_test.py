"""A training is logged to a real MLflow server, and read back by MLflow's own client."""
import json
import logging
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from tracking_python import PROJECT, use_tracking_python

use_tracking_python()
sys.path.insert(0, str(PROJECT / "tests/support"))
import requests  # noqa: E402
from mlflow import MlflowClient  # noqa: E402
from programs import WORKER, WRONG_CONFIGURATION, free_port, wait_until  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402
from write_images import write_png  # noqa: E402

STOPPED = 143
SECRET = "hush-hush"
TRAINING = [f"--set={key}" for key in
            ("training.batch=4", "training.tick_kimg=0.2", "training.samples_every_kimg=0", "training.grid_rows=1",
             "training.grid_columns=1", "training.threads=1", "model.channels=0.125", "checkpoint.every_kimg=1000",
             "telemetry.metrics_port=-1", "telemetry.control_port=-1", "telemetry.mlflow.experiment=faces")]


def load_server(folder):
    """Returns MLflow's server with a database in a folder, once in a process: that takes seconds."""
    os.environ["_MLFLOW_SERVER_FILE_STORE"] = f"sqlite:///{folder}/mlflow.db"
    os.environ["_MLFLOW_SERVER_ARTIFACT_ROOT"] = "mlflow-artifacts:/"  # what mlflow server --serve-artifacts sets
    os.environ["_MLFLOW_SERVER_SERVE_ARTIFACTS"] = "true"
    os.environ["_MLFLOW_SERVER_ARTIFACT_DESTINATION"] = f"{folder}/artifacts"
    from mlflow.server import app  # pylint: disable=import-outside-toplevel; it reads these variables
    experiment = app.test_client().get("/api/2.0/mlflow/experiments/get?experiment_id=0")  # makes the database
    assert experiment.status_code == 200, experiment.text
    return app


def serve(app, port):
    """Serves until the function that it returns is called."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", port, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.shutdown


def losing_first_creation(app):
    """Lets the first request for a run through, but not its answer, as a proxy whose server is slow."""
    lost = []

    def answer(environ, start_response):
        if lost or not environ["PATH_INFO"].endswith("/runs/create"):
            return app(environ, start_response)
        lost.append(list(app(environ, lambda *_: None)))
        start_response("504 Gateway Timeout", [("Content-Type", "text/plain")])
        return [b"too late"]

    return answer


class Mlflow(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_folder = self.folder / "run"
        for number in range(8):
            photos = self.folder / "photos"
            photos.mkdir(exist_ok=True)
            write_png(photos / f"{number}.png")
        self.port = free_port()
        self.uri = f"http://127.0.0.1:{self.port}"

    def train(self, kimg, *options):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "MLFLOW_TRACKING_URI": self.uri, "MLFLOW_TRACKING_TOKEN": SECRET}
        with (self.folder / "output").open("w", encoding="utf-8") as output:  # a pipe would be full before it is read
            process = subprocess.Popen([WORKER, "train", "--data", self.folder / "photos", "--run", self.run_folder, *TRAINING,
                                        f"--set=training.total_kimg={kimg}", *options], stdout=output,
                                       stderr=subprocess.STDOUT, env=environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end_of(self, process):
        """Waits for a training; returns its exit code and what it printed."""
        code = process.wait(timeout=200)
        return code, (self.folder / "output").read_text()

    def stats(self):
        file = self.run_folder / "stats.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def expect_all_ticks(self, client, run_id):
        """Expects the server to have the losses of stats.jsonl at their steps and times."""
        for network in ("generator", "discriminator"):
            history = client.get_metric_history(run_id, f"loss/{network}")
            self.assertEqual([(metric.step, metric.value, metric.timestamp) for metric in history],
                             [(tick["images_seen"], tick["loss"][network], round(tick["unix_seconds"] * 1000))
                              for tick in self.stats()])

    def expect_artifacts(self, client, run_id):
        """Expects the server to have the grids and the report of the run folder, byte by byte."""
        grids = sorted(path.name for path in (self.run_folder / "samples").iterdir())
        self.assertIn("reals.png", grids)
        self.assertEqual(sorted(file.path for file in client.list_artifacts(run_id)), ["report.html", "samples"])
        self.assertEqual(sorted(file.path for file in client.list_artifacts(run_id, "samples")),
                         [f"samples/{name}" for name in grids])
        for name in ["report.html", *(f"samples/{name}" for name in grids)]:
            stored = client.download_artifacts(run_id, name, self.folder)
            self.assertEqual(pathlib.Path(stored).read_bytes(), (self.run_folder / name).read_bytes(), name)

    def expect_a_warning_without_proxy(self, client, kimg):
        """Logs the run to an experiment whose clients must store artifacts themselves."""
        client.create_experiment("elsewhere", artifact_location=str(self.folder / "elsewhere"))
        code, output = self.end_of(self.train(kimg, "--set=telemetry.mlflow.experiment=elsewhere"))
        self.assertEqual(code, 0, output)
        self.assertEqual(output.count("The MLflow server does not store artifacts itself"), 1, output)
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_a_training_is_logged_and_resumed_whenever_the_server_came_up(self):
        server = load_server(self.folder)
        process = self.train(1_000_000)
        wait_until(lambda: len(self.stats()) >= 2 or process.poll() is not None)
        missed, came_up = self.stats()[:2], time.time()
        self.addCleanup(serve(losing_first_creation(server), self.port))
        client = MlflowClient(self.uri)
        run_id = wait_until(lambda: (self.run_folder / "mlflow.json").exists() and
                            json.loads((self.run_folder / "mlflow.json").read_text())["run_id"])
        wait_until(lambda: "loss/generator" in client.get_run(run_id).data.metrics)
        self.assertEqual(client.get_run(run_id).info.status, "RUNNING")
        process.send_signal(signal.SIGINT)
        code, output = self.end_of(process)
        self.assertEqual(code, STOPPED, output)
        self.assertEqual(output.count("Cannot log to MLflow"), 1, output)
        self.assertEqual(output.count("The MLflow server has got what it missed"), 1, output)
        self.expect_run(client, run_id)
        self.assertLessEqual(client.get_run(run_id).info.start_time, missed[0]["unix_seconds"] * 1000)
        self.assertLess(missed[1]["unix_seconds"], came_up)  # when they were measured, not when they were sent
        self.expect_artifacts(client, run_id)
        self.expect_no_secret()

        kimg = self.stats()[-1]["kimg"] + 0.5
        code, output = self.end_of(self.train(kimg))
        self.assertEqual(code, 0, output)
        self.assertNotIn("artifacts", output)
        self.expect_artifacts(client, run_id)
        self.assertEqual(client.get_run(run_id).info.status, "FINISHED")
        self.expect_all_ticks(client, run_id)
        runs = client.search_runs([client.get_experiment_by_name("faces").experiment_id])
        self.assertEqual([run.info.run_id for run in runs], [run_id])
        self.expect_that_the_server_reads_nan(client, run_id)
        self.expect_a_warning_without_proxy(client, kimg)

    def expect_run(self, client, run_id):
        run = client.get_run(run_id)
        self.assertEqual(run.info.status, "KILLED")
        self.assertEqual(run.info.run_name, "run")
        self.assertEqual(run.data.params["training.batch"], "4")
        self.assertGreater(len(run.data.params), 100)  # more than a request holds
        self.assertEqual(run.data.tags["mlflow.source.name"], "ganscale")
        self.assertEqual(run.data.tags["ganscale.run_folder"], str(self.run_folder))
        self.expect_all_ticks(client, run_id)

    def expect_that_the_server_reads_nan(self, client, run_id):
        """Sends NaN as the worker does, since JSON has none: as a word."""
        body = {"run_id": run_id, "metrics": [{"key": "diverged", "value": "NaN", "timestamp": 1, "step": 2}]}
        answer = requests.post(f"{self.uri}/api/2.0/mlflow/runs/log-batch", json=body, timeout=60)
        self.assertEqual(answer.status_code, 200, answer.text)
        self.assertTrue(math.isnan(client.get_run(run_id).data.metrics["diverged"]))

    def expect_no_secret(self):
        files = [path for path in self.run_folder.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 4)
        for path in files:
            self.assertNotIn(SECRET.encode(), path.read_bytes(), path)
        _, output = self.end_of(self.train(1, "--print-config"))
        self.assertIn("experiment: faces", output)
        self.assertNotIn(SECRET, output)

    def test_an_invalid_address_is_refused(self):
        code, output = self.end_of(self.train(1, "--set=telemetry.mlflow.uri=tracking:5000"))
        self.assertEqual(code, WRONG_CONFIGURATION, output)
        self.assertIn("telemetry.mlflow.uri: expected a tracking server", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
