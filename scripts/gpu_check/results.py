"""The folder of the results: logs, figures and traces of the last run of each stage. Later calls add to it."""
import json
import shutil
import subprocess
import tarfile


class Results:
    def __init__(self, folder):
        self.folder = folder
        self.logs, self.figures, self.traces = (folder / name for name in ("logs", "figures", "traces"))
        for part in (self.logs, self.figures, self.traces):
            part.mkdir(parents=True, exist_ok=True)

    def add_stage(self, name, facts):
        path = self.figures / "stages.json"
        stages = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**stages, name: facts}, indent=1) + "\n")

    def pack(self, out):
        """Writes out/gpu-check.json, the figures of all stages by the names of their files, and out/gpu-check.tar.gz, all
        results."""
        out.mkdir(parents=True, exist_ok=True)
        figures = {"machine": machine()}
        for path in sorted(self.figures.glob("*.json")):
            figures[path.stem] = json.loads(path.read_text())
        (out / "gpu-check.json").write_text(json.dumps(figures, indent=1) + "\n")
        with tarfile.open(out / "gpu-check.tar.gz", "w:gz", compresslevel=6) as archive:
            archive.add(self.folder, "gpu-check")
            archive.add(out / "gpu-check.json", "gpu-check/gpu-check.json")


def machine():
    """Returns the GPUs of this machine: name, driver, memory."""
    if not shutil.which("nvidia-smi"):
        return []
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    return subprocess.run(query, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
