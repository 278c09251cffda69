// Contracts under fuzzing. The input is a surface, a kind of server, and two bodies: no crash, and
// if both have one key they are the same canonical request, whose canonical form keeps the key.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/check.h"
#include "contract/contract.h"
#include "http/parser.h"

namespace {

using namespace slipstream;

http::Head form_head() {
  const std::string text =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=B\r\n"
      "Content-Length: 1\r\n\r\n";
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input = text;
  while (parser.next(input) != http::Parser::Step::kHead) {
  }
  return parser.take_head();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipstream::contract;
  static Examiner first("secret");
  static Examiner second("secret");
  static const http::Head head = form_head();
  if (size < 3) return 0;
  const auto surface = static_cast<Surface>(1 + data[0] % (kSurfaceCount - 1));
  Policy policy;
  policy.profile = static_cast<Profile>(data[1] % kProfileNames.size());
  policy.share_sampled = data[2] % 2 == 1;
  std::string_view bodies(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t middle = std::min(bodies.find('\f'), bodies.size());
  const std::string a(bodies.substr(0, middle));
  const std::string b(bodies.substr(std::min(middle + 1, bodies.size())));

  const auto of_a = first.examine(surface, head, a, {}, policy);
  const auto of_b = second.examine(surface, head, b, {}, policy);
  if (!of_a) return 0;
  SLIP_CHECK(!of_a->verdict.proof.text().empty());
  if (of_b && of_a->key == of_b->key) {
    SLIP_CHECK(of_a->canonical == of_b->canonical);
    SLIP_CHECK(of_a->verdict.reason == of_b->verdict.reason);
  }
  if (of_a->canonical_body.empty()) return 0;
  const std::string canonical(of_a->canonical_body);
  const auto again = second.examine(surface, head, canonical, {}, policy);
  SLIP_CHECK(again && again->key == of_a->key);
  SLIP_CHECK(again->verdict.reason == of_a->verdict.reason);
  return 0;
}
