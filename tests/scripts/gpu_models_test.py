"""The stage "bench-models" of scripts/gpu-check.sh, with a program in place of ganscale."""
import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "scripts/gpu_check"))
import models  # noqa: E402

# It fails with CUDA graphs.
PROGRAM = """#!/usr/bin/env python3
import json, sys
if "--set=training.cuda_graphs=true" in sys.argv:
    sys.exit(71)
print(json.dumps({"settings": sys.argv[1:], "step_seconds_mean": 0.02, "seconds_per_kimg": 0.3125, "images_per_second": 3200}))
"""

CAPTURED_RUN = 4  # of a phase, see worker/device/cuda_graph.h


def longest_interval(preset):
    """Returns in how many steps each phase of a preset is due at least once."""
    text = (PROJECT / f"configs/presets/{preset}.yaml").read_text() if preset else ""
    return max([1, *(int(number) for number in re.findall(r"(?:_interval|critic_steps): (\d+)", text))])


class BenchModels(unittest.TestCase):
    def bench(self, *names):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "bin").mkdir()
        program = folder / "bin/ganscale"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        with contextlib.redirect_stdout(io.StringIO()) as told:
            code = models.main([str(folder), str(folder / "figures.json"), "--only", ",".join(names)])
        return code, told.getvalue(), json.loads((folder / "figures.json").read_text())

    def test_each_model_is_measured_by_its_settings_and_told(self):
        code, told, figures = self.bench("dcgan-64", "biggan-32")
        self.assertEqual(code, 0)
        self.assertRegex(told, r"dcgan-64 +20\.0 ms per step +0\.312 s/kimg +3200 images/s\nbiggan-32 ")
        self.assertEqual(figures["dcgan-64"]["settings"][:4],
                         ["bench", "--json", "--set=model.name=dcgan", "--set=model.resolution=64"])

    def test_the_window_begins_once_all_phases_are_captured_and_has_whole_periods(self):
        for name, settings in models.RUNS.items():
            values = dict(word.split("=", 1) for word in settings)
            period = longest_interval(values.get("model.preset"))
            with self.subTest(name):
                self.assertGreaterEqual(int(values["measure.warmup_steps"]), CAPTURED_RUN * period)
                self.assertEqual(int(values["measure.steps"]) % period, 0)

    def test_a_model_that_fails_does_not_end_the_next(self):
        code, told, figures = self.bench("dcgan-64-graphs", "dcgan-64")
        self.assertEqual(code, 1)
        self.assertRegex(told, r"dcgan-64-graphs +Command .* returned non-zero exit status 71\.\ndcgan-64 ")
        self.assertIsNone(figures["dcgan-64-graphs"])
        self.assertEqual(figures["dcgan-64"]["images_per_second"], 3200)


if __name__ == "__main__":
    unittest.main()
