#pragma once

#include <utility>

namespace ganscale {

/// Owns one C handle: move-only, closed by the destructor.
///
/// Traits: the type Raw, null(), close(Raw) noexcept.
template <class Traits>
class Handle {
 public:
  using Raw = typename Traits::Raw;
  Handle() = default;
  explicit Handle(Raw raw) noexcept : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != Traits::null()) Traits::close(raw_);
  }
  Raw get() const noexcept { return raw_; }
  Raw release() noexcept { return std::exchange(raw_, Traits::null()); }

 private:
  Raw raw_ = Traits::null();
};

template <class Value, auto kClose>
struct PointerTraits {
  using Raw = Value*;
  static Raw null() { return nullptr; }
  static void close(Raw raw) noexcept { kClose(raw); }
};

/// Owns what a C library points to, until kClose(pointer).
template <class Value, auto kClose>
using PointerHandle = Handle<PointerTraits<Value, kClose>>;

}  // namespace ganscale
