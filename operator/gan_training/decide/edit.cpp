#include "gan_training/decide/edit.h"

namespace ganscale::controller::gan_training {
namespace {

/// Whether the user asked for something else than a request with this hash. Another version of the
/// operator, or other node profiles, may make other pods of the same spec: that is no edit.
bool is_edited(const std::string& request, const std::string& hash, const Situation& s) {
  return request != s.request && hash != s.hash;
}

}  // namespace

bool is_outdated(const Situation& s, const Record& record) {
  return s.problem.empty() && is_edited(record.request, record.hash, s) &&
         is_edited(s.attempt->request, s.attempt->hash, s);
}

void note_first_plan(const Attempt& attempt, Decision& d) {
  if (attempt.request.empty()) return;
  d.record.request = attempt.request;
  d.record.hash = attempt.hash;
}

void accept_plan(const Situation& s, Decision& d) {
  if (!s.problem.empty() || is_outdated(s, d.record)) return;
  if (d.record.request != s.request) d.record.fabric_expires = d.record.fabric_accepted;
  d.record.request = s.request;
  d.record.hash = s.hash;
}

Edit edit_of(const Situation& s) {
  const Attempt& attempt = *s.attempt;
  if (attempt.nodes != s.nodes) {
    return {"Resize",
            "from " + std::to_string(attempt.nodes) + " to " + std::to_string(s.nodes) + " nodes"};
  }
  if (attempt.config_hash != s.config_hash) {
    return {"ConfigChange", "spec.config was edited, which takes effect with a restart"};
  }
  return {"SpecChange", "the pod settings were edited, which takes effect with a restart"};
}

bool starts_again(const Situation& s) {
  const Record& record = s.record;
  if (record.phase != Phase::kFailed) return is_edited(record.request, record.hash, s);
  return !record.request.empty() && record.request != s.request;
}

}  // namespace ganscale::controller::gan_training
