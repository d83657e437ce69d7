#include "models/model_table.h"

#include <array>

#include "models/biggan/blueprint.h"
#include "models/dcgan/blueprint.h"
#include "models/r3gan/blueprint.h"
#include "models/resnet/blueprint.h"
#include "models/stylegan2/blueprint.h"
#include "models/stylegan3/blueprint.h"

namespace ganscale::models {
namespace {

constexpr Traits kUnconditional = {.labels = Labels::kNone};
constexpr Traits kConditional = {.labels = Labels::kNeeded};

constexpr std::array kModels = {
    Model{"dcgan", kUnconditional, read_dcgan},
    Model{"conditional_dcgan", kConditional, read_dcgan},
    Model{"wgan", kUnconditional, read_wgan},
    Model{"conditional_wgan", kConditional, read_wgan},
    Model{"wgan_resnet", kUnconditional, read_wgan_resnet},
    Model{"conditional_wgan_resnet", kConditional, read_wgan_resnet},
    Model{"sngan", kUnconditional, read_sngan},
    Model{"conditional_sngan", kConditional, read_sngan},
    Model{"stylegan2", stylegan2::kTraits, stylegan2::read, &stylegan2::kPublicWeights},
    Model{"stylegan3", stylegan3::kTraits, stylegan3::read, &stylegan3::kPublicWeights},
    Model{"r3gan", r3gan::kTraits, r3gan::read, &r3gan::kPublicWeights},
    Model{"biggan", biggan::kTraits, biggan::read},
    Model{"biggan_deep", biggan::kTraits, biggan::read_deep},
};

}  // namespace

ModelTable model_table() { return kModels; }

}  // namespace ganscale::models
