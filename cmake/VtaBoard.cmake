# Libraries for programs that run on a board, from the folder that scripts/cross fills: linked in, so that a board needs
# its C library only. Headers of yaml-cpp are there because declarations need them; nothing of it is linked.
set(board_include ${VTA_SYSROOT}/usr/include)
set(board_library_path ${VTA_SYSROOT}/usr/lib/${VTA_BOARD_TRIPLE})
include_directories(SYSTEM ${board_include} ${board_include}/${VTA_BOARD_TRIPLE})
link_directories(${board_library_path})
foreach(package CLI11::CLI11 fmt::fmt hwy::hwy nlohmann_json::nlohmann_json)
  add_library(${package} INTERFACE IMPORTED GLOBAL)
endforeach()
# Debian has these two as shared libraries only: here they are compiled in. Highway then takes the one instruction set
# that the compiler's flags name, NEON.
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_STATIC)
add_library(board_yaml INTERFACE)
add_library(yaml-cpp ALIAS board_yaml)
add_link_options(-static-libstdc++ -static-libgcc)

set(VTA_BUILD_COMPILER OFF)
set(VTA_BUILD_TESTS OFF)
set(VTA_BUILD_BENCHMARKS OFF)
