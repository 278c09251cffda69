#include "gateway/errors.h"

#include <gtest/gtest.h>

namespace slipstream::gateway {
namespace {

using contract::Dialect;
using contract::Surface;
using Form = flight::AnswerHead::Form;

TEST(ErrorBody, IsEscapedJsonInTheDialectsShape) {
  constexpr std::string_view kMessage = "a \"b\"\n\x01";
  EXPECT_EQ(error_body(502, kMessage, "upstream_cut"),
            R"({"error":{"message":"a \"b\"\n\u0001","type":"upstream_error","param":null,)"
            R"("code":"upstream_cut"}})");
  EXPECT_EQ(error_body(502, kMessage, "upstream_cut", Dialect::kAnthropic),
            R"({"type":"error","error":{"type":"api_error","message":"a \"b\"\n\u0001"}})");
  EXPECT_EQ(error_body(502, kMessage, "upstream_cut", Dialect::kOllama),
            R"({"error":"a \"b\"\n\u0001"})");
}

TEST(ErrorBody, TypeFollowsTheStatus) {
  struct Case {
    int status;
    std::string_view openai;
    std::string_view anthropic;
  };
  const Case cases[] = {
      {400, "invalid_request_error", "invalid_request_error"},
      {401, "authentication_error", "authentication_error"},
      {403, "permission_error", "permission_error"},
      {404, "invalid_request_error", "not_found_error"},
      {408, "invalid_request_error", "invalid_request_error"},
      {413, "invalid_request_error", "request_too_large"},
      {429, "rate_limit_error", "rate_limit_error"},
      {500, "upstream_error", "api_error"},
      {503, "upstream_error", "overloaded_error"},
      {504, "upstream_error", "api_error"},
      {529, "upstream_error", "overloaded_error"},
  };
  const auto typed = [](std::string_view type) { return "\"type\":\"" + std::string(type) + '"'; };
  for (const Case& one : cases) {
    EXPECT_NE(error_body(one.status, "m", "c").find(typed(one.openai)), std::string::npos)
        << one.status;
    const std::string anthropic = error_body(one.status, "m", "c", Dialect::kAnthropic);
    EXPECT_NE(anthropic.find(typed(one.anthropic)), std::string::npos) << one.status;
  }
}

TEST(ErrorEvent, IsOneEventEvenForPrettyJson) {
  for (const Surface surface : {Surface::kChatCompletions, Surface::kPassThrough,
                                Surface::kTranscriptions, Surface::kCompletions}) {
    EXPECT_EQ(error_event("{}", Form::kEvents, surface), "data: {}\n\n");
    EXPECT_EQ(error_event("{\n  \"error\": {\r\n  }\n}\n", Form::kEvents, surface),
              "data: {   \"error\": {    } } \n\n");
    EXPECT_EQ(error_event("{}", Form::kPlain, surface), "");
  }
}

TEST(ErrorEvent, HasANameWhereEventsHaveNames) {
  EXPECT_EQ(error_event(R"({"type":"error"})", Form::kEvents, Surface::kMessages),
            "event: error\ndata: {\"type\":\"error\"}\n\n");
  EXPECT_EQ(error_event("{\n\"error\":\"x\"}", Form::kLines, Surface::kOllamaChat),
            "{ \"error\":\"x\"}\n");
}

// The event's own members for who reads Responses, `error` for libraries that look for no other.
TEST(ErrorEvent, OfResponsesIsHeardByBothKindsOfReaders) {
  const auto event = [](std::string_view body) {
    return error_event(body, Form::kEvents, Surface::kResponses);
  };
  EXPECT_EQ(event(error_body(502, "m", "c")),
            "event: error\ndata: "
            R"({"type":"error","code":"c","message":"m","param":null,"error":{"message":"m",)"
            R"("type":"upstream_error","param":null,"code":"c"}})"
            "\n\n");
  EXPECT_EQ(event(R"({"error":"text"})"),
            "event: error\ndata: "
            R"({"type":"error","code":null,"message":"text","param":null,"error":"text"})"
            "\n\n");
  EXPECT_EQ(event("<html>\n\"503\""),
            "event: error\ndata: "
            R"({"type":"error","code":null,"message":"<html> \"503\"","param":null,)"
            R"("error":"<html> \"503\""})"
            "\n\n");
}

TEST(ErrorBodyOfEvent, StandsWhereLibrariesLook) {
  const std::string whole = R"({"error":{"message":"m"}})";
  EXPECT_EQ(error_body_of_event(whole, Dialect::kOpenAi), whole);
  EXPECT_EQ(error_body_of_event(R"({"type":"error","message":"m"})", Dialect::kOpenAi),
            R"({"error":{"type":"error","message":"m"}})");
  EXPECT_EQ(error_body_of_event(R"({"type":"response.failed","response":{"error":{"code":"c"}}})",
                                Dialect::kOpenAi),
            R"({"error":{"code":"c"}})");
  EXPECT_EQ(error_body_of_event(R"({"code":500})", Dialect::kAnthropic),
            R"({"type":"error","error":{"code":500}})");
  EXPECT_EQ(error_body_of_event("{\"error\":\"m\"}\r\n", Dialect::kOllama),
            "{\"error\":\"m\"}\r\n");
  EXPECT_EQ(error_body_of_event("broken", Dialect::kOpenAi), "broken");
}

TEST(KeepAliveEvent, IsWhatTheSurfacesClientsIgnore) {
  EXPECT_EQ(keep_alive_event(Surface::kChatCompletions), ": waiting for the upstream\n\n");
  EXPECT_EQ(keep_alive_event(Surface::kResponses), ": waiting for the upstream\n\n");
  EXPECT_EQ(keep_alive_event(Surface::kMessages), "event: ping\ndata: {\"type\":\"ping\"}\n\n");
  EXPECT_EQ(keep_alive_event(Surface::kOllamaChat), "");
  EXPECT_EQ(keep_alive_event(Surface::kEmbeddings), "");
}

}  // namespace
}  // namespace slipstream::gateway
