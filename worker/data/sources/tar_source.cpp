#include "data/sources/tar_source.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "data/formats/file_bytes.h"
#include "data/formats/sample_labels.h"
#include "data/formats/shard_files.h"
#include "data/sources/image_files.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

constexpr char kClassFile[] = ".cls";
constexpr char kJsonFile[] = ".json";
constexpr std::int64_t kMostLabelBytes = 1 << 26;
constexpr std::int64_t kBlockBytes = 512;  ///< what members are padded to

struct Member {
  std::string name;
  std::int64_t offset = 0;
  std::int64_t count_bytes = 0;
  std::size_t shard = 0;
};

using Archive = std::unique_ptr<archive, int (*)(archive*)>;

[[noreturn]] void refuse(archive* in, const fs::path& file) {
  const char* reason = archive_error_string(in);
  throw DataError(std::string("tar file is damaged (") + (reason != nullptr ? reason : "") + "): " +
                  file.string() + ", offset " + std::to_string(archive_filter_bytes(in, 0)));
}

[[noreturn]] void refuse_truncated(const fs::path& file, const std::string& where,
                                   std::int64_t offset) {
  throw DataError("tar file is truncated: " + file.string() + ", " + where + ", offset " +
                  std::to_string(offset));
}

/// Gives libarchive a file's bytes, and keeps the exception that it cannot pass on.
class ArchiveInput {
 public:
  explicit ArchiveInput(const FileBytes& bytes)
      : bytes_(bytes), block_bytes_(std::max(kLeastBlockBytes, bytes.block_bytes())) {}

  static la_ssize_t read(archive* in, void* self, const void** block) {
    return static_cast<ArchiveInput*>(self)->read_block(in, block);
  }
  static la_int64_t skip(archive*, void* self, la_int64_t count) {
    return static_cast<ArchiveInput*>(self)->skip_bytes(count);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static constexpr std::int64_t kLeastBlockBytes = 1 << 16;

  la_ssize_t read_block(archive* in, const void** block) {
    try {
      const auto read = bytes_.read_some(offset_, block_bytes_, buffer_);
      offset_ += std::ssize(read);
      *block = read.data();
      return std::ssize(read);
    } catch (const DataError& error) {
      error_ = std::current_exception();
      archive_set_error(in, EIO, "%s", error.what());
      return ARCHIVE_FATAL;
    }
  }

  la_int64_t skip_bytes(la_int64_t count) {
    const auto skipped = std::clamp<std::int64_t>(bytes_.size_bytes() - offset_, 0, count);
    offset_ += skipped;
    return skipped;
  }

  const FileBytes& bytes_;
  std::int64_t block_bytes_;
  std::int64_t offset_ = 0;
  std::vector<std::uint8_t> buffer_;
  std::exception_ptr error_;
};

/// Moves to the next member; returns false at the end.
bool next_member(archive* in, archive_entry*& entry, const ArchiveInput& input,
                 const fs::path& file) {
  const int status = archive_read_next_header(in, &entry);
  input.rethrow();
  if (status == ARCHIVE_EOF) return false;
  // UTF-8 names cause a warning if the locale does not support them, but they are intact.
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) refuse(in, file);
  return true;
}

std::string name_of(archive* in, archive_entry* entry, const fs::path& file) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) refuse(in, file);
  return name;
}

/// Throws unless the archive ends as one should, with blocks of zeros: one that ends between two members
/// is truncated, too. end_bytes: of the last member.
void require_end(const FileBytes& bytes, std::int64_t end_bytes) {
  const std::int64_t padded_bytes = (end_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  if (bytes.size_bytes() < padded_bytes + kBlockBytes)
    refuse_truncated(bytes.file(), "the end is missing", bytes.size_bytes());
}

[[noreturn]] void refuse_compressed(const fs::path& file) {
  throw DataError("compressed tar has no random access; unpack it first: " + file.string());
}

/// Returns the location of all files in a tar file.
std::vector<Member> members_of(const FileBytes& bytes, std::size_t shard) {
  const fs::path& file = bytes.file();
  if (bytes.unpacked()) refuse_compressed(file);
  ArchiveInput input(bytes);
  const Archive in(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(in.get());
  archive_read_support_filter_all(in.get());
  const int status = archive_read_open2(in.get(), &input, nullptr, ArchiveInput::read,
                                        ArchiveInput::skip, nullptr);
  input.rethrow();
  if (status != ARCHIVE_OK) refuse(in.get(), file);
  std::vector<Member> members;
  std::int64_t end_bytes = 0;
  archive_entry* entry = nullptr;
  while (next_member(in.get(), entry, input, file)) {
    if (archive_filter_code(in.get(), 0) != ARCHIVE_FILTER_NONE) refuse_compressed(file);
    const std::string name = name_of(in.get(), entry, file);
    // After its header, the archive is positioned at the member's first byte.
    end_bytes = archive_filter_bytes(in.get(), 0);
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const Member member{name, end_bytes, archive_entry_size(entry), shard};
    if (member.count_bytes > bytes.size_bytes() - member.offset)
      refuse_truncated(file, name, member.offset);
    end_bytes += member.count_bytes;
    members.push_back(member);
  }
  require_end(bytes, end_bytes);
  std::ranges::sort(members, {}, &Member::name);
  return members;
}

class TarSource : public ImageFiles {
 public:
  explicit TarSource(const std::vector<fs::path>& files) {
    for (const fs::path& file : files) {
      shards_.emplace_back(file);
      for (Member& member : members_of(shards_.back(), shards_.size() - 1)) add(std::move(member));
    }
    labels_ = read_labels();
    if (!left_out_.empty())
      log::info("Left out members of tar files that are neither images nor labels",
                {{"files", counts_text(left_out_)}});
    beside_.clear();
  }

  void read(std::int64_t index, Record& record) const override {
    record.bytes = bytes_of(members_[index], record.buffer);
    finish(index, record);
  }

  std::string describe(std::int64_t index) const override {
    const Member& member = members_[index];
    return file_of(member) + ", record " + std::to_string(index) + " (" + member.name +
           "), offset " + std::to_string(member.offset);
  }

 private:
  std::string file_of(const Member& member) const { return shards_[member.shard].file().string(); }

  std::span<const std::uint8_t> bytes_of(const Member& member,
                                         std::vector<std::uint8_t>& buffer) const {
    return shards_[member.shard].read(member.offset, member.count_bytes, buffer);
  }

  void add(Member member) {
    const fs::path path = member.name;
    if (takes(member.name)) {
      names_.push_back(member.name);
      members_.push_back(std::move(member));
    } else if (path.extension() == kClassFile || path.extension() == kJsonFile) {
      beside_[beside_key(member, member.name)] = std::move(member);
    } else if (unread_extension(member.name).empty()) {
      ++left_out_[path.extension().string()];
    }
  }

  /// Shards may number their samples alike.
  static std::string beside_key(const Member& member, const std::string& name) {
    return std::to_string(member.shard) + "/" + name;
  }

  /// Returns the member next to an image with this extension, or null.
  const Member* beside(const Member& image, const char* extension) const {
    const auto found =
        beside_.find(beside_key(image, std::string(sample_name(image.name)) + extension));
    return found == beside_.end() ? nullptr : &found->second;
  }

  /// Returns the label of an image from the member next to it; nothing without one.
  std::optional<std::int64_t> label_beside(const Member& image, const char* extension) const {
    const Member* member = beside(image, extension);
    if (member == nullptr) return std::nullopt;
    try {
      if (member->count_bytes > kMostLabelBytes) throw DataError("file of a label is too large");
      std::vector<std::uint8_t> buffer;
      const auto bytes = bytes_of(*member, buffer);
      return extension == kClassFile ? label_of_class_file(bytes) : label_of_json_file(bytes);
    } catch (const TransientReadError&) {
      throw;
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + file_of(*member) + ", " + member->name +
                      ", offset " + std::to_string(member->offset));
    }
  }

  LabelSet labels_beside(const char* extension) const {
    LabelSet labels;
    for (const Member& image : members_) {
      const auto label = label_beside(image, extension);
      if (!label) {
        throw DataError("image has no label in a " + std::string(extension) +
                        " file beside it, but others have: " + file_of(image) + ", " + image.name +
                        ", offset " + std::to_string(image.offset));
      }
      labels.values.push_back(*label);
      labels.count = std::max(labels.count, *label + 1);
    }
    return labels;
  }

  LabelSet read_labels() const {
    for (const char* extension : {kClassFile, kJsonFile}) {
      if (!members_.empty() && label_beside(members_.front(), extension))
        return labels_beside(extension);
    }
    try {
      const Member* json = dataset_json();
      return json != nullptr ? labels_by_dataset(*json) : labels_by_folder(names_);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + shards_.front().file().string());
    }
  }

  /// Returns the dataset.json of a single file, in whatever folder; null without one.
  const Member* dataset_json() const {
    if (shards_.size() > 1) return nullptr;
    const auto found = std::ranges::find_if(beside_, [](const auto& entry) {
      return fs::path(entry.second.name).filename() == kDatasetJson;
    });
    return found == beside_.end() ? nullptr : &found->second;
  }

  /// Names in a dataset.json are relative to its folder.
  LabelSet labels_by_dataset(const Member& json) const {
    const std::size_t folder_length = json.name.rfind('/') + 1;
    std::vector<std::string> relative;
    for (const std::string& name : names_) {
      relative.push_back(name.substr(std::min(folder_length, name.size())));
    }
    std::vector<std::uint8_t> buffer;
    return labels_by_dataset_json(relative, bytes_of(json, buffer));
  }

  std::vector<FileBytes> shards_;
  std::vector<Member> members_;                     ///< the images
  std::unordered_map<std::string, Member> beside_;  ///< while labels are read
  std::map<std::string, std::int64_t> left_out_;    ///< by extension
};

}  // namespace

std::unique_ptr<Source> open_tar(const std::vector<fs::path>& files) {
  return std::make_unique<TarSource>(files);
}

std::unique_ptr<Source> open_tar_shards(const fs::path& from) {
  const auto files = shard_files(from, ".tar");
  return files.empty() ? nullptr : open_tar(files);
}

}  // namespace ganscale::data
