#include "cost/recorder.h"

#include <ATen/record_function.h>

#include <exception>
#include <utility>

#include "base/error.h"
#include "cost/recorded_call.h"
#include "cost/shape_operators.h"

namespace ganscale::cost {
namespace {

/// A call that has not returned.
struct OpenCall : at::ObserverContext {
  RecordedCall call;
  OpenCall* outer = nullptr;
  bool is_part = false;  // of a fused operation
};

/// What the callbacks of a thread write to.
struct Recording {
  std::vector<Operation> operations;
  OpenCall* innermost = nullptr;
  Recorder::Listener listener;
  std::exception_ptr error;  // LibTorch makes a warning of what a callback throws
};

// RecordFunction takes plain functions.
thread_local Recording* current = nullptr;

std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& function) {
  if (current == nullptr) return nullptr;  // LibTorch lets helper threads have these callbacks
  auto open = std::make_unique<OpenCall>();
  open->call.name = function.name();
  open->call.schema = function.operator_schema();
  open->call.arguments.assign(function.inputs().begin(), function.inputs().end());
  open->outer = current->innermost;
  open->is_part = open->outer && (open->outer->is_part || is_fused(open->outer->call));
  current->innermost = open.get();
  return open;
}

void end_call(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  auto& open = static_cast<OpenCall&>(*context);
  current->innermost = open.outer;
  if (open.is_part) return;
  try {
    open.call.outputs = function.outputs();
    const auto operations = operations_of(open.call);
    if (current->listener) current->listener(open.call);
    current->operations.insert(current->operations.end(), operations.begin(), operations.end());
    const bool has_operations = open.call.has_operations_inside || !operations.empty();
    if (open.outer != nullptr && has_operations) open.outer->call.has_operations_inside = true;
  } catch (...) {
    if (!current->error) current->error = std::current_exception();
  }
}

}  // namespace

struct Recorder::State {
  ShapeOperators shapes;
  Recording recording;
  at::CallbackHandle callback = 0;
};

Recorder::Recorder(Listener listener) : state_(std::make_unique<State>()) {
  check(current == nullptr, "a thread has one recorder at a time");
  state_->recording.listener = std::move(listener);
  current = &state_->recording;
  state_->callback = at::addThreadLocalCallback(at::RecordFunctionCallback(begin_call, end_call)
                                                    .needsInputs(true)
                                                    .needsOutputs(true)
                                                    .scopes({at::RecordScope::FUNCTION}));
}

Recorder::~Recorder() {
  at::removeCallback(state_->callback);
  current = nullptr;
}

std::vector<Operation> Recorder::take() {
  if (state_->recording.error) std::rethrow_exception(std::exchange(state_->recording.error, {}));
  return std::exchange(state_->recording.operations, {});
}

}  // namespace ganscale::cost
