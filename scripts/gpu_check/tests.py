"""The stages "test-gpu" and "test-unit" of scripts/gpu-check.sh: run the tests of a build that have a label.

    python3 scripts/gpu_check/tests.py BUILD LABEL FIGURES

FIGURES, a JSON file, has for each program {status, seconds}. Ends with ctest's exit code. Of programs that were compiled elsewhere
(prebuilt.py) those of the label gpu run, without ctest: ends with 1 if one fails, 77 for another label.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

CANNOT = 77
ENDED = re.compile(r"\s*\d+/\d+ Test +#\d+: (?P<name>\S+) \.*(?P<status>.*?) +(?P<seconds>[\d.]+) sec")


def by_ctest(build, label, add):
    command = ["ctest", "--test-dir", build, "-L", f"^{label}$", "--no-tests=error", "--output-on-failure", "-j", "4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as ctest:
        for line in ctest.stdout:
            print(line, end="", flush=True)
            ended = ENDED.match(line)
            if ended:
                add(ended["name"], ended["status"].strip(" *"), float(ended["seconds"]))
    return ctest.returncode


def one_by_one(build, names, add):
    all_passed = True
    for name in names:
        print(f"\n{name}", flush=True)
        began = time.monotonic()
        passed = subprocess.run([build / "bin" / name], check=False).returncode == 0
        add(name, "Passed" if passed else "Failed", round(time.monotonic() - began, 2))
        all_passed = all_passed and passed
    return 0 if all_passed else 1


def run(build, label, figures):
    tests = {}
    figures.unlink(missing_ok=True)

    def add(name, status, seconds):
        tests[name] = {"status": status, "seconds": seconds}
        figures.write_text(json.dumps(tests, indent=1) + "\n")

    prebuilt = build / "tests.json"
    if not prebuilt.exists():
        return by_ctest(build, label, add)
    if label != "gpu":
        print("not tested: the programs that were compiled elsewhere are those that need a GPU")
        return CANNOT
    return one_by_one(build, json.loads(prebuilt.read_text()), add)


if __name__ == "__main__":
    sys.exit(run(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])))
