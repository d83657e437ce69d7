#include "scaling_sweep/statistics/student.h"

#include <boost/math/distributions/students_t.hpp>

namespace ganscale::controller::scaling_sweep {

double student_quantile(double degrees, double probability) {
  return boost::math::quantile(boost::math::students_t(degrees), (1 + probability) / 2);
}

}  // namespace ganscale::controller::scaling_sweep
