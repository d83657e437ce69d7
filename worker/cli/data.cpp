#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/terminal.h"
#include "cli/add_verb.h"
#include "cli/options/number_checks.h"
#include "cli/options/resolution_option.h"
#include "cli/verbs.h"
#include "config/units.h"
#include "data/fonts/emoji_font.h"
#include "data/fonts/letters.h"
#include "data/formats/tfrecord_files.h"
#include "data/image/png_codec.h"
#include "data/loader/data_config.h"
#include "data/sources/open_source.h"
#include "data/sources/retrying_source.h"
#include "data/sources/subset_source.h"
#include "data/tools/convert.h"
#include "data/tools/inspect.h"
#include "device/cpu_quota.h"
#include "files/atomic_file.h"
#include "report/log/progress.h"

namespace ganscale::cli {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, data::Fit> kFits = {
    {"refuse", data::Fit::kRefuse}, {"resize", data::Fit::kResize}, {"pad", data::Fit::kPad}};
const std::map<std::string, data::Channels> kChannels = {{"keep", data::Channels::kKeep},
                                                         {"gray", data::Channels::kGray},
                                                         {"rgb", data::Channels::kRgb}};

constexpr auto kPathHelp =
    "a dataset: TFRecord files, a stylegan2-ada zip, IDX files (MNIST), binary CIFAR, Parquet,\n"
    "a folder or tar of images (in class folders, if they have labels), an emoji font;\n"
    "in the file system or at s3://BUCKET/KEY";

struct DataOptions {
  fs::path path;
  fs::path sheet;
  int resolution = 0;
  int threads = device::usable_cores();
  std::int64_t sample = 1000;
};

constexpr VerbText kInspectText{
    "inspect", "Show the contents of a dataset",
    "\nExample:\n  ganscale data inspect faces.tfrecords --sheet faces.png"};

constexpr VerbText kVerifyText{
    "verify", "Read and decode all records and verify checksums; exit code 65 if one is damaged",
    "\nExample:\n  ganscale data verify faces.tfrecords"};

/// Reads "256" or "256x512" (height x width). Throws CLI::ValidationError for any other text.
Resolution parse_resolution(const std::string& text) {
  const auto cross = text.find('x');
  const auto height = config::parse_integer(text.substr(0, cross));
  const auto width =
      cross == std::string::npos ? height : config::parse_integer(text.substr(cross + 1));
  const auto fits = [](const std::optional<std::int64_t>& side) {
    return side && *side > 0 && *side <= data::kLongestSide;
  };
  if (!fits(height) || !fits(width)) {
    throw CLI::ValidationError(
        "--resolution",
        "expected pixels such as 256, or height and width such as 256x512: " + text);
  }
  return {static_cast<int>(*height), static_cast<int>(*width)};
}

struct ConvertVerb {
  fs::path from;
  fs::path font;
  fs::path typefaces;
  std::string letters = data::kCapitals;
  std::string fit = "resize";
  std::string channels = "keep";
  std::vector<int> background = {255, 255, 255};
  bool strict = false;
  std::int64_t max_images = std::numeric_limits<std::int64_t>::max();
  data::ConvertOptions options;
};

/// A progress bar on the terminal.
data::OnProgress show_progress(report::ProgressBar& bar) {
  return [&bar](std::int64_t done, std::int64_t) { bar.update(done); };
}

std::unique_ptr<data::Source> open_what_is_converted(const ConvertVerb& verb) {
  if (!verb.font.empty()) return data::open_emoji_font(verb.font);
  if (!verb.typefaces.empty()) return data::open_letters(verb.typefaces, verb.letters);
  return data::open_source(verb.from);
}

/// A folder with both would open as the new dataset.
void require_another_folder(const fs::path& from, const fs::path& to) {
  std::error_code not_there;
  if (!fs::equivalent(from, to, not_there)) return;
  throw UsageError("--to: the new dataset would hide the images of --from; name a new folder: " +
                   to.string());
}

ExitCode convert(const ConvertVerb& verb) {
  require_another_folder(verb.from, verb.options.to);
  auto opened = open_what_is_converted(verb);
  data::warn_of_unread_images(data::unread_images(*opened));
  const auto all = data::retrying(std::move(opened));
  const std::int64_t count = all->record_count();
  std::optional<data::SubsetSource> part;
  if (verb.max_images < count)
    part.emplace(*all, data::evenly_spaced(count, verb.max_images), data::SubsetLabels::kAll);
  const data::Source& source = part ? *part : *all;
  data::DataConfig config;
  config.fit = kFits.at(verb.fit);
  config.channels = kChannels.at(verb.channels);
  for (std::size_t i = 0; i < config.background.size(); ++i) {
    config.background[i] = static_cast<std::uint8_t>(verb.background[i]);
  }
  data::ConvertOptions options = verb.options;
  if (verb.strict) options.most_refused = 0;
  options.policy =
      data::decode_policy(config, source, options.policy.resolution, options.most_refused);
  data::Conversion conversion;
  {
    report::ProgressBar bar("images", source.record_count());
    options.on_progress = show_progress(bar);
    conversion = data::convert(source, options);
  }
  for (const std::string& refused : conversion.refused) {
    log::warning("Refused an image", {{"reason", refused}});
  }
  if (conversion.first_frames > 0) {
    log::warning("Took only the first of several frames or pages",
                 {{"images", conversion.first_frames}});
  }
  log::info("Wrote the dataset", {{"folder", options.to},
                                  {"images", conversion.written},
                                  {"refused", conversion.refused.size()},
                                  {"labels", source.label_count()},
                                  {"shards", conversion.shards.size()},
                                  {"bytes", conversion.size_bytes}});
  return ExitCode::kOk;
}

void print_labels(const data::Inspection& inspection) {
  std::printf("labels    %zu\n", inspection.records_of_label.size());
  for (std::size_t i = 0; i < inspection.records_of_label.size(); ++i) {
    const std::string name = inspection.label_names.empty() ? "" : inspection.label_names[i];
    std::printf("  %4zu  %10lld  %s\n", i, static_cast<long long>(inspection.records_of_label[i]),
                terminal::printable(name).c_str());
  }
}

ExitCode inspect(const DataOptions& options) {
  if (!options.sheet.empty() && options.sheet.extension() != ".png")
    throw UsageError("--sheet: a contact sheet is written as .png: " + options.sheet.string());
  auto opened = open_in_resolution(options.path, options.resolution);
  data::warn_of_unread_images(data::unread_images(*opened));
  const auto source = data::retrying(std::move(opened));
  const data::Inspection inspection = data::inspect(*source, options.sample);
  std::printf("dataset  %s\n", options.path.c_str());
  std::printf("records   %lld\n", static_cast<long long>(inspection.record_count));
  std::printf("images  of %lld sampled, %lld bytes each on average\n",
              static_cast<long long>(inspection.sampled),
              static_cast<long long>(inspection.sampled_bytes / inspection.sampled));
  for (const auto& [kind, count] : inspection.kinds) {
    std::printf("        %10lld  %s\n", static_cast<long long>(count), kind.c_str());
  }
  print_labels(inspection);
  if (!options.sheet.empty()) {
    constexpr int kRows = 8;
    constexpr int kColumns = 12;
    constexpr int kCellPixels = 64;
    const auto sheet = data::contact_sheet(*source, kRows, kColumns, kCellPixels);
    files::write_file_atomically(options.sheet, data::encode_png(sheet));
    std::printf("sheet     %s\n", options.sheet.c_str());
  }
  return ExitCode::kOk;
}

/// Verifies the images of one resolution; returns the number of damaged ones.
std::size_t verify(const DataOptions& options, const data::Source& source) {
  std::vector<std::string> damaged;
  {
    report::ProgressBar bar("records", source.record_count());
    damaged = data::verify(source, options.threads, show_progress(bar));
  }
  for (const std::string& record : damaged) log::error("Damaged record", {{"reason", record}});
  return damaged.size();
}

/// Verifies the requested resolution, or all of them.
ExitCode verify(const DataOptions& options) {
  const auto first = data::retrying(open_in_resolution(options.path, options.resolution));
  std::int64_t record_count = first->record_count();
  std::size_t damaged_count = verify(options, *first);
  std::vector<int> others;
  if (options.resolution == 0) others = data::tfrecord_resolutions(options.path);
  if (!others.empty()) others.erase(others.begin());  // the highest was the first
  for (const int resolution : others) {
    const auto source = data::retrying(data::open_source(options.path, resolution));
    record_count += source->record_count();
    damaged_count += verify(options, *source);
  }
  log::info(
      "Verified the dataset",
      {{"resolutions", others.size() + 1}, {"records", record_count}, {"damaged", damaged_count}});
  return damaged_count == 0 ? ExitCode::kOk : ExitCode::kData;
}

template <class Value>
CLI::IsMember member_of(const std::map<std::string, Value>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.push_back(name);
  return CLI::IsMember(names);
}

/// Adds the options that say what is converted, of which one must be given.
std::vector<CLI::Option*> add_convert_inputs(CLI::App& app, ConvertVerb& verb) {
  auto* from = app.add_option("--from", verb.from, kPathHelp)->type_name("PATH");
  auto* font = app.add_option("--from-font", verb.font,
                              "an emoji font; by default Debian's Noto Color Emoji")
                   ->expected(0, 1)
                   ->default_str(data::kEmojiFont)
                   ->type_name("FILE");
  auto* typefaces = app.add_option("--from-typefaces", verb.typefaces,
                                   "the letters of all fonts in a file or folder, black on white")
                        ->expected(0, 1)
                        ->default_str(data::kFontFolder)
                        ->type_name("PATH");
  app.add_option("--letters", verb.letters, "which letters of the typefaces; each is a label")
      ->needs(typefaces);
  return {from, font, typefaces};
}

void add_convert(CLI::App& data, Action& action) {
  auto verb = std::make_shared<ConvertVerb>();
  verb->options.threads = DataOptions{}.threads;
  verb->options.most_refused = 100;
  auto* app = data.add_subcommand("convert", "Write any dataset as TFRecord shards");
  app->footer(
      "\nExamples:\n"
      "  ganscale data convert --from photos/ --to faces.tfrecords --resolution 256 --shards 64\n"
      "  ganscale data convert --from film/ --to film.tfrecords --resolution 256x512\n"
      "  ganscale data convert --from-font --to emoji32 --resolution 32 --shards 4\n"
      "  ganscale data convert --from-typefaces --letters ABC --to letters --resolution 32");
  const auto inputs = add_convert_inputs(*app, *verb);
  app->add_option("--to", verb->options.to, "new folder; its files are named after it")->required();
  app->add_option_function<std::string>(
         "--resolution",
         [verb](const std::string& text) {
           verb->options.policy.resolution = parse_resolution(text);
         },
         "side of the output in pixels, or HEIGHTxWIDTH; powers of two")
      ->required();
  app->add_option("--shards", verb->options.shards, "number of files")
      ->check(positive_integer)
      ->capture_default_str();
  app->add_option(
         "--fit", verb->fit,
         "images of another size: resize (crops to that shape first), pad with black, or refuse")
      ->check(member_of(kFits))
      ->capture_default_str();
  app->add_option("--channels", verb->channels,
                  "keep: all images must have the same channels; gray, rgb: convert")
      ->check(member_of(kChannels))
      ->capture_default_str();
  app->add_option("--background", verb->background,
                  "background color of transparent images: red, green, blue")
      ->expected(3)
      ->delimiter(',')
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  app->add_option("--most-refused", verb->options.most_refused,
                  "fail if more images than this are refused; each one is reported")
      ->check(non_negative_integer)
      ->capture_default_str();
  app->add_option("--max-images", verb->max_images,
                  "convert at most this many images, evenly spread over the dataset")
      ->check(positive_integer);
  app->add_flag("--strict", verb->strict, "fail at the first refused image");
  app->add_option("--threads", verb->options.threads, "number of decoding threads")
      ->check(CLI::Range(1, data::kMostReaderThreads))
      ->capture_default_str();
  app->callback([verb, inputs, &action] {
    if (std::ranges::count_if(inputs, [](const auto* input) { return !input->empty(); }) != 1)
      throw CLI::RequiredError("One of --from, --from-font and --from-typefaces");
    action = [verb] { return convert(*verb); };
  });
}

void add_inspect(CLI::App& data, Action& action) {
  const auto [verb, options] = add_verb(data, action, kInspectText, inspect);
  verb.add_option("path", options.path, kPathHelp)->required();
  verb.add_option("--sheet", options.sheet, "also write a contact sheet (PNG)")->type_name("FILE");
  add_resolution_option(verb, options.resolution, "which resolution of a multi-resolution dataset");
  verb.add_option("--sample", options.sample, "number of records to inspect for shapes and sizes")
      ->check(positive_integer)
      ->capture_default_str();
}

void add_verify(CLI::App& data, Action& action) {
  const auto [verb, options] = add_verb(data, action, kVerifyText, verify);
  verb.add_option("path", options.path, kPathHelp)->required();
  add_resolution_option(verb, options.resolution,
                        "only this resolution of a multi-resolution dataset");
  verb.add_option("--threads", options.threads, "number of reader threads")
      ->check(CLI::Range(1, data::kMostReaderThreads))
      ->capture_default_str();
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto* data = app.add_subcommand("data", "Convert, inspect, verify and test datasets");
  data->require_subcommand(1);
  add_convert(*data, action);
  add_inspect(*data, action);
  add_verify(*data, action);
  add_data_variability(*data, action);
}

}  // namespace ganscale::cli
