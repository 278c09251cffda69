#include "gateway/heads.h"

#include <gtest/gtest.h>

#include "http/parser.h"

namespace slipstream::gateway {
namespace {

http::Head parse(http::Parser::Kind kind, std::string text) {
  http::Parser parser(kind, http::Limits{});
  std::string_view input = text;
  EXPECT_EQ(parser.next(input), http::Parser::Step::kHead) << text;
  return parser.take_head();
}
http::Head request(const std::string& fields, const std::string& line = "POST /v1/x?y=1 HTTP/1.1") {
  return parse(http::Parser::Kind::kRequest, line + "\r\nhost: caller\r\n" + fields + "\r\n");
}
http::Head response(const std::string& fields, const std::string& status = "200 OK") {
  return parse(http::Parser::Kind::kResponse, "HTTP/1.1 " + status + "\r\n" + fields + "\r\n");
}
http::Head caller_head(const flight::AnswerHead& answer, const CallerHead& caller) {
  std::string out;
  append_caller_head(out, answer, caller);
  return parse(http::Parser::Kind::kResponse, out);
}

// --- towards the upstream ---

std::string upstream_head(const http::Head& from, const UpstreamRequest& with) {
  std::string out;
  append_upstream_head(out, from, with);
  return out;
}

UpstreamRequest to_model() {
  return {.host = "model:8000", .path_prefix = "", .request_id = "r1"};
}

TEST(UpstreamHead, IsBuiltAnew) {
  const auto head = request("authorization: Bearer k\r\ncontent-length: 2\r\nx-custom: a\r\n");
  UpstreamRequest with = to_model();
  with.path_prefix = "/base";
  with.upload = Upload::kLength;
  with.content_length = 17;
  EXPECT_EQ(upstream_head(head, with),
            "POST /base/v1/x?y=1 HTTP/1.1\r\nhost: model:8000\r\nauthorization: Bearer k\r\n"
            "x-custom: a\r\nx-request-id: r1\r\ncontent-length: 17\r\n\r\n");
}

TEST(UpstreamHead, FramingIsOurs) {
  const auto head = request("transfer-encoding: chunked\r\n");
  UpstreamRequest with = to_model();
  EXPECT_EQ(upstream_head(head, with).find("transfer-encoding"), std::string::npos);
  EXPECT_EQ(upstream_head(head, with).find("content-length"), std::string::npos);
  with.upload = Upload::kChunked;
  EXPECT_NE(upstream_head(head, with).find("transfer-encoding: chunked\r\n"), std::string::npos);
  with.upload = Upload::kLength;
  with.content_length = 0;
  EXPECT_NE(upstream_head(head, with).find("content-length: 0\r\n"), std::string::npos);
}

TEST(UpstreamHead, HopByHopFieldsStay) {
  const auto head = request(
      "connection: keep-alive, X-Mine\r\nconnection: x-other\r\nkeep-alive: 5\r\nte: trailers\r\n"
      "x-mine: 1\r\nx-other: 2\r\nupgrade: h2c\r\nproxy-connection: close\r\ntrailer: x\r\n"
      "expect: 100-continue\r\naccept-encoding: gzip\r\nx-request-id: theirs\r\n"
      "x-slipstream-coalesce: off\r\nx-kept: 3\r\n");
  EXPECT_EQ(upstream_head(head, to_model()),
            "POST /v1/x?y=1 HTTP/1.1\r\nhost: model:8000\r\nx-kept: 3\r\nx-request-id: r1\r\n\r\n");
}

TEST(UpstreamHead, TheTenantsCredentialReplacesAllThatTheCallerSaid) {
  UpstreamRequest with = to_model();
  with.credential = "upstream-key";
  with.scope_header = "x-team";
  const std::pair<const char*, const char*> cases[] = {
      {"authorization: Bearer k\r\nx-api-key: k\r\nopenai-organization: o\r\nx-team: t\r\n",
       "authorization: Bearer upstream-key"},
      {"x-api-key: k\r\nopenai-project: p\r\n", "x-api-key: upstream-key"},
      {"api-key: k\r\n", "api-key: upstream-key"},
      {"", "authorization: Bearer upstream-key"},
  };
  for (const auto& [fields, field] : cases) {
    EXPECT_EQ(upstream_head(request(std::string("x-kept: 1\r\n") + fields), with),
              "POST /v1/x?y=1 HTTP/1.1\r\nhost: model:8000\r\nx-kept: 1\r\n" + std::string(field) +
                  "\r\nx-request-id: r1\r\n\r\n");
  }
}

// --- from the upstream ---

using Form = flight::AnswerHead::Form;

flight::AnswerHead answer_of(const http::Head& head) {
  return answer_head(head, contract::Surface::kChatCompletions);
}

TEST(AnswerHead, SplitsWhatAllMaySeeFromTheLeadersOwn) {
  const flight::AnswerHead answer = answer_of(response(
      "content-type: application/json\r\nset-cookie: a=b\r\nx-ratelimit-remaining-tokens: 7\r\n"
      "openai-processing-ms: 12\r\nx-request-id: up\r\nserver: m\r\ncf-ray: 1\r\n"));
  EXPECT_EQ(answer.shared_fields, "content-type: application/json\r\nserver: m\r\n");
  EXPECT_EQ(answer.leader_fields,
            "set-cookie: a=b\r\nx-ratelimit-remaining-tokens: 7\r\nopenai-processing-ms: 12\r\n"
            "x-upstream-request-id: up\r\ncf-ray: 1\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.form, Form::kPlain);
}

TEST(AnswerHead, DropsHopByHopOwnAndNamedFields) {
  const flight::AnswerHead answer = answer_of(response(
      "transfer-encoding: chunked\r\nconnection: x-a\r\nconnection: keep-alive, X-B\r\nx-a: 1\r\n"
      "x-b: 2\r\nkeep-alive: timeout=5\r\ncache-status: other; hit\r\nx-slipstream: forged\r\n"
      "alt-svc: h3\r\nx-c: 3\r\n"));
  EXPECT_EQ(answer.shared_fields, "x-c: 3\r\n");
  EXPECT_EQ(answer.leader_fields, "");
}

TEST(AnswerHead, KnowsTheFormThatTheSurfaceStreams) {
  using contract::Surface;
  struct Case {
    Surface surface;
    std::string type;
    Form form;
  };
  const Case cases[] = {
      {Surface::kChatCompletions, "Text/Event-Stream; charset=utf-8", Form::kEvents},
      {Surface::kMessages, "text/event-stream", Form::kEvents},
      {Surface::kPassThrough, "text/event-stream", Form::kEvents},
      {Surface::kChatCompletions, "text/plain", Form::kPlain},
      {Surface::kChatCompletions, "application/x-ndjson", Form::kPlain},
      {Surface::kPassThrough, "application/x-ndjson", Form::kPlain},
      {Surface::kOllamaChat, "application/x-ndjson", Form::kLines},
      {Surface::kOllamaGenerate, "Application/X-NDJSON; charset=utf-8", Form::kLines},
      {Surface::kOllamaChat, "application/json", Form::kPlain},
      {Surface::kOllamaChat, "text/event-stream", Form::kPlain},
  };
  for (const Case& one : cases) {
    const http::Head head = response("content-type: " + one.type + "\r\n");
    EXPECT_EQ(answer_head(head, one.surface).form, one.form) << one.type;
  }
  EXPECT_EQ(answer_of(response("")).form, Form::kPlain);
}

TEST(AnswerHead, ReadsDelays) {
  const auto delay = [](const std::string& fields) {
    return answer_of(response(fields, "429 Slow")).retry_after_ms;
  };
  EXPECT_EQ(delay("retry-after: 7\r\n"), 7000U);
  EXPECT_EQ(delay("retry-after-ms: 250\r\n"), 250U);
  EXPECT_EQ(delay("retry-after: 7\r\nretry-after-ms: 250\r\n"), 250U) << "the finer one";
  EXPECT_EQ(delay("retry-after-ms: 250\r\nretry-after: 7\r\n"), 250U);
  EXPECT_EQ(delay("retry-after: 99999999999\r\n"), 300'000U) << "five minutes at most";
  EXPECT_EQ(delay("retry-after: 0\r\n"), 0U);
  const std::string date = "retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n";
  EXPECT_EQ(delay(date), 0U);
  EXPECT_EQ(answer_of(response(date)).shared_fields, date) << "a date passes as it is";
}

TEST(AnswerHead, ReadsWhetherToRetry) {
  EXPECT_TRUE(answer_of(response("x-should-retry: false\r\n")).retry_discouraged);
  EXPECT_EQ(answer_of(response("x-should-retry: false\r\n")).shared_fields, "");
  EXPECT_FALSE(answer_of(response("x-should-retry: true\r\n")).retry_discouraged);
  EXPECT_EQ(answer_of(response("x-should-retry: true\r\n")).shared_fields,
            "x-should-retry: true\r\n");
}

// --- towards each caller ---

flight::AnswerHead answered() {
  flight::AnswerHead answer;
  answer.status = 200;
  answer.shared_fields = "content-type: text/event-stream\r\n";
  answer.leader_fields = "set-cookie: a=b\r\n";
  answer.body = flight::AnswerHead::Body::kChunked;
  return answer;
}

// RFC 9211: one member; `fwd` and `detail` are parameters, `collapsed` is true by standing there.
TEST(CallerHead, RolesAreToldAsStructuredFields) {
  struct Row {
    Role role;
    contract::Reason reason;
    const char* cache_status;
    const char* slipstream;
    bool cookie;
  };
  const Row rows[] = {
      {Role::kLeader, contract::Reason::kGreedy, "slipstream; fwd=miss",
       "leader; flight=\"f1\"; reason=", true},
      {Role::kFollower, contract::Reason::kGreedy, "slipstream; fwd=miss; collapsed",
       "follower; flight=\"f1\"; reason=", false},
      {Role::kSolo, contract::Reason::kSampled, "slipstream; fwd=bypass; detail=\"sampled\"",
       "solo; flight=\"f1\"; reason=", true}};
  for (const Row& row : rows) {
    const auto head = caller_head(
        answered(),
        {.role = row.role, .reason = row.reason, .flight_id = "f1", .request_id = "r1"});
    EXPECT_EQ(head.find("cache-status"), row.cache_status);
    EXPECT_EQ(head.find("x-slipstream"),
              row.slipstream + std::string(contract::to_string(row.reason)));
    EXPECT_EQ(head.has("set-cookie"), row.cookie) << to_string(row.role);
    EXPECT_EQ(head.find("x-request-id"), "r1");
    EXPECT_EQ(head.find("content-type"), "text/event-stream");
    EXPECT_FALSE(head.has("connection"));
  }
}

TEST(CallerHead, AnswersOfOurOwnCarryNoCacheStatus) {
  const auto head = caller_head(answered(), {.flight_id = "", .request_id = "r1"});
  EXPECT_FALSE(head.has("cache-status"));
  EXPECT_EQ(head.find("x-slipstream"), "solo");
}

TEST(CallerHead, ReasonsAreTokens) {
  for (int i = 0; i < contract::kReasonCount; ++i) {
    const std::string_view name = contract::to_string(static_cast<contract::Reason>(i));
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), name.npos) << name;
    EXPECT_TRUE(name[0] >= 'a' && name[0] <= 'z') << name;
  }
}

TEST(CallerHead, BodiesAreFramed) {
  using Body = flight::AnswerHead::Body;
  flight::AnswerHead answer = answered();
  EXPECT_EQ(caller_head(answer, {}).framing(), http::Framing::kChunked);
  answer.body = Body::kLength;
  answer.content_length = 12;
  EXPECT_EQ(caller_head(answer, {}).content_length(), 12U);
  answer.body = Body::kUntilClose;
  EXPECT_EQ(caller_head(answer, {}).framing(), http::Framing::kUntilClose);
  answer.body = Body::kNone;
  EXPECT_FALSE(caller_head(answer, {}).has("content-length"));
  EXPECT_EQ(caller_head(answer, {.connection = CallerHead::Connection::kClose}).find("connection"),
            "close");
}

TEST(CallerHead, DelaysAreSentInBothUnits) {
  const auto head = caller_head(answered(), {.retry_after_ms = 1001});
  EXPECT_EQ(head.find("retry-after-ms"), "1001");
  EXPECT_EQ(head.find("retry-after"), "2") << "never earlier than the finer one";
  EXPECT_FALSE(caller_head(answered(), {}).has("retry-after"));
}

TEST(CallerHead, TheUpstreamsOwnWordOnRetryingStands) {
  flight::AnswerHead answer = answered();
  answer.shared_fields = "retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\nx-should-retry: true\r\n";
  answer.retry_discouraged = true;
  std::string out;
  append_caller_head(out, answer, {.retry_after_ms = 1000});
  EXPECT_EQ(out.find("retry-after-ms"), std::string::npos);
  EXPECT_EQ(out.find("retry-after: 1"), std::string::npos);
  EXPECT_EQ(out.find("x-should-retry: false"), std::string::npos);
  answer.shared_fields.clear();
  EXPECT_EQ(caller_head(answer, {}).find("x-should-retry"), "false");
}

}  // namespace
}  // namespace slipstream::gateway
