# Release builds are laid out by a recorded profile (docs/decisions/0011-recorded-profile.md).
#   use   with cmake/release.profdata; functions that changed since are built as without it
#   make  records one: tools/make-profile.sh
#   off
set(SLIPSTREAM_PROFILE "use" CACHE STRING "recorded profile: use, make or off")
set(profile ${CMAKE_SOURCE_DIR}/cmake/release.profdata)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
  if(SLIPSTREAM_PROFILE STREQUAL "make")
    add_compile_options(-fprofile-generate)
    add_link_options(-fprofile-generate)
  elseif(SLIPSTREAM_PROFILE STREQUAL "use" AND EXISTS ${profile})
    add_compile_options(-fprofile-use=${profile} -Wno-profile-instr-unprofiled
                        -Wno-profile-instr-out-of-date -Wno-backend-plugin)
  endif()
endif()
