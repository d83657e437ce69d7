#pragma once

#include <c10/util/Half.h>

using __half = c10::Half;
