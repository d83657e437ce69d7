"""A training of seconds on a CPU."""
from programs import SCHEMES
from write_images import write_idx

EXTENT, RECORDS, BATCH, LABELS = 32, 64, 8, 4


def write_small_run(folder, scheme, steps, timeout_seconds):
    """Writes run.yaml and its data into a folder: so many steps, a line of statistics for each, a checkpoint after every ten."""
    write_idx(folder / "data", RECORDS, EXTENT, LABELS)
    (folder / "run.yaml").write_text(f"""\
data: {{path: data{", labels: ignore" if scheme != "per_label" else ""}}}
model: {{name: dcgan, resolution: {EXTENT}, channels: 0.125}}
training: {{total_kimg: {steps * BATCH / 1000}, batch: {BATCH}, device: cpu, threads: 1, tick_kimg: {BATCH / 1000},
            samples_every_kimg: 0, grid_rows: 1, grid_columns: 1}}
checkpoint: {{every_kimg: {10 * BATCH / 1000}}}
comm: {{timeout: {timeout_seconds}s}}
telemetry: {{metrics_port: -1, control_port: -1}}
{SCHEMES[scheme]}""")
