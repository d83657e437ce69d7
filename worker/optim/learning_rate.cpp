#include "optim/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/enum_names.h"

namespace ganscale::optim {
namespace {

constexpr EnumNames<ScheduleKind, 4> kScheduleKinds{{{ScheduleKind::kConstant, "constant"},
                                                     {ScheduleKind::kLinear, "linear"},
                                                     {ScheduleKind::kCosine, "cosine"},
                                                     {ScheduleKind::kStep, "step"}}};

}  // namespace

LearningRateSchedule parse_learning_rate_schedule(config::Section in) {
  LearningRateSchedule s;
  s.kind = in.get_choice("name", s.kind, kScheduleKinds, "learning rate schedule over images seen");
  s.warmup_kimg = in.get("warmup_kimg", s.warmup_kimg, "thousands of images of linear warm-up");
  in.require(s.warmup_kimg >= 0, "warmup_kimg", "must not be negative");
  if (s.kind == ScheduleKind::kLinear || s.kind == ScheduleKind::kCosine) {
    s.final_fraction =
        in.get("final_fraction", s.final_fraction, "final learning rate as a fraction of the base");
    in.require(s.final_fraction >= 0 && s.final_fraction <= 1, "final_fraction",
               "must lie between 0 and 1");
  }
  if (s.kind == ScheduleKind::kStep) {
    s.step_kimg = in.get("step_kimg", s.step_kimg, "thousands of images between two steps");
    in.require(s.step_kimg > 0, "step_kimg", "must be positive");
    s.step_factor =
        in.get("step_factor", s.step_factor, "factor of the learning rate at each step");
    in.require(s.step_factor > 0, "step_factor", "must be positive");
  }
  in.reject_unread_keys();
  return s;
}

double learning_rate(const LearningRateSchedule& schedule, double base, std::int64_t images_seen,
                     std::int64_t total_images) {
  const double warmup_images = schedule.warmup_kimg * 1000;
  const auto seen = static_cast<double>(images_seen);
  if (seen < warmup_images) return base * seen / warmup_images;
  const double after_warmup = seen - warmup_images;
  if (schedule.kind == ScheduleKind::kConstant) return base;
  if (schedule.kind == ScheduleKind::kStep) {
    const double drops = std::floor(after_warmup / (schedule.step_kimg * 1000));
    return base * std::pow(schedule.step_factor, drops);
  }
  const double span = std::max(static_cast<double>(total_images) - warmup_images, 1.0);
  const double t = std::min(after_warmup / span, 1.0);
  const double f = schedule.final_fraction;
  if (schedule.kind == ScheduleKind::kLinear) return base * (1 - (1 - f) * t);
  return base * (f + (1 - f) * (1 + std::cos(std::numbers::pi * t)) / 2);
}

}  // namespace ganscale::optim
