"""The stage "parity" of scripts/gpu-check.sh: compares with all reference tensors, in every precision of a GPU.

    python3 scripts/gpu_check/parity.py BUILD FIGURES

FIGURES, a JSON file, has for each file of $GANSCALE_SHARED/fixtures {exit_code, seconds, over: what is over its tolerance}.
Ends with 1 if anything is, 77 if there are no files. Kinds of reference that ganscale-parity does not know are left out.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

UNKNOWN_KIND = 78
CANNOT = 77


def check(program, fixture):
    command = [program, "--device", "gpu", "--precision", "fp64,fp32,tf32,fp16,bf16", fixture]
    began, over = time.monotonic(), []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as parity:
        for line in parity.stdout:
            print(line, end="", flush=True)
            if line.rstrip().endswith("OVER"):
                over.append(line.strip())
    return {"exit_code": parity.returncode, "seconds": time.monotonic() - began, "over": over}


def run(build, figures):
    folder = pathlib.Path(os.environ["GANSCALE_SHARED"]) / "fixtures"
    fixtures = sorted(folder.glob("*.safetensors"))
    program = build / "bin/ganscale-parity"
    figures.unlink(missing_ok=True)
    if not fixtures or not program.exists():
        print(f"not compared: no {program}" if fixtures else f"not compared: no reference tensors in {folder}")
        return CANNOT
    checked = {}
    for fixture in fixtures:
        print(f"\n{fixture.stem}", flush=True)
        checked[fixture.stem] = check(program, fixture)
        figures.write_text(json.dumps(checked, indent=1) + "\n")
    wrong = [name for name, result in checked.items() if result["exit_code"] not in (0, UNKNOWN_KIND)]
    print(f"\n{len(checked) - len(wrong)} of {len(checked)} files agree or are left out")
    if wrong:
        print(f"differ: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
