"""What the scripts do on a machine that has little: scripts/test.sh and scripts/package.sh where their own call of setup.sh brings
Python, and with it the folder of its tools; scripts/setup.sh itself. Nothing is installed or compiled."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
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


class Build(unittest.TestCase):
    def test_waits_for_another_build_of_the_same_preset(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "scripts").mkdir()
        (folder / "CMakePresets.json").touch()
        for name in ("environment.sh", "build.sh"):
            shutil.copy(PROJECT / "scripts" / name, folder / "scripts")
        # CMake writes when it begins and ends.
        for name, lines in (("scripts/python-folder.sh", f"echo {folder}/python\n"),
                            ("python/bin/cmake", f"echo begin >>{folder}/log; sleep 0.5; echo end >>{folder}/log\n")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(f"#!/bin/bash\n{lines}")
            (folder / name).chmod(0o755)
        builds = [subprocess.Popen([folder / "scripts/build.sh", "release"], stdout=subprocess.PIPE, text=True) for _ in range(2)]
        printed = "".join(build.communicate(timeout=60)[0] for build in builds)
        self.assertEqual([build.returncode for build in builds], [0, 0])
        self.assertIn("Waiting for another build of build/release to finish", printed)
        lines = (folder / "log").read_text().split()
        self.assertEqual(lines, ["begin", "end"] * (len(lines) // 2))


class CompileJobs(unittest.TestCase):
    def jobs(self, quota=None, memory=None, **variables):
        with tempfile.TemporaryDirectory() as cgroup:
            for name, value in [("cpu.max", quota), ("memory.max", memory)]:
                if value is not None:
                    (pathlib.Path(cgroup) / name).write_text(f"{value}\n")
            return int(subprocess.run(["bash", "-c", f". scripts/environment.sh; cgroup_folder={cgroup}; compile_jobs"], cwd=PROJECT, check=True, text=True,
                                      stdout=subprocess.PIPE, env={**os.environ, **variables}).stdout)

    def test_are_as_many_as_the_container_allows(self):
        free = self.jobs()
        self.assertEqual(self.jobs("max 100000", "max"), free)
        self.assertEqual(self.jobs("100000 100000"), 1)
        self.assertEqual(self.jobs("1000000 100000"), min(free, 10))
        self.assertEqual(self.jobs("150000 100000"), min(free, 2))
        self.assertEqual(self.jobs(memory=2_500_000_000), 1)
        self.assertEqual(self.jobs(memory=500_000_000), 1)

    def test_do_not_depend_on_the_threads_of_openmp(self):
        self.assertEqual(self.jobs(OMP_NUM_THREADS="1"), self.jobs())

    def test_are_what_cmake_is_told(self):
        self.assertEqual(self.jobs("100000 100000", CMAKE_BUILD_PARALLEL_LEVEL="7"), 7)


class Setup(unittest.TestCase):
    """scripts/setup.sh as it is, for a user who is not root. The system's tools are scripts of ours, and so is the environment's Python."""
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("scripts", "tools", "python/bin"):
            (self.folder / name).mkdir(parents=True)
        for name in ("environment.sh", "setup.sh"):
            shutil.copy(PROJECT / "scripts" / name, self.folder / "scripts")
        (self.folder / "scripts/apt-packages.txt").write_text("# all are there\n")
        (self.folder / "scripts/apt-packages-package.txt").write_text("dpkg-dev\n")
        for name, lines in [("scripts/python-folder.sh", f'echo "{self.folder}/python"\n'), ("tools/id", "echo 1000\n"),
                            ("tools/uname", '[ "$1" = -s ] && echo Linux || echo x86_64\n'), ("tools/dpkg-query", "exit 1\n"),
                            ("tools/g++", "echo 12\n"), ("tools/apt-get", f'echo "$*" >>"{self.folder}/asked"\n')]:
            self.write(name, lines)

    def write(self, name, lines):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{lines}")
        path.chmod(0o755)

    def start(self, tier):
        return subprocess.Popen([self.folder / "scripts/setup.sh", tier], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env={"HOME": str(self.folder), "PATH": f"{self.folder}/tools:/usr/bin:/bin"})

    def test_sudo_that_needs_no_password_is_not_asked_for_one(self):
        # `sudo -v` asks those for whom any entry of sudoers needs one, as in the images of clouds: the group sudo does.
        self.write("tools/sudo", 'case $* in "-n true") ;; -v) exit 1 ;; *) exec "$@" ;; esac\n')
        setup = self.start("package")
        told = setup.communicate(timeout=60)[0]
        self.assertEqual(setup.returncode, 0, told)
        self.assertRegex((self.folder / "asked").read_text(), "install .*dpkg-dev")

    def test_sudo_that_needs_a_password_is_not_called_where_nobody_can_give_it(self):
        self.write("tools/sudo", "exit 1\n")
        setup = self.start("package")
        self.assertIn("installing them needs root or sudo: dpkg-dev", setup.communicate(timeout=60)[0])
        self.assertEqual(setup.returncode, 1)
        self.assertFalse((self.folder / "asked").exists())

    def test_the_next_setup_waits_for_what_an_interrupted_one_still_installs(self):
        (self.folder / "python/.made").touch()
        # Stands for pip, which goes on when the script ends. It ends by itself should this test fail.
        wait = "for _ in {1..600}; do [ -e go-on ] && exit; sleep 0.1; done\n"
        self.write("python/bin/python", f'cd "{self.folder}"; touch started\n{wait}')
        setup = self.start("site")
        deadline = time.monotonic() + 60
        while not (self.folder / "started").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        setup.terminate()
        setup.communicate(timeout=60)

        def gets_the_lock(seconds):
            lock = self.folder / ".cache/ganscale/setup.lock"
            return subprocess.run(["flock", "-w", str(seconds), lock, "true"], check=False).returncode == 0
        self.assertFalse(gets_the_lock(2))
        (self.folder / "go-on").touch()
        self.assertTrue(gets_the_lock(60))


class PythonFolder(unittest.TestCase):
    def test_is_known_without_a_home(self):
        result = subprocess.run([PROJECT / "scripts/python-folder.sh"], env={"PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        self.assertRegex(result.stdout, r"^/tmp/\.cache/ganscale/python-\w+\n$")


if __name__ == "__main__":
    unittest.main()
