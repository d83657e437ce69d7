#include "data/sources/zip_source.h"

#include <algorithm>

#include "base/error.h"
#include "data/formats/zip_directory.h"
#include "data/sources/image_files.h"

namespace ganscale::data {
namespace {

/// Sorts entries by name, and leaves the last one of each, as Python's zipfile reads them.
void keep_last(std::vector<ZipEntry>& entries) {
  std::ranges::reverse(entries);
  std::ranges::stable_sort(entries, {}, &ZipEntry::name);
  const auto older = std::ranges::unique(entries, {}, &ZipEntry::name);
  entries.erase(older.begin(), older.end());
}

class ZipSource : public ImageFiles {
 public:
  explicit ZipSource(const std::filesystem::path& file) : bytes_(file, Gzip::kRefuse) {
    std::vector<ZipEntry> all = read_zip_directory(bytes_);
    keep_last(all);
    for (const ZipEntry& entry : all) {
      if (!takes(entry.name)) continue;
      names_.push_back(entry.name);
      entries_.push_back(entry);
    }
    try {
      std::vector<std::uint8_t> buffer;
      const ZipEntry* json = dataset_json(all);
      labels_ = json == nullptr ? labels_by_folder(names_)
                                : labels_by_dataset_json(
                                      names_, read_zip_entry(bytes_, *json, buffer), json->name);
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + file.string());
    }
  }

  void read(std::int64_t index, Record& record) const override {
    try {
      record.bytes = read_zip_entry(bytes_, entries_[index], record.buffer);
      finish(index, record);
    } catch (const StorageError&) {
      throw;
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + describe(index));
    }
  }

  std::string describe(std::int64_t index) const override {
    return bytes_.file().string() + ", record " + std::to_string(index) + " (" + names_[index] +
           "), offset " + std::to_string(entries_[index].header_offset);
  }

 private:
  FileBytes bytes_;
  std::vector<ZipEntry> entries_;
};

}  // namespace

std::unique_ptr<Source> open_zip(const std::filesystem::path& file) {
  return std::make_unique<ZipSource>(file);
}

}  // namespace ganscale::data
