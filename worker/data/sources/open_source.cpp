#include "data/sources/open_source.h"

#include <algorithm>
#include <initializer_list>
#include <ranges>
#include <string_view>

#include "base/error.h"
#include "base/joined.h"
#include "base/log.h"
#include "data/fonts/emoji_font.h"
#include "data/parquet/parquet_files.h"
#include "data/parquet/parquet_source.h"
#include "data/sources/cifar_source.h"
#include "data/sources/folder_source.h"
#include "data/sources/idx_source.h"
#include "data/sources/image_files.h"
#include "data/sources/tar_source.h"
#include "data/sources/tfrecord_source.h"
#include "data/sources/zip_source.h"
#include "data/storage/storage.h"

namespace ganscale::data {
namespace {

using std::filesystem::path;

using Opened = std::unique_ptr<Source>;

/// Opens a path; returns null if it does not have this format.
struct Format {
  const char* what;
  Opened (*open)(const path&, int resolution);
};

bool is_file(const path& file, std::initializer_list<std::string_view> endings) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return name.ends_with(ending); }) &&
         storage_of(file).is_file(file);
}

/// Returns a path without slashes at its end: in S3, FOLDER//NAME is not FOLDER/NAME.
path without_final_slashes(const path& from) {
  const std::string& text = from.native();
  const std::size_t last = text.find_last_not_of('/');
  const bool is_root = last == std::string::npos || text[last] == ':';  // "/", "s3://"
  return is_root ? from : path(text.substr(0, last + 1));
}

/// Opens the path with the first matching format.
constexpr Format kFormats[] = {
    {"TFRecord files (*.tfrecords[.gz])",
     [](const path& from, int resolution) -> Opened {
       const auto files = find_tfrecord_files(from, resolution);
       return files ? open_tfrecord(*files) : nullptr;
     }},
    {"IDX files (*-images-idx3-ubyte[.gz])",
     [](const path& from, int) -> Opened { return is_idx(from) ? open_idx(from) : nullptr; }},
    {"binary CIFAR files (data_batch_1.bin, train.bin)",
     [](const path& from, int) -> Opened { return is_cifar(from) ? open_cifar(from) : nullptr; }},
    {"a zip archive (*.zip)",
     [](const path& from, int) -> Opened {
       return is_file(from, {".zip"}) ? open_zip(from) : nullptr;
     }},
    {"a tar archive (*.tar)",
     [](const path& from, int) -> Opened {
       return is_file(from, {".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"})
                  ? open_tar({from})
                  : nullptr;
     }},
    {"a color font (*.ttf, *.otf)",
     [](const path& from, int) -> Opened {
       return is_file(from, {".ttf", ".otf"}) ? open_emoji_font(from) : nullptr;
     }},
    {"a folder of images (*.png, *.jpg, *.webp, ...)",
     [](const path& from, int) -> Opened {
       return storage_of(from).is_folder(from) ? open_folder(from) : nullptr;
     }},
    {"tar shards (a folder of *.tar, or NAME-{000..146}.tar)",
     [](const path& from, int) -> Opened { return open_tar_shards(from); }},
    {"Parquet files (*.parquet, a folder of them, or NAME-{00000..00003}-of-00004.parquet)",
     [](const path& from, int) -> Opened {
       const auto files = parquet_files(from);
       return files.empty() ? nullptr : open_parquet(files);
     }},
};

Opened open_first_match(const path& from, int resolution) {
  for (const Format& format : kFormats) {
    if (auto source = format.open(from, resolution)) return source;
  }
  const Storage& storage = storage_of(from);
  const bool is_folder = storage.is_folder(from);
  if (!is_folder && !storage.is_file(from)) throw DataError("dataset not found: " + from.string());
  throw DataError("dataset has no supported format: " + from.string() + " (looked for " +
                  joined(kFormats | std::views::transform(&Format::what)) + ")" +
                  (is_folder ? "; files whose names begin with a dot are not read" : ""));
}

/// Returns ImageFiles::hidden_image(); empty for a source of another kind.
std::string hidden_image(const Source& source) {
  const auto* files = dynamic_cast<const ImageFiles*>(&source);
  return files == nullptr ? "" : files->hidden_image();
}

void require_images(const Source& source, const path& from) {
  if (source.record_count() > 0) return;
  const std::string unread = unread_images(source);
  const std::string hidden = hidden_image(source);
  if (unread.empty() && !hidden.empty()) {
    throw DataError("dataset has only images that are hidden, such as " + hidden +
                    "; rename them or their folder: " + from.string());
  }
  if (unread.empty()) throw DataError("dataset is empty: " + from.string());
  throw DataError(
      "dataset has no image in a format that is read, but " + unread +
      "; convert them first, for example with ImageMagick (mogrify -format png): " + from.string());
}

/// Throws if a label is far beyond the number of images, as an id in its place would be: models,
/// files of labels and lists of them grow with the highest one. Named labels are in the dataset.
void require_plausible_labels(const Source& source) {
  constexpr std::int64_t kLabelsOfFewImages = 1 << 16;  // ImageNet-21k has 21,841
  const std::int64_t limit = std::max(kLabelsOfFewImages, source.record_count());
  if (source.label_count() <= limit || !source.label_names().empty()) return;
  for (std::int64_t i = 0; i < source.record_count(); ++i) {
    if (source.label(i) < limit) continue;
    throw DataError("label is too high for a dataset of " + std::to_string(source.record_count()) +
                    " images (" + std::to_string(source.label(i)) + ", expected less than " +
                    std::to_string(limit) + "): " + source.describe(i));
  }
}

}  // namespace

std::unique_ptr<Source> open_source(const path& named, int resolution) {
  const path from = without_final_slashes(named);
  try {
    auto source = open_first_match(from, resolution);
    require_images(*source, from);
    require_plausible_labels(*source);
    return source;
  } catch (const std::filesystem::filesystem_error& error) {  // a folder without read permission
    throw DataError(std::string("cannot open the dataset: ") + error.what());
  }
}

std::string unread_images(const Source& source) {
  const auto* files = dynamic_cast<const ImageFiles*>(&source);
  return files == nullptr ? "" : files->unread_images();
}

void warn_of_unread_images(const std::string& unread) {
  if (!unread.empty())
    log::warning("Left out images in formats that are not read", {{"files", unread}});
}

void warn_of_slow_shuffling(const ImageBlocks& blocks) {
  if (blocks.decoded_bytes <= blocks.kept_bytes) return;
  log::warning(
      "Training reads in random order, but these images are decoded by whole row groups, of which "
      "only the last are kept; `ganscale data convert` makes a dataset that is read image by image",
      {{"image_bytes", blocks.decoded_bytes}, {"kept_bytes", blocks.kept_bytes}});
}

}  // namespace ganscale::data
