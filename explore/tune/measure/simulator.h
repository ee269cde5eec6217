// Measurement on the cycle simulator, timing only, in worker processes.
#pragma once

#include <memory>

#include "explore/tune/measure/measurement.h"
#include "explore/tune/measure/worker_pool.h"

namespace vta::tune {

/// `workers` processes; the memory is each task's. Programs are lowered by the code that lowers the
/// kernels of a module.
std::unique_ptr<Measurer> makeSimulatorMeasurer(int workers, const WorkerLimits& limits = {});

/// The same without processes, for tests and short searches.
std::unique_ptr<Measurer> makeLocalMeasurer();

}  // namespace vta::tune
