#include "data/tools/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

#include "base/error.h"
#include "base/non_copyable.h"
#include "data/formats/label_file.h"
#include "data/formats/tf_example.h"
#include "data/formats/tfrecord_files.h"
#include "data/formats/tfrecord_writer.h"
#include "data/storage/storage.h"
#include "data/tools/damage.h"
#include "data/tools/parallel_for.h"
#include "files/atomic_file.h"
#include "files/durable_file.h"
#include "files/folder_lock.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

constexpr char kTfrecords[] = ".tfrecords";
constexpr char kPartial[] = ".partial-";

/// Keeps other conversions out of a folder, whose files would have the same temporary names. The
/// file of the lock is removed at the end.
class FolderInUse : NonCopyable {
 public:
  explicit FolderInUse(const fs::path& folder)
      : file_(folder / ".lock"),
        lock_(file_, /*attempt=*/"", /*patience=*/std::chrono::milliseconds(0), "--to") {}
  ~FolderInUse() {
    std::error_code ignored;
    fs::remove(file_, ignored);  // before others may take the lock
  }

 private:
  fs::path file_;
  files::FolderLock lock_;
};

/// Files that are renamed once all are on the disk, and otherwise removed.
class PendingFiles : NonCopyable {
 public:
  PendingFiles() = default;
  ~PendingFiles() {
    std::error_code ignored;
    for (const fs::path& file : files_) fs::remove(temporary(file), ignored);
  }

  /// Returns the temporary name of a file.
  fs::path add(const fs::path& file) {
    files_.push_back(file);
    return temporary(file);
  }
  /// Renames in reverse order: a dataset without its labels would look complete.
  void rename_all() {
    for (const fs::path& file : files_) files::sync_file(temporary(file));
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
      fs::rename(temporary(*file), *file);
    }
    files::sync_folder(files_.front().parent_path());
    files_.clear();
  }

 private:
  /// The temporary name keeps the extension, since other names are derived from it.
  static fs::path temporary(const fs::path& file) {
    return file.parent_path() / (kPartial + file.filename().string());
  }

  std::vector<fs::path> files_;
};

std::string set_name(const fs::path& folder) {
  fs::path normal = fs::absolute(folder).lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  const fs::path name = normal.extension() == kTfrecords ? normal.stem() : normal.filename();
  // Files whose names begin with a dot are hidden: no dataset would be found.
  const std::string text = name.string();
  return text.substr(std::min(text.find_first_not_of('.'), text.size()));
}

void require_sound(const Source& source, const ConvertOptions& options) {
  require_local(options.to, "the folder of the converted dataset");
  const auto refuse = [](const std::string& why, std::int64_t value) {
    throw ConfigError(why + ": " + std::to_string(value));
  };
  const Resolution& resolution = options.policy.resolution;
  const auto is_power = [](int side) {
    return side > 0 && std::has_single_bit(static_cast<unsigned>(side));
  };
  if (!is_power(resolution.height) || !is_power(resolution.width)) {
    throw ConfigError("height and width must be powers of two: " + text_of(resolution));
  }
  if (options.shards < 1 || options.shards > 99999 || options.shards > source.record_count()) {
    refuse("the number of shards must be from 1 to the number of records", options.shards);
  }
  if (options.threads < 1 || options.threads > kMostReaderThreads) {
    refuse("the number of threads must be from 1 to " + std::to_string(kMostReaderThreads),
           options.threads);
  }
}

/// Returns whether a file is of a dataset. Labels of one whose records were removed would become
/// those of the next.
bool is_of_a_dataset(const std::string& name) {
  constexpr std::array kEndings{kTfrecords,     ".tfrecord", ".tfrecords.gz",
                                ".tfrecord.gz", ".labels",   ".label-names.json"};
  return std::ranges::any_of(kEndings, [&](const char* ending) { return name.ends_with(ending); });
}

/// Removes what an interrupted conversion has left. Throws if there is a finished one.
void clear(const fs::path& folder) {
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPartial)) {
      leftovers.push_back(entry.path());
    } else if (is_of_a_dataset(name)) {
      throw DataError(
          "folder already contains files of a dataset; choose another or remove them: " +
          entry.path().string());
    }
  }
  for (const fs::path& file : leftovers) fs::remove(file);
}

/// Records that are decoded in parallel, then written in order.
class Chunk {
 public:
  Chunk(const Source& source, const ConvertOptions& options)
      : source_(source), options_(options), records_(options.threads) {
    const DecodePolicy& policy = options.policy;
    image_bytes_ = policy.channels * policy.resolution.pixels();
    constexpr std::int64_t kChunkBytes = std::int64_t{32} << 20;
    capacity_ = std::clamp<std::int64_t>(kChunkBytes / image_bytes_, options.threads, 4096);
    images_.resize(capacity_ * image_bytes_);
  }

  std::int64_t capacity() const { return capacity_; }
  void decode(std::int64_t first, std::int64_t count) {
    refusals_.assign(count, "");
    has_more_frames_.assign(count, 0);
    parallel_for(count, options_.threads,
                 [&](int thread, std::int64_t i) { decode_one(thread, first + i, i); });
  }
  /// The reason for refusing each record; empty if it was not refused.
  const std::string& refusal(std::int64_t i) const { return refusals_[i]; }
  /// Whether the record's file has frames or pages that are left out.
  bool has_more_frames(std::int64_t i) const { return has_more_frames_[i] != 0; }
  std::span<std::uint8_t> image(std::int64_t i) {
    return std::span(images_).subspan(i * image_bytes_, image_bytes_);
  }

 private:
  void decode_one(int thread, std::int64_t index, std::int64_t i) {
    Record& record = records_[thread];
    refusals_[i] = damage_of(source_, index, record, [&] {
      has_more_frames_[i] = decode_into(record, options_.policy, image(i)) ? 1 : 0;
    });
  }

  const Source& source_;
  const ConvertOptions& options_;
  std::int64_t image_bytes_ = 0;
  std::int64_t capacity_ = 0;
  std::vector<Record> records_;
  std::vector<std::uint8_t> images_;
  std::vector<std::string> refusals_;
  std::vector<char> has_more_frames_;  // not bool, whose bits threads would share
};

[[noreturn]] void give_up(const std::vector<std::string>& refused) {
  constexpr std::size_t kMostNamed = 10;
  std::string text = "too many images were refused:";
  for (std::size_t i = 0; i < std::min(refused.size(), kMostNamed); ++i) {
    text += "\n  " + refused[i];
  }
  if (refused.size() > kMostNamed) text += "\n  ...";
  throw DataError(text);
}

class Converter {
 public:
  Converter(const Source& source, const ConvertOptions& options)
      : source_(source), options_(options), chunk_(source, options), name_(set_name(options.to)) {
    labels_.count = source.label_count();
    labels_.names = source.label_names();
  }

  Conversion run() {
    const std::int64_t count = source_.record_count();
    for (int shard = 0; shard < options_.shards; ++shard) {
      write_shard(shard, count * shard / options_.shards, count * (shard + 1) / options_.shards);
    }
    if (result_.written == 0) give_up(result_.refused);
    write_labels();
    files_.rename_all();
    for (std::size_t i = 0; i < offsets_.size(); ++i) write_index(result_.shards[i], offsets_[i]);
    return std::move(result_);
  }

 private:
  void write_shard(int shard, std::int64_t begin, std::int64_t end) {
    const int level =
        std::countr_zero(static_cast<unsigned>(options_.policy.resolution.shorter_side()));
    result_.shards.push_back(options_.to / tfrecord_name(name_, level, shard, options_.shards));
    TfrecordWriter writer(files_.add(result_.shards.back()));
    for (std::int64_t first = begin; first < end; first += chunk_.capacity()) {
      const std::int64_t count = std::min(chunk_.capacity(), end - first);
      chunk_.decode(first, count);
      for (std::int64_t i = 0; i < count; ++i) write_record(writer, first + i, i);
      options_.on_progress(first + count, source_.record_count());
    }
    writer.close();
    offsets_.push_back(writer.offsets());
    result_.size_bytes += writer.offsets().back();
  }

  void write_record(TfrecordWriter& writer, std::int64_t index, std::int64_t i) {
    if (!chunk_.refusal(i).empty()) {
      result_.refused.push_back(chunk_.refusal(i));
      const auto refused = static_cast<std::int64_t>(result_.refused.size());
      if (refused > options_.most_refused) give_up(result_.refused);
      return;
    }
    const DecodePolicy& policy = options_.policy;
    write_image_example(
        {.shape = {policy.channels, policy.resolution.height, policy.resolution.width},
         .data = chunk_.image(i)},
        message_);
    writer.append(message_);
    ++result_.written;
    if (chunk_.has_more_frames(i)) ++result_.first_frames;
    if (labels_.count > 0) labels_.values.push_back(source_.label(index));
  }

  void write_labels() {
    if (labels_.count == 0) return;
    const fs::path file = options_.to / (name_ + "-rxx.labels");
    write_label_file(files_.add(file), labels_);
    if (!labels_.names.empty()) files_.add(label_names_file(file));
  }

  const Source& source_;
  const ConvertOptions& options_;
  Chunk chunk_;
  std::string name_;
  PendingFiles files_;
  LabelSet labels_;
  std::vector<RecordOffsets> offsets_;
  std::vector<std::uint8_t> message_;
  Conversion result_;
};

}  // namespace

Conversion convert(const Source& source, const ConvertOptions& options) {
  require_sound(source, options);
  try {
    files::create_folders(options.to);
    files::prepare_to_write(options.to / "");
    const FolderInUse in_use(options.to);
    clear(options.to);
    return Converter(source, options).run();
  } catch (const fs::filesystem_error& error) {
    throw DataError(std::string("cannot write the dataset: ") + error.what());
  }
}

}  // namespace ganscale::data
