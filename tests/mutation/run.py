#!/usr/bin/env python3
"""Plants mutants into the code that decides, and reports which of them the unit tests catch (docs/testing.md).

  make mutation
  tests/mutation/run.py --count 300 --build build/mutation

All mutants are compiled at once; GANSCALE_MUTANT=N switches one on. A first run of the tests notes which case reaches which mutant; then
each mutant gets the cases that reach it, the quick ones first, until one fails. A case that hangs has failed. Results are kept in
results.jsonl of the build folder: an interrupted run resumes, unless sources or tests have changed. Exit code 1 if fewer than 90% are caught."""
import argparse
import collections
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import plant
import sites

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("operator/gan_training/decide", "operator/scaling_sweep/decide", "worker/training/schemes", "worker/training/loop",
           "worker/checkpoint", "worker/data/loader")
PROGRAMS = ("gan_training_test", "scaling_sweep_test", "checkpoint_test", "data_test", "gan_training_reconcile_test",
            "scaling_sweep_reconcile_test", "training_test")
QUICK_SECONDS = 2
FIRST_LIMIT_SECONDS = 15
WANTED_SHARE = 0.9


def sources():
    """Returns the sources of each library, by the folder of FOLDERS that they belong to."""
    found = {}
    for folder in FOLDERS:
        libraries = collections.defaultdict(list)
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            libraries[path.parent].append(str(path.relative_to(ROOT)))
        found[folder] = list(libraries.values())
    return found


def compiler_arguments():
    site = os.environ["TORCH_SITE"]
    headers = subprocess.run(["g++", "-print-file-name=include"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return ["-std=c++20", "-DFMT_HEADER_ONLY=1", f"-I{ROOT}/worker", f"-I{ROOT}/operator", "-isystem", f"{site}/torch/include",
            "-isystem", f"{site}/torch/include/torch/csrc/api/include", "-isystem", headers]


def all_sites(build):
    """Returns the sites of each folder. Parsing takes long, so what a library had is kept as long as its sources do not change."""
    found, arguments = {}, compiler_arguments()
    (build / "sites").mkdir(parents=True, exist_ok=True)
    finder = pathlib.Path(sites.__file__).read_bytes()
    for folder, libraries in sources().items():
        found[folder] = []
        for files in libraries:
            key = hashlib.sha256(finder + b"".join(name.encode() + (ROOT / name).read_bytes() for name in files)).hexdigest()
            kept = build / "sites" / f"{key}.json"
            if not kept.exists():
                print(f"Parsing {pathlib.Path(files[0]).parent}", flush=True)
                kept.write_text(json.dumps([dataclasses.asdict(site) for site in sites.find(ROOT, files, arguments)]))
            found[folder] += [read_site(each) for each in json.loads(kept.read_text())]
    return found


def read_site(values):
    return plant.Site(**{**values, "edits": [plant.Edit(**edit) for edit in values["edits"]]})


class Build:
    """The copy of the project with mutants, and its programs."""

    def __init__(self, folder):
        self.copy = folder / "source"
        self.programs = self.copy / "build/release/bin"

    def configure(self):
        subprocess.run(["cmake", "--preset", "release", f"-DTORCH_SITE={os.environ['TORCH_SITE']}",
                        f"-DCMAKE_PROJECT_ganscale_INCLUDE={self.copy}/tests/mutation/link_switch.cmake"],
                       cwd=self.copy, check=True, stdout=subprocess.DEVNULL)

    def compile(self, jobs):
        """Returns the lines with errors, as pairs of file and number; None if there are none."""
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.copy)}
        command = ["cmake", "--build", "build/release", "-j", str(jobs), "--target", *PROGRAMS, "--", "-k", "0"]
        done = subprocess.run(command, cwd=self.copy, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            return None
        where = re.findall(r"^\S*?((?:operator|worker)/\S+?):(\d+):\d+:\s+(?:error|required)", done.stdout, re.M)
        if not where:
            raise SystemExit(done.stdout[-5000:])
        return {(file, int(line)) for file, line in where}


def plant_and_compile(arguments, build):
    """Returns the mutants, without those that do not compile."""
    found = all_sites(arguments.build)
    files = [name for libraries in sources().values() for names in libraries for name in names]
    refusals = arguments.build / "refused.txt"
    plant.copy_project(ROOT, build.copy, files)
    while True:
        refused = set(refusals.read_text().splitlines()) if refusals.exists() else set()
        chosen = plant.choose(found, arguments.count, refused)
        plant.plant(ROOT, build.copy, files, chosen)
        build.configure()
        print(f"Compiling {len(chosen)} mutants of {sum(map(len, found.values()))} sites", flush=True)
        lines = build.compile(arguments.jobs)
        if lines is None:
            return chosen
        refuse([plant.key(site) for site in chosen if (site.file, site.line) in lines], lines, refusals)


def refuse(offending, lines, refusals):
    if not offending:
        raise SystemExit(f"errors that no mutant explains: {sorted(lines)}")
    print("\n  ".join(["These do not compile:", *offending]), flush=True)
    with refusals.open("a") as out:
        out.writelines(each + "\n" for each in offending)


def run_cases(build, program, cases, environment, limit_seconds):
    """Runs cases of a program up to the first failure. Returns its exit code and output, or None if it took longer than the limit."""
    command = [build.programs / program, "--gtest_fail_fast", *([f"--gtest_filter={':'.join(cases)}"] if cases else [])]
    with tempfile.TemporaryDirectory(dir=build.copy.parent, ignore_cleanup_errors=True) as temporary:
        settings = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "TMPDIR": temporary, **environment}
        process = subprocess.Popen(command, cwd=build.copy, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit_seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end_group(process)
    return process.returncode, output.decode(errors="replace")


def end_group(process):
    """Kills a process and what it started: a case that failed may have left some."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def read_coverage(build):
    """Runs each program without a mutant. Returns the seconds of each case, and the cases that reach each mutant: pairs of program and case."""
    seconds, reached = {}, collections.defaultdict(set)
    for program in PROGRAMS:
        print(f"Running {program} without a mutant", flush=True)
        noted = build.copy.parent / f"coverage-{program}"
        noted.unlink(missing_ok=True)
        noted.touch()
        result = run_cases(build, program, [], {"GANSCALE_MUTANT_COVERAGE": str(noted)}, 3600)
        if result is None:
            raise SystemExit(f"{program} hangs without a mutant")
        code, output = result
        if code != 0:
            raise SystemExit(f"{program} fails without a mutant:\n{output[-3000:]}")
        seconds |= {(program, case): int(ms) / 1000 for case, ms in re.findall(r"^\[       OK \] (\S+) \((\d+) ms\)$", output, re.M)}
        for line in noted.read_text().splitlines():
            case, mutant = line.split()
            reached[int(mutant)].add((program, case))
    return seconds, {mutant: with_all_cases(cases, seconds) for mutant, cases in reached.items()}


def with_all_cases(cases, seconds):
    """Puts all cases of a program in the place of "*": something reached the mutant outside of a case."""
    programs = {program for program, case in cases if case == "*"}
    return sorted({each for each in seconds if each in cases or each[0] in programs}, key=lambda each: (seconds[each], each))


def batches(cases, seconds):
    """Returns what to run, one after the other: the quick cases of each program, then the rest. Pairs of program and cases."""
    parts = [[], []]
    for program in PROGRAMS:
        spent, own = 0.0, [[], []]
        for case in (each for each in cases if each[0] == program):
            spent += seconds[case]
            own[spent > QUICK_SECONDS].append(case[1])
        for part, names in zip(parts, own):
            if names:
                part.append((program, names))
    return parts[0] + parts[1]


def attack(build, mutant, cases, seconds):
    """Returns how a mutant was caught, and by what; ("", "") if it was not."""
    for program, names in batches(cases, seconds):
        limit = FIRST_LIMIT_SECONDS + 5 * sum(seconds[program, name] for name in names)
        result = run_cases(build, program, names, {"GANSCALE_MUTANT": str(mutant)}, limit)
        if result is None:
            return "hangs", program
        code, output = result
        if code != 0:
            failed = re.search(r"^\[  FAILED  \] (\S+)", output, re.M) or re.search(r"^\[ RUN      \] (\S+)(?![\s\S]*\[ RUN)", output, re.M)
            return ("fails" if code == 1 else "crashes"), failed.group(1) if failed else program
    return "", ""


def forget_other_code(build):
    """Removes the results of an earlier run if sources or tests have changed since."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "operator", "worker", "tests"], check=True, stdout=subprocess.PIPE)
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    key = hashlib.sha256(b"".join(name.encode() + (ROOT / name).read_bytes() for name in names)).hexdigest()
    known = build / "code.txt"
    if not known.exists() or known.read_text() != key:
        for name in ("results.jsonl", "refused.txt"):
            (build / name).unlink(missing_ok=True)
    known.write_text(key)


def run_mutants(arguments, build, chosen, coverage):
    seconds, reached = coverage
    kept = arguments.build / "results.jsonl"
    results = {each["site"]: each for each in map(json.loads, kept.read_text().splitlines())} if kept.exists() else {}
    for number, site in enumerate(chosen, 1):
        name = plant.key(site)
        if name in results:
            continue
        began = time.monotonic()
        cases = reached.get(number, [])
        how, test = attack(build, number, cases, seconds)
        results[name] = {"site": name, "mutant": number, "file": site.file, "cases": len(cases), "how": how, "test": test,
                         "seconds": round(time.monotonic() - began, 1)}
        with kept.open("a") as out:
            out.write(json.dumps(results[name]) + "\n")
        print(f"{number:4d} {how or 'SURVIVES':8s} {name}  {test}", flush=True)
    return [results[plant.key(site)] for site in chosen]


def report(results):
    """Prints the survivors and a table. Returns the share of the mutants that were caught."""
    print("\nSurvivors:")
    for each in results:
        if not each["how"]:
            print(f"  {each['site']}", "" if each["cases"] else "(no test reaches it)")
    print("\n| folder | mutants | caught | by a hang | survivors | share |\n|---|---|---|---|---|---|")
    for folder in FOLDERS:
        print_row(folder, [each for each in results if each["file"].startswith(folder)])
    return print_row("all", results)


def print_row(name, results):
    ways = collections.Counter(each["how"] for each in results)
    share = 1 - ways[""] / max(1, len(results))
    print(f"| {name} | {len(results)} | {len(results) - ways['']} | {ways['hangs']} | {ways['']} | {100 * share:.0f}% |")
    return share


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=300, help="how many mutants")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/mutation", help="folder for the copy, its programs and results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files to compile at a time")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.build.mkdir(parents=True, exist_ok=True)
    forget_other_code(arguments.build)
    build = Build(arguments.build)
    chosen = plant_and_compile(arguments, build)
    results = run_mutants(arguments, build, chosen, read_coverage(build))
    sys.exit(report(results) < WANTED_SHARE)


if __name__ == "__main__":
    main()
