#pragma once

#include "gan_training/decide/life.h"

namespace ganscale::controller::gan_training {

inline const Time kNow{std::chrono::seconds(1750000000)};

/// Nothing of the training is there yet.
inline Situation accepted() {
  Situation s;
  s.has_finalizer = true;
  s.request = "1";
  s.hash = "h1";
  s.config_hash = "c1";
  s.nodes = 8;
  s.now = kNow;
  s.restart.backoff_seconds = 10;
  return s;
}

/// Its third attempt is there.
inline Situation with_attempt(JobPhase phase) {
  Situation s = accepted();
  s.record.phase = Phase::kRunning;
  s.record.attempt = 3;
  s.record.state = AttemptState::kLive;
  s.record.request = "1";
  s.record.hash = "h1";
  s.attempt.emplace();
  s.attempt->number = 3;
  s.attempt->name = "a-r3";
  s.attempt->uid = "u3";
  s.attempt->request = "1";
  s.attempt->hash = "h1";
  s.attempt->config_hash = "c1";
  s.attempt->nodes = 8;
  s.attempt->control_port = 9401;
  s.attempt->phase = phase;
  return s;
}

}  // namespace ganscale::controller::gan_training
