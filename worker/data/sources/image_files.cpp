#include "data/sources/image_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "data/formats/sample_labels.h"
#include "data/formats/tfrecord_framing.h"
#include "data/image/codecs.h"
#include "data/storage/storage.h"

namespace ganscale::data {
namespace {

/// Returns the length of the common parent folder of all names, including the last `/`.
std::size_t common_folder_length(const std::vector<std::string>& names) {
  std::string common = names.front().substr(0, names.front().rfind('/') + 1);
  for (const std::string& name : names) {
    while (name.compare(0, common.size(), common) != 0) {
      common.pop_back();
      common.resize(common.rfind('/') + 1);  // npos + 1 is 0: nothing in common
    }
  }
  return common.size();
}

/// Returns the extension in lower case; empty for a hidden file.
std::string extension_of(const std::string& name) {
  return is_hidden(name) ? "" : lower_extension(name);
}

constexpr std::array<std::string_view, 13> kUnread{".avif", ".heic", ".heif", ".jxl", ".jp2",
                                                   ".tga",  ".ico",  ".psd",  ".exr", ".svg",
                                                   ".ppm",  ".pgm",  ".pbm"};

}  // namespace

bool has_image_extension(const std::string& name) { return has_codec(extension_of(name)); }

std::string unread_extension(const std::string& name) {
  const std::string extension = extension_of(name);
  return std::ranges::find(kUnread, extension) == kUnread.end() ? "" : extension;
}

std::string counts_text(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [extension, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + extension;
  return text;
}

LabelSet labels_by_folder(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const std::size_t common = common_folder_length(names);
  std::map<std::string, std::int64_t> label_of;
  const std::string* outside = nullptr;
  for (const std::string& name : names) {
    const auto slash = name.find('/', common);
    if (slash == std::string::npos) outside = &name;
    if (slash != std::string::npos) label_of[name.substr(common, slash - common)] = 0;
  }
  if (label_of.empty()) return {};
  if (outside != nullptr) {
    throw DataError("image is outside of the class folders: " + *outside);
  }
  LabelSet labels;
  for (auto& [name, label] : label_of) {
    label = labels.count++;
    labels.names.push_back(name);
  }
  for (const std::string& name : names) {
    labels.values.push_back(label_of.at(name.substr(common, name.find('/', common) - common)));
  }
  return labels;
}

LabelSet labels_by_dataset_json(const std::vector<std::string>& names,
                                std::span<const std::uint8_t> json, const std::string& json_name) {
  std::unordered_map<std::string, std::int64_t> label_of;
  try {
    const auto root = nlohmann::json::parse(json.begin(), json.end());
    if (!root.is_object())
      throw DataError("dataset.json is not an object with \"labels\" but of type " +
                      std::string(root.type_name()));
    if (!root.contains("labels")) return labels_by_folder(names);
    if (root.at("labels").is_null()) return {};
    for (const auto& [index, entry] : root.at("labels").items()) {
      const auto label = label_of_json(entry.at(1));
      if (!label) {
        throw DataError("label of dataset.json is not an integer from 0 on (" +
                        entry.at(0).get<std::string>() + ")");
      }
      label_of[entry.at(0).get<std::string>()] = *label;
    }
  } catch (const nlohmann::json::exception& error) {
    throw DataError(std::string("dataset.json is damaged (") + error.what() + ")");
  }
  LabelSet labels;
  const std::string folder = json_name.substr(0, json_name.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string& name : names) {
    const auto found =
        name.starts_with(folder) ? label_of.find(name.substr(folder.size())) : label_of.end();
    if (found == label_of.end()) throw DataError("dataset.json has no label for " + name);
    labels.values.push_back(found->second);
    labels.count = std::max(labels.count, found->second + 1);
  }
  return labels;
}

bool ImageFiles::takes(const std::string& name) {
  if (has_image_extension(name)) return true;
  if (const std::string extension = unread_extension(name); !extension.empty())
    ++unread_[extension];
  if (hidden_image_.empty() && is_hidden(name) && has_codec(lower_extension(name)))
    hidden_image_ = name;
  return false;
}

bool ImageFiles::may_label_all(const std::string& file) const {
  const std::string folder = file.substr(0, file.rfind('/') + 1);  // npos + 1 is 0
  return file.substr(folder.size()) == kDatasetJson &&
         std::ranges::all_of(names_,
                             [&](const std::string& name) { return name.starts_with(folder); });
}

std::int64_t ImageFiles::unread_count() const {
  std::int64_t sum = 0;
  for (const auto& [extension, count] : unread_) sum += count;
  return sum;
}

void ImageFiles::require_size(std::int64_t index, std::int64_t size_bytes) const {
  if (size_bytes <= kLongestFrameData) return;
  throw DataError("file is too large (" + std::to_string(size_bytes) + " bytes, at most " +
                  std::to_string(kLongestFrameData) + "): " + describe(index));
}

void ImageFiles::finish(std::int64_t index, Record& record) const {
  record.encoding = Encoding::kFile;
  record.channels = 0;
  record.height = 0;
  record.width = 0;
  record.label = label(index);
}

}  // namespace ganscale::data
