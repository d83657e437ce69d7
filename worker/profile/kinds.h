#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ganscale::profile {

/// What time is spent on.
enum class Kind {
  kConvolution,
  kMatrixProduct,
  kNormalization,
  kResampling,  ///< upsampling, filters, pooling, geometric augmentation
  kLayout,      ///< copies, conversions, concatenation
  kElementwise,
  kOptimizer,
  kCollective,
  kDataWait,
  kRoleWait,
  kHost,  ///< neither operators nor waiting: the framework and ganscale itself
  kIdle,  ///< of a device: no kernel runs
};

/// By the number of a kind, as in files and logs.
inline constexpr std::array kKindNames = {
    "convolution", "matrix_product", "normalization", "resampling", "layout", "elementwise",
    "optimizer",   "collective",     "data_wait",     "role_wait",  "host",   "idle"};

/// Returns the kind of an operator or kernel by its name ("aten::mm", "ganscale::bias_act"); nothing
/// for one that belongs to what called it, such as the allocation of a result.
std::optional<Kind> kind_of(std::string_view name);

}  // namespace ganscale::profile
