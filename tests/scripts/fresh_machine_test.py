"""What scripts/test.sh and scripts/package.sh do on a machine that gets its Python, and with it the folder of its tools, by their own
call of setup.sh. setup.sh, build.sh and build-tools.sh are replaced: nothing is installed or compiled."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
# The folder of the tools, before and after the setup.
PYTHON_FOLDER = 'cd "$(dirname "$0")/.."; [ -e tools ] && echo "$PWD/tools" || echo "$PWD/none"\n'
SETUP = "mkdir -p tools/bin; [ ! -e ctest ] || mv ctest cpack tools/bin\n"  # as often as it is called
TOOL = 'echo "$(basename "$0") of the environment: 1 tests passed"\n'


class FreshMachine(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "scripts").mkdir()
        (self.folder / "tests/cluster").mkdir(parents=True)
        for name in ("environment.sh", "test.sh", "package.sh"):
            shutil.copy(PROJECT / "scripts" / name, self.folder / "scripts")
        self.write("scripts/python-folder.sh", PYTHON_FOLDER)
        self.write("scripts/setup.sh", SETUP)
        self.write("scripts/build.sh", "")
        self.write("tests/cluster/build-tools.sh", "")
        self.write("ctest", TOOL)
        self.write("cpack", f"{TOOL}exit 1\n")

    def write(self, name, lines):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{lines}")
        path.chmod(0o755)

    def run_script(self, *words):
        return subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=60)

    def test_tests_run_by_the_ctest_that_setup_installed(self):
        result = self.run_script("scripts/test.sh", "release")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("ctest of the environment", result.stdout)

    def test_packages_are_made_by_the_cpack_that_setup_installed(self):
        self.assertIn("cpack of the environment", self.run_script("scripts/package.sh").stdout)


if __name__ == "__main__":
    unittest.main()
