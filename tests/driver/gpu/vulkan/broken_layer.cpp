// A layer of Vulkan that ends the process when it is loaded.
#include <cstdlib>

namespace {

[[gnu::constructor]] void load() { std::abort(); }

}  // namespace
