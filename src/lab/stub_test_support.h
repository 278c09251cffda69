// For tests of the stub: requests, and a stub that answers them on the test's own reactor.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lab/lab_test_support.h"
#include "lab/stub.h"

namespace slipstream::lab {

using End = RawClient::End;

inline std::string post(const std::string& path, const std::string& body,
                        const std::string& fields = "") {
  return "POST " + path + " HTTP/1.1\r\nhost: x\r\ncontent-length: " + std::to_string(body.size()) +
         "\r\n" + fields + "\r\n" + body;
}

inline std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nhost: x\r\n\r\n";
}

inline std::size_t count(const std::string& text, std::string_view what) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++times;
  return times;
}

class StubTest : public testing::Test {
 protected:
  StubTest() : stub_(reactor_, {.script = {.tokens = 3}}) {
    address_ = *stub_.listen("127.0.0.1:0");
  }

  RawClient send(const std::string& request) { return RawClient(reactor_, address_, request); }
  // What the stub sends until it has sent `last`.
  std::string ask(const std::string& request, std::string_view last) {
    RawClient client = send(request);
    reactor_.run_until([&] { return client.has(last); });
    return client.received();
  }
  // The same until the stub ends the connection; checks how.
  std::string ask_to_end(const std::string& request, End end) {
    RawClient client = send(request);
    reactor_.run_until([&] { return client.end() != End::kOpen; });
    EXPECT_EQ(client.end(), end);
    return client.received();
  }

  TestReactor reactor_;
  Stub stub_;
  std::string address_;
};

}  // namespace slipstream::lab
