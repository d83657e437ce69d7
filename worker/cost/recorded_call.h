#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <optional>
#include <string>
#include <vector>

#include "cost/operation.h"

namespace ganscale::cost {

/// A call of an operator, as LibTorch's RecordFunction shows it.
struct RecordedCall {
  std::string name;  ///< "aten::add", or "ganscale::..." for a kernel of our own
  std::optional<c10::FunctionSchema> schema = {};  ///< of ATen's operators
  std::vector<c10::IValue> arguments = {};
  std::vector<c10::IValue> outputs = {};
  bool has_operations_inside = false;  ///< calls that it made in turn had some
};

/// Returns the tensors among values that are not on the host, also those in lists.
std::vector<at::Tensor> device_tensors_of(const std::vector<c10::IValue>& values);

/// A product of a parameter, as it is computed: a convolution, or a matrix product.
struct ProductCall {
  at::Tensor features = {};  ///< [N, in, H, W] or [rows, in]
  at::Tensor weight = {};    ///< as it is passed: a convolution's, or a matrix [in, out]
  at::Tensor result = {};
  bool is_transposed = false;  ///< then the weight is [in, out, K, K]
};

/// Returns the operands of a convolution or of a matrix product; none for other calls.
std::optional<ProductCall> product_of(const RecordedCall& call);

/// Whether a call is one operation, whatever it calls without a device: ATen's fused updates of
/// lists of tensors.
bool is_fused(const RecordedCall& call);

/// Returns what a call itself starts on a device: nothing on the host, for a view, and for a
/// composite, which calls what does. Two for a convolution's gradients of input and weight.
///
/// Convolutions and matrix products have the formulas of their shapes. All others read their
/// arguments and write their results once; a dimension that is expanded takes no memory.
std::vector<Operation> operations_of(const RecordedCall& call);

}  // namespace ganscale::cost
