// All of it is in xrt_device.h.
#pragma once

#include <xrt/xrt_device.h>
