#include "training/run/precision.h"

#include <ATen/autocast_mode.h>

namespace ganscale::training {

Autocast::Autocast(Precision precision, at::DeviceType device)
    : on_(precision == Precision::kBf16), device_(device) {
  if (!on_) return;
  at::autocast::increment_nesting();
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::set_autocast_enabled(device_, false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace ganscale::training
