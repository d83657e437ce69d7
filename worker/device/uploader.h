#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

namespace ganscale::device {

/// Copies batches from the host to a rank's device while the device computes: on a GPU from pinned
/// memory, on a stream of its own. For the CPU it hands the tensors through.
///
///   Uploader uploader(device);
///   auto host = uploader.make_buffer({n, 3, 64, 64}, at::kByte);  // a reader fills it
///   auto upload = uploader.start(host);                           // returns at once
///   ...
///   auto images = upload.take();                                  // in the order of the
///   computation
class Uploader {
 public:
  /// A copy that was started.
  class Upload {
   public:
    /// Orders the current stream behind the copy and returns the tensor on the device.
    at::Tensor take();
    /// Says whether the copy is over, so that the buffer may be filled again.
    bool done() const;

   private:
    friend class Uploader;
    struct Event;
    at::Tensor tensor_;
    std::shared_ptr<Event> event_;  // none on the CPU
  };

  explicit Uploader(c10::Device device);
  ~Uploader();

  /// Returns a host tensor that start() copies without waiting: pinned for a GPU.
  at::Tensor make_buffer(at::IntArrayRef shape, at::ScalarType dtype) const;
  /// Starts to copy `host`, a buffer of make_buffer(), which must not change until done().
  Upload start(const at::Tensor& host);

 private:
  struct Stream;
  const c10::Device device_;
  const std::unique_ptr<Stream> stream_;
};

}  // namespace ganscale::device
