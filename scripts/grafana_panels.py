"""Builds Grafana's panels and dashboards from the tables of make-dashboards.py, with Grafana's own types.

Options of a panel, all optional:
    type    "stat", "heatmap", "state" (what each series was when), "bars" or "table"; without it: lines over time
    steps   [(from which value on, color), ...], the first from None: which values are good and which are bad
    words   {value: (text, color)}: values that are told in words
    colors  {series: color}, by name or by /regular expression/: series that mean something good or bad
    units   {series: unit}, likewise, where they have other units than the panel
    cells   {column: steps}: columns of a table that are colored by their values
    stack   lines or bars lie upon each other; "lines": those that don't, by /regular expression/
"""
from grafana_foundation_sdk.builders import (barchart, common, dashboard as builders, heatmap, prometheus, stat, statushistory, table,
                                             timeseries)
from grafana_foundation_sdk.models import common as common_models, dashboard as models, heatmap as heatmap_models
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

GOOD, WARNING, BAD = "green", "orange", "red"
NEUTRAL = "#808080"  # neither good nor bad
PLAIN = "blue"  # a number that is just a number

HEIGHT = 8
DATASOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
KINDS = {None: timeseries, "stat": stat, "heatmap": heatmap, "state": statushistory, "bars": barchart, "table": table}
TAG = "ganscale"


def worse_above(warning, bad):
    """Returns the steps of a value that should be low."""
    return [(None, GOOD), (warning, WARNING), (bad, BAD)]


def worse_below(warning, bad):
    """Returns the steps of a value that should be high."""
    return [(None, BAD), (bad, WARNING), (warning, GOOD)]


NONE_IS_GOOD = [(None, GOOD), (1e-9, BAD)]  # what counts is whether it is 0, also of a rate


def thresholds(steps):
    return (builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE)
            .steps([models.Threshold(value=value, color=color) for value, color in steps]))


def color_by(mode, fixed=None):
    color = builders.FieldColor().mode(mode)
    return color.fixed_color(fixed) if fixed else color


def override(panel, series, **properties):
    """Gives a series, by name or by /regular expression/, properties of its own; `__` in a name is a dot."""
    values = [models.DynamicConfigValue(name.replace("__", "."), value) for name, value in properties.items()]
    (panel.override_by_regexp if series.startswith("/") else panel.override_by_name)(series, values)


def color_values(panel, kind, steps):
    """Colors a panel by its values if that shows more than which series it is, and marks the steps next to lines and bars."""
    fields = models.FieldColorModeId
    if steps:
        panel.thresholds(thresholds(steps))
    if kind in (None, "bars"):  # the color tells the series, the same one in all panels
        panel.color_scheme(color_by(fields.PALETTE_CLASSIC_BY_NAME))
        if steps:
            panel.thresholds_style(common.GraphThresholdsStyleConfig().mode(common_models.GraphThresholdsStyleMode.DASHED))
    elif steps:
        panel.color_scheme(color_by(fields.THRESHOLDS))
    elif kind == "state":
        panel.color_scheme(color_by(fields.CONTINUOUS_BLUES))
    else:
        panel.color_scheme(color_by(fields.FIXED, PLAIN))


def color_series(panel, options):
    for series, color in options.get("colors", {}).items():
        override(panel, series, color={"mode": "fixed", "fixedColor": color})
    for series, unit in options.get("units", {}).items():
        override(panel, series, unit=unit)
    for column, steps in options.get("cells", {}).items():
        override(panel, column, thresholds=thresholds(steps).build(), color={"mode": "thresholds"},
                 custom__cellOptions=common_models.TableColoredBackgroundCellOptions())


def stack(panel, kind, options):
    if kind == "bars":
        panel.stacking(common_models.StackingMode.NORMAL)
        return
    panel.stacking(common.StackingConfig().mode(common_models.StackingMode.NORMAL)).fill_opacity(40)
    if "lines" in options:
        override(panel, options["lines"], custom__stacking={"mode": "none"}, custom__fillOpacity=0)


def one_table(panel, queries, hidden):
    """Lays the answers to all queries side by side: a row a point, sorted by the first query."""
    columns = {f"Value #{chr(ord('A') + i)}": name for i, (_, name) in enumerate(queries)}
    for name, options in [
            ("merge", {}), ("sortBy", {"fields": {}, "sort": [{"field": "Value #A"}]}),
            ("organize", {"excludeByName": {"Time": True, hidden: True}, "indexByName": {},
                          "renameByName": {"namespace": "Namespace", "sweep": "Sweep", "point": "Point", **columns}})]:
        panel.with_transformation(models.DataTransformerConfig(id_val=name, options=options))


def add_queries(panel, kind, queries):
    for i, (expression, legend) in enumerate(queries):
        query = prometheus.Dataquery().expr(expression).legend_format(legend).ref_id(chr(ord("A") + i)).datasource(DATASOURCE)
        if kind in ("bars", "table"):
            query.format(PromQueryFormat.TABLE).instant()
        elif kind == "heatmap":
            query.format(PromQueryFormat.HEATMAP)
        panel.with_target(query)
    if kind in ("bars", "table"):
        one_table(panel, queries, hidden="ranks" if kind == "table" else "Value #A")


def panel_of(definition, width):
    title, unit, description, queries, options = definition
    kind = options.get("type")
    panel = (KINDS[kind].Panel().title(title).description(description).datasource(DATASOURCE).unit(unit).no_value("no data")
             .span(width).height(HEIGHT))
    color_values(panel, kind, options.get("steps"))
    if "words" in options:
        panel.mappings([models.ValueMap(options={str(value): models.ValueMappingResult(text=text, color=color)
                                                 for value, (text, color) in options["words"].items()})])
    if options.get("stack"):
        stack(panel, kind, options)
    if kind == "bars":
        panel.x_field("ranks").orientation(common_models.VizOrientation.VERTICAL).legend(
            common.VizLegendOptions().show_legend(True).display_mode(common_models.LegendDisplayMode.LIST)
            .placement(common_models.LegendPlacement.BOTTOM))
    if kind == "heatmap":
        panel.color(shades_of_blue())
    color_series(panel, options)
    add_queries(panel, kind, queries)
    return panel


def shades_of_blue():
    return heatmap.HeatmapColorOptions().mode(heatmap_models.HeatmapColorMode.SCHEME).scheme("Blues").steps(64)


def widths(count):
    """Returns the widths of the panels of a row, of 24: up to three side by side, else as many lines of two as it takes."""
    if count <= 3:
        return [24 // count] * count
    return [12] * (count - count % 2) + [24] * (count % 2)


def variable(name, query, label):
    return (builders.QueryVariable(name).label(label).datasource(DATASOURCE).query({"query": query, "refId": name})
            .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(models.VariableSort.ALPHABETICAL_ASC).include_all(True)
            .all_value(".*").multi(True).current(models.VariableOption(text=["All"], value=["$__all"])))


class PrometheusAnnotation(models.AnnotationQuery):
    """Marks the times at which a query has an answer; Grafana's types lack what is special to Prometheus."""

    def __init__(self, name, color, expression, title):
        super().__init__(name=name, datasource=DATASOURCE, icon_color=color, expr=expression)
        self.title = title

    def to_json(self):
        return {**super().to_json(), "step": "60s", "titleFormat": self.title}

    def build(self):
        return self


def dashboard(names, variables, rows, annotations):
    """Returns a dashboard with a link to all others.

    names: identity, title, description
    rows:  [(title, [panel as in make-dashboards.py, ...]), ...]
    """
    uid, title, description = names
    links = builders.DashboardLink("ganscale").type(models.DashboardLinkType.DASHBOARDS).tags([TAG])
    board = (builders.Dashboard(title).uid(uid).description(description).tags([TAG]).editable().refresh("30s").timezone("")
             .time("now-3h", "now").tooltip(models.DashboardCursorSync.CROSSHAIR).version(1)
             .link(links.include_vars(True).keep_time(True)).annotations(annotations)
             .variables([builders.DatasourceVariable("datasource").label("Data source").type("prometheus"), *variables]))
    for name, row in rows:
        board.with_row(builders.Row(name))
        for definition, width in zip(row, widths(len(row))):
            board.with_panel(panel_of(definition, width))
    made = board.build()
    made.schema_version = 39  # Grafana 10.4 and later read it as it is
    for number, each in enumerate(made.panels, 1):
        each.id_val = number
    return made
