"""The Python package, in an environment with the wheel: generators of all models, the files of runs, launches."""
import ctypes
import importlib.metadata
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
from unittest import mock

import ganscale

NEEDS_TORCH = "torch" in sys.modules  # after the import of the package alone

import torch  # noqa: E402
from ganscale import _program  # noqa: E402
from png_images import read_png  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from thorough import thorough  # noqa: E402
from write_images import write_png  # noqa: E402

MISSING_DATA, WRONG_CONFIGURATION, STOPPED = 65, 78, 143
RESNET = ["channels=0.1"]
STYLES = ["channel_base=256", "channel_max=8", "z_dim=8", "w_dim=8"]
BIGGAN = ["generator_channels=4", "discriminator_channels=4"]
MODELS = {
    "dcgan": RESNET, "conditional_dcgan": RESNET, "wgan": RESNET, "conditional_wgan": RESNET,
    "wgan_resnet": RESNET, "conditional_wgan_resnet": RESNET, "sngan": RESNET, "conditional_sngan": RESNET,
    "stylegan2": [*STYLES, "conditional=true"], "stylegan3": [*STYLES, "generator_channel_base=256", "generator_channel_max=8"],
    "r3gan": ["channel_base=512", "channel_max=16", "group_channels=4"], "biggan": BIGGAN, "biggan_deep": BIGGAN,
}
TINY = [f"--set=training.{key}" for key in ("batch=4", "tick_kimg=0.004", "samples_every_kimg=0", "grid_rows=1", "grid_columns=1",
                                           "threads=1", "device=cpu", "seed=7")]
LEARNING_RATES = {"r3gan": 0.002}  # with which images differ after two steps; of others 0.05
TINY += ["--set=telemetry.metrics_port=-1", "--set=telemetry.control_port=-1"]


def setUpModule():
    global FOLDER, PHOTOS
    FOLDER = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    PHOTOS = FOLDER / "photos"
    for number in range(8):
        (PHOTOS / "ab"[number % 2]).mkdir(parents=True, exist_ok=True)
        write_png(PHOTOS / "ab"[number % 2] / f"{number}.png")


def train(name, *settings, images=8):
    """Trains a small model in a folder of that name, so fast that images of different seeds differ; returns the folder."""
    run, rate = FOLDER / name, LEARNING_RATES.get(name, 0.05)
    options = [f"--set={setting}" for setting in (f"data.path={PHOTOS}", "model.resolution=32", f"training.total_kimg={images / 1000}",
                                               "generator.ema_kimg=0", f"generator.optimizer.learning_rate={rate}", *settings)]
    command("train", "--run", run, *TINY, *options)
    return run


def command(*words):
    result = subprocess.run([_program.program(), *map(str, words)], env=_program.environment(), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def generated(run, labels, *options):
    """Returns what `ganscale generate` makes of the seeds 3 to 6, [4, 3, H, W] uint8."""
    folder = FOLDER / f"images-of-{run.name}"
    words = ["--labels", ",".join(map(str, labels))] if labels else []
    command("generate", "--run", run, "--seeds", "3-6", "--out-dir", folder, *words, *options)
    images = torch.stack([read_png(file) for file in sorted(folder.iterdir())])
    for file in folder.iterdir():
        file.unlink()
    return images


class Generators(unittest.TestCase):
    def expect_same(self, images, expected):
        """An image that Python made differs by the rounding to 8 bits alone."""
        self.assertEqual(images.shape, expected.shape)
        difference = (images.clamp(-1, 1) * 127.5 + 127.5) - expected.float()
        self.assertLessEqual(difference.abs().max().item(), 1.01)
        self.assertGreater(expected.float().std(dim=0).mean().item(), 2)  # the seeds' images are not alike

    def test_of_every_model_make_the_images_of_generate(self):
        for name in thorough(list(MODELS), ["stylegan2", "biggan"]):
            with self.subTest(name):
                run = train(name, f"model.name={name}", *(f"model.{setting}" for setting in MODELS[name]))
                generator = ganscale.load_generator(run)
                self.assertEqual((generator.model, generator.resolution, generator.channels, generator.images_seen), (name, 32, 3, 8))
                labels = [1, 0] if generator.labels else []
                self.expect_same(generator.sample(4, seed=3, label=labels or None), generated(run, labels))

    def test_of_a_bundle_make_them_by_label(self):
        run = train("labels", "model.name=dcgan", "model.channels=0.1", "scheme.name=per_label", images=16)
        expected = generated(run, [0, 1])
        for source in [run, run / "bundle.safetensors"]:
            generator = ganscale.load_generator(source)
            self.assertEqual(generator.labels, [0, 1])
            self.expect_same(generator.sample(4, seed=3), expected)
            for label in [torch.tensor(1), [torch.tensor(1)], torch.tensor([1, 1])]:  # as numbers of NumPy, no int
                self.assertTrue(torch.equal(generator.sample(2, label=label), generator.sample(2, label=1)))
        self.assertEqual([label.path.name for label in ganscale.Run(run).labels()], ["label-0000", "label-0001"])

    def test_truncate_latents_or_say_why_not(self):
        run = FOLDER / "biggan"
        if not run.exists():
            train("biggan", "model.name=biggan", *(f"model.{setting}" for setting in BIGGAN))
        generator = ganscale.load_generator(run)
        self.assertLessEqual(generator.latents(range(100), truncation=0.5).abs().max().item(), 0.5)
        self.expect_same(generator.sample(4, seed=3, label=1, truncation=0.5), generated(run, [1], "--truncation", "0.5"))
        for threshold in [0, math.nan, math.inf]:
            with self.assertRaisesRegex(ValueError, f"must be positive and finite: {threshold}"):
                generator.latents([0], truncation=threshold)


class Plain(unittest.TestCase):
    """What one unconditional model shows."""

    @classmethod
    def setUpClass(cls):
        cls.trained = train("plain", "model.name=dcgan", "model.channels=0.1")

    def test_the_package_alone_does_not_import_torch(self):
        self.assertFalse(NEEDS_TORCH)

    def test_a_generator_takes_latents_of_any_number(self):
        generator = ganscale.load_generator(self.trained)
        self.assertIsInstance(generator, torch.nn.Module)
        self.assertEqual(generator(torch.randn(3, generator.z_dim)).shape, (3, 3, 32, 32))
        self.assertEqual(generator.sample(0).shape[0], 0)
        self.assertTrue(torch.allclose(generator.sample(5, seed=2)[3:], generator.sample(2, seed=5), atol=1e-5))

    def test_a_checkpoint_and_an_exported_file_load_too(self):
        command("export", "--run", self.trained, "--format", "torchscript", "--out", FOLDER / "plain.pt")
        expected = ganscale.load_generator(self.trained).sample(2)
        for source in [FOLDER / "plain.pt", ganscale.Run(self.trained).checkpoints()[-1]]:
            self.assertTrue(torch.equal(ganscale.load_generator(source).sample(2), expected))

    def test_wrong_requests_are_refused(self):
        generator = ganscale.load_generator(self.trained)
        for words, request in [("no labels", lambda: generator(torch.randn(1, generator.z_dim), torch.tensor([0]))),
                               (r"unknown labels: \[4\]", lambda: generator.sample(1, label=4)),
                               ("the list is empty", lambda: generator.sample(1, label=[])),
                               ("seeds must not be negative: -1", lambda: generator.sample(2, seed=-1)),
                               ("generate --truncation", lambda: generator.sample(1, truncation=0.7))]:
            with self.assertRaisesRegex(ValueError, words):
                request()

    def test_a_file_that_is_not_a_generator_is_refused(self):
        empty, other, saved, pickled = FOLDER / "empty", FOLDER / "other.pt", FOLDER / "saved.pt", FOLDER / "ffhq.pkl"
        empty.mkdir()
        torch.jit.script(torch.nn.Identity()).save(other)
        torch.save({"weight": torch.zeros(1)}, saved)
        pickled.write_bytes(b"a pickle")
        with self.assertRaisesRegex(FileNotFoundError, "nowhere"):
            ganscale.load_generator(FOLDER / "nowhere")
        for source in [empty, other, saved, pickled]:
            with self.assertRaisesRegex(ValueError, source.name):
                ganscale.load_generator(source)
        with self.assertRaisesRegex(ValueError, "ganscale import --from .*ffhq.pkl"):
            ganscale.load_generator(pickled)

    def test_stats_have_a_dictionary_for_each_tick(self):
        stats = ganscale.Run(self.trained).stats()
        self.assertEqual([tick["images_seen"] for tick in stats], [4, 8])
        self.assertGreater(stats[0]["loss"]["generator"], 0)
        self.assertEqual(ganscale.Run(self.trained).metrics(), [])

    def test_runs_are_found_below_a_folder(self):
        self.assertIn(self.trained, [run.path for run in ganscale.runs(FOLDER)])
        self.assertNotIn("label-0000", [run.path.name for run in ganscale.runs(FOLDER)])
        imported, other = FOLDER / "imported", FOLDER / "no-run"
        for folder in [imported / "checkpoints", other / "samples"]:
            folder.mkdir(parents=True)
            (folder.parent / "config.yaml").touch()
        self.assertIn(imported, [run.path for run in ganscale.runs(FOLDER)])
        self.assertNotIn(other, [run.path for run in ganscale.runs(FOLDER)])
        with self.assertRaisesRegex(FileNotFoundError, "no config.yaml"):
            ganscale.Run(FOLDER)
        with self.assertRaises(NotADirectoryError):
            ganscale.runs(FOLDER / "nowhere")


class Lines(unittest.TestCase):
    def run_with(self, name, text):
        folder = FOLDER / name
        folder.mkdir()
        (folder / "config.yaml").touch()
        (folder / "metrics.jsonl").write_text(text)
        return ganscale.Run(folder)

    def test_the_last_line_may_be_incomplete(self):
        self.assertEqual(self.run_with("growing", '{"fid50k":12.5}\n{"fid5').metrics(), [{"fid50k": 12.5}])

    def test_another_line_that_is_not_json_is_named(self):
        with self.assertRaisesRegex(ValueError, r"metrics\.jsonl:2: not JSON"):
            self.run_with("broken", '{"fid50k":12.5}\nfid\n{}\n').metrics()

    def test_a_frame_has_a_column_for_each_value(self):
        run = self.run_with("framed", '{"kimg":1,"ppl":{"z":1.5}}\n{"kimg":2,"ppl":{"z":2.5},"fid50k":9}\n')
        frame = run.metrics_frame()
        self.assertEqual(list(frame.columns), ["kimg", "ppl.z", "fid50k"])
        self.assertEqual(frame["ppl.z"].tolist(), [1.5, 2.5])
        self.assertTrue(frame["fid50k"].isna()[0])


class Folders(unittest.TestCase):
    def expect_order(self, parent, file, names, listed):
        """Expects that a run lists folders with such a file in this order, and not a copy of one."""
        run = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (run / "config.yaml").touch()
        for name in [*names, f"{names[0]}-copy"]:
            (run / parent / name).mkdir(parents=True)
            (run / parent / name / file).touch()
        self.assertEqual([path.name for path in listed(ganscale.Run(run))], names)

    def test_are_sorted_by_their_number(self):
        self.expect_order("checkpoints", "manifest.json", ["kimg-000001", "kimg-000001.536", "kimg-999999", "kimg-1000000"],
                          ganscale.Run.checkpoints)
        self.expect_order("labels", "config.yaml", ["label-0002", "label-9999", "label-10000"],
                          lambda run: [label.path for label in run.labels()])


class Launches(unittest.TestCase):
    def words(self, name, *more):
        return ["train", "--data", str(PHOTOS), "--run", str(FOLDER / name), *TINY, "--set=model.channels=0.1", *more]

    def test_two_ranks_train_even_without_ssh(self):
        with mock.patch.dict(os.environ, PATH=str(FOLDER)):
            self.assertEqual(ganscale.launch(self.words("two", "--set=training.total_kimg=0.008"), n=2), 0)
        self.assertEqual(ganscale.Run(FOLDER / "two").stats()[-1]["world_size"], 2)

    def test_a_failure_has_its_code_and_its_words(self):
        with self.assertRaisesRegex(ganscale.LaunchError, "nothing-here") as raised:
            ganscale.launch(["train", "--data", "nothing-here", "--run", str(FOLDER / "failed")], n=2)
        self.assertEqual(raised.exception.code, MISSING_DATA)
        with self.assertRaisesRegex(ganscale.LaunchError, "did you mean") as raised:
            ganscale.launch(self.words("misspelled", "--set=training.total_king=1"), n=1)
        self.assertEqual(raised.exception.code, WRONG_CONFIGURATION)
        self.assertEqual(ganscale.launch(self.words("misspelled", "--set=training.total_king=1"), n=1, check=False), WRONG_CONFIGURATION)

    def test_an_interrupt_stops_the_training_after_a_checkpoint(self):
        run = FOLDER / "interrupted"

        def interrupt():
            end = time.monotonic() + 300
            while not (run / "stats.jsonl").exists() and time.monotonic() < end:
                time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGINT)

        signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background has turned off
        threading.Thread(target=interrupt).start()
        code = ganscale.launch(self.words("interrupted", "--set=training.total_kimg=1000000"), n=1, check=False)
        self.assertEqual(code, STOPPED)
        self.assertEqual(len(ganscale.Run(run).checkpoints()), 1)


class Environments(unittest.TestCase):
    def test_without_open_mpi_say_what_to_install(self):
        missing = mock.patch.object(importlib.metadata, "files", side_effect=importlib.metadata.PackageNotFoundError)
        with missing, mock.patch.object(ctypes, "CDLL", side_effect=OSError), \
                self.assertRaisesRegex(ganscale.MissingLibrary, "apt install openmpi-bin"):
            _program.environment()

    def test_without_arrow_say_what_to_install(self):
        of_others = _program._site_of
        with mock.patch.object(_program, "_site_of", lambda package: None if package == "pyarrow" else of_others(package)), \
                self.assertRaisesRegex(ganscale.MissingLibrary, r"pip install 'pyarrow~=26\.0\.1'"):
            _program.environment()

    def test_a_variant_of_torch_without_a_library_is_refused(self):
        with tempfile.TemporaryDirectory() as empty, mock.patch.object(_program, "_torch_site", return_value=pathlib.Path(empty)), \
                self.assertRaisesRegex(ganscale.MissingLibrary, r"torch 2\.11\.0 lacks \S+; install the one from PyPI: pip install"):
            _program.environment()

    def test_another_torch_is_refused(self):
        with mock.patch.object(importlib.metadata, "version", return_value="2.12.0+cpu"), \
                self.assertRaisesRegex(ganscale.MissingLibrary, r"pip install torch==2\.11\.0; installed is 2\.12\.0"):
            _program.environment()


if __name__ == "__main__":
    unittest.main(verbosity=2)
