"""The stages "test-gpu" and "test-unit" of scripts/gpu-check.sh: run the tests of a build that have a label.

    python3 scripts/gpu_check/tests.py BUILD LABEL FIGURES

FIGURES, a JSON file, has for each program {status, seconds}. Ends with ctest's exit code.
"""
import json
import pathlib
import re
import subprocess
import sys

ENDED = re.compile(r"\s*\d+/\d+ Test +#\d+: (?P<name>\S+) \.*(?P<status>.*?) +(?P<seconds>[\d.]+) sec")


def run(build, label, figures):
    command = ["ctest", "--test-dir", build, "-L", f"^{label}$", "--no-tests=error", "--output-on-failure", "-j", "4"]
    tests = {}
    figures.unlink(missing_ok=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as ctest:
        for line in ctest.stdout:
            print(line, end="", flush=True)
            ended = ENDED.match(line)
            if ended:
                tests[ended["name"]] = {"status": ended["status"].strip(" *"), "seconds": float(ended["seconds"])}
                figures.write_text(json.dumps(tests, indent=1) + "\n")
    return ctest.returncode


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
