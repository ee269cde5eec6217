# MLIR, LLVM, LLD and ONNX: found once, used by compiler/ only.
find_program(VTA_LLVM_CONFIG llvm-config-19 REQUIRED)
execute_process(COMMAND ${VTA_LLVM_CONFIG} --prefix OUTPUT_VARIABLE VTA_LLVM_PREFIX
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(APPEND CMAKE_PREFIX_PATH ${VTA_LLVM_PREFIX})
list(APPEND CMAKE_PROGRAM_PATH ${VTA_LLVM_PREFIX}/bin)

find_package(MLIR 19.1 REQUIRED CONFIG)
find_package(LLD REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(vta_mlir INTERFACE)
target_include_directories(vta_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_options(vta_mlir INTERFACE -fno-rtti)
target_link_libraries(vta_mlir INTERFACE MLIR LLVM)

add_library(vta_onnx INTERFACE)
target_compile_definitions(vta_onnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(vta_onnx INTERFACE onnx onnx_proto protobuf)

# vta_add_mlir_library(NAME SOURCES ... [DEPS ...]): a static library that includes MLIR headers.
# MLIR is built without RTTI, so these translation units are too; nothing in their public headers may
# need it. Tools include only headers free of MLIR types.
function(vta_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  vta_add_library(${name} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS})
  target_link_libraries(${name} PRIVATE vta_mlir)
endfunction()
