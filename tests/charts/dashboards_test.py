"""What holds for each panel of the Grafana dashboards: size, units, thresholds, and colors that mean something."""
import json
import re
import subprocess
import unittest

from promtool import promtool
from queries import FILES, annotations, metrics_of, panels, queries, rule_files

PROJECT = FILES.parent.parent.parent
BOARDS = {path.stem: json.loads(path.read_text()) for path in sorted((FILES / "dashboards").glob("*.json"))}
PANELS = [panel for board in BOARDS.values() for panel in board["panels"] if panel["type"] != "row"]
# What Grafana knows; count:WORD is a number with the word behind it. "short" says nothing.
UNITS = r"none|s|dtdurations|percentunit|Bps|bytes|watt|ops|suffix:×|count:(images/s|\w+)"
RULES = "".join(path.read_text() for path in rule_files())
FAILURES = re.compile(r"failures_total|errors_total|nonfinite_total|XID_ERRORS")
# Where an alert has a threshold, red begins there: panel, alert, the pattern of the threshold, times what.
ALERTED = [("Waiting for the slowest rank", "GanscaleStraggler", r"> ([\d.]+)", 1),
           ("Waiting for data", "GanscaleWaitsForData", r"> ([\d.]+)", 1),
           ("Age of the latest checkpoint", "GanscaleCheckpointStale", r"> ([\d.]+)", 1),
           ("Longest wait", "GanscaleTrainingPending", r"for: (\d+)m", 60)]


def defaults(panel):
    return panel["fieldConfig"]["defaults"]


def overrides(panel, identity):
    """Returns [(matcher, value), ...] of the property of series."""
    return [(override["matcher"], each["value"]) for override in panel["fieldConfig"]["overrides"]
            for each in override["properties"] if each["id"] == identity]


def steps(panel):
    return defaults(panel).get("thresholds", {}).get("steps", [])


def color_of_value(panel, value):
    return [step["color"] for step in steps(panel) if step["value"] is None or step["value"] <= value][-1]


def color_of_series(panel, name):
    for matcher, color in overrides(panel, "color"):
        pattern = matcher["options"]
        if re.search(pattern[1:-1], name) if matcher["id"] == "byRegexp" else pattern == name:
            return color["fixedColor"]
    return None


def panel_of(title):
    [panel] = [panel for panel in PANELS if panel["title"] == title and panel["type"] != "barchart"]
    return panel


class EachPanel(unittest.TestCase):
    def each(self, wanted=lambda panel: True):
        chosen = [panel for panel in PANELS if wanted(panel)]
        self.assertGreater(len(chosen), 0)
        for panel in chosen:
            with self.subTest(panel["title"]):
                yield panel

    def test_is_wide_enough_to_be_read(self):
        for panel in self.each():
            self.assertGreaterEqual(panel["gridPos"]["w"], 8)
            self.assertGreaterEqual(panel["gridPos"]["h"], 8)

    def test_has_a_known_unit(self):
        for panel in self.each():
            for unit in [defaults(panel)["unit"], *(unit for _, unit in overrides(panel, "unit"))]:
                self.assertRegex(unit, f"^({UNITS})$")

    def test_says_when_it_has_no_data(self):
        for panel in self.each():
            self.assertEqual(defaults(panel)["noValue"], "no data")

    def test_gives_a_series_the_same_color_everywhere(self):
        for panel in self.each(lambda panel: panel["type"] in ("timeseries", "barchart")):
            self.assertEqual(defaults(panel)["color"]["mode"], "palette-classic-by-name")

    def test_is_neither_green_nor_red_if_a_value_is_neither_good_nor_bad(self):
        for panel in self.each(lambda panel: not steps(panel) and panel["type"] not in ("timeseries", "barchart")):
            color = defaults(panel)["color"]
            self.assertIn((color["mode"], color.get("fixedColor")), [("fixed", "blue"), ("continuous-blues", None)])

    def test_shows_its_thresholds(self):
        for panel in self.each(steps):
            self.assertIsNone(steps(panel)[0]["value"])
            self.assertGreater(len({step["color"] for step in steps(panel)}), 1)
            values = [step["value"] for step in steps(panel)[1:]]
            self.assertEqual(values, sorted(values))
            if panel["type"] in ("timeseries", "barchart"):
                self.assertEqual(defaults(panel)["custom"]["thresholdsStyle"], {"mode": "dashed"})
            else:
                self.assertEqual(defaults(panel)["color"]["mode"], "thresholds")

    def test_of_failures_is_green_at_none_and_red_from_the_first_one(self):
        for panel in self.each(lambda panel: any(FAILURES.search(target["expr"]) for target in panel["targets"])):
            self.assertEqual((color_of_value(panel, 0), color_of_value(panel, 1)), ("green", "red"))

    def test_names_its_states(self):
        for panel in self.each(lambda panel: steps(panel) and panel["type"] != "timeseries" and defaults(panel)["unit"] == "none"):
            [mapping] = defaults(panel)["mappings"]
            for value, result in mapping["options"].items():
                self.assertTrue(result["text"])
                self.assertIn(color_of_value(panel, float(value)), (result["color"], "red"), "words and steps agree")

    def test_turns_red_where_its_alert_fires(self):
        for title, alert, pattern, factor in ALERTED:
            limit = factor * float(re.search(rf"alert: {alert}\n(?:.*\n)*?.*?{pattern}", RULES)[1])
            with self.subTest(title):
                self.assertEqual(color_of_value(panel_of(title), limit), "red")
                self.assertNotEqual(color_of_value(panel_of(title), 0.99 * limit), "red")

    def test_colors_what_went_well_and_what_went_wrong(self):
        for title, colors in [("Trainings by phase", {"Succeeded": "green", "Failed": "red", "Running": "blue"}),
                              ("Reconciles per second", {"gantraining success": "green", "scalingsweep error": "red"}),
                              ("Requests per second", {"GET 200": "green", "PUT 409": "orange", "GET 503": "red", "GET 0": "red"})]:
            self.assertEqual({name: color_of_series(panel_of(title), name) for name in colors}, colors)

    def test_is_orange_for_an_xid_that_a_program_can_cause_and_red_for_one_of_a_failed_gpu(self):
        of_program = set(re.findall(r"ganscale:gpu_xid == (\d+)", RULES))
        [mapping] = defaults(panel_of("XID"))["mappings"]
        colors = {code: result["color"] for code, result in mapping["options"].items() if code != "0"}
        self.assertEqual({code for code, color in colors.items() if color == "orange"}, of_program)
        self.assertEqual(set(colors.values()), {"orange", "red"})

    def test_colors_every_phase_of_a_training(self):
        phases = re.findall(r'{Phase::k\w+, "(\w+)"}', (PROJECT / "operator/kind/phase.h").read_text())
        self.assertIn("Restarting", phases)
        self.assertEqual([phase for phase in phases if not color_of_series(panel_of("Trainings by phase"), phase)], [])


class EachDashboard(unittest.TestCase):
    def test_is_what_the_script_writes(self):
        folder = subprocess.run([PROJECT / "scripts/python-folder.sh", "docs"], check=True, text=True,
                                stdout=subprocess.PIPE).stdout.strip()
        subprocess.run([f"{folder}/bin/python", PROJECT / "scripts/make-dashboards.py", "--check"], check=True)

    def test_links_to_the_others_at_the_same_time_and_choice(self):
        for name, board in BOARDS.items():
            [link] = board["links"]
            with self.subTest(name):
                self.assertEqual((link["type"], link["keepTime"], link["includeVars"]), ("dashboards", True, True))
                self.assertEqual([set(link["tags"]) <= set(other["tags"]) for other in BOARDS.values()], [True] * len(BOARDS))

    def test_marks_restarts_and_resizes(self):
        for name, board in BOARDS.items():
            marks = board["annotations"]["list"]
            with self.subTest(name):
                self.assertEqual({mark["name"] for mark in marks}, {"Resizes", "Restarts"})
                self.assertTrue(all(mark["enable"] and mark["datasource"]["uid"] == "${datasource}" for mark in marks))

    def test_has_valid_queries(self):
        rules = [{"record": f"query:{i}", "expr": query} for i, (_, query) in enumerate([*queries(), *annotations()])]
        self.assertGreater(len(rules), 60)
        self.assertEqual(promtool("check", "rules", "rules.yaml", rules=json.dumps({"groups": [{"name": "all", "rules": rules}]})), "")


class EachQuery(unittest.TestCase):
    def test_distinguishes_one_name_in_two_namespaces(self):
        """A run, a sweep and the name of a training or pod are unique in their namespace alone."""
        found = [(labels, query) for _, query in [*queries(), *annotations()]
                 for labels in re.findall(r"(?:by|on) \(([^)]*)\)", query)]
        named = [(labels, query) for labels, query in found if {"run", "sweep", "pod"} & set(labels.split(", "))
                 or ("name" in labels.split(", ") and "ganscale_training_info" in query)]
        self.assertGreater(len(named), 40)
        self.assertEqual([query for labels, query in named if "namespace" not in labels.split(", ")], [])

    def test_of_a_controller_counts_sweeps_too(self):
        of_kinds = [query for _, query in queries() if re.search("controller_runtime|workqueue", query)]
        self.assertGreater(len(of_kinds), 10)
        for query in of_kinds:
            self.assertIn('=~"gantraining|scalingsweep"', query)


class Sweep(unittest.TestCase):
    def test_shows_every_figure_of_a_point(self):
        source = (PROJECT / "operator/scaling_sweep/reconcile/sweep_metrics.cpp").read_text()
        figures = set(re.findall(r'\{"(ganscale_sweep_\w+)"', source.partition("kFigures{{")[2].partition("}};")[0]))
        self.assertIn("ganscale_sweep_completion_seconds", figures)
        shown = set().union(*(metrics_of(query) for _, expressions in panels("sweep") for query in expressions))
        self.assertEqual(figures - shown, set())


class GradientBytes(unittest.TestCase):
    """faces has two ranks of the generator and four of the discriminator, digits two ranks without roles."""
    GROUPS = [("faces", "generator", range(2), 6), ("faces", "discriminator", range(2, 6), 6), ("digits", "", range(2), 2)]

    def test_of_a_ring_are_those_of_its_own_ranks(self):
        series = {}
        for run, network, ranks, world_size in self.GROUPS:
            for rank in ranks:  # it all-reduces a byte per second, half of the time
                labels = f'namespace="lab", run="{run}", instance="node", rank="{rank}"'
                series[f"ganscale_allreduce_bytes_total{{{labels}}}"] = "0+15x12"
                series[f"ganscale_allreduce_seconds_total{{{labels}}}"] = "0+7.5x12"
                series[f"ganscale_world_size{{{labels}}}"] = f"{world_size}x12"
                if network:
                    series[f'ganscale_role_wait_seconds_total{{{labels}, network="{network}"}}'] = "0+1x12"
        samples = [{"labels": '{namespace="lab", run="digits"}', "value": 2},
                   {"labels": '{namespace="lab", run="faces", network="generator"}', "value": 2},
                   {"labels": '{namespace="lab", run="faces", network="discriminator"}', "value": 3}]
        query = dict(panels("training"))["Gradient bytes per second"][1]
        self.assertEqual(promtool("test", "rules", "test.yaml", test=json.dumps({"tests": [
            {"interval": "15s", "input_series": [{"series": name, "values": values} for name, values in series.items()],
             "promql_expr_test": [{"expr": f"round({query}, 0.001)", "eval_time": "3m", "exp_samples": samples}]}]})), "")


class Marks(unittest.TestCase):
    """faces restarts at 7m after a minute of absence, and at 17m comes back with 4 ranks; digits runs all the time."""
    maxDiff = None
    SERIES = {
        'ganscale_world_size{run="faces", rank="0", instance="a"}': "2x5 stale",
        'ganscale_images_total{run="faces", rank="0", instance="a"}': "0+600x5 stale",
        'ganscale_world_size{run="faces", rank="0", instance="b"}': "_x7 2x8 stale",
        'ganscale_images_total{run="faces", rank="0", instance="b"}': "_x7 0+600x8 stale",
        'ganscale_world_size{run="faces", rank="0", instance="c"}': "_x17 4x12",
        'ganscale_images_total{run="faces", rank="0", instance="c"}': "_x17 0+600x12",
        'ganscale_world_size{run="digits", rank="0"}': "2x30",
        'ganscale_images_total{run="digits", rank="0"}': "0+600x30",
        'ganscale_images_total{run="digits", rank="1"}': "0+600x14 stale 9600+600x14"}  # one scrape of it fails

    def marks(self, name, times):
        """Returns promtool's verdict on {minute: {labels: value}, ...}."""
        [query] = {query for mark, query in annotations() if mark.endswith(name) and "operator" in mark}
        tests = [{"expr": query, "eval_time": f"{minute}m", "exp_samples": [
            {"labels": labels, "value": value} for labels, value in samples.items()]} for minute, samples in times.items()]
        series = [{"series": name, "values": values} for name, values in self.SERIES.items()]
        return promtool("test", "rules", "test.yaml", test=json.dumps({"tests": [
            {"interval": "1m", "input_series": series, "promql_expr_test": tests}]}))

    def test_a_restart_is_marked_once(self):
        quiet = {minute: {} for minute in [3, 5, 6, 9, 12, 15, 16, 17, 18, 20, 25]}
        self.assertEqual(self.marks("Restarts", {**quiet, 7: {'{run="faces"}': 0}}), "")

    def test_a_resize_is_marked_with_its_ranks_and_not_as_a_restart(self):
        quiet = {minute: {} for minute in [3, 5, 7, 9, 12, 15, 16, 19, 20, 25]}
        self.assertEqual(self.marks("Resizes", {**quiet, 17: {'{run="faces", ranks="4"}': 1}}), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
