#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/formats/file_bytes.h"

namespace ganscale::data {

/// A file in a tar file.
struct TarMember {
  std::string name;
  std::int64_t offset = 0;
  std::int64_t count_bytes = 0;
  std::optional<std::int64_t> label = {};  ///< that a `.cls` or `.json` file holds
  std::string fault = {};                  ///< why such a file holds none; empty if it just doesn't

  bool operator==(const TarMember&) const = default;
};

/// Sets the label of a `.cls` or `.json` file, or its fault, from what read() returns; does not
/// call it if the file is too large to be one of a label.
void read_label(TarMember& member, const std::function<std::span<const std::uint8_t>()>& read);

/// Returns the files in a tar file, sorted by name, by reading it once, without labels; an object
/// in S3 is read only once by a user, with labels: its listing is in the cache folder from then on,
/// until the object changes. A hard or symbolic link is the file that it is to. Of several files of
/// the same name, the last one counts.
///
/// Throws: DataError with file, member and offset: damaged, truncated, compressed and thus without
///         random access, a link of an image or a label to a file that is not there.
std::vector<TarMember> list_tar(const FileBytes& bytes);

}  // namespace ganscale::data
