# gRPC and Prometheus, for remote devices and vta-server: VTA_REMOTE says whether they are here. The rest builds without.
set(VTA_REMOTE OFF)
if(NOT VTA_SYSROOT)
  find_package(gRPC CONFIG QUIET)
  find_package(Protobuf QUIET)
  find_package(prometheus-cpp CONFIG QUIET)
  find_package(OpenSSL QUIET)
  find_program(VTA_GRPC_PLUGIN grpc_cpp_plugin)
  if(gRPC_FOUND AND Protobuf_FOUND AND prometheus-cpp_FOUND AND VTA_GRPC_PLUGIN)
    set(VTA_REMOTE ON)
  else()
    message(STATUS "No vta-server and no tcp:// devices: `scripts/setup remote` installs what "
                   "they need (libgrpc++-dev, protobuf-compiler-grpc, prometheus-cpp-dev)")
  endif()
endif()

# vta_add_grpc_library(NAME PROTO): a library with the messages of PROTO, and NAME_grpc with its service, whose headers
# are heavy.
function(vta_add_grpc_library name proto)
  get_filename_component(stem ${proto} NAME_WE)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
  set(base ${CMAKE_CURRENT_BINARY_DIR}/${stem})
  add_custom_command(
    OUTPUT ${base}.pb.h ${base}.pb.cc ${base}.grpc.pb.h ${base}.grpc.pb.cc
    COMMAND protobuf::protoc --proto_path ${PROJECT_SOURCE_DIR} --cpp_out ${PROJECT_BINARY_DIR} --grpc_out
            ${PROJECT_BINARY_DIR} --plugin protoc-gen-grpc=${VTA_GRPC_PLUGIN} ${source}
    DEPENDS ${source}
    VERBATIM)
  # No flags of ours: it is not our code.
  add_library(${name} STATIC ${base}.pb.cc ${base}.pb.h)
  target_include_directories(${name} SYSTEM PUBLIC ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
  add_library(${name}_grpc STATIC ${base}.grpc.pb.cc)
  target_link_libraries(${name}_grpc PUBLIC ${name} gRPC::grpc++)
endfunction()
