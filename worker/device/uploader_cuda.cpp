#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "device/uploader.h"

namespace ganscale::device {

struct Uploader::Upload::Event {
  c10::cuda::CUDAEvent copied;
};

struct Uploader::Stream {
  c10::cuda::CUDAStream copies;
};

Uploader::Uploader(c10::Device device)
    : device_(device),
      stream_(device.is_cuda() ? std::make_unique<Stream>(c10::cuda::getStreamFromPool(
                                     /*isHighPriority=*/false, device.index()))
                               : nullptr) {}

Uploader::~Uploader() = default;

at::Tensor Uploader::make_buffer(at::IntArrayRef shape, at::ScalarType dtype) const {
  return at::empty(shape, at::TensorOptions(dtype).pinned_memory(device_.is_cuda()));
}

Uploader::Upload Uploader::start(const at::Tensor& host) {
  Upload upload;
  if (!stream_) {
    upload.tensor_ = host;
    return upload;
  }
  const c10::cuda::CUDAStreamGuard guard(stream_->copies);
  upload.event_ = std::make_shared<Upload::Event>();
  upload.tensor_ = host.to(device_, /*non_blocking=*/true);
  upload.event_->copied.record(stream_->copies);
  return upload;
}

at::Tensor Uploader::Upload::take() {
  if (!event_) return tensor_;
  const auto current = c10::cuda::getCurrentCUDAStream(tensor_.device().index());
  event_->copied.block(current);
  // It was allocated on the stream of the copies: its memory must wait for the computation.
  tensor_.record_stream(current.unwrap());
  return tensor_;
}

bool Uploader::Upload::done() const { return !event_ || event_->copied.query(); }

}  // namespace ganscale::device
