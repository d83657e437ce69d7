"""What the scripts do on a machine that has little: scripts/test.sh and scripts/package.sh where their own call of setup.sh brings
Python, and with it the folder of its tools; scripts/setup.sh itself. What they do when they are interrupted, and where the cache folder
is read-only. Nothing is installed or compiled."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
# The folder of the tools, before and after the setup.
PYTHON_FOLDER = 'cd "$(dirname "$0")/.."; [ -e tools ] && echo "$PWD/tools" || echo "$PWD/none"\n'
SETUP = "mkdir -p tools/bin; [ ! -e ctest ] || mv ctest cpack tools/bin\n"  # as often as it is called
TOOL = 'echo "$(basename "$0") of the environment: 1 tests passed"\n'
# Holds a lock with the script's name for longer than any test waits, then ends by itself.
HOLDS = 'exec 7>"$0.lock"; flock 7; exec sleep 100\n'
# Whatever runs the tests may ignore Ctrl-C.
INTERRUPTIBLE = ("env", "--default-signal=INT")
# Root may write to any folder.
READER = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def wait_until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def is_held(lock):
    return lock.exists() and subprocess.run(["flock", "-n", lock, "true"], check=False).returncode != 0


def make_read_only(folder):
    """Also lets READER in, from the folder of the test on."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o555)


class Scripts(unittest.TestCase):
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


class FreshMachine(Scripts):
    def test_tests_run_by_the_ctest_that_setup_installed(self):
        result = self.run_script("scripts/test.sh", "release")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("ctest of the environment", result.stdout)

    def test_packages_are_made_by_the_cpack_that_setup_installed(self):
        self.assertIn("cpack of the environment", self.run_script("scripts/package.sh").stdout)


class Usage(Scripts):
    """Nothing is set up before a script has read its arguments."""
    def setUp(self):
        super().setUp()
        self.write("scripts/setup.sh", "touch was-set-up\n")

    def test_help_is_the_comment_at_the_head_of_a_script(self):
        for name in ("build", "demo", "fuzz", "gpu-deps", "gpu-prebuilt", "lint", "mutation", "package", "site", "test", "wheel", "setup"):
            script = pathlib.Path(shutil.copy(PROJECT / f"scripts/{name}.sh", self.folder / "scripts"))
            first_line = script.read_text().split("\n")[1].removeprefix("# ")
            for option in ("-h", "--help"):
                with self.subTest(name, option=option):
                    result = self.run_script(script, option)
                    self.assertEqual(result.returncode, 0, result.stdout)
                    self.assertTrue(result.stdout.startswith(f"{first_line}\n"), result.stdout)
                    self.assertIn(f"scripts/{name}.sh", result.stdout)
                    self.assertNotIn("set -euo", result.stdout)
                    self.assertFalse((self.folder / "was-set-up").exists())

    def test_wrong_arguments_are_named(self):
        for name in ("build", "wheel"):
            shutil.copy(PROJECT / f"scripts/{name}.sh", self.folder / "scripts")
        for words, told in [(["build"], "build: no preset given\n"), (["wheel", "relase"], "wheel: no preset for a wheel: relase\n"),
                            (["package", "deb"], "package: takes no argument: deb\n")]:
            with self.subTest(words):
                result = self.run_script(f"scripts/{words[0]}.sh", *words[1:])
                self.assertEqual(result.returncode, 1)
                self.assertIn(told, result.stdout)
                self.assertFalse((self.folder / "was-set-up").exists())


class Interrupted(Scripts):
    """scripts/test.sh, which compiles and at the same time prepares what the tests need."""
    def setUp(self):
        super().setUp()
        self.write("tests/cluster/build-tools.sh", HOLDS)
        self.locks = [self.folder / "tests/cluster/build-tools.sh.lock"]

    def start(self):
        test = subprocess.Popen([*INTERRUPTIBLE, "scripts/test.sh", "release"], cwd=self.folder, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: all(is_held(lock) for lock in self.locks)))
        return test

    def assert_all_ends(self, test):
        self.assertNotEqual(test.wait(timeout=60), 0)
        self.assertTrue(wait_until(lambda: not any(is_held(lock) for lock in self.locks)))

    def test_nothing_goes_on_after_it(self):
        self.write("scripts/build.sh", HOLDS)
        self.locks.append(self.folder / "scripts/build.sh.lock")
        with self.subTest("SIGTERM"):
            test = self.start()
            test.terminate()
            self.assert_all_ends(test)
        with self.subTest("Ctrl-C"):
            test = self.start()
            os.killpg(test.pid, signal.SIGINT)
            self.assert_all_ends(test)

    def test_nothing_goes_on_after_a_build_that_failed(self):
        self.write("scripts/build.sh", "until [ -e failed ]; do sleep 0.05; done; exit 1\n")
        test = self.start()
        (self.folder / "failed").touch()
        self.assert_all_ends(test)


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("scripts", "python/bin"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "CMakePresets.json").touch()
        for name in ("environment.sh", "build.sh"):
            shutil.copy(PROJECT / "scripts" / name, self.folder / "scripts")
        self.write("scripts/python-folder.sh", f"echo {self.folder}/python\n")
        self.write("python/bin/cmake", "")

    def write(self, name, lines):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{lines}")
        path.chmod(0o755)

    def test_waits_for_another_build_of_the_same_preset(self):
        folder = self.folder
        # CMake writes when it begins and ends.
        self.write("python/bin/cmake", f"echo begin >>{folder}/log; sleep 0.5; echo end >>{folder}/log\n")
        builds = [subprocess.Popen([folder / "scripts/build.sh", "release"], stdout=subprocess.PIPE, text=True) for _ in range(2)]
        printed = "".join(build.communicate(timeout=60)[0] for build in builds)
        self.assertEqual([build.returncode for build in builds], [0, 0])
        self.assertIn("Waiting for another build of build/release to finish", printed)
        lines = (folder / "log").read_text().split()
        self.assertEqual(lines, ["begin", "end"] * (len(lines) // 2))

    def build(self):
        result = subprocess.run([self.folder / "scripts/build.sh", "release"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False, timeout=60)
        self.assertEqual(result.returncode, 0, result.stdout)
        headers = self.folder / "build/release/worker/cmake_pch.hxx.gch"
        kept = headers.exists()
        headers.parent.mkdir(exist_ok=True)
        headers.touch()
        return kept, "Configuring" in result.stdout

    def test_precompiles_headers_again_for_another_compiler(self):
        compiler, parser = self.folder / "g++", self.folder / "cc1plus"
        site = self.folder / "python/lib/python3.11/site-packages"
        site.mkdir(parents=True)
        self.write("python/bin/cmake", f"""[ "$1" = --preset ] || exit 0
mkdir -p build/release/CMakeFiles/3.31
echo "CMAKE_CXX_COMPILER:FILEPATH={compiler}" >build/release/CMakeCache.txt
echo "TORCH_SITE:PATH={site}" >>build/release/CMakeCache.txt
touch build/release/build.ninja
""")

        def install(version, size):
            self.write("g++", f'[ "$1" = --version ] && echo "g++ {version}" || echo "{parser}"\n')
            parser.write_text("x" * size)
            os.utime(parser, (0, 0))  # as in a package: older than what was compiled before
        install("12.2.0-14", 1)
        self.build()
        (self.folder / "build/release/compiler.txt").unlink()  # a build from before there were such files
        self.assertEqual(self.build(), (True, False))
        detected = self.folder / "build/release/CMakeFiles/3.31/CMakeCXXCompiler.cmake"
        for version, size in (("12.2.0-15", 1), ("12.2.0-15", 2), ("13.1.0-1", 2)):
            install(version, size)
            detected.touch()
            self.assertEqual(self.build(), (False, True))
            self.assertFalse(detected.exists())
            self.assertEqual(self.build(), (True, False))


class Libav(unittest.TestCase):
    """cmake/Libav.cmake in a project of its own. What it looks for in /usr is in a folder of ours, and pkg-config is a script."""
    def test_is_found_by_the_build_after_it_was_installed(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        metadata = folder / "usr/lib/x86_64-linux-gnu/pkgconfig/libavformat.pc"
        metadata.parent.mkdir(parents=True)
        text = (PROJECT / "cmake/Libav.cmake").read_text()
        (folder / "Libav.cmake").write_text(text.replace("/usr/", f"{folder}/usr/"))
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(small NONE)\ninclude(Libav.cmake)\n"
                                               "if(TARGET PkgConfig::LIBAV)\n  message(STATUS found)\nendif()\n")
        program = folder / "pkg-config"
        program.write_text(f'#!/bin/sh\ncase $* in *--*version*) echo 1.8.1 ;; *--exists*) [ -e "{metadata}" ] ;; esac\n')
        program.chmod(0o755)
        configure = ["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DPKG_CONFIG_EXECUTABLE={program}"]
        told = []
        for words in [configure, ["cmake", "--build", folder / "build"]]:
            told.append(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, timeout=60).stdout)
            metadata.touch()
        self.assertEqual(["-- found" in text for text in told], [False, True], told)


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

    def start(self, tier, **who):
        return subprocess.Popen([*INTERRUPTIBLE, self.folder / "scripts/setup.sh", tier], text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, cwd="/",
                                env={"HOME": str(self.folder), "PATH": f"{self.folder}/tools:/usr/bin:/bin"}, **who)

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

    def test_a_package_that_cannot_be_had_does_not_keep_the_others_away(self):
        (self.folder / "scripts/apt-packages-e2e.txt").write_text("containerd\nprometheus\n")
        self.write("tools/sudo", '[ "$*" = "-n true" ] || exec "$@"\n')
        # As beside Docker's containerd.io, which it would have to remove.
        self.write("tools/apt-get", f'[[ " $* " != *" containerd "* ]] || exit 100; echo "$*" >>"{self.folder}/asked"\n')
        setup = self.start("e2e")
        told = setup.communicate(timeout=60)[0]
        self.assertEqual(setup.returncode, 0, told)
        self.assertRegex((self.folder / "asked").read_text(), "install .* prometheus\n")
        self.assertIn("Could not install containerd: tests that need it are skipped", told)
        self.assertNotIn("Could not install prometheus", told)

    def test_cuda_brings_what_compiling_needs_and_no_packages_of_the_tests(self):
        (self.folder / "scripts/apt-packages-test.txt").write_text("chromium\n")
        (self.folder / "python/.made").touch()
        self.write("python/bin/python", f'echo "${{@: -1}}" >>"{self.folder}/pip"\n')
        self.write("tools/df", "printf 'Available\\n- - - 9000\\n'\n")
        setup = self.start("cuda")
        told = setup.communicate(timeout=60)[0]
        self.assertEqual(setup.returncode, 0, told)
        installed = [pathlib.Path(line).name for line in (self.folder / "pip").read_text().split()]
        self.assertEqual(installed, ["build.txt", "test.txt", "cuda.txt"])
        self.assertNotIn("chromium", told)

    def start_pip(self):
        """A setup in which pip runs until there is a file `go-on`, or for a minute should the test fail."""
        (self.folder / "python/.made").touch()
        wait = "for _ in {1..600}; do [ -e go-on ] && exit; sleep 0.1; done\n"
        self.write("python/bin/python", f'cd "{self.folder}"; touch started\n{wait}')
        setup = self.start("site")
        self.assertTrue(wait_until((self.folder / "started").exists))
        return setup

    def gets_the_lock(self, seconds):
        lock = self.folder / ".cache/ganscale/setup.lock"
        return subprocess.run(["flock", "-w", str(seconds), lock, "true"], check=False).returncode == 0

    def test_pip_ends_with_it(self):
        for interrupt in (lambda setup: setup.terminate(), lambda setup: os.killpg(setup.pid, signal.SIGINT)):
            setup = self.start_pip()
            interrupt(setup)
            setup.communicate(timeout=60)
            self.assertTrue(self.gets_the_lock(20))
            (self.folder / "started").unlink()

    def test_the_next_setup_waits_for_what_a_killed_one_still_installs(self):
        setup = self.start_pip()
        setup.kill()
        setup.communicate(timeout=60)
        self.assertFalse(self.gets_the_lock(2))
        (self.folder / "go-on").touch()
        self.assertTrue(self.gets_the_lock(60))

    def test_apt_get_is_not_cut_off(self):
        self.write("tools/sudo", '[ "$*" = "-n true" ] || exec "$@"\n')
        self.write("tools/apt-get", f'cd "{self.folder}"; touch started; until [ -e go-on ]; do sleep 0.1; done; touch unpacked\n')
        setup = self.start("package")
        self.assertTrue(wait_until((self.folder / "started").exists))
        setup.terminate()
        setup.communicate(timeout=60)
        (self.folder / "go-on").touch()
        self.assertTrue(wait_until((self.folder / "unpacked").exists))

    def test_needs_to_write_only_what_is_missing(self):
        cache = self.folder / ".cache/ganscale"
        cache.mkdir(parents=True)
        (self.folder / "build").mkdir()
        for tier in ("build", "test"):
            (self.folder / f"python/.tier-{tier}").touch()
        self.write("tools/sudo", '[ "$*" = "-n true" ] || { echo "$*"; [ "$1" != env ] || exit 100; }\n')
        make_read_only(self.folder)
        (self.folder / "build").chmod(0o777)
        setup = self.start("build", **READER)
        told = setup.communicate(timeout=60)[0]
        self.assertEqual((setup.returncode, list(cache.iterdir())), (0, []), told)
        setup = self.start("cuda", **READER)
        told = setup.communicate(timeout=60)[0]
        self.assertRegex(told, f"the tier 'cuda' is not installed yet, and {cache} cannot be written to")
        self.assertIn("XDG_CACHE_HOME=FOLDER", told)
        # Packages are not installed there.
        setup = self.start("package", **READER)
        told = setup.communicate(timeout=60)[0]
        self.assertIn(f"The whole log: {self.folder}/build/setup-logs/apt.log", told)
        self.assertIn("install --no-install-recommends", (self.folder / "build/setup-logs/apt.log").read_text())


class ReadOnlyCache(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.cache = self.folder / "cache/ganscale"
        self.cache.mkdir(parents=True)

    def run_script(self, words, **who):
        return subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60,
                              env={"HOME": str(self.folder), "XDG_CACHE_HOME": str(self.cache.parent),
                                   "PATH": f"{self.folder}/tools:/usr/bin:/bin"}, **who)

    def test_of_the_compiler_is_still_read(self):
        (self.folder / "scripts").mkdir()
        for name in ("environment.sh", "python-folder.sh", "requirements"):
            (shutil.copytree if name == "requirements" else shutil.copy)(PROJECT / "scripts" / name, self.folder / "scripts" / name)
        (self.cache / "ccache").mkdir()
        words = ["bash", "-c", '. scripts/environment.sh; echo "$CCACHE_DIR ${CCACHE_READONLY:-} ${CCACHE_TEMPDIR:-}"']
        self.assertEqual(self.run_script(words).stdout, f"{self.cache}/ccache  \n")
        make_read_only(self.folder)
        self.assertEqual(self.run_script(words, **READER).stdout, f"{self.cache}/ccache 1 {self.folder}/build/ccache-tmp\n")

    def test_serves_programs_that_are_built(self):
        tools = self.folder / "tests/cluster/tools/s3"
        tools.mkdir(parents=True)
        shutil.copy(PROJECT / "tests/cluster/build-tools.sh", tools.parents[1])
        (self.folder / "tools").mkdir()
        go = self.folder / "tools/go"
        go.write_text("""#!/bin/bash
[ "$1" != env ] || echo go1.26.6
[ "$1" = build ] || exit 0
until [ "$1" = -o ]; do shift; done
install -m 755 /dev/null "$2"
""")
        go.chmod(0o755)
        build = [tools.parents[1] / "build-tools.sh", "--s3"]
        for pins in ("old", "new"):
            for name in ("go.mod", "go.sum"):
                (tools / name).write_text(pins)
            if pins == "old":
                built = self.run_script(build)
                self.assertEqual(built.returncode, 0, built.stdout)
                make_read_only(self.folder)
                there = self.run_script(build, **READER)
                self.assertEqual((there.returncode, there.stdout), (0, built.stdout.splitlines()[-1] + "\n"))
                tools.chmod(0o755)
        lacking = self.run_script(build, **READER)
        self.assertEqual(lacking.returncode, 77)
        self.assertIn(f"cannot write to {self.cache}", lacking.stdout)


class MakeEnv(unittest.TestCase):
    def test_passes_on_each_setting_of_the_compiler_cache_by_itself(self):
        for settings in ({}, {"CCACHE_TEMPDIR": "/t"}, {"CCACHE_READONLY": "1"}):
            told = subprocess.run(["make", "-s", "env"], cwd=PROJECT, env={"PATH": "/usr/bin:/bin", "CCACHE_DIR": "/c", **settings},
                                  stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
            passed = {name: value for name in ("CCACHE_READONLY", "CCACHE_TEMPDIR") for value in re.findall(f" {name}='(.*?)'", told)}
            self.assertEqual(passed, settings, told)


class MakeCuda(unittest.TestCase):
    def test_compiles_the_programs_and_no_tests(self):
        told = subprocess.run(["make", "--dry-run", "cuda"], cwd=PROJECT, env={"PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        self.assertEqual(told.splitlines(), ["scripts/setup.sh cuda", "scripts/build.sh cuda ganscale ganscale-operator"])


class PythonFolder(unittest.TestCase):
    def test_is_known_without_a_home(self):
        result = subprocess.run([PROJECT / "scripts/python-folder.sh"], env={"PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        self.assertRegex(result.stdout, r"^/tmp/\.cache/ganscale/python-\w+\n$")


if __name__ == "__main__":
    unittest.main()
