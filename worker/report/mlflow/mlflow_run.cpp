#include "report/mlflow/mlflow_run.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace ganscale::report {

MlflowRun::MlflowRun(const MlflowAccess& access, MlflowSource source,
                     const MlflowPatience& patience)
    : server_(access.uri),
      patience_(patience),
      upload_(access, std::move(source), patience.request),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

MlflowRun::~MlflowRun() {
  thread_.request_stop();
  upload_.cancel();
}

void MlflowRun::notify() {
  const std::scoped_lock lock(mutex_);
  has_news_ = true;
  changed_.notify_all();
}

void MlflowRun::finish(MlflowStatus status) {
  std::unique_lock lock(mutex_);
  status_ = status;
  changed_.notify_all();
  const bool is_over = changed_.wait_for(lock, patience_.end, [this] { return is_over_; });
  if (is_over && pause_.count() == 0) return;
  log::warning(
      "The MLflow server has not got everything: the next start of this run sends the rest",
      {{"server", server_}});
}

/// Waits for something to send or, after a failure, for the pause to be over; for neither once the run
/// is over.
void MlflowRun::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (pause_.count() > 0) {
    changed_.wait_for(lock, stop, pause_, [this] { return status_.has_value(); });
  } else {
    changed_.wait(lock, stop, [this] { return has_news_ || status_.has_value(); });
  }
}

void MlflowRun::work(const std::stop_token& stop) {
  bool is_refused = false;
  while (!stop.stop_requested() && !is_refused) {
    std::optional<MlflowStatus> status;
    {
      const std::scoped_lock lock(mutex_);
      has_news_ = false;
      status = status_;
    }
    is_refused = !attempt(status);
    if (status) break;
    if (!is_refused) wait(stop);
  }
  const std::scoped_lock lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

/// Sends what there is, or finds a later time for it. Returns false if the server refuses it.
bool MlflowRun::attempt(const std::optional<MlflowStatus>& status) {
  const bool was_reachable = pause_.count() == 0;
  try {
    status ? upload_.end(*status) : upload_.send();
    if (!was_reachable)
      log::info("The MLflow server has got what it missed", {{"server", server_}});
    set_pause({});
    return true;
  } catch (const std::exception& error) {
    const auto* refusal = dynamic_cast<const MlflowError*>(&error);
    if (refusal != nullptr && !refusal->may_pass()) {
      log::warning("The MLflow server refuses this run, which continues without it",
                   {{"server", server_}, {"run_id", upload_.run_id()}, {"reason", error.what()}});
      set_pause({});
      return false;
    }
    if (was_reachable)
      log::warning("Cannot log to MLflow: training continues, and what is missed is sent later",
                   {{"server", server_}, {"reason", error.what()}});
  }
  set_pause(std::clamp(2 * pause_, patience_.first_pause, patience_.longest_pause));
  return true;
}

void MlflowRun::set_pause(std::chrono::milliseconds pause) {
  const std::scoped_lock lock(mutex_);
  pause_ = pause;
}

}  // namespace ganscale::report
