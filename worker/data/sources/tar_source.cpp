#include "data/sources/tar_source.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "data/formats/file_bytes.h"
#include "data/formats/sample_labels.h"
#include "data/formats/shard_files.h"
#include "data/sources/image_files.h"
#include "data/sources/tar_listing.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

struct Member : TarMember {
  std::size_t shard = 0;
};

class TarSource : public ImageFiles {
 public:
  explicit TarSource(const std::vector<fs::path>& files) {
    for (const fs::path& file : files) {
      shards_.emplace_back(file, Gzip::kRefuse);
      for (TarMember& member : list_tar(shards_.back()))
        add({std::move(member), shards_.size() - 1});
    }
    labels_ = read_labels();
    if (!left_out_.empty())
      log::info("Left out members of tar files that are neither images nor labels",
                {{"files", counts_text(left_out_)}});
    beside_.clear();
  }

  void read(std::int64_t index, Record& record) const override {
    require_size(index, members_[index].count_bytes);
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
    if (takes(member.name)) {
      names_.push_back(member.name);
      members_.push_back(std::move(member));
    } else if (may_hold_label(member.name)) {
      beside_[beside_key(member, member.name)] = std::move(member);
    } else if (unread_extension(member.name).empty() && !is_hidden(member.name)) {
      ++left_out_[fs::path(member.name).extension().string()];
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
    TarMember read = *member;
    std::vector<std::uint8_t> buffer;
    if (is_local(shards_[member->shard].file()))
      read_label(read, [&] { return bytes_of(*member, buffer); });
    if (!read.fault.empty()) {
      throw DataError(read.fault + ": " + file_of(*member) + ", " + read.name + ", offset " +
                      std::to_string(read.offset));
    }
    return read.label;
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
      const bool has_shards = shards_.size() > 1;
      const Member* json = has_shards ? nullptr : dataset_json(std::views::values(beside_));
      return json != nullptr ? labels_by_dataset(*json) : labels_by_folder(names_);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + shards_.front().file().string());
    }
  }

  LabelSet labels_by_dataset(const Member& json) const {
    std::vector<std::uint8_t> buffer;
    return labels_by_dataset_json(names_, bytes_of(json, buffer), json.name);
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
