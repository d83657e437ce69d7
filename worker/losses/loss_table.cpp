#include "losses/loss_table.h"

#include <algorithm>
#include <array>

#include "losses/adversarial.h"
#include "losses/relativistic.h"

namespace ganscale::losses {
namespace {

template <LossOfSide of_fakes>
at::Tensor generator_loss(const at::Tensor& fake, const at::Tensor& /*real*/) {
  return of_fakes(fake);
}

template <LossOfSide of_fakes, LossOfSide of_reals>
at::Tensor sum_of_sides(const at::Tensor& fake, const at::Tensor& real) {
  return of_fakes(fake).add(of_reals(real));
}

/// Returns the line of a loss whose sides do not look at each other.
template <LossOfSide generator, LossOfSide fake, LossOfSide real>
constexpr AdversarialLoss of_sides(std::string_view name, Adversarial kind) {
  return {name, kind, generator_loss<generator>, sum_of_sides<fake, real>, fake, real};
}

constexpr std::array kLosses = {
    of_sides<non_saturating_generator_loss, non_saturating_fake_loss, non_saturating_real_loss>(
        "non_saturating", Adversarial::kNonSaturating),
    of_sides<wasserstein_generator_loss, wasserstein_fake_loss, wasserstein_real_loss>(
        "wasserstein", Adversarial::kWasserstein),
    of_sides<hinge_generator_loss, hinge_fake_loss, hinge_real_loss>("hinge", Adversarial::kHinge),
    of_sides<least_squares_generator_loss, least_squares_fake_loss, least_squares_real_loss>(
        "least_squares", Adversarial::kLeastSquares),
    AdversarialLoss{"relativistic", Adversarial::kRelativistic, relativistic_generator_loss,
                    relativistic_discriminator_loss},
};

}  // namespace

std::span<const AdversarialLoss> loss_table() { return kLosses; }

const AdversarialLoss& adversarial_loss(Adversarial kind) {
  return *std::ranges::find(kLosses, kind, &AdversarialLoss::kind);
}

}  // namespace ganscale::losses
