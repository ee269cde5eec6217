// There are no exceptions: whatever throws ends the module, and the page starts another one. Our
// libraries report errors by values; what they use throws where memory or an invariant is broken.
#include <cstddef>

extern "C" {
[[noreturn]] void* __cxa_allocate_exception(size_t /*bytes*/) { __builtin_trap(); }
[[noreturn]] void __cxa_throw(void* /*thrown*/, void* /*type*/, void (* /*destroy*/)(void*)) {
  __builtin_trap();
}
}
