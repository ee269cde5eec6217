// What the browser page asks, as JSON in and out. Free of WebAssembly: tests compile it for the
// host.
#pragma once

#include <string>
#include <string_view>

namespace vta::web {

/// Later estimates are for the network with this outline (explore/sweep/network/outline_text.h).
/// The answer is {}, or {"error": text} and the network stays the one before.
std::string useNetwork(std::string_view outline);

/// Answers {"ask": "describe" | "hardware" | "estimate" | "example" | "steps", ...}:
///
/// describe: the parameters of configurations, memories that have a name, and devices.
///
/// hardware, "yaml": its values as files have them, the text that outlines are found by, and its
/// area. An error has the place in the text.
///
/// estimate, "yaml", "memory" (a name or YAML), "effort" ("estimated" | "simulated"): cycles of the
/// network and of each layer, what bounds them, and the roofs.
///
/// example, "yaml", "virtual_threads" (1 | 2): the assembler of a layer (example_program.h).
///
/// steps, "yaml", "memory", "assembler": what each instruction does when (program_steps.h).
///
/// What fails is {"error": text, "in": "hardware" | "memory" | "network" | "program" | "request"}.
std::string answer(std::string_view request);

}  // namespace vta::web
