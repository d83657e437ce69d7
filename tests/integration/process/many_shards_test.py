"""A dataset of more shards than a process may open files by default."""
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from programs import WORKER  # noqa: E402
from write_images import write_png  # noqa: E402

WRONG_DATA = 65
SHARDS = 200
LIMIT = 128  # open files


class ManyShards(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_png(self.folder / "image")
        for number in range(SHARDS):
            with tarfile.open(self.folder / f"{number:03}.tar", "w") as shard:
                shard.add(self.folder / "image", arcname="image.png")

    def inspect(self, hard_limit):
        result = subprocess.run(["prlimit", f"--nofile={LIMIT}:{hard_limit}", WORKER, "data", "inspect", self.folder],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=200)
        return result.returncode, result.stdout

    def test_are_read_if_the_hard_limit_allows_it(self):
        code, output = self.inspect(10 * LIMIT)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, rf"records +{SHARDS}\b")

    def test_are_refused_with_what_to_do_if_it_does_not(self):
        code, output = self.inspect(LIMIT)
        self.assertEqual(code, WRONG_DATA, output)
        self.assertRegex(output, r"Too many open files.*\.tar; raise the limit of open files \(ulimit -n\)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
