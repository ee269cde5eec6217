// Instructions at run time, for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace vta::api {

/// Defines Buffer and Commands, which the package's module `commands` gives names and units.
void defineCommands(pybind11::module_& m);

}  // namespace vta::api
