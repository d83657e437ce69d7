// What uploader_cuda.cpp defines, for a build without CUDA.
#include <ATen/ops/empty.h>

#include "device/uploader.h"

namespace ganscale::device {

struct Uploader::Stream {};

Uploader::Uploader(c10::Device device) : device_(device) {}
Uploader::~Uploader() = default;

at::Tensor Uploader::make_buffer(at::IntArrayRef shape, at::ScalarType dtype) const {
  return at::empty(shape, at::TensorOptions(dtype));
}

Uploader::Upload Uploader::start(const at::Tensor& host) {
  Upload upload;
  upload.tensor_ = host;
  return upload;
}

at::Tensor Uploader::Upload::take() { return tensor_; }
bool Uploader::Upload::done() const { return true; }

}  // namespace ganscale::device
