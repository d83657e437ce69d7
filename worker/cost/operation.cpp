#include "cost/operation.h"

#include <array>

namespace ganscale::cost {
namespace {

constexpr std::array kAmounts = {&Work::convolution_flops,
                                 &Work::data_gradient_flops,
                                 &Work::weight_gradient_flops,
                                 &Work::matrix_product_flops,
                                 &Work::memory_bytes,
                                 &Work::all_reduce_bytes,
                                 &Work::launches,
                                 &Work::host_reads};
static_assert(sizeof(Work) == kAmounts.size() * sizeof(double));

void add(const Operation& operation, Work& work) {
  work.launches += operation.launches;
  switch (operation.kind) {
    case Kind::kConvolution: work.convolution_flops += operation.flops; break;
    case Kind::kDataGradient: work.data_gradient_flops += operation.flops; break;
    case Kind::kWeightGradient: work.weight_gradient_flops += operation.flops; break;
    case Kind::kMatrixProduct:
      work.matrix_product_flops += operation.flops;
      work.memory_bytes += operation.bytes;
      break;
    case Kind::kMemory: work.memory_bytes += operation.bytes; break;
    case Kind::kAllReduce: work.all_reduce_bytes += operation.bytes; break;
    case Kind::kHostRead: work.host_reads += 1; break;
  }
}

}  // namespace

double Work::flops() const {
  return convolution_flops + data_gradient_flops + weight_gradient_flops + matrix_product_flops;
}

Work& Work::operator+=(const Work& other) {
  for (const auto amount : kAmounts) this->*amount += other.*amount;
  return *this;
}

Work Work::operator*(double factor) const {
  Work result = *this;
  for (const auto amount : kAmounts) result.*amount *= factor;
  return result;
}

Work work_of(std::span<const Operation> operations) {
  Work work;
  for (const Operation& operation : operations) add(operation, work);
  return work;
}

}  // namespace ganscale::cost
