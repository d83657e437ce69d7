#include "scaling_sweep/statistics/student.h"

#include <gtest/gtest.h>

namespace ganscale::controller::scaling_sweep {
namespace {

TEST(Student, HasTheQuantilesOfTheTables) {
  EXPECT_NEAR(student_quantile(1, 0.95), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(2, 0.95), 4.3027, 1e-4);
  EXPECT_NEAR(student_quantile(4, 0.95), 2.7764, 1e-4);
  EXPECT_NEAR(student_quantile(10, 0.95), 2.2281, 1e-4);
  EXPECT_NEAR(student_quantile(30, 0.99), 2.7500, 1e-4);
  EXPECT_NEAR(student_quantile(1e6, 0.95), 1.9600, 1e-4) << "the normal distribution's";
}

TEST(Student, LiesBetweenItsNeighborsForDegreesThatAreNotWhole) {
  EXPECT_LT(student_quantile(2.5, 0.95), student_quantile(2, 0.95));
  EXPECT_GT(student_quantile(2.5, 0.95), student_quantile(3, 0.95));
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
