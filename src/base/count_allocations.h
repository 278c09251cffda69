// For tests: counts what the calling thread asks the heap for, by replacing operator new.
//
// To be included in exactly one file of a test program, named *allocation_test.cc; sanitizers bring an
// allocator of their own, so such files are left out there (cmake/Folder.cmake).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace slipstream {
thread_local std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++slipstream::allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
