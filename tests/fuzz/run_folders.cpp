#include <algorithm>
#include <limits>

#include "checkpoint/checkpoint_name.h"
#include "checkpoint/manifest.h"
#include "checkpoint/safetensors_header.h"
#include "config/renamed.h"
#include "fuzz/input_file.h"
#include "fuzz/parsers.h"
#include "report/log/line_values.h"
#include "report/log/stats_log.h"
#include "report/mlflow/mlflow_entities.h"
#include "report/page/html_report.h"
#include "training/generators/label_bundle_metadata.h"
#include "training/generators/label_state.h"
#include "training/replica/run_state.h"

namespace ganscale::fuzz {
namespace {

std::filesystem::path write_in_run(std::string_view text, const std::string& name) {
  return file_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "run/" + name);
}

/// Writes a checkpoint without files, of a run of two labels.
void write_checkpoint() {
  constexpr std::int64_t kImagesSeen = 1000;
  checkpoint::Manifest manifest;
  manifest.images_seen = kImagesSeen;
  manifest.state = {{"label_names", {"cat", "dog"}}};
  write_in_run(checkpoint::format_manifest(manifest),
               "checkpoints/" + checkpoint::checkpoint_name(kImagesSeen) + "/manifest.json");
}

/// Returns a text up to a separator, and removes both from its beginning.
std::string_view cut(std::string_view& text, std::string_view separator) {
  const std::string_view first = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), first.size() + separator.size()));
  return first;
}

/// Throws unless a batch has as few metrics as a server takes.
void check_batches(const std::vector<nlohmann::ordered_json>& lines) {
  for (const report::MlflowBatch& batch : report::mlflow_batches(lines, 0)) {
    check(!batch.metrics.empty() && batch.metrics.size() <= report::kMostMlflowMetrics,
          "a batch has too many metrics");
  }
}

}  // namespace

/// The metadata of generators that were exported together: the header of a file without tensors.
void parse_bundle(Bytes input) {
  const std::string file = "bundle.safetensors";
  take_or_refuse([&] {
    const auto header = checkpoint::parse_safetensors_header(text_of(input), 0, file);
    const auto bundle = training::parse_label_bundle_metadata(header.metadata, file);
    check(bundle.channels >= 1 && bundle.channels <= 3, "there are no channels");
    check(bundle.images_seen >= 0, "there are less than no images");
    check(
        std::ranges::all_of(bundle.label_probabilities, [](double p) { return p >= 0 && p <= 1; }),
        "a probability is out of range");
    take_or_refuse_at(file,
                      [&] { config::with_new_names(config::parse_yaml(bundle.config, file)); });
  });
}

void parse_label_state(Bytes input) {
  take_or_refuse([&] {
    const nlohmann::json json = training::parse_label_state(text_of(input));
    check(nlohmann::json(training::parse_label_state(json.dump())) == json, "a state changes");
  });
}

/// The files that a report shows. The first line is config.yaml, those up to an empty one are in
/// each file of lines, and the rest is labels.json.
void parse_report(Bytes input) {
  std::string_view text = text_of(input);
  const auto config = write_in_run(cut(text, "\n"), "config.yaml");
  const std::string lines = std::string(cut(text, "\n\n")) + "\n";
  for (const char* name : {"provenance.jsonl", "log.jsonl", "stats.jsonl", "metrics.jsonl"})
    write_in_run(lines, name);
  write_in_run(text, "labels.json");
  write_checkpoint();
  take_or_refuse([&] {
    const auto page = report::html_report(report::read_run(config.parent_path()));
    check(page.ends_with("</html>\n"), "a page is not whole");
  });
}

/// What a checkpoint's manifest, which is not nested deeply, has of its run.
void parse_run_state(Bytes input) {
  const auto state = report::parse_json(text_of(input));
  take_or_refuse([&] {
    const auto facts = training::facts_in(state);
    check(facts.channels > 0 && facts.label_count >= 0 && facts.record_count >= 0,
          "a fact is impossible");
  });
  take_or_refuse([&] {
    const auto progress = training::progress_in(state);
    check(progress.images_seen >= 0 && progress.step >= 0, "there is less than no progress");
  });
}

/// The lines of stats.jsonl: for a report, for a tracking server, and for the run that resumes.
void parse_stats(Bytes input) {
  constexpr std::int64_t kImagesSeen = 1000;
  const auto file = file_of(input, "stats/stats.jsonl");
  take_or_refuse([&] {
    std::uint64_t offset_bytes = 0;
    check_batches(report::read_json_lines(file, offset_bytes));
    check(offset_bytes <= input.size(), "there is more than the file has");
    check(report::read_json_lines(file, offset_bytes).empty(), "a line is read twice");
    const report::StatsLog log(file, kImagesSeen);
    for (const auto& line : report::read_json_lines(file)) {
      constexpr auto kMissing = std::numeric_limits<std::int64_t>::max();
      check(report::integer_in(line, "images_seen", kMissing) <= kImagesSeen,
            "a later line is kept");
    }
  });
}

}  // namespace ganscale::fuzz
