#include "losses/loss_table.h"

#include <algorithm>
#include <array>

#include "losses/adversarial.h"
#include "losses/hinge.h"
#include "losses/least_squares.h"
#include "losses/wasserstein.h"

namespace ganscale::losses {
namespace {

constexpr std::array kLosses = {
    AdversarialLoss{"non_saturating", Adversarial::kNonSaturating, non_saturating_generator_loss,
                    non_saturating_fake_loss, non_saturating_real_loss},
    AdversarialLoss{"wasserstein", Adversarial::kWasserstein, wasserstein_generator_loss,
                    wasserstein_fake_loss, wasserstein_real_loss},
    AdversarialLoss{"hinge", Adversarial::kHinge, hinge_generator_loss, hinge_fake_loss,
                    hinge_real_loss},
    AdversarialLoss{"least_squares", Adversarial::kLeastSquares, least_squares_generator_loss,
                    least_squares_fake_loss, least_squares_real_loss},
};

}  // namespace

std::span<const AdversarialLoss> loss_table() { return kLosses; }

const AdversarialLoss& adversarial_loss(Adversarial kind) {
  return *std::ranges::find(kLosses, kind, &AdversarialLoss::kind);
}

}  // namespace ganscale::losses
