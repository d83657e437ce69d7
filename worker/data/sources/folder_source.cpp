#include "data/sources/folder_source.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "data/sources/image_files.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

constexpr char kDatasetJson[] = "dataset.json";

class FolderSource : public ImageFiles {
 public:
  explicit FolderSource(const fs::path& folder) : folder_(folder) {
    const auto options = fs::directory_options::follow_directory_symlink;
    for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
      const std::string name = entry.path().lexically_relative(folder).generic_string();
      if (!takes(name)) continue;
      if (entry.is_symlink() && !entry.exists()) {
        throw DataError("link to a file that does not exist: " + entry.path().string());
      }
      if (entry.is_regular_file()) names_.push_back(name);
    }
    std::ranges::sort(names_);
    const fs::path json = folder / kDatasetJson;
    try {
      labels_ = fs::exists(json) ? labels_by_dataset_json(names_, read_file(json))
                                 : labels_by_folder(names_);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + folder.string());
    }
  }

  void read(std::int64_t index, Record& record) const override {
    const FileBytes file(folder_ / names_[index]);
    // Copied in case the image is gzipped, which is unlikely: it would be freed with `file`.
    record.bytes = file.read(0, file.size_bytes(), record.buffer);
    if (file.unpacked()) record.buffer.assign(record.bytes.begin(), record.bytes.end());
    record.bytes = record.buffer;
    finish(index, record);
  }

  std::string describe(std::int64_t index) const override {
    return (folder_ / names_[index]).string() + ", record " + std::to_string(index) + ", offset 0";
  }

 private:
  fs::path folder_;
};

struct Member {
  std::string name;
  std::int64_t offset = 0;
  std::int64_t count_bytes = 0;
};

using Archive = std::unique_ptr<archive, int (*)(archive*)>;

[[noreturn]] void refuse(archive* in, const fs::path& file) {
  const char* reason = archive_error_string(in);
  throw DataError(std::string("tar file is damaged (") + (reason != nullptr ? reason : "") + "): " +
                  file.string() + ", offset " + std::to_string(archive_filter_bytes(in, 0)));
}

/// Moves to the next member; returns false at the end.
bool next_member(archive* in, archive_entry*& entry, const fs::path& file) {
  const int status = archive_read_next_header(in, &entry);
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

/// Returns the location of all files in a tar file.
std::vector<Member> members_of(const fs::path& file) {
  const Archive in(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(in.get());
  archive_read_support_filter_all(in.get());
  constexpr std::size_t kBlockBytes = 1U << 16;
  if (archive_read_open_filename(in.get(), file.c_str(), kBlockBytes) != ARCHIVE_OK) {
    refuse(in.get(), file);
  }
  std::vector<Member> members;
  archive_entry* entry = nullptr;
  while (next_member(in.get(), entry, file)) {
    if (archive_filter_code(in.get(), 0) != ARCHIVE_FILTER_NONE) {
      throw DataError("compressed tar has no random access; unpack it first: " + file.string());
    }
    const std::string name = name_of(in.get(), entry, file);
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    // After its header, the archive is positioned at the member's first byte.
    members.push_back({name, archive_filter_bytes(in.get(), 0), archive_entry_size(entry)});
  }
  std::ranges::sort(members, {}, &Member::name);
  return members;
}

class TarSource : public ImageFiles {
 public:
  explicit TarSource(const fs::path& file) : bytes_(file) {
    std::optional<Member> json;
    for (Member& member : members_of(file)) {
      const bool is_json = fs::path(member.name).filename() == kDatasetJson;
      if (!is_json && !takes(member.name)) continue;
      if (member.offset + member.count_bytes > bytes_.size_bytes()) {
        throw DataError("tar file is truncated: " + file.string() + ", " + member.name +
                        ", offset " + std::to_string(member.offset));
      }
      if (is_json) {
        json = std::move(member);
        continue;
      }
      names_.push_back(member.name);
      members_.push_back(std::move(member));
    }
    try {
      labels_ = json ? labels_of(*json) : labels_by_folder(names_);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + file.string());
    }
  }

  void read(std::int64_t index, Record& record) const override {
    const Member& member = members_[index];
    record.bytes = bytes_.read(member.offset, member.count_bytes, record.buffer);
    finish(index, record);
  }

  std::string describe(std::int64_t index) const override {
    return bytes_.file().string() + ", record " + std::to_string(index) + " (" + names_[index] +
           "), offset " + std::to_string(members_[index].offset);
  }

 private:
  /// Names in a dataset.json are relative to its folder.
  LabelSet labels_of(const Member& json) const {
    const std::size_t folder_length = json.name.rfind('/') + 1;
    std::vector<std::string> relative;
    for (const std::string& name : names_) {
      relative.push_back(name.substr(std::min(folder_length, name.size())));
    }
    std::vector<std::uint8_t> buffer;
    return labels_by_dataset_json(relative, bytes_.read(json.offset, json.count_bytes, buffer));
  }

  FileBytes bytes_;
  std::vector<Member> members_;
};

}  // namespace

std::unique_ptr<Source> open_folder(const fs::path& folder) {
  auto source = std::make_unique<FolderSource>(folder);
  const bool has_images = source->record_count() > 0 || !source->unread_images().empty();
  return has_images ? std::move(source) : nullptr;
}

std::unique_ptr<Source> open_tar(const fs::path& file) { return std::make_unique<TarSource>(file); }

}  // namespace ganscale::data
