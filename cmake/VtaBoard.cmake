# Libraries for programs that run on a board, from the folder that scripts/cross fills: linked in, so that a board needs
# its C library only. Of yaml-cpp, vta-run links the reader for --preprocess, and vta-flash that for --hw.
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
# Programs have the C++ library in them, except those with VTA_SHARED_CXX.
set(shared_cxx $<BOOL:$<TARGET_PROPERTY:VTA_SHARED_CXX>>)
add_link_options($<$<NOT:${shared_cxx}>:-static-libstdc++> $<$<NOT:${shared_cxx}>:-static-libgcc> LINKER:--gc-sections)
# As with sanitizers: these compilers see what may be uninitialised where it cannot be. A note about GCC 6 helps nobody.
add_compile_options(-Wno-maybe-uninitialized -Wno-psabi -ffunction-sections -fdata-sections)

set(VTA_BUILD_COMPILER OFF)
set(VTA_BUILD_TESTS OFF)
set(VTA_BUILD_BENCHMARKS OFF)

# vta-server: gRPC and what it needs are linked in. Debian has Prometheus as shared libraries only, so vta-server takes
# the C++ library as a shared one, too, and looks for all of them in the package's folder lib. An RPATH, unlike a RUNPATH,
# counts for the libraries of these libraries as well.
function(vta_take_shared_libraries_along target)
  set_target_properties(${target} PROPERTIES VTA_SHARED_CXX ON BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")
  target_link_options(${target} PRIVATE LINKER:--disable-new-dtags
                      LINKER:-rpath-link,${VTA_SYSROOT}/lib/${VTA_BOARD_TRIPLE})
endfunction()
find_program(VTA_PROTOC protoc)
find_program(VTA_GRPC_PLUGIN grpc_cpp_plugin)
if(VTA_PROTOC AND VTA_GRPC_PLUGIN AND EXISTS ${board_library_path}/libgrpc++.a)
  set(VTA_REMOTE ON)
  add_executable(protobuf::protoc IMPORTED GLOBAL)
  set_target_properties(protobuf::protoc PROPERTIES IMPORTED_LOCATION ${VTA_PROTOC})
  foreach(package protobuf::libprotobuf gRPC::grpc++ prometheus-cpp::pull)
    add_library(${package} INTERFACE IMPORTED GLOBAL)
  endforeach()
  target_link_libraries(protobuf::libprotobuf INTERFACE -l:libprotobuf.a z)
  file(GLOB abseil ${board_library_path}/libabsl_*.a)
  target_link_libraries(
    gRPC::grpc++ INTERFACE -Wl,--start-group -l:libgrpc++.a -l:libgrpc.a -l:libgpr.a -l:libupb.a
                           -l:libaddress_sorting.a -l:libre2.a -l:libcares.a -l:libssl.a -l:libcrypto.a -l:libz.a ${abseil}
                           -Wl,--end-group protobuf::libprotobuf atomic)
  target_link_libraries(
    prometheus-cpp::pull INTERFACE -l:libprometheus-cpp-pull.so.1.0 -l:libprometheus-cpp-core.so.1.0
                                   -l:libcivetweb-cpp.so.1 -l:libcivetweb.so.1)
endif()
