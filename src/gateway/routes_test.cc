#include "gateway/routes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "config/records.h"
#include "http/parser.h"

namespace slipstream::gateway {
namespace {

using contract::Surface;

config::Route route(std::string name, std::vector<std::string> models) {
  config::Route out;
  out.name = std::move(name);
  out.models = std::move(models);
  return out;
}

std::string name_of(const Routes& routes, std::string_view model) {
  return routes.choose(Surface::kChatCompletions, model).policy.route;
}

http::Head post_head() {
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  std::string_view input =
      "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-length: 1\r\n\r\n";
  EXPECT_EQ(parser.next(input), http::Parser::Step::kHead);
  http::Head head;
  parser.swap_head(head);
  return head;
}

TEST(Routes, TheFirstThatFitsDecidesElseTheDefault) {
  config::Settings settings;
  settings.routes = {route("exact", {"gpt", "llama"}), route("prefix", {"gpt*"})};
  settings.routes[1].surfaces = {"chat_completions"};
  Routes routes(settings, {"e1", Profile::kGeneric});
  EXPECT_EQ(name_of(routes, "gpt"), "exact");
  EXPECT_EQ(name_of(routes, "gpt-4"), "prefix");
  EXPECT_EQ(name_of(routes, "llama-3"), "default");
  EXPECT_EQ(name_of(routes, ""), "default");
  EXPECT_EQ(routes.choose(Surface::kPassThrough, "gpt-4").policy.route, "default");
  EXPECT_EQ(routes.choose(Surface::kChatCompletions, "gpt").policy.epoch, "e1");
  routes.set_epoch({"e2", Profile::kVllm});
  EXPECT_EQ(routes.fallback().policy.profile, Profile::kVllm);
  for (const char* model : {"gpt", "llama-3"}) {
    EXPECT_EQ(routes.choose(Surface::kChatCompletions, model).policy.epoch, "e2") << model;
  }
  settings.routes = {route("all", {}), route("never", {})};
  EXPECT_EQ(name_of(Routes(settings, {}), ""), "all");
}

TEST(Routes, TheModelIsWhatTheUpstreamReads) {
  config::Settings settings;
  settings.routes = {route("mine", {"mine"})};
  settings.routes[0].is_public = true;
  const Routes routes(settings, {});
  contract::Examiner examiner("secret");
  const contract::Scope own{{1}};
  const contract::Scope everyone{{2}};
  const http::Head head = post_head();
  std::set<std::string> keys;
  for (const char* body :
       {R"({"model":"mine","messages":[]})", R"({"messages":[],"model":"mine"})",
        R"( {"model":"m\u0069ne","messages":[]})", R"({"mod\u0065l":"mine","messages":[]})"}) {
    const Routed routed =
        examine(examiner, routes, Surface::kChatCompletions, head, body, own, everyone);
    ASSERT_TRUE(routed.contract) << body;
    EXPECT_EQ(routed.route->policy.route, "mine") << body;
    keys.insert(routed.contract->key.full_hex());
  }
  EXPECT_EQ(keys.size(), 1U);
  for (const char* body : {R"({"model":7})", R"({"x":{"model":"mine"}})", "[]", "{}"}) {
    const Routed routed =
        examine(examiner, routes, Surface::kChatCompletions, head, body, own, everyone);
    ASSERT_TRUE(routed.contract) << body;
    EXPECT_EQ(routed.route->policy.route, "default") << body;
  }
  EXPECT_FALSE(examine(examiner, routes, Surface::kChatCompletions, head,
                       R"({"model":"mine","model":"other"})", own, everyone)
                   .contract);
}

// The configuration knows the surfaces' names only.
TEST(Routes, EverySurfaceWithAContractCanBeNamed) {
  const auto& choices = config::find_record_list("routes")->find("surfaces")->choices;
  std::set<std::string_view> named(choices.begin(), choices.end());
  for (const contract::SurfaceRow& row : contract::surfaces()) {
    if (row.surface != Surface::kPassThrough) EXPECT_EQ(named.erase(row.name), 1U) << row.name;
  }
  EXPECT_TRUE(named.empty());
}

}  // namespace
}  // namespace slipstream::gateway
