#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <ostream>
#include <string>

namespace ganscale::parity {

/// The largest errors of each group of tensors, against one tolerance.
class Report {
 public:
  /// tolerance: of the largest error relative to the largest stored value of a tensor.
  explicit Report(double tolerance) : tolerance_(tolerance) {}

  /// Compares one of our tensors with the stored one. A shape that differs or a value that is not
  /// finite counts as an infinite error.
  ///
  /// A tensor whose largest stored value is below 1e-10 is only rounding error: its largest error
  /// is compared absolutely, with a thousandth of the tolerance (1e-12 for 1e-9).
  ///
  /// allowance: multiplies the tolerance of this tensor.
  /// scale:     of the numbers that such a tensor is the rounding error of, whose largest error is
  ///            then compared with it as for any other tensor; 0: unknown.
  void compare(const std::string& group, const at::Tensor& ours, const at::Tensor& stored,
               double allowance = 1, double scale = 0);

  /// Whether anything was compared and all of it was within the tolerance.
  bool passed() const;

  /// Writes one line a group: errors, tolerance, "ok" or "OVER".
  void print(std::ostream& out, const std::string& title) const;

 private:
  struct Group {
    double absolute = 0;   ///< largest error
    double relative = 0;   ///< largest error by the tensor's largest stored value
    double share = 0;      ///< largest error as a fraction of the tolerance
    double tolerance = 0;  ///< of relative errors
  };
  bool within_tolerance(const Group& group) const;

  double tolerance_;
  std::map<std::string, Group> groups_;
};

}  // namespace ganscale::parity
