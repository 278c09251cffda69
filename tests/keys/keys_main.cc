// Reads one request a line, a path, a blank and the body in hexadecimal; prints its key, a blank
// and its canonical body in hexadecimal, or "refused". For agree_test.py beside it.
#include <iostream>
#include <string>

#include "base/text.h"
#include "contract/contract.h"
#include "http/parser.h"

namespace {

using namespace slipstream;

http::Head head_of(const std::string& path) {
  const std::string text = "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n";
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input = text;
  while (parser.next(input) != http::Parser::Step::kHead) {
  }
  return parser.take_head();
}

std::string unhex(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
  }
  return bytes;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  contract::Examiner examiner("secret");
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t blank = line.find(' ');
    const std::string path = line.substr(0, blank);
    const std::string body = unhex(std::string_view(line).substr(blank + 1));
    const auto contract =
        examiner.examine(contract::surface_of("POST", path), head_of(path), body, {}, {});
    if (!contract) {
      std::cout << "refused\n";
      continue;
    }
    std::cout << contract->key.full_hex() << ' ' << hex(contract->canonical_body) << '\n';
  }
  return 0;
}
