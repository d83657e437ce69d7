"""Prints the results of compare.sh as a table: compare_table.py FOLDER KIMG IMAGES"""
import json
import pathlib
import statistics
import sys

WAYS = {
    "dcgan": "DC-GAN",
    "conditional": "DC-CGAN (conditional)",
    "per-label": "DC-CGAN, a pair per label",
    "per-label-wgan": "W-CGAN, a pair per label",
}
folder, kimg, images = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def cell(values):
    spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.3f}{spread}"


print(f"| MNIST, {kimg} kimg, {images} generated images | seeds | score | Fréchet distance |")
print("|---|---|---|---|")
for way, title in WAYS.items():
    results = [json.loads(file.read_text()) for file in sorted(folder.glob(f"{way}-[0-9]*/result.json"))]
    if results:
        scores = [result[f"is{images}"] for result in results]
        distances = [result[f"fid{images}"] for result in results]
        print(f"| {title} | {len(results)} | {cell(scores)} | {cell(distances)} |")
