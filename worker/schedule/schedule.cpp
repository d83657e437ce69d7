#include "schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/enum_names.h"

namespace ganscale::schedule {
namespace {

constexpr EnumNames<ScheduleKind, 4> kRateSchedules{{{ScheduleKind::kConstant, "constant"},
                                                     {ScheduleKind::kLinear, "linear"},
                                                     {ScheduleKind::kCosine, "cosine"},
                                                     {ScheduleKind::kStep, "step"}}};

constexpr EnumNames<ScheduleKind, 3> kSchedules{{{ScheduleKind::kConstant, "constant"},
                                                 {ScheduleKind::kLinear, "linear"},
                                                 {ScheduleKind::kCosine, "cosine"}}};

bool has_end(const Schedule& s) {
  return s.kind == ScheduleKind::kLinear || s.kind == ScheduleKind::kCosine;
}

void read_warmup(config::Section& in, Schedule& s) {
  s.warmup_kimg = in.get("warmup_kimg", s.warmup_kimg, "thousands of images of linear warm-up");
  in.require(s.warmup_kimg, config::at_least(0), "warmup_kimg", "must not be negative");
}

void require_end_behind_warmup(const config::Section& in, const Schedule& s) {
  in.require(s.kimg > s.warmup_kimg, "kimg", "must be above warmup_kimg, the end of the warm-up");
}

}  // namespace

double value_of(const Schedule& schedule, double base, std::int64_t images_seen,
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
  const double end = schedule.kimg > 0 ? schedule.kimg * 1000 : static_cast<double>(total_images);
  const double t = std::min(after_warmup / std::max(end - warmup_images, 1.0), 1.0);
  if (schedule.kind == ScheduleKind::kLinear) return base + (schedule.final - base) * t;
  return schedule.final + (base - schedule.final) * (1 + std::cos(std::numbers::pi * t)) / 2;
}

Schedule parse_schedule(config::Section in, const FinalKey& key) {
  Schedule s;
  s.kind = in.get_choice("name", s.kind, kSchedules, "schedule over images seen");
  read_warmup(in, s);
  if (has_end(s)) {
    s.final = in.get(key.name, s.final, key.documentation);
    s.kimg = in.get("kimg", s.kimg, "thousands of images after which it is reached");
    require_end_behind_warmup(in, s);
  }
  in.reject_unread_keys();
  return s;
}

Schedule parse_rate_schedule(config::Section in) {
  Schedule s;
  s.kind = in.get_choice("name", s.kind, kRateSchedules, "learning rate schedule over images seen");
  read_warmup(in, s);
  if (has_end(s)) {
    s.final = in.get("final_fraction", s.final, "final learning rate as a fraction of the base");
    in.require(s.final, config::between(0, 1), "final_fraction", "must lie between 0 and 1");
    s.kimg =
        in.get("kimg", s.kimg, "thousands of images after which it is reached; 0: the whole run");
    if (s.kimg != 0) require_end_behind_warmup(in, s);
  }
  if (s.kind == ScheduleKind::kStep) {
    s.step_kimg = in.get("step_kimg", s.step_kimg, "thousands of images between two steps");
    in.require(s.step_kimg, config::above(0), "step_kimg", "must be positive");
    s.step_factor =
        in.get("step_factor", s.step_factor, "factor of the learning rate at each step");
    in.require(s.step_factor, config::above(0), "step_factor", "must be positive");
  }
  in.reject_unread_keys();
  return s;
}

}  // namespace ganscale::schedule
