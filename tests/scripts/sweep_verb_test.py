"""`ganscale sweep report` is `ganscale-operator report`, and says so where that program is missing."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests/support"))
from programs import OPERATOR, WORKER, WRONG_CONFIGURATION  # noqa: E402

OPTIONS = ["-f", PROJECT / "configs/sweeps/cpu-1-to-2.yaml", "--out", "nowhere"]


def run(*words, **environment):
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60,
                            env=environment or None)
    return result.returncode, result.stdout


class SweepVerb(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.alone = shutil.copy(WORKER, self.folder)

    def test_report_matches_the_operators(self):
        code, output = run(OPERATOR, "report", *OPTIONS)
        self.assertEqual(code, WRONG_CONFIGURATION)
        self.assertIn("status.runs", output)  # the sweep has not run
        self.assertEqual(run(WORKER, "sweep", "report", *OPTIONS), (code, output))

    def test_the_operator_may_be_on_the_path(self):
        path = str(pathlib.Path(OPERATOR).parent)
        self.assertEqual(run(self.alone, "sweep", "report", *OPTIONS, PATH=path), run(OPERATOR, "report", *OPTIONS))

    def test_without_the_operator_it_says_what_is_missing(self):
        code, output = run(self.alone, "sweep", "report", *OPTIONS, PATH="/nowhere")
        self.assertEqual(code, WRONG_CONFIGURATION)
        self.assertIn(f"neither next to this program ({self.folder}/ganscale-operator) nor on PATH", output)

    def test_help_needs_no_operator(self):
        code, output = run(self.alone, "sweep", "report", "--help", PATH="/nowhere")
        self.assertEqual(code, 0)
        self.assertIn("ganscale sweep report -f weak.json", output)


if __name__ == "__main__":
    unittest.main()
