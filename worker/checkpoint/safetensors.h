#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

#include "checkpoint/safetensors_header.h"
#include "tensors/named_tensors.h"

namespace ganscale::checkpoint {

/// The content of a safetensors file.
struct Safetensors {
  NamedTensors tensors;  ///< on the CPU, contiguous, each with its own memory
  Metadata metadata;
};

/// Reads a safetensors file.
///
/// Throws: DataError with file and tensor if it can't be read, is truncated or violates the format
///         (see parse_safetensors_header()).
Safetensors read_safetensors(const std::filesystem::path& file);

/// Receives the next bytes of a file.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// Writes a safetensors file to `sink`. Equal tensors and metadata give equal bytes.
///
/// tensors: any device, any strides, F64 F32 F16 BF16 F8, (U)I8 to (U)I64, BOOL or C64.
void write_safetensors(const ByteSink& sink, const NamedTensors& tensors,
                       const Metadata& metadata = {});

/// Writes a safetensors file atomically.
///
/// Throws: DataError with file and reason if it can't be written.
void write_safetensors(const std::filesystem::path& file, const NamedTensors& tensors,
                       const Metadata& metadata = {});

}  // namespace ganscale::checkpoint
