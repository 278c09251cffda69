// The head of an HTTP/1.1 message, parsed and already judged safe.
//
// A Head owns its bytes in one buffer; the views it hands out live until the next clear() or
// destruction and survive moves of the Head. Names are lower case, values are trimmed.
// Value type; one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipstream::http {

// How the end of the body is found (RFC 9112 section 6.3).
enum class Framing { kNone, kLength, kChunked, kUntilClose };

class Head {
 public:
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  // Request line. target is origin-form: path() + optional '?' + query().
  std::string_view method() const { return view(method_); }
  std::string_view target() const { return view(target_); }
  std::string_view path() const { return target().substr(0, target().find('?')); }
  std::string_view query() const;  // without '?', empty if there is none

  // Status line.
  int status() const { return status_; }

  int minor_version() const { return minor_version_; }  // 0 or 1
  Framing framing() const { return framing_; }
  std::uint64_t content_length() const { return content_length_; }  // meaningful with kLength
  // What the sender's version and Connection field say about reuse.
  bool keep_alive() const { return keep_alive_; }
  // "Expect: 100-continue" stands in the head.
  bool expects_continue() const { return expects_continue_; }

  std::size_t field_count() const { return fields_.size(); }
  Field field(std::size_t i) const { return {view(fields_[i].name), view(fields_[i].value)}; }
  // The value of the first field of that name (given in lower case); empty when absent.
  std::string_view find(std::string_view lower_name) const;
  bool has(std::string_view lower_name) const;

  void clear();

 private:
  friend class HeadReader;

  // Offsets instead of views: the buffer may move while the head is being read.
  struct Span {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
  };
  struct FieldSpan {
    Span name;
    Span value;
  };
  std::string_view view(Span s) const {
    return std::string_view(bytes_).substr(s.offset, s.length);
  }

  std::string bytes_;
  std::vector<FieldSpan> fields_;
  Span method_;
  Span target_;
  int status_ = 0;
  int minor_version_ = 1;
  Framing framing_ = Framing::kNone;
  std::uint64_t content_length_ = 0;
  bool keep_alive_ = true;
  bool expects_continue_ = false;
};

// Fields that belong to one connection (RFC 9110 section 7.6.1): connection, keep-alive,
// proxy-connection, te, trailer, transfer-encoding, upgrade.
bool is_hop_by_hop(std::string_view lower_name);

}  // namespace slipstream::http
