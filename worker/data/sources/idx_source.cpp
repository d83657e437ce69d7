#include "data/sources/idx_source.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "files/endian.h"

namespace ganscale::data {
namespace {

constexpr std::uint32_t kImagesMagic = 0x00000803;  // unsigned bytes, three dimensions
constexpr std::uint32_t kLabelsMagic = 0x00000801;
constexpr std::int64_t kImagesHeaderBytes = 16;
constexpr std::int64_t kLabelsHeaderBytes = 8;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.rfind(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Returns where the labels of a file of images may be: beside it, compressed as it is or not.
std::array<std::filesystem::path, 2> label_files(const std::filesystem::path& images) {
  constexpr std::string_view kGzip = ".gz";
  const auto name =
      replaced(replaced(images.filename().string(), "images", "labels"), "idx3", "idx1");
  const auto other = name.ends_with(kGzip) ? name.substr(0, name.size() - kGzip.size())
                                           : name + std::string(kGzip);
  return {images.parent_path() / name, images.parent_path() / other};
}

bool is_images_name(const std::string& name) {
  return name.find("images") != std::string::npos && name.find("idx3") != std::string::npos;
}

/// Returns the images file of `path`; nothing if there is none.
std::optional<std::filesystem::path> images_file(const std::filesystem::path& path) {
  const Storage& storage = storage_of(path);
  if (!storage.is_folder(path)) {
    if (is_images_name(path.filename().string())) return path;
    return std::nullopt;
  }
  for (const char* name : {"train-images-idx3-ubyte", "train-images.idx3-ubyte"}) {
    for (const char* ending : {"", ".gz"}) {
      const std::filesystem::path file = path / (std::string(name) + ending);
      if (storage.is_file(file)) return file;
    }
  }
  return std::nullopt;
}

class IdxSource : public Source {
 public:
  explicit IdxSource(const std::filesystem::path& images) : images_(images) {
    std::vector<std::uint8_t> buffer;
    const auto header = images_.read(0, kImagesHeaderBytes, buffer);
    if (files::big_endian_32(header.data()) != kImagesMagic) {
      throw DataError("not an IDX file of images (magic number): " + images.string());
    }
    count_ = files::big_endian_32(header.data() + 4);
    height_ = static_cast<int>(files::big_endian_32(header.data() + 8));
    width_ = static_cast<int>(files::big_endian_32(header.data() + 12));
    if (height_ <= 0 || width_ <= 0) throw DataError("empty images: " + images.string());
    const std::int64_t whole = (images_.size_bytes() - kImagesHeaderBytes) / image_bytes();
    if (whole < count_) {
      throw DataError("file is truncated: " + describe(whole) + ", its header says " +
                      std::to_string(count_) + " records");
    }
    for (const auto& file : label_files(images)) {
      if (!storage_of(file).is_file(file)) continue;
      read_labels(file);
      break;
    }
  }

  std::int64_t record_count() const override { return count_; }
  std::int64_t label_count() const override { return label_count_; }
  std::int64_t label(std::int64_t index) const override {
    return labels_.empty() ? -1 : labels_[index];
  }

  void read(std::int64_t index, Record& record) const override {
    record.bytes = images_.read(offset(index), image_bytes(), record.buffer);
    record.encoding = Encoding::kRawChw;
    record.channels = 1;
    record.height = height_;
    record.width = width_;
    record.label = label(index);
  }

  std::string describe(std::int64_t index) const override {
    return images_.file().string() + ", record " + std::to_string(index) + ", offset " +
           std::to_string(offset(index));
  }

 private:
  std::int64_t image_bytes() const { return std::int64_t{height_} * width_; }
  std::int64_t offset(std::int64_t index) const {
    return kImagesHeaderBytes + index * image_bytes();
  }

  void read_labels(const std::filesystem::path& file) {
    const std::vector<std::uint8_t> content = read_file(file);
    if (content.size() < kLabelsHeaderBytes ||
        files::big_endian_32(content.data()) != kLabelsMagic) {
      throw DataError("not an IDX file of labels (magic number): " + file.string());
    }
    labels_.assign(content.begin() + kLabelsHeaderBytes, content.end());
    const std::int64_t count = files::big_endian_32(content.data() + 4);
    if (count != count_ || static_cast<std::int64_t>(labels_.size()) != count_) {
      throw DataError("labels do not match the images: " + file.string() + " holds " +
                      std::to_string(labels_.size()) + " labels (its header says " +
                      std::to_string(count) + ") for " + std::to_string(count_) + " images");
    }
    if (count_ > 0) label_count_ = 1 + *std::max_element(labels_.begin(), labels_.end());
  }

  FileBytes images_;
  std::int64_t count_ = 0;
  int height_ = 0;
  int width_ = 0;
  std::int64_t label_count_ = 0;
  std::vector<std::uint8_t> labels_;
};

}  // namespace

std::unique_ptr<Source> open_idx(const std::filesystem::path& path) {
  const auto file = images_file(path);
  if (!file) throw DataError("not an IDX file of images: " + path.string());
  return std::make_unique<IdxSource>(*file);
}

bool is_idx(const std::filesystem::path& path) { return images_file(path).has_value(); }

}  // namespace ganscale::data
