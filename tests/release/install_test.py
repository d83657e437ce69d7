"""What `cmake --install` lays out works where it lies: the program finds its libraries next to it, and every verb has its texts."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

CMAKE, BUILD = os.environ["CMAKE"], os.environ["GANSCALE_BUILD"]


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        output(CMAKE, "--install", BUILD, "--prefix", str(cls.folder))

    def test_the_program_loads_the_libraries_that_were_installed_with_it(self):
        program = self.folder / "bin/ganscale"
        self.assertRegex(output(program, "--version"), r"^\d+\.\d+\.\d+")
        loaded = dict(re.findall(r"^\t(\S+) => (\S+)", output("ldd", program), re.M))
        for library in (self.folder / "lib/ganscale").iterdir():
            self.assertEqual(pathlib.Path(loaded[library.name]).resolve(), library)
        self.assertIn("libtorch_cpu.so", loaded)
        self.assertEqual([path for path in loaded.values() if "site-packages" in path], [])

    def test_configurations_and_completions_are_there(self):
        for file in ["ganscale/runs/demo-emoji32.yaml", "ganscale/worker-schema.json", "bash-completion/completions/ganscale",
                     "ganscale/scripts/convert-weights.py", "zsh/vendor-completions/_ganscale-operator", "fish/vendor_completions.d/ganscale.fish", "doc/ganscale/copyright"]:
            self.assertGreater((self.folder / "share" / file).stat().st_size, 0, file)

    def test_configurations_are_found_by_name(self):
        resolved = output(self.folder / "bin/ganscale", "train", "--config", "demo", "--print-config")
        self.assertIn("name: conditional_dcgan", resolved)

    def test_each_verb_has_a_manual_page_without_mistakes(self):
        if not shutil.which("help2man"):
            self.skipTest("help2man is missing (scripts/setup.sh package)")
        pages = {path.name.removesuffix(".1.gz"): path for path in (self.folder / "share/man/man1").iterdir()}
        self.assertLessEqual({"ganscale", "ganscale-train", "ganscale-data-convert", "ganscale-operator-render"}, set(pages))
        for name, path in pages.items():
            with self.subTest(name):
                text = output("zcat", path)
                self.assertIn(".SH NAME\n", text)
                self.assertNotIn("help2man: can't", text)
                self.assertTrue([other for other in pages if f".BR {other} (1)" in text], "see also")


if __name__ == "__main__":
    unittest.main(verbosity=2)
