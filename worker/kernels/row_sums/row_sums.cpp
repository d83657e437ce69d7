#include "kernels/row_sums/row_sums.h"

#include <ATen/ops/empty.h>

#include "kernels/launch/on_device.h"
#include "kernels/row_sums/fill.h"

namespace ganscale::kernels {

at::Tensor row_sums(const at::Tensor& rows, at::ScalarType dtype) {
  if (rows.size(0) == 1) return rows.select(0, 0).to(dtype);
  const at::Tensor out = at::empty({rows.size(1)}, rows.options().dtype(dtype));
  launch_on_device("ganscale::row_sums", {{rows}, {out}}, [&](void* stream) {
    row_sums_kernel({.type = scalar_type_of(dtype),
                     .out = out.mutable_data_ptr(),
                     .rows = rows.const_data_ptr(),
                     .row_count = rows.size(0),
                     .column_count = rows.size(1)},
                    stream);
  });
  return out;
}

}  // namespace ganscale::kernels
