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

/// The free text pairs of a safetensors file.
using Metadata = std::map<std::string, std::string>;

/// Where one tensor lies in a safetensors file.
struct TensorLayout {
  std::string name;
  at::ScalarType dtype = at::ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::int64_t begin_bytes = 0;  ///< from the end of the header
  std::int64_t size_bytes = 0;
};

/// What the JSON in front of a safetensors file says.
struct SafetensorsHeader {
  std::vector<TensorLayout> tensors;  ///< in the order of their data
  Metadata metadata;
};

/// Reads the JSON of a header, strictly: every byte of the file's `data_size_bytes` belongs to
/// exactly one tensor, as the format demands.
///
/// Format: https://huggingface.co/docs/safetensors (version 0.7).
/// Throws: DataError with `file` and tensor: no JSON, a name twice, unknown dtype or key, a shape
///         that disagrees with the offsets, overlaps, holes, a truncated file.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::int64_t data_size_bytes,
                                           const std::filesystem::path& file);

/// Lays the tensors out as the public implementation does: the widest dtype first, so that each
/// tensor is aligned, then by name.
///
/// Throws: Error(kBug) for a dtype that the format does not know.
SafetensorsHeader lay_out_tensors(const NamedTensors& tensors, const Metadata& metadata);

/// Returns the first bytes of the file: the JSON's length (8 bytes, little endian) and the JSON,
/// padded with spaces to a multiple of 8 bytes.
std::string format_safetensors_header(const SafetensorsHeader& header);

}  // namespace ganscale::checkpoint
