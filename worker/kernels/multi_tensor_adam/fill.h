#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/launch/scalar_type.h"

/// How multi_tensor_adam computes: plain pointers, the same contract for every device.
namespace ganscale::kernels {

/// How an update turns gradients into steps.
struct AdamRule {
  double learning_rate = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  /// false: weight decay is part of the gradient (Adam); true: it is decoupled (AdamW).
  bool decoupled = false;
};

/// The memory of one parameter, `element_count` elements each but for the step.
struct AdamArrays {
  void* parameter = nullptr;
  const void* gradient = nullptr;
  void* first_moment = nullptr;
  void* second_moment = nullptr;
  void* average = nullptr;      ///< null: none
  const float* step = nullptr;  ///< the updates of this parameter, this one included
  std::int64_t element_count = 0;
};

/// The parameters of a launch, whose arguments fill at most 4 KiB.
constexpr std::size_t kMostAdamArrays = 64;

struct AdamTask {
  ScalarType type = ScalarType::kFloat32;  ///< or kFloat64, of all arrays
  AdamRule rule;
  double average_beta = 0;  ///< average = beta * average + (1 - beta) * the new parameter
  /// In the memory of the arrays. If it is not 0, averages move and nothing else. Null: 0.
  const float* skip = nullptr;
};

/// What an update multiplies with; without initial values, as shared memory requires.
template <class T>
struct AdamFactors {
  T step_size;
  T root_scale;
  T epsilon;
  T gradient_part;  ///< in the first moment
  T beta2;
  T square_part;  ///< of the squared gradient in the second moment
  T decay;        ///< of the parameter in the gradient
  T shrink;       ///< of the parameter
  T average_beta;
};

/// Returns the factors of a task, given 1 - beta1^step and the root of 1 - beta2^step.
template <class T>
constexpr AdamFactors<T> factors_of(const AdamTask& task, double correction1,
                                    double root_correction2) {
  const AdamRule& rule = task.rule;
  return {.step_size = static_cast<T>(rule.learning_rate / correction1),
          .root_scale = static_cast<T>(1 / root_correction2),
          .epsilon = static_cast<T>(rule.epsilon),
          .gradient_part = static_cast<T>(1 - rule.beta1),
          .beta2 = static_cast<T>(rule.beta2),
          .square_part = static_cast<T>(1 - rule.beta2),
          .decay = static_cast<T>(rule.decoupled ? 0 : rule.weight_decay),
          .shrink = static_cast<T>(rule.decoupled ? 1 - rule.learning_rate * rule.weight_decay : 1),
          .average_beta = static_cast<T>(task.average_beta)};
}

/// Updates arrays in host memory, on all threads of ATen. The result depends neither on their
/// number nor on the CPU.
void multi_tensor_adam_reference(std::span<const AdamArrays> arrays, const AdamTask& task);

/// The same in device memory, in `cuda_stream` (a cudaStream_t) of the current device, for at most
/// kMostAdamArrays: one launch. Throws DeviceError if it fails, and in a build without CUDA.
void multi_tensor_adam_kernel(std::span<const AdamArrays> arrays, const AdamTask& task,
                              void* cuda_stream);

}  // namespace ganscale::kernels
