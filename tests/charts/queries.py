"""The queries of the chart ganscale-operator: its dashboards and rules."""
import json
import pathlib
import re

FILES = pathlib.Path(__file__).resolve().parent.parent.parent / "helm/ganscale-operator/files"
# The values of Grafana's variables: everything is selected, and the time range is the last ten minutes.
VARIABLES = {"$__rate_interval": "30s", "$__interval": "5s", "$__range": "10m", "$namespace": ".*", "$run": ".*",
             "$sweep": ".*", "$job": ".*", "$instance": ".*"}
KEYWORDS = {"and", "or", "unless", "offset", "bool", "group_left", "group_right"}


def promql(query):
    """Returns a dashboard's query with its variables replaced, as Prometheus gets it."""
    for name, value in VARIABLES.items():
        query = query.replace(name, value)
    return query


def panels(board):
    """Yields (title, [query as Prometheus gets it, ...]) of a dashboard, by its name."""
    for panel in json.loads((FILES / f"dashboards/{board}.json").read_text())["panels"]:
        if "targets" in panel:
            yield panel["title"], [promql(target["expr"]) for target in panel["targets"]]


def rule_files():
    return sorted((FILES / "rules").glob("*.yaml"))


def queries():
    """Yields (file, PromQL) of all dashboards and rules."""
    for path in sorted((FILES / "dashboards").glob("*.json")):
        for _, expressions in panels(path.stem):
            yield from ((path, expression) for expression in expressions)
        for variable in json.loads(path.read_text())["templating"]["list"]:
            if variable["type"] == "query":
                yield path, promql(re.match(r"label_values\((.*), \w+\)", variable["query"]["query"])[1])
    for rules in rule_files():
        for expression in re.findall(r"expr: (?:>-\n((?:          .*\n)+)|(.*))", rules.read_text()):
            yield rules, " ".join("".join(expression).split())


def annotations():
    """Yields ("BOARD NAME", PromQL) of what marks events in the dashboards."""
    for path in sorted((FILES / "dashboards").glob("*.json")):
        for mark in json.loads(path.read_text())["annotations"]["list"]:
            yield f"{path.stem} {mark['name']}", promql(mark["expr"])


def metrics_of(query):
    """Returns the names of metrics in a PromQL expression: the words that are not a function, keyword, label or number."""
    text = re.sub(r'"[^"]*"', "", query)
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", text)
    text = re.sub(r"\b(by|on|without|ignoring|group_left|group_right) *\([^)]*\)", " ", text)
    words = re.findall(r"[a-zA-Z_:][\w:]*(?! *\()(?!\w)", re.sub(r"\b\d\w*", " ", text))
    return {word for word in words if word not in KEYWORDS}
