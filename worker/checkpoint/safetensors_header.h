#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensors/named_tensors.h"

namespace ganscale::checkpoint {

/// The key-value pairs of a safetensors file.
using Metadata = std::map<std::string, std::string>;

/// The location of a tensor in a safetensors file.
struct TensorLayout {
  std::string name;
  at::ScalarType dtype = at::ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::int64_t begin_bytes = 0;  ///< from the end of the header
  std::int64_t size_bytes = 0;
};

/// The JSON header of a safetensors file.
struct SafetensorsHeader {
  std::vector<TensorLayout> tensors;  ///< in order of their data
  Metadata metadata;
};

/// Parses the JSON of a header, strictly: each of the file's `data_size_bytes` belongs to exactly
/// one tensor, as the format requires.
///
/// Format: https://huggingface.co/docs/safetensors (version 0.7).
/// Throws: DataError with `file` and tensor: not JSON, a duplicate name, unknown dtype or key, a
///         shape that does not match the offsets, overlaps, gaps, a truncated file.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::int64_t data_size_bytes,
                                           const std::filesystem::path& file);

/// Lays out the tensors like the public implementation: by descending size of dtype, so that all
/// are aligned, then by name.
///
/// Throws: Error(kBug) for a dtype that the format does not have.
SafetensorsHeader lay_out_tensors(const NamedTensors& tensors, const Metadata& metadata);

/// Returns the first bytes of the file: the JSON's length (8 bytes, little endian) and the JSON,
/// padded with spaces to a multiple of 8 bytes.
std::string format_safetensors_header(const SafetensorsHeader& header);

}  // namespace ganscale::checkpoint
