#pragma once

#include <cstdint>
#include <span>

#include "pickle/values.h"

namespace ganscale::pickle {

/// Parses the pickle of a file of torch.save(): tensors, numbers, texts, None, tuples, lists and
/// dicts. Nothing is imported or called; the three functions of PyTorch that such a file needs are
/// known here. Attributes that a dict has besides its items, as that of Module.state_dict(), are
/// left out.
///
/// Format:  Python's pickletools, protocol 2, which torch.save() uses by default.
/// bytes:   must outlive the result, whose texts are in it.
/// Throws:  DataError with the reason and the byte, without the file: truncated, damaged, another
///          protocol; a class or function of any other name, which it says; a tensor outside its
///          storage.
Values unpickle(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::pickle
