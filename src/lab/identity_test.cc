#include "lab/identity.h"

#include <gtest/gtest.h>

#include "lab/stub_test_support.h"

namespace slipstream::lab {
namespace {

TEST(Identity, TakesSettingsOnTopOfDefaults) {
  const auto identity = parse_identity("server=vllm, build=9,digest=ab", Identity{});
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->server, "vllm");
  EXPECT_EQ(identity->build, "9");
  EXPECT_EQ(identity->digest, "ab");
  EXPECT_EQ(identity->context, "8192");
  EXPECT_FALSE(parse_identity("sever=vllm", Identity{}));
  EXPECT_FALSE(parse_identity("build", Identity{}));
  EXPECT_FALSE(parse_identity("server=abc", Identity{}));
  EXPECT_FALSE(parse_identity("context=abc", Identity{}));
}

TEST(Identity, ShowsThePagesOfItsServerOnly) {
  const auto has = [](std::string_view server, std::string_view path) {
    Identity identity;
    identity.server = server;
    return identity_page("GET", path, identity, "m").has_value();
  };
  EXPECT_TRUE(has("ollama", "/api/tags"));
  EXPECT_FALSE(has("vllm", "/api/tags"));
  EXPECT_TRUE(has("vllm", "/version"));
  EXPECT_TRUE(has("any", "/props") && has("any", "/get_server_info") && has("any", "/info"));
  EXPECT_FALSE(has("none", "/props") || has("none", "/get_server_info") || has("none", "/info"));
  EXPECT_TRUE(has("none", "/v1/models"));
}

TEST(Identity, ModelsCarryWhatTheirServerAdds) {
  const auto models = [](std::string_view server) {
    Identity identity;
    identity.server = server;
    return *identity_page("GET", "/v1/models", identity, "m");
  };
  EXPECT_EQ(count(models("llamacpp"), "\"meta\"") + count(models("llamacpp"), "\"root\""), 1U);
  EXPECT_EQ(count(models("vllm"), "\"meta\"") + count(models("vllm"), "\"root\":\"m\""), 1U);
  EXPECT_EQ(count(models("any"), "\"meta\"") + count(models("any"), "\"root\":\"m\""), 2U);
  EXPECT_EQ(count(models("none"), "\"meta\"") + count(models("none"), "\"root\""), 0U);
}

using StubIdentity = StubTest;

TEST_F(StubIdentity, ChangesWhileTheStubRuns) {
  EXPECT_EQ(count(ask(get("/api/version"), "}"), R"({"version":"0.12.3"})"), 1U);
  const std::string set = ask(post("/stub/identity", "build=0.13,digest=ab,template=t"), "}");
  EXPECT_EQ(count(set, R"("build":"0.13","digest":"ab","template":"t")"), 1U);
  EXPECT_EQ(count(ask(get("/version"), "}"), R"({"version":"0.13"})"), 1U);
  EXPECT_EQ(count(ask(get("/api/tags"), "]}"), R"("digest":"ab")"), 1U);
  EXPECT_EQ(count(ask(post("/api/show", "{}"), "Z\"}"), R"("template":"t")"), 1U);
  EXPECT_EQ(count(ask(get("/props"), "is_sleeping"), R"("chat_template":"t")"), 1U);
  EXPECT_EQ(count(ask(post("/stub/identity", "digests=x"), "}}"), "400 Bad Request"), 1U);
  EXPECT_EQ(count(ask(get("/stub/identity"), "}"), R"("digest":"ab")"), 1U);
}

}  // namespace
}  // namespace slipstream::lab
