#include "kernels/grouped_products/grouped_products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "kernels/grouped_products/fill.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Columns = std::vector<std::int64_t>;

/// `out` is the sum of the products of these matrices.
struct SumOfProducts {
  at::Tensor out;
  std::vector<std::pair<at::Tensor, at::Tensor>> terms;
};

MatrixView view_of(const at::Tensor& matrix) {
  return {matrix.const_data_ptr(), static_cast<std::int32_t>(matrix.stride(0)),
          static_cast<std::int32_t>(matrix.stride(1))};
}

void launch_products(const std::vector<SumOfProducts>& sums, void* stream) {
  std::vector<ProductPlace> places;
  std::vector<ProductTerm> terms;
  for (const SumOfProducts& sum : sums) {
    places.push_back({.out = sum.out.mutable_data_ptr(),
                      .row_stride = static_cast<std::int32_t>(sum.out.stride(0)),
                      .rows = static_cast<std::int32_t>(sum.out.size(0)),
                      .columns = static_cast<std::int32_t>(sum.out.size(1)),
                      .first_term = static_cast<std::int32_t>(terms.size()),
                      .term_count = static_cast<std::int32_t>(sum.terms.size())});
    for (const auto& [left, right] : sum.terms) {
      terms.push_back({view_of(left), view_of(right), static_cast<std::int32_t>(left.size(1))});
    }
  }
  grouped_products_kernel(places, terms, scalar_type_of(sums.front().out.scalar_type()), stream);
}

void compute_on_cpu(const SumOfProducts& sum) {
  at::Tensor out = sum.out;
  if (sum.terms.empty()) out.zero_();
  bool is_first = true;
  for (const auto& [left, right] : sum.terms) {
    is_first ? at::mm_out(out, left, right) : out.addmm_(left, right);
    is_first = false;
  }
}

/// read, written: the tensors whose parts the terms and the sums are.
void compute_sums(const std::vector<SumOfProducts>& sums, at::TensorList read,
                  at::TensorList written) {
  if (takes_kernels(written.front())) {
    return launch_on_device("ganscale::grouped_products", {read, written},
                            [&](void* stream) { launch_products(sums, stream); });
  }
  for (const SumOfProducts& sum : sums) compute_on_cpu(sum);
}

std::vector<at::Tensor> with(const at::Tensor& one, at::TensorList others) {
  std::vector<at::Tensor> all = {one};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

at::Tensor compute_products(const at::Tensor& x, at::TensorList matrices, const Columns& first) {
  std::int64_t width = 0;
  for (const at::Tensor& matrix : matrices) width += matrix.size(0);
  const at::Tensor out = at::empty({x.size(0), width}, x.options());
  std::vector<SumOfProducts> sums;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const at::Tensor& matrix = matrices[i];
    sums.push_back({.out = out.narrow(1, place, matrix.size(0)),
                    .terms = {{x.narrow(1, first[i], matrix.size(1)), matrix.t()}}});
    place += matrix.size(0);
  }
  compute_sums(sums, with(x, matrices), {out});
  return out;
}

/// The adjoint: returns [N, width], to whose columns the products y_i * matrix_i are added.
at::Tensor compute_adjoint(const at::Tensor& y, at::TensorList matrices, const Columns& first,
                           std::int64_t width) {
  const at::Tensor out = at::empty({y.size(0), width}, y.options());
  std::map<std::int64_t, SumOfProducts> sums;  // by their first columns
  std::int64_t place = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const at::Tensor& matrix = matrices[i];
    SumOfProducts& sum = sums[first[i]];
    if (!sum.out.defined()) sum.out = out.narrow(1, first[i], matrix.size(1));
    check(sum.out.size(1) == matrix.size(1), "grouped_products takes the same columns or others");
    sum.terms.emplace_back(y.narrow(1, place, matrix.size(0)), matrix);
    place += matrix.size(0);
  }
  std::vector<SumOfProducts> all;
  std::int64_t end = 0;
  const auto leave_blank_until = [&](std::int64_t column) {
    check(column >= end, "grouped_products takes columns that do not overlap");
    if (column > end) all.push_back({.out = out.narrow(1, end, column - end), .terms = {}});
  };
  for (auto& [column, sum] : sums) {
    leave_blank_until(column);
    end = column + sum.out.size(1);
    all.push_back(std::move(sum));
  }
  leave_blank_until(width);
  compute_sums(all, with(y, matrices), {out});
  return out;
}

/// Returns the gradients of the matrices: y_i^T * x_i, of these sizes.
variable_list compute_outer(const at::Tensor& y, const at::Tensor& x, const Columns& first,
                            const Columns& sizes) {
  variable_list out;
  std::vector<SumOfProducts> sums;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::int64_t rows = sizes[2 * i];
    const std::int64_t columns = sizes[2 * i + 1];
    out.push_back(at::empty({rows, columns}, x.options()));
    sums.push_back({.out = out.back(),
                    .terms = {{y.narrow(1, place, rows).t(), x.narrow(1, first[i], columns)}}});
    place += rows;
  }
  compute_sums(sums, {y, x}, out);
  return out;
}

Columns sizes_of(at::TensorList matrices) {
  Columns sizes;
  for (const at::Tensor& matrix : matrices) {
    sizes.insert(sizes.end(), {matrix.size(0), matrix.size(1)});
  }
  return sizes;
}

/// What the three functions keep: a tensor, then the matrices.
void save_operands(AutogradContext* context, const at::Tensor& tensor, at::TensorList matrices,
                   const Columns& first) {
  context->save_for_backward(with(tensor, matrices));
  context->saved_data["first"] = first;
}

bool needs_gradients_from(AutogradContext* context, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) {
    if (context->needs_input_grad(i)) return true;
  }
  return false;
}

struct Saved {
  explicit Saved(AutogradContext* context)
      : tensors(context->get_saved_variables()),
        first(context->saved_data["first"].toIntVector()) {}
  at::TensorList matrices() const { return at::TensorList(tensors).slice(1); }

  variable_list tensors;
  Columns first;
};

// The three bilinear maps are each other's derivatives.
at::Tensor adjoint(const at::Tensor& y, at::TensorList matrices, const Columns& first,
                   std::int64_t width);
variable_list outer(const at::Tensor& y, const at::Tensor& x, const Columns& first,
                    const Columns& sizes);

struct Products : torch::autograd::Function<Products> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, at::TensorList matrices,
                            const Columns& first) {
    save_operands(context, x, matrices, first);
    return compute_products(x, matrices, first);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const Saved saved(context);
    const at::Tensor& x = saved.tensors[0];
    const auto matrices = saved.matrices();
    variable_list result(matrices.size() + 2);
    if (context->needs_input_grad(0)) {
      result[0] = adjoint(gradients[0], matrices, saved.first, x.size(1));
    }
    if (needs_gradients_from(context, 1, matrices.size())) {
      const auto of_matrices = outer(gradients[0], x, saved.first, sizes_of(matrices));
      std::copy(of_matrices.begin(), of_matrices.end(), result.begin() + 1);
    }
    return result;
  }
};

struct Adjoint : torch::autograd::Function<Adjoint> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& y, at::TensorList matrices,
                            const Columns& first, std::int64_t width) {
    save_operands(context, y, matrices, first);
    return compute_adjoint(y, matrices, first, width);
  }

  static variable_list backward(AutogradContext* context, variable_list tangents) {
    const Saved saved(context);
    const auto matrices = saved.matrices();
    variable_list result(matrices.size() + 3);
    if (context->needs_input_grad(0)) {
      result[0] = Products::apply(tangents[0], matrices, saved.first);
    }
    if (needs_gradients_from(context, 1, matrices.size())) {
      const auto of_matrices =
          outer(saved.tensors[0], tangents[0], saved.first, sizes_of(matrices));
      std::copy(of_matrices.begin(), of_matrices.end(), result.begin() + 1);
    }
    return result;
  }
};

struct Outer : torch::autograd::Function<Outer> {
  static variable_list forward(AutogradContext* context, const at::Tensor& y, const at::Tensor& x,
                               const Columns& first, const Columns& sizes) {
    save_operands(context, y, {x}, first);
    return compute_outer(y, x, first, sizes);
  }

  static variable_list backward(AutogradContext* context, variable_list tangents) {
    const Saved saved(context);
    const at::Tensor& x = saved.tensors[1];
    variable_list result(4);
    if (context->needs_input_grad(0))
      result[0] = Products::apply(x, at::TensorList(tangents), saved.first);
    if (context->needs_input_grad(1)) {
      result[1] = adjoint(saved.tensors[0], tangents, saved.first, x.size(1));
    }
    return result;
  }
};

at::Tensor adjoint(const at::Tensor& y, at::TensorList matrices, const Columns& first,
                   std::int64_t width) {
  return Adjoint::apply(y, matrices, first, width);
}

variable_list outer(const at::Tensor& y, const at::Tensor& x, const Columns& first,
                    const Columns& sizes) {
  return Outer::apply(y, x, first, sizes);
}

}  // namespace

at::Tensor grouped_products(const at::Tensor& x, const GroupedMatrices& by) {
  check(x.dim() == 2 && !by.matrices.empty() && by.matrices.size() == by.first_columns.size(),
        "grouped_products takes rows, and matrices that each have a first column");
  for (std::size_t i = 0; i < by.matrices.size(); ++i) {
    const at::Tensor& matrix = by.matrices[i];
    check(matrix.dim() == 2 && matrix.scalar_type() == x.scalar_type() &&
              by.first_columns[i] + matrix.size(1) <= x.size(1),
          "grouped_products takes matrices of x's type and no more columns");
  }
  return Products::apply(x, at::TensorList(by.matrices), by.first_columns);
}

}  // namespace ganscale::kernels
