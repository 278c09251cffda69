// The accept/reject list of the parser. Every vector is run whole, byte by byte and cut at each
// place; all runs must say the same.
#include "http/parser.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "http/transcript.h"

namespace slipstream::http {
namespace {

struct Vector {
  std::string bytes;
  std::string bodies;  // as Transcript::bodies
  Refusal refusal = Refusal::kNone;
};

constexpr Limits kSmall{
    .line_bytes_max = 64, .head_bytes_max = 256, .fields_max = 8, .body_bytes_max = 32};

Transcript run(Parser::Kind kind, std::string_view bytes, std::size_t first, std::size_t others) {
  Parser parser(kind, kSmall);
  bool at_first = true;
  return transcribe(parser, bytes, [&](std::size_t) {
    const std::size_t piece = at_first ? first : others;
    at_first = false;
    return piece;
  });
}

Transcript run_whole(Parser::Kind kind, std::string_view bytes) {
  return run(kind, bytes, bytes.size(), 1);
}

void check(Parser::Kind kind, const std::vector<Vector>& vectors) {
  for (const Vector& v : vectors) {
    SCOPED_TRACE(v.bytes);
    const Transcript whole = run_whole(kind, v.bytes);
    EXPECT_EQ(whole.bodies, v.bodies);
    EXPECT_EQ(whole.refusal, v.refusal) << sentence_of(whole.refusal);
    EXPECT_EQ(run(kind, v.bytes, 1, 1), whole);
    for (std::size_t cut = 1; cut < v.bytes.size(); ++cut) {
      EXPECT_EQ(run(kind, v.bytes, cut, v.bytes.size()), whole) << "cut at " << cut;
    }
  }
}
void check_requests(const std::vector<Vector>& vectors) {
  check(Parser::Kind::kRequest, vectors);
}
void check_responses(const std::vector<Vector>& vectors) {
  check(Parser::Kind::kResponse, vectors);
}

// A bodiless request with the given start line, or with the given fields after Host.
std::string line(const std::string& start) {
  return start + "\r\nHost: a\r\n\r\n";
}
std::string get(const std::string& fields) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}
std::string post(const std::string& fields, const std::string& body) {
  return "POST /p HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}
std::string chunked(const std::string& body) {
  return post("Transfer-Encoding: chunked\r\n", body);
}
std::string answer(const std::string& fields, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
}
std::string with_nul(std::string text) {  // '~' stands for NUL
  for (char& c : text) c = c == '~' ? '\0' : c;
  return text;
}

TEST(Request, AcceptsStartLines) {
  check_requests({
      {line("GET / HTTP/1.1"), "()"},
      {line("GET / HTTP/1.0"), "()"},
      {line("POST /v1/chat/completions?a=b&c=%20 HTTP/1.1"), "()"},
      {line("PUT /x HTTP/1.1"), "()"},
      {line("PATCH /x HTTP/1.1"), "()"},
      {line("DELETE /x HTTP/1.1"), "()"},
      {line("HEAD /x HTTP/1.1"), "()"},
      {line("OPTIONS /x HTTP/1.1"), "()"},
      {line("GET //double HTTP/1.1"), "()"},
      {line("GET /?? HTTP/1.1"), "()"},
      {"\r\n" + get(""), "()"},
      {"\r\n\r\n\r\n\r\n" + get(""), "()"},
  });
}

TEST(Request, RefusesStartLines) {
  constexpr Refusal kLine = Refusal::kBadRequestLine;
  constexpr Refusal kTarget = Refusal::kBadTarget;
  constexpr Refusal kVersion = Refusal::kUnsupportedVersion;
  check_requests({
      {line("GET /"), "!", kLine},
      {line("GET"), "!", kLine},
      {line("GET  / HTTP/1.1"), "!", kTarget},
      {line("GET /  HTTP/1.1"), "!", kTarget},
      {line("GET / HTTP/1.1 "), "!", kLine},
      {line(" GET / HTTP/1.1"), "!", kLine},
      {line("GET\t/\tHTTP/1.1"), "!", kLine},
      {line("get / HTTP/1.1"), "!", kLine},
      {line("FROBNICATE / HTTP/1.1"), "!", kLine},
      {line("G(T / HTTP/1.1"), "!", kLine},
      {line("GET / http/1.1"), "!", kLine},
      {line("GET / HTTP/1.10"), "!", kLine},
      {line("GET / HTTP/11"), "!", kLine},
      {line("GET / HTTP/x.1"), "!", kLine},
      {line("GET / ICE/1.0"), "!", kLine},
      {line("DESCRIBE / RTSP/1.0"), "!", kLine},
      {line("GET / HTTP/0.9"), "!", kVersion},
      {line("GET / HTTP/1.2"), "!", kVersion},
      {line("GET / HTTP/2.0"), "!", kVersion},
      {line("GET / HTTP/3.0"), "!", kVersion},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "!", kVersion},
      {line("CONNECT a:443 HTTP/1.1"), "!", Refusal::kMethodNotAllowed},
      {line("CONNECT / HTTP/1.1"), "!", Refusal::kMethodNotAllowed},
      {line("TRACE / HTTP/1.1"), "!", Refusal::kMethodNotAllowed},
      {line("OPTIONS * HTTP/1.1"), "!", kTarget},
      {line("GET http://a/ HTTP/1.1"), "!", kTarget},
      {line("GET a:80 HTTP/1.1"), "!", kTarget},
      {line("GET x HTTP/1.1"), "!", kTarget},
      {line("GET /a b HTTP/1.1"), "!", kTarget},
      {line("GET /\xC3\xA4 HTTP/1.1"), "!", kTarget},
      {line("GET /\x7F HTTP/1.1"), "!", kTarget},
      {line("GET /\x01 HTTP/1.1"), "!", kTarget},
      {line("GET /\ra HTTP/1.1"), "!", kTarget},
      {line("GET /a#b HTTP/1.1"), "!", kTarget},
      {with_nul(line("GET /~ HTTP/1.1")), "!", kTarget},
      {with_nul(line("~GET / HTTP/1.1")), "!", kLine},
      {"GET / HTTP/1.1\nHost: a\r\n\r\n", "!", kLine},
      {"\n" + get(""), "!", kLine},
      {"\r" + get(""), "!", kLine},
      {"\r\n\r\n\r\n\r\n\r\n" + get(""), "!", kLine},
      {"\x16\x03\x01\x02", "!", kLine},  // a TLS client is told at its first byte
      {line("GET /" + std::string(60, 'a') + " HTTP/1.1"), "!", Refusal::kLineTooLong},
      {std::string(65, 'A'), "!", Refusal::kLineTooLong},
  });
}

TEST(Request, AcceptsFields) {
  check_requests({
      {get("X: y\r\n"), "()"},
      {get("x:y\r\n"), "()"},
      {get("X:\r\n"), "()"},
      {get("X:   \r\n"), "()"},
      {get("X:\t y \t\r\n"), "()"},
      {get("X: a b\tc\r\n"), "()"},
      {get("X: \xC3\xA4\r\n"), "()"},
      {get("X: \"q\" (c) : ; ,\r\n"), "()"},
      {get("!#$%&'*+-.^_`|~09Az: y\r\n"), "()"},
      {get("X: 1\r\nX: 2\r\n"), "()"},
      {get("Upgrade: websocket\r\nConnection: upgrade\r\n") + get(""), "()()"},
      {post("Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 1\r\n", "x"),
       "(x)"},
  });
}

TEST(Request, RefusesFields) {
  constexpr Refusal kField = Refusal::kBadField;
  check_requests({
      {get("X: a\r\n folded\r\n"), "!", kField},
      {get("X: a\r\n\tfolded\r\n"), "!", kField},
      {get("Transfer-Encoding:\r\n chunked\r\n"), "!", kField},
      {"GET / HTTP/1.1\r\n Host: a\r\n\r\n", "!", kField},
      {get(": y\r\n"), "!", kField},
      {get("X : y\r\n"), "!", kField},
      {get("X\t: y\r\n"), "!", kField},
      {get("X\r\n"), "!", kField},
      {get("X y: z\r\n"), "!", kField},
      {get("X(: y\r\n"), "!", kField},
      {get("X\": y\r\n"), "!", kField},
      {get("X\x7F: y\r\n"), "!", kField},
      {get("\xC3\xA4: y\r\n"), "!", kField},
      {get("X: y\n"), "!", kField},
      {get("X: y\nZ: a\r\n"), "!", kField},
      {get("X: y\rZ: a\r\n"), "!", kField},
      {get("X: y\r\r\n"), "!", kField},
      {get("\rX: y\r\n"), "!", kField},
      {"GET / HTTP/1.1\r\nHost: a\r\n\n", "!", kField},
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\r\n", "!", kField},
      {"GET / HTTP/1.1\r\nHost: a\n\n", "!", kField},
      {with_nul(get("X: ~\r\n")), "!", kField},
      {with_nul(get("X~: y\r\n")), "!", kField},
      {get("X: \x01\r\n"), "!", kField},
      {get("X: \x1B[0m\r\n"), "!", kField},
      {get("X: \x7F\r\n"), "!", kField},
  });
}

TEST(Request, WantsOneHost) {
  constexpr Refusal kHost = Refusal::kBadHost;
  check_requests({
      {"GET / HTTP/1.0\r\n\r\n", "()"},
      {"GET / HTTP/1.1\r\nhOST: a.example:8080\r\n\r\n", "()"},
      {"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "()"},
      {"GET / HTTP/1.1\r\n\r\n", "!", kHost},
      {"GET / HTTP/1.1\r\nX-Host: a\r\n\r\n", "!", kHost},
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "!", kHost},
      {get("Host: a\r\n"), "!", kHost},
      {get("HOST: b\r\n"), "!", kHost},
      {"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "!", kHost},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "!", kHost},
      {"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", "!", kHost},
      {"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "!", kHost},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "!", kHost},
  });
}

TEST(Request, FindsTheBodyByLength) {
  constexpr Refusal kFraming = Refusal::kBadFraming;
  const auto length = [](const std::string& value, const std::string& body) {
    return post("Content-Length:" + value + "\r\n", body);
  };
  check_requests({
      {length(" 5", "hello"), "(hello)"},
      {length("5", "hello"), "(hello)"},
      {length(" 5  ", "hello"), "(hello)"},
      {length(" 0", ""), "()"},
      {length(" 0005", "hello"), "(hello)"},
      {length(" 2", "ab") + length(" 2", "cd"), "(ab)(cd)"},
      {length(" 2", "ab") + "\r\n" + length(" 2", "cd"), "(ab)(cd)"},
      {length(" 2", "ab\r\n") + get(""), "(ab)()"},
      {length(" 5", "hel"), "(hel!", kFraming},
      {length(" 5", ""), "(!", kFraming},
      {length("", "hello"), "!", kFraming},
      {length(" +5", "hello"), "!", kFraming},
      {length(" -5", "hello"), "!", kFraming},
      {length(" 5_0", "hello"), "!", kFraming},
      {length(" 0x5", "hello"), "!", kFraming},
      {length(" 5 5", "hello"), "!", kFraming},
      {length(" 5,5", "hello"), "!", kFraming},
      {length(" 5, 6", "hello"), "!", kFraming},
      {length(" 5.0", "hello"), "!", kFraming},
      {length(" 1e1", "hello"), "!", kFraming},
      {length(" \"5\"", "hello"), "!", kFraming},
      {length(" 18446744073709551616", "x"), "!", kFraming},
      {length(" 99999999999999999999999", "x"), "!", kFraming},
      {post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), "!", kFraming},
      {post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), "!", kFraming},
      {post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "!", kFraming},
      {post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), "!", kFraming},
      {post("", ""), "()"},
      {post("", "junk"), "()!", kFraming},  // the junk is the start of a next request, cut short
  });
}

TEST(Request, TakesNoTransferCodingButChunked) {
  constexpr Refusal kFraming = Refusal::kBadFraming;
  const auto coding = [](const std::string& value) {
    return post("Transfer-Encoding: " + value + "\r\n", "0\r\n\r\n");
  };
  check_requests({
      {coding("chunked"), "()"},
      {coding("CHUNKED"), "()"},
      {coding("chunked  "), "()"},
      {coding("gzip, chunked"), "!", kFraming},
      {coding("chunked, chunked"), "!", kFraming},
      {coding("chunked, gzip"), "!", kFraming},
      {coding("chunked,"), "!", kFraming},
      {coding(",chunked"), "!", kFraming},
      {coding("identity"), "!", kFraming},
      {coding("gzip"), "!", kFraming},
      {coding("xchunked"), "!", kFraming},
      {coding("chunked;q=1"), "!", kFraming},
      {coding("\"chunked\""), "!", kFraming},
      {coding(""), "!", kFraming},
      {post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "!",
       kFraming},
      {post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "!",
       kFraming},
      {post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), "!", Refusal::kBadField},
      {"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "!", kFraming},
  });
}

TEST(Request, DecodesChunks) {
  const std::string extension_256(256 - 1, 'e');
  check_requests({
      {chunked("5\r\nhello\r\n0\r\n\r\n"), "(hello)"},
      {chunked("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"), "(hello world)"},
      {chunked("0\r\n\r\n") + get(""), "()()"},
      {chunked("A\r\n0123456789\r\n0\r\n\r\n"), "(0123456789)"},
      {chunked("a\r\n0123456789\r\n0\r\n\r\n"), "(0123456789)"},
      {chunked("0000000000000001\r\nx\r\n000\r\n\r\n"), "(x)"},
      {chunked("1;a\r\nx\r\n0;b=\"c;d\"\r\n\r\n"), "(x)"},
      {chunked("1;" + extension_256 + "\r\nx\r\n0\r\n\r\n"), "(x)"},
      {chunked("2\r\n\r\n\r\n0\r\n\r\n"), "(\r\n)"},
      {chunked("1\r\nx\r\n0\r\nTrailer: 1\r\nOther: 2\r\n\r\n") + get(""), "(x)()"},
      {chunked("0\r\nAuthorization: Bearer x\r\nContent-Length: 9\r\n\r\n") + get(""), "()()"},
  });
}

TEST(Request, RefusesBrokenChunks) {
  constexpr Refusal kFraming = Refusal::kBadFraming;
  constexpr Refusal kField = Refusal::kBadField;
  check_requests({
      {chunked("5\r\nhel"), "(hel!", kFraming},
      {chunked("5\r\nhello"), "(hello!", kFraming},
      {chunked("5\r\nhello\r\n"), "(hello!", kFraming},
      {chunked("5\r\nhello\r\n0\r\n"), "(hello!", kFraming},
      {chunked("5\r\nhello0\r\n\r\n"), "(hello!", kFraming},
      {chunked("5\r\nhello\n0\r\n\r\n"), "(hello!", kFraming},
      {chunked("5\r\nhello\r0\r\n\r\n"), "(hello!", kFraming},
      {chunked("5\r\nhello\r\n\r\n0\r\n\r\n"), "(hello!", kFraming},
      {chunked("5\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("5\rhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("\r\n"), "(!", kFraming},
      {chunked(" 5\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("5 \r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("5 ;a\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("+5\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("-5\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("0x5\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("5_\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("g\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked(";a\r\n\r\n"), "(!", kFraming},
      {chunked("00000000000000005\r\nhello\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("1;a\nx\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("1;a\rb\r\nx\r\n0\r\n\r\n"), "(!", kFraming},
      {with_nul(chunked("1;~\r\nx\r\n0\r\n\r\n")), "(!", kFraming},
      {chunked("1;" + std::string(257, 'e') + "\r\nx\r\n0\r\n\r\n"), "(!", kFraming},
      {chunked("ffffffffffffffff\r\nx"), "(!", Refusal::kBodyTooLarge},
      {chunked("0\r\n\n"), "(!", kField},
      {chunked("0\r\nX: y\n\r\n"), "(!", kField},
      {chunked("0\r\nX: y\r\n folded\r\n\r\n"), "(!", kField},
      {chunked("0\r\n: y\r\n\r\n"), "(!", kField},
      {chunked("0\r\nnothing\r\n\r\n"), "(!", kField},
      {chunked("0\r\nX : y\r\n\r\n"), "(!", kField},
      {with_nul(chunked("0\r\nX: ~\r\n\r\n")), "(!", kField},
      {chunked("0\r\nX: " + std::string(256, 'y') + "\r\n\r\n"), "(!", Refusal::kHeadTooLarge},
      {chunked("0\r\na:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\nh:\r\ni:\r\n\r\n"), "(!",
       Refusal::kTooManyFields},
  });
}

TEST(Request, EnforcesLimits) {
  const auto fill = [](std::size_t head_bytes) {
    const std::size_t rest = head_bytes - get("X: \r\n").size();
    return get("X: " + std::string(rest, 'y') + "\r\n");
  };
  check_requests({
      {fill(256), "()"},
      {fill(257), "!", Refusal::kHeadTooLarge},
      {"GET / HTTP/1.1\r\nX: " + std::string(300, 'y'), "!", Refusal::kHeadTooLarge},
      {line("GET /" + std::string(64 - 16, 'a') + " HTTP/1.1"), "()"},
      {line("GET /" + std::string(64 - 15, 'a') + " HTTP/1.1"), "!", Refusal::kLineTooLong},
      {get("a:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\n"), "()"},
      {get("a:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\nh:\r\n"), "!", Refusal::kTooManyFields},
      {post("Content-Length: 32\r\n", std::string(32, 'x')), "(" + std::string(32, 'x') + ")"},
  });
}

// H20: one byte above the limit is refused before any of it is read; without a length, at the chunk
// that would cross the limit.
TEST(Request, H20RefusesOversizeBodies) {
  check_requests({
      {post("Content-Length: 33\r\n", std::string(33, 'x')), "(!", Refusal::kBodyTooLarge},
      {post("Content-Length: 33\r\n", ""), "(!", Refusal::kBodyTooLarge},
      {chunked("20\r\n" + std::string(32, 'x') + "\r\n0\r\n\r\n"),
       "(" + std::string(32, 'x') + ")"},
      {chunked("21\r\n" + std::string(33, 'x')), "(!", Refusal::kBodyTooLarge},
      {chunked("2\r\nab\r\n1f\r\n"), "(ab!", Refusal::kBodyTooLarge},
  });
}

TEST(Response, AcceptsStatusLines) {
  check_responses({
      {answer("Content-Length: 0\r\n", ""), "()"},
      {"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "()"},
      {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "()"},
      {"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", "(no)"},
      {"HTTP/1.1 529 Over-loaded (\xC3\xA4)\r\nContent-Length: 0\r\n\r\n", "()"},
      {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "(ok)"},
  });
}

TEST(Response, RefusesStatusLines) {
  constexpr Refusal kLine = Refusal::kBadStatusLine;
  check_responses({
      {"HTTP/1.1 99 X\r\n\r\n", "!", kLine},
      {"HTTP/1.1 600 X\r\n\r\n", "!", kLine},
      {"HTTP/1.1 2000 X\r\n\r\n", "!", kLine},
      {"HTTP/1.1  200 X\r\n\r\n", "!", kLine},
      {"HTTP/1.1 2x0 X\r\n\r\n", "!", kLine},
      {"HTTP/1.1 200\tOK\r\n\r\n", "!", kLine},
      {"HTTP/1.1\r\n\r\n", "!", kLine},
      {"http/1.1 200 OK\r\n\r\n", "!", kLine},
      {"ICY 200 OK\r\n\r\n", "!", kLine},
      {"HTTP/1.1 200 a\rb\r\n\r\n", "!", kLine},
      {with_nul("HTTP/1.1 200 a~\r\n\r\n"), "!", kLine},
      {"HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", "!", kLine},
      {"\r\nHTTP/1.1 200 OK\r\n\r\n", "!", kLine},
      {" HTTP/1.1 200 OK\r\n\r\n", "!", kLine},
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "!", kLine},
      {"HTTP/2.0 200 OK\r\n\r\n", "!", Refusal::kUnsupportedVersion},
      {"HTTP/0.9 200 OK\r\n\r\n", "!", Refusal::kUnsupportedVersion},
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "!", kLine},
  });
}

TEST(Response, FindsTheBody) {
  constexpr Refusal kFraming = Refusal::kBadFraming;
  const std::string final = answer("Content-Length: 2\r\n", "ok");
  check_responses({
      {final, "(ok)"},
      {final + final, "(ok)(ok)"},
      {answer("Transfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\n\r\n"), "(ok)"},
      {answer("Transfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\nSet-Cookie: a\r\n\r\n") + final,
       "(ok)(ok)"},
      {answer("", "until close"), "(until close)"},
      {answer("", ""), "()"},
      {answer("", std::string(33, 'x')), "(" + std::string(32, 'x') + "!", Refusal::kBodyTooLarge},
      {"HTTP/1.1 100 Continue\r\n\r\n" + final, "()(ok)"},
      {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 103 X\r\n\r\n" + final, "()()(ok)"},
      {"HTTP/1.1 204 No Content\r\n\r\n" + final, "()(ok)"},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n" + final, "()(ok)"},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n" + final, "()(ok)"},
      {"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n" + final, "()(ok)"},
      {answer("Upgrade: h2c\r\nConnection: upgrade\r\nContent-Length: 2\r\n", "ok"), "(ok)"},
      {answer("Content-Length: 5\r\n", "hel"), "(hel!", kFraming},
      {answer("Transfer-Encoding: chunked\r\n", "2\r\nok\r\n"), "(ok!", kFraming},
      {answer("Transfer-Encoding: chunked\r\n", ""), "(!", kFraming},
      {"HTTP/1.1 200 OK\r\nContent-Le", "!", kFraming},
      {answer("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\n\r\n"), "!",
       kFraming},
      {answer("Content-Length: 2\r\nContent-Length: 2\r\n", "ok"), "!", kFraming},
      {answer("Content-Length: 2, 2\r\n", "ok"), "!", kFraming},
      {answer("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), "!", kFraming},
      {answer("Transfer-Encoding: gzip\r\n", "x"), "!", kFraming},
      {answer("Transfer-Encoding: identity\r\n", "x"), "!", kFraming},
      {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "!", kFraming},
      {answer("X: a\r\n b\r\n", ""), "!", Refusal::kBadField},
      {answer("X: a\n", ""), "!", Refusal::kBadField},
      {answer(": a\r\n", ""), "!", Refusal::kBadField},
  });
}

}  // namespace
}  // namespace slipstream::http
