#include "parity/report.h"

#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>

namespace ganscale::parity {
namespace {

constexpr double kSmallestStored = 1e-10;
constexpr double kAbsoluteShare = 1e-3;

double largest_error(const at::Tensor& ours, const at::Tensor& stored) {
  if (ours.sizes() != stored.sizes()) return std::numeric_limits<double>::infinity();
  const auto difference = ours.detach().cpu().to(at::kDouble).sub(stored.to(at::kDouble)).abs();
  if (!at::isfinite(difference).all().item<bool>()) return std::numeric_limits<double>::infinity();
  return difference.max().item<double>();
}

}  // namespace

void Report::compare(const std::string& name, const at::Tensor& ours, const at::Tensor& stored,
                     double allowance, double scale) {
  Group& group = groups_[name];
  group.tolerance = tolerance_ * allowance;
  if (stored.numel() == 0 && ours.numel() == 0) return;
  const double error = largest_error(ours, stored);
  double largest = stored.to(at::kDouble).abs().max().item<double>();
  const bool is_rounding_error = largest < kSmallestStored;
  if (is_rounding_error) largest = scale;
  group.absolute = std::max(group.absolute, error);
  if (is_rounding_error && scale == 0) {
    group.share = std::max(group.share, error / (group.tolerance * kAbsoluteShare));
  } else {
    group.relative = std::max(group.relative, error / largest);
    group.share = std::max(group.share, error / largest / group.tolerance);
  }
}

bool Report::within_tolerance(const Group& group) const { return group.share <= 1; }

bool Report::passed() const {
  return !groups_.empty() && std::ranges::all_of(groups_, [&](const auto& item) {
    return within_tolerance(item.second);
  });
}

void Report::print(std::ostream& out, const std::string& title) const {
  out << title << "\n";
  for (const auto& [name, group] : groups_) {
    out << "  " << std::left << std::setw(28) << name << std::scientific << std::setprecision(2)
        << " absolute " << group.absolute << "  relative " << group.relative << "  tolerance "
        << group.tolerance << "  " << (within_tolerance(group) ? "ok" : "OVER") << "\n";
  }
}

}  // namespace ganscale::parity
