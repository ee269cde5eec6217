// Files that options name as inputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace vta::tools {

/// ".npy" of "a/b.NPY".
std::string extensionOf(const std::string& path);

/// Whether a file holds one array.
bool isArrayFile(const std::string& path);

/// Files of a folder that can be inputs, by name.
Result<std::vector<std::string>> listFolder(const std::string& folder);

/// Reads a file that holds one array.
Result<Tensor> readArray(const std::string& path);

/// The shapes of the arrays that arguments of --input ("NAME=PATH" or "PATH") name, by the names of
/// inputs; the name of the model's only input is "". Images have none, nor has what cannot be read:
/// opening the inputs says why. Of a folder, the first file counts.
std::map<std::string, std::vector<int64_t>> arrayShapes(const std::vector<std::string>& arguments);

/// The same for arguments of --calibrate, whose arrays may hold many samples: the first extent says
/// nothing of the model, and is 1.
std::map<std::string, std::vector<int64_t>> sampleShapes(const std::vector<std::string>& arguments);

}  // namespace vta::tools
