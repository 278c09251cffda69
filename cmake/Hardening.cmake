# Warnings are errors; the hardening flags follow the OpenSSF compiler options guide.
add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion
                    -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
                    -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
                    -ftrivial-auto-var-init=zero -fno-omit-frame-pointer -g1)
add_compile_definitions(_GLIBCXX_ASSERTIONS)
if(NOT SLIPSTREAM_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
add_link_options(-fuse-ld=lld -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code -pie)
if(SLIPSTREAM_SANITIZE)
  add_compile_options(-fsanitize=${SLIPSTREAM_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SLIPSTREAM_SANITIZE})
endif()
if(SLIPSTREAM_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
# Who touches what from which thread is asserted where speed does not matter.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(SLIPSTREAM_CHECK_THREADS)
endif()
