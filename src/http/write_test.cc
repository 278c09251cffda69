#include "http/write.h"

#include "gtest/gtest.h"
#include "http/parser.h"
#include "http/transcript.h"

namespace slipstream::http {
namespace {

std::size_t all(std::size_t rest) {
  return rest;
}

TEST(Write, RequestReadsBackAsWritten) {
  std::string out;
  append_request_line(out, "POST", "/v1/chat/completions?x=1");
  append_field(out, "host", "model:8000");
  append_field(out, "content-length", std::uint64_t{2});
  append_end_of_head(out);
  EXPECT_EQ(
      out,
      "POST /v1/chat/completions?x=1 HTTP/1.1\r\nhost: model:8000\r\ncontent-length: 2\r\n\r\n");
  Parser parser(Parser::Kind::kRequest, Limits{});
  EXPECT_EQ(transcribe(parser, out + "{}", all).bodies, "({})");
}

TEST(Write, ChunkedResponseReadsBackAsWritten) {
  const std::string body(500, 'x');
  std::string out;
  append_status_line(out, 529);
  append_field(out, "transfer-encoding", "chunked");
  append_end_of_head(out);
  append_chunk_head(out, body.size());
  out.append(body).append(kChunkTail).append(kLastChunk);
  EXPECT_TRUE(out.starts_with("HTTP/1.1 529 Overloaded\r\n"));
  EXPECT_NE(out.find("\r\n\r\n1f4\r\nxxx"), std::string::npos);
  Parser parser(Parser::Kind::kResponse, Limits{});
  EXPECT_EQ(transcribe(parser, out, all).bodies, "(" + body + ")");
}

TEST(Write, EveryStatusHasAPhraseThatParses) {
  for (int status = 200; status < 600; ++status) {
    std::string out;
    append_status_line(out, status);
    append_field(out, "content-length", std::uint64_t{0});
    append_end_of_head(out);
    Parser parser(Parser::Kind::kResponse, Limits{});
    EXPECT_EQ(transcribe(parser, out, all).bodies, "()") << out;
  }
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(599), "Unknown");
}

TEST(Head, KnowsFieldsOfOneConnection) {
  for (const char* name : {"connection", "keep-alive", "proxy-connection", "te", "trailer",
                           "transfer-encoding", "upgrade"}) {
    EXPECT_TRUE(is_hop_by_hop(name)) << name;
  }
  for (const char* name : {"host", "content-length", "authorization", "tf", "trailers", ""}) {
    EXPECT_FALSE(is_hop_by_hop(name)) << name;
  }
}

}  // namespace
}  // namespace slipstream::http
