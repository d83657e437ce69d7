#include "training/schemes/asynchronous/image_buffer.h"

#include <string>

#include "base/error.h"

namespace ganscale::training {

void ImageBuffer::add(FakeBatch batch) {
  check(batch.step == next_step_,
        "fakes arrive in the order of the steps: " + std::to_string(batch.step) + ", expected " +
            std::to_string(next_step_));
  check(newer_batches() <= max_staleness_, "the generator waits while the image buffer is full");
  batches_.push_back(std::move(batch));
  ++next_step_;
}

FakeBatch ImageBuffer::take() {
  check(!batches_.empty(), "the image buffer is empty");
  FakeBatch batch = std::move(batches_.front());
  batches_.pop_front();
  return batch;
}

}  // namespace ganscale::training
