// Parses a gathered head by llhttp (strict mode): the names that llhttp finds become the fields.
//
// Each line must be one such field. What llhttp 8.1 accepts and RFC 9112 sections 3.2 and 6.3 call
// ambiguous is refused here, and llhttp must have found the same framing. One object per head, used
// at once by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/head.h"
#include "http/refusal.h"

struct llhttp__internal_s;
struct llhttp_settings_s;

namespace slipstream::http {

class FieldCutter {
 public:
  enum class Of { kRequest, kResponse };

  // Precondition: `head.bytes` is a whole section of a start line, already read into `head`, and
  // `field_lines` other lines. Keeps the reference.
  FieldCutter(Head::Data& head, std::size_t field_lines, Of of);

  // Fills in the fields and the framing.
  Refusal run();

 private:
  // What the fields say about the connection and the body, before it is judged.
  struct Said {
    int hosts = 0;
    int lengths = 0;
    int codings = 0;
    bool close = false;
    bool keep_alive = false;
    bool expects_continue = false;
    std::string_view host;
    std::string_view length;
    std::string_view coding;
  };

  static const llhttp_settings_s& settings();

  Refusal cut_fields();
  void note(const char* name, std::size_t size, std::string_view value);
  void note_connection(std::string_view value);
  Refusal find_framing();
  bool agrees(const llhttp__internal_s& parser) const;

  Head::Span span(const char* at, std::size_t size) const {
    return {static_cast<std::uint32_t>(at - bytes_), static_cast<std::uint32_t>(size)};
  }

  Head::Data& head_;
  char* const bytes_;
  Head::FieldSpan* next_;  // where the next name goes
  Head::FieldSpan* end_;
  const Of of_;
  std::string_view url_;  // as llhttp found it
  Said said_;
};

}  // namespace slipstream::http
