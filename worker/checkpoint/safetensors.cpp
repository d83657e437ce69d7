#include "checkpoint/safetensors.h"

#include <ATen/ops/empty.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "files/durable_file.h"
#include "files/file_descriptor.h"
#include "files/input_error.h"
#include "files/uninterrupted.h"

namespace ganscale::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little endian");

constexpr std::int64_t kPrefixBytes = 8;
constexpr std::int64_t kLongestHeaderBytes = 100'000'000;  // the limit of the format

/// An open safetensors file and its header.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path file)
      : file_(std::move(file)),
        descriptor_(
            files::uninterrupted([&] { return ::open(file_.c_str(), O_RDONLY | O_CLOEXEC); })) {
    if (descriptor_.get() < 0) files::fail_to_read(file_, errno);
    read_header();
  }

  SafetensorsHeader& header() { return header_; }

  at::Tensor read(const TensorLayout& layout) const {
    auto tensor = at::empty(layout.shape, at::TensorOptions().dtype(layout.dtype));
    read_at(tensor.mutable_data_ptr(), layout.size_bytes, data_offset_ + layout.begin_bytes);
    return tensor;
  }

 private:
  void read_header() {
    struct stat status{};
    if (::fstat(descriptor_.get(), &status) != 0) files::fail_to_read(file_, errno);
    const std::int64_t file_size_bytes = status.st_size;
    if (file_size_bytes < kPrefixBytes) fail("the safetensors file is truncated", file_size_bytes);
    std::uint64_t header_bytes = 0;
    read_at(&header_bytes, kPrefixBytes, 0);
    if (header_bytes > kLongestHeaderBytes ||
        static_cast<std::int64_t>(header_bytes) > file_size_bytes - kPrefixBytes) {
      fail("the header is longer than the safetensors file", file_size_bytes);
    }
    std::string json(header_bytes, '\0');
    data_offset_ = kPrefixBytes + static_cast<std::int64_t>(header_bytes);
    read_at(json.data(), static_cast<std::int64_t>(header_bytes), kPrefixBytes);
    header_ = parse_safetensors_header(json, file_size_bytes - data_offset_, file_);
  }

  void read_at(void* target, std::int64_t size_bytes, std::int64_t offset) const {
    auto* next = static_cast<char*>(target);
    const std::int64_t end = offset + size_bytes;
    while (offset < end) {
      const auto read_bytes =
          ::pread(descriptor_.get(), next, static_cast<std::size_t>(end - offset), offset);
      if (read_bytes < 0 && errno == EINTR) continue;
      if (read_bytes < 0) files::fail_to_read(file_, errno);
      if (read_bytes == 0) fail("the safetensors file is truncated", offset);
      next += read_bytes;
      offset += read_bytes;
    }
  }

  [[noreturn]] void fail(const char* what, std::int64_t size_bytes) const {
    throw DataError(std::string(what) + ": " + file_.string() + ": " + std::to_string(size_bytes) +
                    " bytes");
  }

  std::filesystem::path file_;
  FileDescriptor descriptor_;
  std::int64_t data_offset_ = 0;
  SafetensorsHeader header_;
};

}  // namespace

Safetensors read_safetensors(const std::filesystem::path& file) {
  InputFile input(file);
  Safetensors result;
  for (const auto& layout : input.header().tensors) {
    result.tensors.emplace(layout.name, input.read(layout));
  }
  result.metadata = std::move(input.header().metadata);
  return result;
}

void write_safetensors(const ByteSink& sink, const NamedTensors& tensors,
                       const Metadata& metadata) {
  const auto header = lay_out_tensors(tensors, metadata);
  const auto first_bytes = format_safetensors_header(header);
  sink(std::as_bytes(std::span(first_bytes)));
  for (const auto& layout : header.tensors) {
    if (layout.size_bytes == 0) continue;
    const auto tensor = tensors.at(layout.name).detach().cpu().contiguous();
    sink({static_cast<const std::byte*>(tensor.const_data_ptr()),
          static_cast<std::size_t>(layout.size_bytes)});
  }
}

void write_safetensors(const std::filesystem::path& file, const NamedTensors& tensors,
                       const Metadata& metadata) {
  auto partial = file;
  partial += ".partial";
  try {
    files::DurableFile output(partial);
    write_safetensors([&](std::span<const std::byte> bytes) { output.write(bytes); }, tensors,
                      metadata);
    output.finish();
    files::rename_durably(partial, file);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw;
  }
}

}  // namespace ganscale::checkpoint
