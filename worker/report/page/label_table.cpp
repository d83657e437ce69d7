#include "report/page/label_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "base/finite_values.h"
#include "markup/element.h"
#include "report/log/line_values.h"
#include "report/log/tick_line.h"

namespace ganscale::report {

using markup::element;
using markup::escaped;

namespace {

/// A value of each label, by the name of the metric; NaN if there is none.
using Columns = std::map<std::string, std::vector<double>>;

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

Columns newest_columns(const RunSummary& run) {
  Columns columns;
  for (const auto& line : run.metrics) {
    for (const auto& [name, values] : line.items()) {
      constexpr std::string_view kSuffix = "_labels";
      if (!values.is_array() || !name.ends_with(kSuffix)) continue;
      auto& column = columns[name.substr(0, name.size() - kSuffix.size())];
      column.clear();
      for (const auto& value : values) {
        column.push_back(value.is_number() ? value.get<double>() : kNoValue);
      }
    }
  }
  return columns;
}

std::string note(const std::string& text) { return element("p", {{"class", "note"}}, text); }

/// Says how often labels were generated in the newest evaluation that knows it.
std::string shares_note(const RunSummary& run) {
  for (auto line = run.metrics.rbegin(); line != run.metrics.rend(); ++line) {
    const auto shares = text_in(*line, "labels");
    if (shares == "balanced") return note("Each label was generated equally often.");
    if (shares == "data") return note("Labels were generated as often as they are in the data.");
  }
  return {};
}

std::string row(const std::string& head, const std::vector<double>& values) {
  std::string cells = element("th", {}, escaped(head));
  for (const double value : values) {
    cells += element("td", {}, std::isfinite(value) ? format_short(value) : "");
  }
  return element("tr", {}, cells);
}

/// Returns the name of a label: of scheme per_label, or of a conditional model; empty if unknown.
std::string label_name(const RunSummary& run, std::size_t label) {
  for (const auto& known : run.labels) {
    if (integer_in(known, "label", -1) == static_cast<std::int64_t>(label))
      return text_in(known, "name");
  }
  return label < run.label_names.size() ? run.label_names[label] : "";
}

/// Returns a label as its number and, if the run knows it, its name.
std::string label_text(const RunSummary& run, std::size_t label) {
  const auto name = label_name(run, label);
  return std::to_string(label) + (name.empty() ? "" : " " + name);
}

}  // namespace

std::string label_table(const RunSummary& run) {
  const auto columns = newest_columns(run);
  if (columns.empty()) return {};
  std::string head = element("th", {}, "label");
  std::vector<double> means;
  std::vector<double> minima;
  std::size_t label_count = 0;
  for (const auto& [name, values] : columns) {
    head += element("th", {}, escaped(name));
    const FiniteValues finite(values);
    means.push_back(finite.mean);
    minima.push_back(finite.minimum);
    label_count = std::max(label_count, values.size());
  }
  std::string rows = element("tr", {}, head) + row("mean", means) + row("minimum", minima);
  for (std::size_t label = 0; label < label_count; ++label) {
    std::vector<double> values;
    for (const auto& [name, column] : columns) {
      values.push_back(label < column.size() ? column[label] : kNoValue);
    }
    rows += row(label_text(run, label), values);
  }
  const bool is_open = static_cast<std::ptrdiff_t>(label_count) <= kMostOpenRows;
  return element("h2", {}, "By label") + shares_note(run) + "<details class=\"card\"" +
         (is_open ? " open" : "") + ">" +
         element("summary", {}, std::to_string(label_count) + " labels") +
         element("table", {}, rows) + "</details>";
}

}  // namespace ganscale::report
