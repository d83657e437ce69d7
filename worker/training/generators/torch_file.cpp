#include "training/generators/torch_file.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "data/formats/zip_directory.h"
#include "pickle/read_tensors.h"

namespace ganscale::training {
namespace {

constexpr std::string_view kPickle = "/data.pkl";
/// A thousand times that of StyleGAN2; a value in memory is larger than in the pickle.
constexpr std::int64_t kLongestPickleBytes = std::int64_t{1} << 24;

/// In the order of pickle::Dtype.
constexpr std::array kDtypes{at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong,
                             at::kInt,    at::kShort, at::kChar, at::kByte,     at::kBool};

bool is_zip(const data::FileBytes& bytes) {
  constexpr std::string_view kSignature = "PK\3\4";
  std::vector<std::uint8_t> buffer;
  return std::ranges::equal(bytes.read_some(0, kSignature.size(), buffer), kSignature);
}

/// An open file of torch.save(): NAME/data.pkl, and NAME/data/KEY of each storage.
class Archive {
 public:
  explicit Archive(const std::filesystem::path& file) : bytes_(file, data::Gzip::kRefuse) {
    if (!is_zip(bytes_)) {
      throw DataError(
          "not a zip archive, as torch.save() writes since PyTorch 1.6; load it and save it again");
    }
    for (data::ZipEntry& entry : data::read_zip_directory(bytes_)) {
      const auto slash = entry.name.find('/');
      if (slash == std::string::npos) continue;
      if (std::string_view(entry.name).substr(slash) == kPickle)
        root_ = entry.name.substr(0, slash);
      entries_.emplace(entry.name, std::move(entry));
    }
    if (root_.empty()) throw DataError("a zip file without data.pkl, so not one of torch.save()");
    std::vector<std::uint8_t> buffer;
    const auto* const order = find("/byteorder");  // not in files of older versions
    if (order != nullptr && std::ranges::equal(read(*order, buffer), std::string_view("big")))
      throw DataError("the file is big endian");
  }

  std::span<const std::uint8_t> read_pickle(std::vector<std::uint8_t>& buffer) const {
    const data::ZipEntry& entry = entries_.at(root_ + std::string(kPickle));
    if (entry.count_bytes > kLongestPickleBytes) throw DataError("its data.pkl is too large");
    return read(entry, buffer);
  }

  /// Returns the bytes of a storage, which all its tensors share.
  at::Tensor storage(const pickle::Storage& storage) {
    const std::string key(storage.key);
    if (const auto known = storages_.find(key); known != storages_.end()) {
      require_size(storage, known->second.numel());
      return known->second;
    }
    const data::ZipEntry* const entry = find("/data/" + key);
    if (entry == nullptr) throw DataError("a storage is missing: data/" + key);
    require_size(storage, entry->count_bytes);
    // Entries that overlap could otherwise hold more than the file.
    total_bytes_ += entry->count_bytes;
    if (total_bytes_ > bytes_.size_bytes()) throw DataError("its storages overlap");
    std::vector<std::uint8_t> buffer;
    const auto content = read(*entry, buffer);
    const at::Tensor bytes = at::empty({entry->count_bytes}, at::kByte);
    std::ranges::copy(content, bytes.mutable_data_ptr<std::uint8_t>());
    return storages_.emplace(key, bytes).first->second;
  }

 private:
  const data::ZipEntry* find(const std::string& name) const {
    const auto found = entries_.find(root_ + name);
    return found == entries_.end() ? nullptr : &found->second;
  }

  std::span<const std::uint8_t> read(const data::ZipEntry& entry,
                                     std::vector<std::uint8_t>& buffer) const {
    constexpr int kStored = 0;
    if (entry.method != kStored)
      throw DataError("compressed, as torch.save() compresses no file: " + entry.name);
    try {
      return data::read_zip_entry(bytes_, entry, buffer);
    } catch (const DataError& error) {
      throw DataError(entry.name + ": " + error.what());
    }
  }

  static void require_size(const pickle::Storage& storage, std::int64_t size_bytes) {
    if (size_bytes / pickle::element_bytes(storage.dtype) == storage.element_count &&
        size_bytes % pickle::element_bytes(storage.dtype) == 0) {
      return;
    }
    throw DataError("a storage of " + std::to_string(storage.element_count) + " elements has " +
                    std::to_string(size_bytes) + " bytes: data/" + std::string(storage.key));
  }

  data::FileBytes bytes_;
  std::string root_;
  std::map<std::string, data::ZipEntry> entries_;
  std::map<std::string, at::Tensor> storages_;
  std::int64_t total_bytes_ = 0;
};

at::Tensor tensor_of(const pickle::TensorView& view, const at::Tensor& bytes) {
  const auto dtype = kDtypes[static_cast<std::size_t>(view.storage.dtype)];
  // A byte that is neither 0 nor 1 must not become a bool.
  const at::Tensor elements = dtype == at::kBool ? bytes.ne(0) : bytes.view(dtype);
  return elements.as_strided(view.sizes, view.strides, view.offset);
}

}  // namespace

bool is_torch_file(const std::filesystem::path& file) {
  const auto extension = file.extension();
  return extension == ".pt" || extension == ".pth" || is_zip(data::FileBytes(file));
}

TorchFile read_torch_file(const std::filesystem::path& file) {
  try {
    Archive archive(file);
    std::vector<std::uint8_t> buffer;
    pickle::Content content = pickle::read_tensors(archive.read_pickle(buffer));
    TorchFile result{.tensors = {}, .others = std::move(content.others)};
    for (const auto& [name, view] : content.tensors)
      result.tensors.emplace(name, tensor_of(view, archive.storage(view.storage)));
    return result;
  } catch (const DataError& error) {
    throw DataError("cannot read the file of PyTorch: " + file.string() + ": " + error.what());
  }
}

}  // namespace ganscale::training
