#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "checkpoint/checkpoint_name.h"
#include "checkpoint/manifest.h"
#include "checkpoint/safetensors.h"
#include "files/sha256.h"
#include "fuzz/input_file.h"
#include "fuzz/parsers.h"
#include "training/generators/torch_file.h"

namespace ganscale::fuzz {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Returns a manifest with its own SHA-256 made right, which no fuzzer can guess; other text as it
/// is.
std::string with_own_sha256(Bytes input) {
  constexpr int kDeepest = 200;  // writing recurses with the levels
  const auto is_shallow = [](int level, OrderedJson::parse_event_t, const OrderedJson&) {
    return level < kDeepest;
  };
  auto json = OrderedJson::parse(text_of(input), is_shallow, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::string(text_of(input));
  json.erase("manifest_sha256");
  const std::string text = json.dump();
  files::Sha256 sha256;
  sha256.update(std::as_bytes(std::span(text)));
  json["manifest_sha256"] = sha256.finish();
  return json.dump();
}

void check_manifest(std::string_view text) {
  take_or_refuse([&] {
    const auto manifest = checkpoint::parse_manifest(text, "manifest.json");
    for (const auto& [name, file] : manifest.files) {
      check(std::filesystem::path(name).filename() == name && name != "..",
            "a file is not in the folder of its checkpoint");
      check(file.size_bytes >= 0, "a file has a negative size");
    }
    check(checkpoint::total_size_bytes(manifest) >= 0, "the files have a negative size");
    checkpoint::format_manifest(manifest);
  });
}

/// Throws unless all elements of a tensor are in its storage.
void check_in_storage(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return;
  std::int64_t last = tensor.storage_offset();
  for (std::int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  const auto end_bytes = (last + 1) * static_cast<std::int64_t>(tensor.element_size());
  check(end_bytes <= static_cast<std::int64_t>(tensor.storage().nbytes()),
        "a tensor is not in its storage");
}

}  // namespace

void parse_checkpoint_name(Bytes input) {
  const auto images = checkpoint::images_of_checkpoint_name(text_of(input));
  check(!images || checkpoint::checkpoint_name(*images) == text_of(input),
        "a checkpoint has another name");
}

void parse_manifest(Bytes input) {
  check_manifest(text_of(input));
  check_manifest(with_own_sha256(input));
}

void parse_safetensors(Bytes input) {
  const auto file = file_of(input, "safetensors/x.safetensors");
  take_or_refuse([&] {
    std::size_t total_bytes = 0;
    for (const auto& [name, tensor] : checkpoint::read_safetensors(file).tensors)
      total_bytes += tensor.nbytes();
    check(total_bytes <= input.size(), "the tensors are larger than their file");
  });
}

void parse_torch_file(Bytes input) {
  const auto file = file_of(input, "torch_file/x.pt");
  take_or_refuse([&] {
    for (const auto& [name, tensor] : training::read_torch_file(file).tensors)
      check_in_storage(tensor);
  });
}

}  // namespace ganscale::fuzz
