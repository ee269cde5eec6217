# Libraries for programs that run on a board, from the folder that scripts/cross fills: linked in, so that a board needs
# its C library only. Of yaml-cpp only vta-flash links something, for --hw.
set(board_include ${VTA_SYSROOT}/usr/include)
set(board_library_path ${VTA_SYSROOT}/usr/lib/${VTA_BOARD_TRIPLE})
include_directories(SYSTEM ${board_include} ${board_include}/${VTA_BOARD_TRIPLE})
link_directories(${board_library_path})
foreach(package CLI11::CLI11 hwy::hwy nlohmann_json::nlohmann_json)
  add_library(${package} INTERFACE IMPORTED GLOBAL)
endforeach()
# Debian has these two as shared libraries only. Of Highway nothing but headers is needed when it takes the one
# instruction set that the compiler's flags name, NEON.
target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_STATIC)
add_library(board_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/board_fmt.cpp)
add_library(fmt::fmt ALIAS board_fmt)
add_library(board_yaml INTERFACE)
target_link_libraries(board_yaml INTERFACE -l:libyaml-cpp.a)
add_library(yaml-cpp ALIAS board_yaml)
add_link_options(-static-libstdc++ -static-libgcc LINKER:--gc-sections)
# As with sanitizers: these compilers see what may be uninitialised where it cannot be. A note about GCC 6 helps nobody.
add_compile_options(-Wno-maybe-uninitialized -Wno-psabi -ffunction-sections -fdata-sections)

set(VTA_BUILD_COMPILER OFF)
set(VTA_BUILD_TESTS OFF)
set(VTA_BUILD_BENCHMARKS OFF)
