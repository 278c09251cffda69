# Everything comes from Debian packages; tools/install-packages.sh installs them.
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(simdjson REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)

# llhttp ships as C sources (package node-llhttp). Strict mode is not the default there, and without
# it a chunk may lack its CRLF (docs/decisions/0003-http-parser.md).
find_path(LLHTTP_INCLUDE llhttp.h PATHS /usr/share/include/llhttp /usr/include REQUIRED)
find_path(LLHTTP_SOURCES llhttp.c PATHS /usr/share/llhttp /usr/share/nodejs/llhttp/src REQUIRED)
add_library(llhttp STATIC ${LLHTTP_SOURCES}/api.c ${LLHTTP_SOURCES}/http.c ${LLHTTP_SOURCES}/llhttp.c)
target_include_directories(llhttp SYSTEM PUBLIC ${LLHTTP_INCLUDE})
target_compile_definitions(llhttp PUBLIC LLHTTP_STRICT_MODE=1)
target_compile_options(llhttp PRIVATE -w)
# Its vector paths are a tenth of its time. Every x86 server CPU since 2009 has SSE 4.2.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(llhttp PRIVATE -msse4.2)
endif()
