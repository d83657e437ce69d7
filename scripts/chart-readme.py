#!/usr/bin/env python3
"""Writes the README of each chart from values.schema.json (what a value means) and values.yaml (its default).

    scripts/chart-readme.py            writes helm/*/README.md
    scripts/chart-readme.py --check    only says which is stale, with exit code 1
"""
import json
import sys

import yaml

from write_or_check import PROJECT, write_or_check

HEAD = """# {name}

{description}

```console check
$ {install}
```
{text}
## Values
Written by `scripts/chart-readme.py` from `values.schema.json` and `values.yaml`. The chart refuses values that are not
listed or have the wrong type.

| value | default | meaning |
|---|---|---|
"""

CHARTS = {
    "ganscale-operator": {
        "install": "helm install ganscale helm/ganscale-operator -n ganscale-system --create-namespace \\\n"
                   "    --set image.repository=$REGISTRY/ganscale-operator",
        "text": """
Build and push the images first, as in the [cluster tutorial](../../docs/tutorial-cluster.md). The chart needs the
[Kubeflow MPI Operator](https://github.com/kubeflow/mpi-operator) and refuses to install if it is missing. `helm test` checks that
every replica serves its metrics and that exactly one replica is the leader. For upgrades, removal, monitoring and troubleshooting see
[docs/kubernetes.md](../../docs/kubernetes.md).
"""},
    "ganscale-training": {
        "install": "helm install ffhq helm/ganscale-training --set image.repository=$REGISTRY/ganscale \\\n"
                   "    --set image.tag=0.1.0-cuda --set nodes=8 --set nodeProfile=dgx-a100 --set config=loppi/ffhq256-strong \\\n"
                   "    --set data.subPath=ffhq256 --set evaluation.featureNet.claimName=features",
        "text": """
The release's name becomes the GanTraining's name: a letter, then at most 39 of a-z, 0-9 and `-` (26 with `sweep`). The dataset is in the
folder `data.subPath` of a claim in the namespace, `datasets` unless `data.claimName` names another. Name the run configuration to train in
`config`, or write one out in `settings` (at least `settings.model`). Everything else is optional. Nodes with GPUs need the
[worker's image for GPUs](../../docs/kubernetes.md#images), which `image.tag` names here. The
[cluster tutorial](../../docs/tutorial-cluster.md) takes you from an empty namespace to images.
"""},
}


def rows(schema, defaults, path=()):
    """Yields (dotted name, default, description) of every leaf."""
    for name, value in schema["properties"].items():
        if not path and name not in defaults:
            continue  # for charts that depend on this one
        if "properties" in value:
            yield from rows(value, defaults[name], (*path, name))
        else:
            yield ".".join((*path, name)), defaults[name], value["description"]


def readme(folder):
    chart = yaml.safe_load((folder / "Chart.yaml").read_text())
    schema = json.loads((folder / "values.schema.json").read_text())
    defaults = yaml.safe_load((folder / "values.yaml").read_text())
    text = HEAD.format(name=chart["name"], description=chart["description"], **CHARTS[chart["name"]])
    for name, default, description in rows(schema, defaults):
        text += f"| `{name}` | `{json.dumps(default)}` | {description} |\n"
    return text


if __name__ == "__main__":
    sys.exit(write_or_check({f"helm/{name}/README.md": readme(PROJECT / "helm" / name) for name in CHARTS}))
