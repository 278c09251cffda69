// Who may ask, who shares with whom, what it costs them: configured tenants, trusted headers,
// public routes.
#include <string>

#include "faults/scene.h"

namespace slipstream::faults {
namespace {

constexpr std::string_view kTenants =
    "scope: {secret: 0123456789abcdef}\n"
    "metrics: {tenants_max: 8}\n"
    "tenants:\n"
    "  - name: red\n"
    "    keys: [canary-red-1, canary-red-2]\n"
    "    upstream_credential: canary-upstream-red\n"
    "  - name: blue\n"
    "    keys: [canary-blue-1]\n"
    "    upstream_credential: canary-upstream-blue\n"
    "  - name: plain\n"
    "    keys: [canary-plain-1, canary-plain-2]\n";

std::string bearer(std::string_view key) {
  return "authorization: Bearer " + std::string(key) + "\r\n";
}

void answer(Call& call, std::string_view text) {
  call.start_stream();
  call.stream(whole_stream(text));
  call.end_stream();
}

TEST(Tenants, IdenticalBodiesOfTwoTenantsAreTwoCallsEachWithItsCredential) {
  Scene scene({}, kTenants);
  Caller red = scene.ask(chat(), bearer("canary-red-1") + "openai-organization: mine\r\n");
  Call& for_red = scene.upstream.wait_call();
  Caller blue = scene.ask(chat(), "x-api-key: canary-blue-1\r\n");
  Call& for_blue = scene.upstream.wait_call();
  EXPECT_EQ(for_red.field("authorization"), "Bearer canary-upstream-red");
  EXPECT_FALSE(for_red.head().has("openai-organization"));
  EXPECT_FALSE(for_blue.head().has("authorization"));
  EXPECT_EQ(for_blue.field("x-api-key"), "canary-upstream-blue");
  answer(for_red, "red");
  answer(for_blue, "blue");
  expect_stream(red.finish(), whole_stream("red"));
  expect_stream(blue.finish(), whole_stream("blue"));
  EXPECT_EQ(scene.gate.followers(), 0U);
  EXPECT_NE(scene.gate.metrics_page().find("tenant=\"red\""), std::string::npos);
  EXPECT_FALSE(scene.gate.logged("canary"));
  EXPECT_EQ(scene.gate.metrics_page().find("canary"), std::string::npos);
}

TEST(Tenants, AllKeysOfOneTenantShareButNotWithAnotherOrganization) {
  Scene scene({}, kTenants);
  Caller first = scene.ask(chat(), bearer("canary-plain-1"));
  Call& call = scene.upstream.wait_call();
  EXPECT_EQ(call.field("authorization"), "Bearer canary-plain-1");
  Caller second = scene.follow(chat(), "api-key: canary-plain-2\r\n");
  Caller other = scene.ask(chat(), bearer("canary-plain-1") + "openai-organization: another\r\n");
  Call& for_other = scene.upstream.wait_call();
  EXPECT_EQ(for_other.field("openai-organization"), "another");
  answer(call, "shared");
  answer(for_other, "other");
  for (Caller* caller : {&first, &second}) expect_stream(caller->finish(), whole_stream("shared"));
  expect_stream(other.finish(), whole_stream("other"));
}

TEST(Tenants, AnUnknownKeyIsRefusedBeforeAnythingIsAsked) {
  Scene scene({}, kTenants);
  const std::string two = bearer("canary-red-1") + "x-api-key: canary-blue-1\r\n";
  const std::string one_wrong = bearer("canary-red-1") + "x-api-key: canary-wrong\r\n";
  const std::string trusted = "x-slipstream-scope: red\r\n";
  for (const std::string& fields :
       {std::string(), bearer("canary-wrong"), bearer("red"), two, one_wrong, trusted}) {
    Caller caller = scene.ask(chat(), fields);
    const Answer refused = caller.finish();
    expect_error(refused, 401, "invalid_api_key");
    EXPECT_EQ(refused.field("www-authenticate"), "Bearer");
    // The connection goes on.
    caller.send("GET /v1/models HTTP/1.1\r\nhost: g\r\n" + fields + "\r\n");
    expect_error(caller.finish(), 401, "invalid_api_key");
  }
  Caller caller(scene.gate);
  caller.send(
      "PUT /v1/files HTTP/1.1\r\nhost: g\r\ntransfer-encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0\r\n\r\n");
  expect_error(caller.finish(), 401, "invalid_api_key");
  EXPECT_EQ(scene.upstream.try_call(Duration::zero()), nullptr);
  EXPECT_EQ(scene.gate.upstream_calls(), 0U);
  EXPECT_EQ(scene.gate.labelled("slipstream_refused_requests_total", "credential"), 13U);
  EXPECT_FALSE(scene.gate.logged("canary"));
}

TEST(Tenants, WhoIsRefusedIsNotInvitedToSendItsBody) {
  Scene scene({}, kTenants);
  Caller caller(scene.gate);
  caller.send(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-length: 1000\r\n"
      "expect: 100-continue\r\n\r\n");
  const Answer refused = caller.finish();
  expect_error(refused, 401, "invalid_api_key");
  EXPECT_EQ(refused.interim, 0);
  EXPECT_EQ(caller.wait_end(), Answer::End::kFin);
}

TEST(Tenants, UnknownKeysMayBeLetThroughWithAScopeOfTheirOwn) {
  Scene scene({{"scope.unknown_key", "pass"}}, kTenants);
  Caller red = scene.ask(chat(), bearer("canary-red-1"));
  Call& for_red = scene.upstream.wait_call();
  Caller own = scene.ask(chat(), bearer("own-key"));
  Call& for_own = scene.upstream.wait_call();
  EXPECT_EQ(for_own.field("authorization"), "Bearer own-key");
  Caller twin = scene.follow(chat(), bearer("own-key"));
  answer(for_red, "red");
  answer(for_own, "own");
  expect_stream(red.finish(), whole_stream("red"));
  for (Caller* caller : {&own, &twin}) expect_stream(caller->finish(), whole_stream("own"));
}

// Nor is a second key a way out of the tenant's quota.
TEST(Tenants, ATenantsKeyBesideAnotherIsRefusedAlsoWhereUnknownKeysPass) {
  Scene scene({{"scope.unknown_key", "pass"}}, kTenants);
  Caller caller = scene.ask(chat(), bearer("canary-red-1") + "x-api-key: own-key\r\n");
  expect_error(caller.finish(), 401, "invalid_api_key");
  EXPECT_EQ(scene.gate.upstream_calls(), 0U);
}

TEST(Tenants, ACredentialThatTheUpstreamRefusesIsRefusedToItsOwnerAlone) {
  for (const int status : {401, 403}) {
    Scene scene({}, kTenants);
    Caller expired = scene.ask(chat(), bearer("canary-plain-1"));
    Call& refused = scene.upstream.wait_call();
    Caller valid = scene.follow(chat(), bearer("canary-plain-2"));
    refused.answer(status, R"({"error":{"message":"no"}})", kJson);
    Call& own = scene.upstream.wait_call();
    EXPECT_EQ(own.field("authorization"), "Bearer canary-plain-2");
    answer(own, "mine");
    EXPECT_EQ(expired.finish().head.status(), status);
    expect_stream(valid.finish(), whole_stream("mine"));
    EXPECT_EQ(scene.gate.upstream_calls(), 2U);
  }
}

TEST(Tenants, AnEscapedPathIsTheSameSurface) {
  Scene scene({}, kTenants);
  Caller caller(scene.gate);
  const std::string body = chat();
  caller.send("POST /v1/chat/%63ompletions HTTP/1.1\r\nhost: g\r\n" + bearer("canary-red-1") +
              "content-type: application/json\r\ncontent-length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  Call& call = scene.upstream.wait_call();
  answer(call, "x");
  const Answer got = caller.finish();
  expect_stream(got, whole_stream("x"));
  EXPECT_EQ(got.role(), "leader") << "a contract, and not passed through";
}

TEST(Tenants, PassThroughRequestsCarryTheTenantsCredential) {
  Scene scene({}, kTenants);
  Caller caller(scene.gate);
  caller.send("GET /v1/models HTTP/1.1\r\nhost: g\r\n" + bearer("canary-red-2") + "\r\n");
  Call& call = scene.upstream.wait_call();
  EXPECT_EQ(call.field("authorization"), "Bearer canary-upstream-red");
  call.answer(200, "[]", kJson);
  EXPECT_EQ(caller.finish().body, "[]");
}

TEST(Quotas, RequestsAreCountedForFollowersToo) {
  Scene scene({},
              "metrics: {tenants_max: 8}\n"
              "tenants: [{name: red, keys: [canary-red-1], requests_per_minute: 2}]\n");
  Caller leader = scene.ask(chat(), bearer("canary-red-1"));
  Call& call = scene.upstream.wait_call();
  Caller follower = scene.follow(chat(), bearer("canary-red-1"));
  Caller third = scene.ask(chat(), bearer("canary-red-1"));
  const Answer refused = third.finish();
  expect_error(refused, 429, "rate_limit_exceeded");
  EXPECT_TRUE(refused.has("requests per minute"));
  const int wait_s = std::stoi(std::string(refused.field("retry-after")));
  EXPECT_GE(wait_s, 25);
  EXPECT_LE(wait_s, 38);
  EXPECT_GE(std::stoi(std::string(refused.field("retry-after-ms"))), (wait_s - 1) * 1000);
  answer(call, "x");
  for (Caller* caller : {&leader, &follower}) expect_stream(caller->finish(), whole_stream("x"));
  EXPECT_EQ(scene.gate.labelled("slipstream_refused_requests_total", "quota"), 1U);
  EXPECT_EQ(scene.gate.upstream_calls(), 1U);
}

TEST(Quotas, TokensAreChargedToLeaderAndFollowerInFull) {
  // 3 prompt and 60 completion tokens each: two callers leave a debt, one would not.
  Scene scene({}, "tenants: [{name: red, keys: [canary-red-1], tokens_per_minute: 100}]\n");
  Caller leader = scene.ask(chat(), bearer("canary-red-1"));
  Call& call = scene.upstream.wait_call();
  Caller follower = scene.follow(chat(), bearer("canary-red-1"));
  const std::string bytes = token("x") + finish_event() + usage_event(60) + std::string(kDone);
  call.start_stream();
  call.stream(bytes);
  call.end_stream();
  for (Caller* caller : {&leader, &follower}) expect_stream(caller->finish(), bytes);
  scene.gate.expect_callers_ended("delivered", 2);
  Caller third = scene.ask(chat(), bearer("canary-red-1"));
  const Answer refused = third.finish();
  expect_error(refused, 429, "rate_limit_exceeded");
  EXPECT_TRUE(refused.has("tokens per minute"));
}

TEST(Quotas, OneAnswerWithinTheQuotaLeavesRoomForTheNext) {
  Scene scene({}, "tenants: [{name: red, keys: [canary-red-1], tokens_per_minute: 100}]\n");
  for (int i = 0; i < 2; ++i) {
    Caller caller = scene.ask(chat(), bearer("canary-red-1"));
    Call& call = scene.upstream.wait_call();
    call.start_stream();
    call.stream(token("x") + finish_event() + usage_event(60) + std::string(kDone));
    call.end_stream();
    EXPECT_TRUE(caller.finish().complete);
    scene.gate.expect_callers_ended("delivered", static_cast<std::uint64_t>(i) + 1);
  }
  Caller third = scene.ask(chat(), bearer("canary-red-1"));
  expect_error(third.finish(), 429, "rate_limit_exceeded");
}

// Nobody joins, so nobody but the quota wants to know what the answer took: 5 tokens each.
TEST(Quotas, TokensOfAWholeAnswerAreWhatItSays) {
  Scene scene({}, "tenants: [{name: red, keys: [canary-red-1], tokens_per_minute: 6}]\n");
  for (std::uint64_t i = 1; i <= 2; ++i) {
    Caller caller = scene.ask(chat("hi", Stream::kNo), bearer("canary-red-1"));
    scene.upstream.wait_call().answer(200, whole_body("x"), kJson);
    EXPECT_EQ(caller.finish().status(), 200);
    scene.gate.expect_callers_ended("delivered", i);
  }
  Caller third = scene.ask(chat("hi", Stream::kNo), bearer("canary-red-1"));
  expect_error(third.finish(), 429, "rate_limit_exceeded");
}

TEST(Quotas, WhoLeavesEarlyPaysForWhatWasSaid) {
  Scene scene({}, "tenants: [{name: red, keys: [canary-red-1], tokens_per_minute: 40}]\n");
  Caller caller = scene.ask(chat(), bearer("canary-red-1"));
  Call& call = scene.upstream.wait_call();
  call.start_stream();
  std::string bytes;
  for (int i = 0; i < 60; ++i) bytes += token("x");
  call.stream(bytes);
  caller.wait_body(bytes);
  caller.close();
  scene.gate.expect_callers_ended("client_gone", 1);
  Caller second = scene.ask(chat(), bearer("canary-red-1"));
  expect_error(second.finish(), 429, "rate_limit_exceeded");
}

TEST(Quotas, WhatTheUpstreamRefusedCostsNoTokens) {
  Scene scene({}, "tenants: [{name: red, keys: [canary-red-1], tokens_per_minute: 1}]\n");
  for (std::uint64_t i = 1; i <= 3; ++i) {
    Caller caller = scene.ask(chat(), bearer("canary-red-1"));
    scene.upstream.wait_call().answer(404, R"({"error":{"code":"no_model"}})", kJson);
    expect_error(caller.finish(), 404, "no_model");
    scene.gate.wait_quiet();
  }
}

// Two callers whose credentials differ, and whose trusted header is the same.
std::uint64_t followers_with_scope(const std::string& trusted_addresses, std::string_view name) {
  Scene scene({{"scope.trusted_addresses", trusted_addresses},
               {"scope.trusted_header", std::string(name)}});
  const std::string scope = std::string(name) + ": team-1\r\n";
  Caller a = scene.ask(chat(), bearer("a") + scope);
  Call& call = scene.upstream.wait_call();
  EXPECT_FALSE(call.head().has(name)) << "it is for the gateway alone";
  Caller b = scene.ask(chat(), bearer("b") + scope);
  wait_until([&] { return scene.gate.followers() > 0 || scene.gate.upstream_calls() == 2; },
             "B to join or to call");
  answer(call, "x");
  if (scene.gate.followers() == 0) answer(scene.upstream.wait_call(), "x");
  for (Caller* caller : {&a, &b}) expect_stream(caller->finish(), whole_stream("x"));
  return scene.gate.followers();
}

TEST(TrustedHeader, IsHonouredFromConfiguredAddressesOnly) {
  for (const char* name : {"x-slipstream-scope", "x-team"}) {
    EXPECT_EQ(followers_with_scope("10.0.0.0/8, 127.0.0.1/32", name), 1U) << name;
    EXPECT_EQ(followers_with_scope("10.0.0.0/8, ::1", name), 0U) << name;
    EXPECT_EQ(followers_with_scope("", name), 0U) << name;
  }
}

TEST(TrustedHeader, DifferentScopesDoNotShareAndTwoAreNone) {
  Scene scene({{"scope.trusted_addresses", "127.0.0.0/8"}});
  Caller a = scene.ask(chat(), "x-slipstream-scope: a\r\n");
  Call& for_a = scene.upstream.wait_call();
  Caller b = scene.ask(chat(), "x-slipstream-scope: b\r\n");
  Call& for_b = scene.upstream.wait_call();
  Caller both = scene.ask(chat(), "x-slipstream-scope: a\r\nx-slipstream-scope: b\r\n");
  expect_error(both.finish(), 401, "invalid_api_key");
  answer(for_a, "a");
  answer(for_b, "b");
  expect_stream(a.finish(), whole_stream("a"));
  expect_stream(b.finish(), whole_stream("b"));
}

TEST(TrustedHeader, NamesATenantWithItsCredentialAndQuota) {
  Scene scene({{"scope.trusted_addresses", "127.0.0.1"}},
              "tenants: [{name: red, requests_per_minute: 1, upstream_credential: up-red}]\n");
  Caller first = scene.ask(chat(), "x-slipstream-scope: red\r\n");
  Call& call = scene.upstream.wait_call();
  EXPECT_EQ(call.field("authorization"), "Bearer up-red");
  Caller second = scene.ask(chat(), "x-slipstream-scope: red\r\n");
  expect_error(second.finish(), 429, "rate_limit_exceeded");
  Caller third = scene.ask(chat(), "x-slipstream-scope: nobody\r\n");
  expect_error(third.finish(), 401, "invalid_api_key");
  answer(call, "x");
  expect_stream(first.finish(), whole_stream("x"));
}

constexpr std::string_view kRoutes =
    "routes:\n"
    "  - {name: everyone, models: [shared-*], public: true}\n"
    "  - {name: off, models: [alone], enabled: false}\n";

std::string chat_with(std::string_view model) {
  return R"({"model":")" + std::string(model) +
         R"(","messages":[{"role":"user","content":"hi"}],"temperature":0,"stream":true})";
}

TEST(Routes, APublicRouteSharesAcrossTenantsAndNoOtherDoes) {
  Scene scene({}, std::string(kTenants) + std::string(kRoutes));
  Caller red = scene.ask(chat_with("shared-1"), bearer("canary-red-1"));
  Call& shared = scene.upstream.wait_call();
  Caller blue = scene.follow(chat_with("shared-1"), bearer("canary-blue-1"));
  Caller private_red = scene.ask(chat_with("m"), bearer("canary-red-1"));
  Call& for_red = scene.upstream.wait_call();
  Caller private_blue = scene.ask(chat_with("m"), bearer("canary-blue-1"));
  Call& for_blue = scene.upstream.wait_call();
  answer(shared, "shared");
  answer(for_red, "red");
  answer(for_blue, "blue");
  for (Caller* caller : {&red, &blue}) expect_stream(caller->finish(), whole_stream("shared"));
  expect_stream(private_red.finish(), whole_stream("red"));
  expect_stream(private_blue.finish(), whole_stream("blue"));
  EXPECT_NE(scene.gate.metrics_page().find("route=\"everyone\""), std::string::npos);
}

TEST(Routes, AnEscapedModelTakesTheSameRoute) {
  Scene scene({}, kRoutes);
  for (const char* model : {"alone", R"(al\u006fne)"}) {
    Caller caller = scene.ask(chat_with(model));
    answer(scene.upstream.wait_call(), "x");
    const Answer got = caller.finish();
    EXPECT_EQ(got.role(), "solo") << model;
    EXPECT_NE(got.field("x-slipstream").find("reason=disabled"), std::string::npos);
  }
  Caller caller = scene.ask(chat_with("other"));
  answer(scene.upstream.wait_call(), "x");
  EXPECT_EQ(caller.finish().role(), "leader");
}

}  // namespace
}  // namespace slipstream::faults
