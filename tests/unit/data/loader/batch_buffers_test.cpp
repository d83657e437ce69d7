#include "data/loader/batch_buffers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ganscale::data {
namespace {

const std::vector<std::int64_t> kShape = {2, 3, 4, 4};

TEST(BatchBuffers, AreOfTheShapeOfABatch) {
  BatchBuffers buffers(kShape, /*pin_memory=*/false, /*keep_spare=*/true);
  const at::Tensor buffer = buffers.take();
  EXPECT_EQ(buffer.sizes(), kShape);
  EXPECT_EQ(buffer.scalar_type(), at::kByte);
}

TEST(BatchBuffers, AreReusedOnceReleased) {
  BatchBuffers buffers(kShape, false, true);
  const void* memory = nullptr;
  {
    const at::Tensor lent = buffers.lend(buffers.take());
    memory = lent.data_ptr();
  }
  buffers.recycle();
  EXPECT_EQ(buffers.take().data_ptr(), memory);
}

TEST(BatchBuffers, AreNotReusedWhileHeld) {
  BatchBuffers buffers(kShape, false, true);
  const at::Tensor lent = buffers.lend(buffers.take());
  buffers.recycle();
  EXPECT_NE(buffers.take().data_ptr(), lent.data_ptr());
}

TEST(BatchBuffers, AreNotReusedWhileAViewIsHeld) {
  BatchBuffers buffers(kShape, false, true);
  at::Tensor view;
  const void* memory = nullptr;
  {
    const at::Tensor lent = buffers.lend(buffers.take());
    memory = lent.data_ptr();
    view = lent.narrow(0, 1, 1);
  }
  buffers.recycle();
  EXPECT_NE(buffers.take().data_ptr(), memory);
  view.reset();
  buffers.recycle();
  EXPECT_EQ(buffers.take().data_ptr(), memory) << "later, when the view is gone";
}

TEST(BatchBuffers, AreKeptOnlyIfASpareIsRequested) {
  BatchBuffers buffers(kShape, false, /*keep_spare=*/false);
  at::Tensor lent = buffers.lend(buffers.take());
  const auto storage = lent.storage();
  lent.reset();
  EXPECT_EQ(storage.use_count(), 1) << "the buffers hold none";
}

TEST(BatchBuffers, RecycleNothingBeforeTheFirstBatchIsLent) {
  BatchBuffers buffers(kShape, false, true);
  EXPECT_NO_THROW(buffers.recycle());
  EXPECT_TRUE(buffers.take().defined());
}

}  // namespace
}  // namespace ganscale::data
