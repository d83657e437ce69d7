#include "augment/ada_pipeline.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace ganscale::augment {
namespace {

struct Transformation {
  std::string_view name;
  char group;  ///< b, g, c, f, n or C (cutout)
  bool AdaPipeline::* on;
};

constexpr std::array kTransformations = {
    Transformation{"xflip", 'b', &AdaPipeline::xflip},
    Transformation{"rotate90", 'b', &AdaPipeline::rotate90},
    Transformation{"xint", 'b', &AdaPipeline::xint},
    Transformation{"scale", 'g', &AdaPipeline::scale},
    Transformation{"rotate", 'g', &AdaPipeline::rotate},
    Transformation{"aniso", 'g', &AdaPipeline::aniso},
    Transformation{"xfrac", 'g', &AdaPipeline::xfrac},
    Transformation{"brightness", 'c', &AdaPipeline::brightness},
    Transformation{"contrast", 'c', &AdaPipeline::contrast},
    Transformation{"lumaflip", 'c', &AdaPipeline::lumaflip},
    Transformation{"hue", 'c', &AdaPipeline::hue},
    Transformation{"saturation", 'c', &AdaPipeline::saturation},
    Transformation{"imgfilter", 'f', &AdaPipeline::imgfilter},
    Transformation{"noise", 'n', &AdaPipeline::noise},
    Transformation{"cutout", 'C', &AdaPipeline::cutout},
};

struct Preset {
  std::string_view name;
  std::string_view groups;
};

constexpr std::array kPresets = {
    Preset{"blit", "b"},    Preset{"geom", "g"},      Preset{"color", "c"},
    Preset{"filter", "f"},  Preset{"bg", "bg"},       Preset{"bgc", "bgc"},
    Preset{"bgcf", "bgcf"}, Preset{"bgcfn", "bgcfn"}, Preset{"bgcfnc", "bgcfnC"},
};

[[noreturn]] void refuse(const std::string& name) {
  std::string known;
  for (const Preset& preset : kPresets) known.append(" ").append(preset.name);
  for (const Transformation& one : kTransformations) known.append(" ").append(one.name);
  throw ConfigError("unknown augmentation: " + name + " (known:" + known + ")");
}

}  // namespace

AdaPipeline ada_pipeline(const std::vector<std::string>& names) {
  AdaPipeline pipeline;
  for (const std::string& name : names) {
    const auto preset = std::ranges::find(kPresets, name, &Preset::name);
    bool known = false;
    for (const Transformation& one : kTransformations) {
      const bool in_preset =
          preset != kPresets.end() && preset->groups.find(one.group) != std::string_view::npos;
      if (!in_preset && one.name != name) continue;
      pipeline.*one.on = true;
      known = true;
    }
    if (!known) refuse(name);
  }
  return pipeline;
}

}  // namespace ganscale::augment
