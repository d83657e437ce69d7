#include "report/page/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/units.h"
#include "files/atomic_file.h"
#include "markup/element.h"
#include "report/log/line_values.h"
#include "report/log/tick_line.h"
#include "report/page/chart.h"
#include "report/page/curves.h"
#include "report/page/data_uri.h"
#include "report/page/label_table.h"
#include "report/page/page_assets.h"
#include "wire/label_stage.h"

namespace ganscale::report {

using markup::element;
using markup::escaped;

namespace {

constexpr std::size_t kMostFrames = 16;
constexpr std::size_t kMostFrameBytes = 16 << 20;  // of all grids on the page
constexpr std::uint32_t kSmallImage = 600;         // narrower grids are shown with sharp pixels

struct Frame {
  std::string caption;
  std::string uri;
  bool small = false;
};

std::string kimg_text(double images_seen) { return fmt::format("{:.6g} kimg", images_seen / 1000); }

// The IHDR chunk comes first: the width is the big-endian word at offset 16.
std::uint32_t png_width(const std::string& png) {
  std::uint32_t width = 0;
  for (std::size_t i = 16; i < 20 && i < png.size(); ++i) {
    width = width << 8 | static_cast<unsigned char>(png[i]);
  }
  return width;
}

Frame read_frame(const std::filesystem::path& file, std::string caption) {
  const auto png = files::read_file(file);
  return {std::move(caption), data_uri("image/png", png), png_width(png) < kSmallImage};
}

// The first, the last, and evenly spaced ones in between, as many as fit on the page.
std::vector<SampleGrid> choose_samples(const std::vector<SampleGrid>& all) {
  if (all.empty()) return {};
  const auto bytes = std::max<std::size_t>(1, std::filesystem::file_size(all.back().file));
  const auto affordable = std::max<std::size_t>(2, kMostFrameBytes / bytes);
  const auto count = std::min({all.size(), kMostFrames, affordable});
  std::vector<SampleGrid> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)]);
  }
  return chosen;
}

std::string image(const Frame& frame) {
  return "<img" + std::string(frame.small ? " class=\"pixels\"" : "") + " alt=\"" +
         escaped(frame.caption) + "\" src=\"" + frame.uri + "\">";
}

/// An image of rows, with the name of each next to it.
std::string image_with_rows(const Frame& frame, const std::vector<std::string>& names) {
  if (names.empty()) return image(frame);
  std::string rows;
  for (const auto& name : names) rows += element("span", {{"title", name}}, escaped(name));
  return element("div", {{"class", "grid"}},
                 element("div", {{"class", "rows"}}, rows) + image(frame));
}

std::string strip(const std::vector<Frame>& frames) {
  std::string html;
  for (const auto& frame : frames) {
    const auto caption = escaped(frame.caption);
    html += "<figure data-at=\"" + caption + "\">" + image(frame) +
            element("figcaption", {}, caption) + "</figure>";
  }
  return element("div", {{"class", "strip"}}, html);
}

std::string player(std::size_t frame_count) {
  return "<div class=\"player\"><button type=\"button\">Play</button><input type=\"range\" "
         "min=\"0\" "
         "max=\"" +
         std::to_string(frame_count - 1) + "\" aria-label=\"Images seen\"></div>";
}

std::string samples_section(const RunSummary& run) {
  if (run.samples.empty() && !run.reals) return {};
  std::vector<Frame> frames;
  for (const auto& sample : choose_samples(run.samples)) {
    frames.push_back(read_frame(sample.file, kimg_text(static_cast<double>(sample.images_seen))));
  }
  std::string images;
  if (!frames.empty()) {
    const bool plays = frames.size() > 1;
    images +=
        element("figure", {{"class", "card fakes"}},
                "<figcaption>Generated <output>after " + escaped(frames.back().caption) +
                    "</output></figcaption>" + image_with_rows(frames.back(), run.row_labels) +
                    (plays ? player(frames.size()) : ""));
  }
  if (run.reals) {
    images += element("figure", {{"class", "card reals"}},
                      "<figcaption>Real</figcaption>" +
                          image_with_rows(read_frame(*run.reals, "real"), run.row_labels));
  }
  auto html = element("h2", {}, "Samples") + element("div", {{"class", "images"}}, images);
  return frames.size() > 1 ? html + strip(frames) : html;
}

std::string tile(const std::string& value, const std::string& what) {
  return element("div", {{"class", "card tile"}},
                 element("b", {}, escaped(value)) + element("span", {}, escaped(what)));
}

/// The newest value of each metric: not every evaluation measures all of them.
std::string last_metric_tiles(const RunSummary& run) {
  std::string tiles;
  for (const auto& chart : metric_charts(run)) {
    const auto& [name, values] = chart.series.front();
    const auto newest = std::find_if(values.rbegin(), values.rend(),
                                     [](double value) { return std::isfinite(value); });
    // Without the run's own average, the first is one with another half-life.
    tiles += tile(format_short(*newest), name == chart.title ? name : chart.title + "_" + name);
  }
  return tiles;
}

std::string done_bar(double share) {
  const auto width = fmt::format("width:{:.1f}%", 100 * std::clamp(share, 0.0, 1.0));
  return element("div", {{"class", "done"}}, element("i", {{"style", width}}));
}

std::string header(const RunSummary& run) {
  auto html = element("h1", {}, escaped(run.name));
  const auto model = config_value(run.config, "model.name").value_or("a model");
  const auto data = config_value(run.config, "data.path").value_or("its data");
  html += element("p", {}, escaped(model) + " on " + escaped(data));
  html = element("header", {}, html);
  if (run.error.empty()) return html;
  return html +
         element("p", {{"class", "card note"}}, "Ended with an error: " + escaped(run.error));
}

/// Returns whether this label has a generator.
bool is_trained(const nlohmann::ordered_json& label) {
  return wire::is_trained(wire::label_stage_of(text_in(label, "state")));
}

/// The progress of scheme per_label, whose ticks belong to the labels.
std::string progress_of_labels(const RunSummary& run) {
  double images_seen = 0;
  double total_images = 0;
  double seconds = 0;
  for (const auto& label : run.labels) {
    images_seen += number_in(label, "images_seen", 0);
    total_images += number_in(label, "total_images", 0);
    seconds += number_in(label, "seconds", 0);
  }
  const auto trained = std::ranges::count_if(run.labels, is_trained);
  return done_bar(images_seen / std::max(1.0, total_images)) +
         element("div", {{"class", "tiles"}},
                 tile(kimg_text(images_seen), "of " + kimg_text(total_images)) +
                     tile(std::to_string(trained),
                          "of " + std::to_string(run.labels.size()) + " labels have a generator") +
                     tile(format_duration(seconds), "training time of all labels") +
                     last_metric_tiles(run));
}

std::string progress(const RunSummary& run) {
  if (run.ticks.empty() && !run.labels.empty()) return progress_of_labels(run);
  if (run.ticks.empty())
    return element("p", {{"class", "card note"}}, "No tick has been written yet.");
  const auto& tick = run.ticks.back();
  const double kimg = number_in(tick, "kimg", 0);
  const auto total =
      config::parse_number(config_value(run.config, "training.total_kimg").value_or(""));
  const double share = total && *total > 0 ? std::clamp(kimg / *total, 0.0, 1.0) : 1;
  const double rate = number_in(tick, "s_per_kimg", 0);
  const std::string seen = fmt::format("{:.10g} kimg", std::round(10 * kimg) / 10);
  std::string tiles = tile(seen, total ? "of " + kimg_text(1000 * *total) : "seen");
  tiles += tile(format_duration(number_in(tick, "seconds", 0)), "training time");
  if (total && share < 1) tiles += tile(format_duration((*total - kimg) * rate), "left");
  tiles += tile(format_short(rate), "s/kimg");
  if (rate > 0) tiles += tile(format_short(1000 / rate), "images/s");
  tiles += tile(std::to_string(integer_in(tick, "world_size", 1)), "ranks");
  return done_bar(share) + element("div", {{"class", "tiles"}}, tiles + last_metric_tiles(run));
}

std::string charts_section(const RunSummary& run) {
  std::string charts;
  for (const auto& some : {metric_charts(run), metric_time_charts(run), tick_charts(run)}) {
    for (const auto& chart : some) charts += chart_html(chart);
  }
  if (charts.empty()) return {};
  return element("h2", {}, "Curves") + element("div", {{"class", "charts"}}, charts);
}

std::string row(const std::string& name, const std::string& value) {
  return element("tr", {}, element("th", {}, escaped(name)) + element("td", {}, escaped(value)));
}

std::string facts_table(const RunSummary& run) {
  static const std::vector<std::pair<std::string, std::string>> kFacts{
      {"Model", "model.name"},
      {"Preset", "model.preset"},
      {"Resolution", "model.resolution"},
      {"Data", "data.path"},
      {"Scheme", "scheme.name"},
      {"Batch", "training.batch"},
      {"Length in kimg", "training.total_kimg"},
      {"Precision", "training.precision"},
      {"Seed", "training.seed"},
      {"Generator", "generator.optimizer.name"},
      {"Its learning rate", "generator.optimizer.learning_rate"},
      {"Discriminator", "discriminator.optimizer.name"},
      {"Its learning rate", "discriminator.optimizer.learning_rate"},
  };
  std::string rows;
  for (const auto& [name, path] : kFacts) {
    if (const auto value = config_value(run.config, path)) rows += row(name, *value);
  }
  return element("div", {{"class", "card"}}, element("table", {}, rows));
}

/// Returns a value of a start as text: lists joined, counts as "8 x NVIDIA H100".
std::string provenance_text(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [name, item] : value.items()) {
    const auto each = value.is_object() ? item.dump() + " x " + name : provenance_text(item);
    text += (text.empty() ? "" : ", ") + each;
  }
  return text;
}

/// The program, the machines and the command line of the latest start.
std::string provenance_section(const RunSummary& run) {
  if (run.starts.empty()) return {};
  std::string rows;
  for (const auto& [name, value] : run.starts.back().items()) {
    auto words = name;
    std::ranges::replace(words, '_', ' ');
    rows += row(words, provenance_text(value));
  }
  if (run.starts.size() > 1) rows += row("starts so far", std::to_string(run.starts.size()));
  return element("h2", {}, "Provenance") +
         element("div", {{"class", "card"}}, element("table", {}, rows));
}

std::string checkpoint_table(const RunSummary& run) {
  std::string rows;
  for (const auto& checkpoint : run.checkpoints) {
    const auto size = fmt::format("{:.1f} MB", static_cast<double>(checkpoint.size_bytes) / 1e6);
    const auto state = checkpoint.defect.empty() ? size : checkpoint.defect;
    rows += row(checkpoint.folder.filename().string(), state);
  }
  if (rows.empty()) rows = row("Checkpoints", "none yet");
  return element("div", {{"class", "card"}}, element("table", {}, rows));
}

/// Describes how far a label got, or why it failed.
std::string label_row(const nlohmann::ordered_json& label) {
  const auto number = integer_in(label, "label", 0);
  auto reached = text_in(label, "state") + ", " + kimg_text(number_in(label, "images_seen", 0)) +
                 " of " + kimg_text(number_in(label, "total_images", 0)) + " in " +
                 format_duration(number_in(label, "seconds", 0));
  const auto attempts = integer_in(label, "attempts", 1);
  if (attempts > 1) reached += ", " + std::to_string(attempts) + " attempts";
  if (const auto error = text_in(label, "error"); !error.empty()) reached += ": " + error;
  return row(std::to_string(number) + " " + text_in(label, "name"), reached);
}

/// One row per label of scheme per_label; those without a generator first. A long table is
/// collapsed.
std::string labels_section(const RunSummary& run) {
  if (run.labels.empty()) return {};
  std::string failed;
  std::string trained;
  for (const auto& label : run.labels) {
    (is_trained(label) ? trained : failed) += label_row(label);
  }
  auto html = element("h2", {}, "Labels");
  if (!failed.empty()) html += element("div", {{"class", "card"}}, element("table", {}, failed));
  const auto trained_count = std::ranges::count_if(run.labels, is_trained);
  const auto summary =
      element("summary", {},
              trained_count == 1 ? "1 label has a generator"
                                 : std::to_string(trained_count) + " labels have a generator");
  const std::string open = trained_count <= kMostOpenRows ? " open" : "";
  return html + "<details class=\"card\"" + open + ">" + summary + element("table", {}, trained) +
         "</details>";
}

std::string facts_section(const RunSummary& run) {
  const auto config =
      element("details", {{"class", "card"}},
              "<summary>config.yaml</summary>" + element("pre", {}, escaped(run.config_text)));
  return element("h2", {}, "Facts") +
         element("div", {{"class", "facts"}}, facts_table(run) + checkpoint_table(run)) +
         provenance_section(run) + element("h2", {}, "Configuration") + config;
}

}  // namespace

std::string html_page(const PageParts& parts) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
  page += element("title", {}, escaped(parts.title) + " · ganscale");
  page += element("style", {}, parts.style);
  page += "</head>\n<body>" + parts.body;
  page += element("script", {}, parts.script);
  return page + "</body></html>\n";
}

ReportSections report_sections(const RunSummary& run) {
  return {.progress = header(run) + progress(run),
          .details = samples_section(run) + charts_section(run) + labels_section(run) +
                     label_table(run) + facts_section(run)};
}

std::string html_report(const RunSummary& run) {
  const auto sections = report_sections(run);
  return html_page({.title = run.name,
                    .style = std::string(kPageStyle),
                    .body = sections.progress + sections.details,
                    .script = std::string(kPageScript) + "setUpReport();\n"});
}

void write_html_report(const std::filesystem::path& run_folder, const std::filesystem::path& page) {
  files::write_file_atomically(page, html_report(read_run(run_folder)));
}

}  // namespace ganscale::report
