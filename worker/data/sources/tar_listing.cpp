#include "data/sources/tar_listing.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "data/formats/record_index.h"
#include "data/formats/sample_labels.h"
#include "data/sources/image_files.h"
#include "files/atomic_file.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::int64_t kMostLabelBytes = 1 << 20;
constexpr std::int64_t kBlockBytes = 512;  ///< what members are padded to

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

/// Returns whether a file that is no tar file begins as zstd, xz, bzip2, compress, lz4, lzip, lzop
/// or lrzip write theirs. FileBytes refuses gzip's.
bool is_compressed(const FileBytes& bytes) {
  static constexpr std::array<std::string_view, 8> kMarks{
      "\x28\xb5\x2f\xfd", "\3757zXZ", "BZh",     "\x1f\x9d",
      "\x04\x22\x4d\x18", "LZIP",     "\x89LZO", "LRZI"};
  constexpr std::int64_t kLongestMark = 5;
  std::vector<std::uint8_t> buffer;
  const auto read = bytes.read_some(0, kLongestMark, buffer);
  const std::string_view begin(reinterpret_cast<const char*>(read.data()), read.size());
  return std::ranges::any_of(kMarks,
                             [&](std::string_view mark) { return begin.starts_with(mark); });
}

[[noreturn]] void refuse_what_is_no_tar(archive* in, const FileBytes& bytes) {
  if (is_compressed(bytes)) refuse_compressed(bytes.file());
  refuse(in, bytes.file());
}

/// Moves to the next member; returns false at the end.
bool next_member(archive* in, archive_entry*& entry, const ArchiveInput& input,
                 const FileBytes& bytes) {
  const int status = archive_read_next_header(in, &entry);
  input.rethrow();
  if (status == ARCHIVE_EOF) return false;
  // UTF-8 names cause a warning if the locale does not support them, but they are intact.
  if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return true;
  refuse_what_is_no_tar(in, bytes);
}

std::string name_of(archive* in, archive_entry* entry, const fs::path& file) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) refuse(in, file);
  return name;
}

/// Throws unless the archive ends as one should, with blocks of zeros: one that ends between two
/// members is truncated, too. end_bytes: of the last member.
void require_end(const FileBytes& bytes, std::int64_t end_bytes) {
  const std::int64_t padded_bytes = (end_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  if (bytes.size_bytes() < padded_bytes + kBlockBytes)
    refuse_truncated(bytes.file(), "the end is missing", bytes.size_bytes());
}

/// Returns whether a member has holes, which the archive leaves out, so that it cannot be read in
/// place. Throws if it may be an image or a label.
bool has_holes(archive_entry* entry, const std::string& name, const FileBytes& bytes,
               std::int64_t offset) {
  if (archive_entry_sparse_count(entry) == 0) return false;
  if (has_image_extension(name) || may_hold_label(name)) {
    throw DataError("file in a tar file is sparse; write the tar file without --sparse: " +
                    bytes.file().string() + ", " + name + ", offset " + std::to_string(offset));
  }
  return true;
}

/// A member that stands for another one: `tar` writes a file's second name so.
struct Link {
  std::string name;
  std::string target;
  std::int64_t offset;
};

/// Returns a name as all that mean the same member have it: `tar cf x.tar .` writes ./0.png.
std::string normal(const fs::path& name) { return name.lexically_normal().string(); }

/// Returns the link that a member is; nothing if it is none, such as a folder.
std::optional<Link> link_of(archive_entry* entry, const std::string& name, std::int64_t offset) {
  if (const char* target = archive_entry_hardlink(entry); target != nullptr)
    return Link{name, normal(target), offset};
  const char* target = archive_entry_symlink(entry);
  if (archive_entry_filetype(entry) != AE_IFLNK || target == nullptr) return std::nullopt;
  return Link{name, normal(fs::path(name).parent_path() / target), offset};
}

/// Leaves the last member of each name, as `tar -x` does: `tar -r` appends newer versions.
void keep_last(std::vector<TarMember>& members, std::vector<Link>& links) {
  std::unordered_map<std::string, std::int64_t> last;  // offsets by normal names
  const auto count = [&](const auto& one) {
    std::int64_t& offset = last[normal(one.name)];
    offset = std::max(offset, one.offset);
  };
  std::ranges::for_each(members, count);
  std::ranges::for_each(links, count);
  if (last.size() == members.size() + links.size()) return;
  const auto is_older = [&](const auto& one) { return one.offset < last.at(normal(one.name)); };
  std::erase_if(members, is_older);
  std::erase_if(links, is_older);
}

/// Adds the links to members that are in the archive, under their own names, and removes them from
/// `links`. known: the members by their normal names.
void add_known_links(std::map<std::string, TarMember>& known, std::vector<Link>& links,
                     std::vector<TarMember>& members) {
  std::erase_if(links, [&](const Link& link) {
    const auto target = known.find(link.target);
    if (target == known.end()) return false;
    members.push_back(target->second);
    members.back().name = link.name;
    known.try_emplace(normal(link.name), members.back());
    return true;
  });
}

/// Adds the links to members of the archive, even over other links. Others have no content, which
/// only matters for images and labels.
void add_links(std::vector<Link> links, const fs::path& file, std::vector<TarMember>& members) {
  if (links.empty()) return;
  constexpr int kMostInARow = 40;  // links, as Linux follows them
  std::map<std::string, TarMember> known;
  for (const TarMember& member : members) known.try_emplace(normal(member.name), member);
  for (int i = 0; i < kMostInARow && !links.empty(); ++i) add_known_links(known, links, members);
  for (const Link& link : links) {
    if (!has_image_extension(link.name) && !may_hold_label(link.name)) continue;
    throw DataError("link to a file that is not in the tar file (" + link.target + "): " +
                    file.string() + ", " + link.name + ", offset " + std::to_string(link.offset));
  }
  std::ranges::stable_sort(members, {}, &TarMember::name);
}

/// Opens it without libarchive's filters, which unpack compressed files, some by starting programs.
///
/// input: must outlive the archive.
Archive open_archive(ArchiveInput& input, const FileBytes& bytes) {
  Archive in(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(in.get());
  const int status = archive_read_open2(in.get(), &input, nullptr, ArchiveInput::read,
                                        ArchiveInput::skip, nullptr);
  input.rethrow();
  if (status != ARCHIVE_OK) refuse_what_is_no_tar(in.get(), bytes);
  return in;
}

std::vector<TarMember> scan(const FileBytes& bytes, bool with_labels) {
  const fs::path& file = bytes.file();
  ArchiveInput input(bytes);
  const Archive in = open_archive(input, bytes);
  std::vector<TarMember> members;
  std::vector<Link> links;
  std::vector<std::uint8_t> content;
  std::int64_t end_bytes = 0;
  archive_entry* entry = nullptr;
  while (next_member(in.get(), entry, input, bytes)) {
    const std::string name = name_of(in.get(), entry, file);
    // After its header, the archive is positioned at the member's first byte.
    end_bytes = archive_filter_bytes(in.get(), 0);
    if (archive_entry_filetype(entry) != AE_IFREG) {
      if (auto link = link_of(entry, name, end_bytes)) links.push_back(std::move(*link));
      continue;
    }
    if (has_holes(entry, name, bytes, end_bytes)) continue;
    TarMember member{.name = name, .offset = end_bytes, .count_bytes = archive_entry_size(entry)};
    if (member.count_bytes > bytes.size_bytes() - member.offset)
      refuse_truncated(file, name, member.offset);
    end_bytes += member.count_bytes;
    if (with_labels && may_hold_label(name)) {
      read_label(member, [&]() -> std::span<const std::uint8_t> {
        content.resize(member.count_bytes);
        const la_ssize_t count = archive_read_data(in.get(), content.data(), content.size());
        input.rethrow();
        if (count != member.count_bytes) refuse(in.get(), file);
        return content;
      });
    }
    members.push_back(std::move(member));
  }
  require_end(bytes, end_bytes);
  keep_last(members, links);
  std::ranges::sort(members, {}, &TarMember::name);
  add_links(std::move(links), file, members);
  return members;
}

/// The listing of an object as it is now: what a change of the object changes comes first.
Json to_json(const FileBytes& bytes, const std::vector<TarMember>& members) {
  Json listed = Json::array();
  for (const TarMember& member : members) {
    listed.push_back({member.name, member.offset, member.count_bytes,
                      member.label ? Json(*member.label) : Json(), member.fault});
  }
  return {bytes.size_bytes(), bytes.modified_ns(), std::move(listed)};
}

/// Returns nothing if the listing is of another version of the object. Throws Json::exception if it
/// is none.
std::optional<std::vector<TarMember>> from_json(const FileBytes& bytes, const Json& json) {
  if (json.at(0) != bytes.size_bytes() || json.at(1) != bytes.modified_ns()) return std::nullopt;
  std::vector<TarMember> members;
  for (const Json& listed : json.at(2)) {
    TarMember member{.name = listed.at(0), .offset = listed.at(1), .count_bytes = listed.at(2)};
    if (member.offset < 0 || member.count_bytes < 0 ||
        member.count_bytes > bytes.size_bytes() - member.offset) {
      return std::nullopt;
    }
    if (!listed.at(3).is_null()) member.label = listed.at(3).get<std::int64_t>();
    member.fault = listed.at(4);
    members.push_back(std::move(member));
  }
  return members;
}

std::optional<std::vector<TarMember>> kept_listing(const FileBytes& bytes) {
  const fs::path kept = index_path(bytes.file());
  try {
    if (!storage_of(kept).is_file(kept)) return std::nullopt;
    return from_json(bytes, Json::from_cbor(read_file(kept)));
  } catch (const Json::exception&) {
  } catch (const DataError&) {
  }
  return std::nullopt;
}

void keep(const FileBytes& bytes, const std::vector<TarMember>& members) {
  const auto content = Json::to_cbor(to_json(bytes, members));
  try {
    files::write_file_atomically(index_path(bytes.file()),
                                 {reinterpret_cast<const char*>(content.data()), content.size()});
  } catch (const files::OutputError&) {  // the next start reads the object again
  }
}

}  // namespace

void read_label(TarMember& member, const std::function<std::span<const std::uint8_t>()>& read) {
  if (member.count_bytes > kMostLabelBytes) {
    member.fault = "file of a label is too large";
    return;
  }
  const auto content = read();
  try {
    member.label = member.name.ends_with(kClassFile) ? label_of_class_file(content)
                                                     : label_of_json_file(content);
  } catch (const DataError& error) {
    member.fault = error.what();
  }
}

std::vector<TarMember> list_tar(const FileBytes& bytes) {
  if (is_local(bytes.file())) return scan(bytes, /*with_labels=*/false);
  if (auto members = kept_listing(bytes)) return std::move(*members);
  auto members = scan(bytes, /*with_labels=*/true);
  keep(bytes, members);
  return members;
}

}  // namespace ganscale::data
