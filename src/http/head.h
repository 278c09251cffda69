// The head of an HTTP/1.1 message, parsed and already judged safe.
//
// A Head owns its bytes in one buffer behind one pointer: moving and swapping are cheap, and the
// views it hands out survive both; they live until the next clear() or destruction. Names are lower
// case, values are trimmed. Value type; one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
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
  std::string_view method() const { return view(data().method); }
  std::string_view target() const { return view(data().target); }
  std::string_view path() const { return target().substr(0, target().find('?')); }
  std::string_view query() const;  // without '?', empty if there is none

  // Status line.
  int status() const { return data().status; }

  int minor_version() const { return data().minor_version; }  // 0 or 1
  Framing framing() const { return data().framing; }
  std::uint64_t content_length() const { return data().content_length; }  // meaningful with kLength
  // What the sender's version and Connection field say about reuse.
  bool keep_alive() const { return data().keep_alive; }
  // "Expect: 100-continue" stands in the head.
  bool expects_continue() const { return data().expects_continue; }

  std::size_t field_count() const { return data().fields.size(); }
  Field field(std::size_t i) const {
    const FieldSpan& span = data().fields[i];
    return {view(span.name), view(span.value)};
  }
  // The value of the first field of that name (given in lower case); empty when absent.
  std::string_view find(std::string_view lower_name) const;
  bool has(std::string_view lower_name) const { return search(lower_name) != nullptr; }

  void clear();  // keeps the memory for the next message
  void swap(Head& other) noexcept { data_.swap(other.data_); }

 private:
  friend class HeadReader;
  friend class FieldCutter;

  // Offsets instead of views: the buffer may move while the head is being read.
  struct Span {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
  };
  struct FieldSpan {
    Span name;
    Span value;
  };
  struct Data {
    std::string bytes;
    std::vector<FieldSpan> fields;
    Span method;
    Span target;
    std::uint64_t content_length = 0;
    int status = 0;
    int minor_version = 1;
    Framing framing = Framing::kNone;
    bool keep_alive = true;
    bool expects_continue = false;
  };
  static const Data kEmpty;

  const Data& data() const { return data_ ? *data_ : kEmpty; }
  std::string_view view(Span s) const { return {data().bytes.data() + s.offset, s.length}; }
  const FieldSpan* search(std::string_view lower_name) const;

  std::unique_ptr<Data> data_;  // none until a head was read: an empty Head costs nothing
};

// Fields that belong to one connection (RFC 9110 section 7.6.1): connection, keep-alive,
// proxy-connection, te, trailer, transfer-encoding, upgrade.
bool is_hop_by_hop(std::string_view lower_name);

}  // namespace slipstream::http
