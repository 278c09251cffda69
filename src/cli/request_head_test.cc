#include "cli/request_head.h"

#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

std::string path_asked_by(const std::string& target) {
  const auto head = request_head(target, "", 0);
  return head ? explained_path(*head) : head.error().message;
}

TEST(ExplainedPath, StandsInTheQuery) {
  EXPECT_EQ(path_asked_by("/explain"), kDefaultPath);
  EXPECT_EQ(path_asked_by("/explain?other=1"), kDefaultPath);
  EXPECT_EQ(path_asked_by("/explain?path=/v1/messages"), "/v1/messages");
  EXPECT_EQ(path_asked_by("/explain?a=b&path=%2Fv1%2fmessages&c"), "/v1/messages");
  EXPECT_EQ(path_asked_by("/explain?path=/v1/x%3fbeta%3Dtrue"), "/v1/x?beta=true");
  EXPECT_EQ(path_asked_by("/explain?path=/100%&"), "/100%");
  EXPECT_EQ(path_asked_by("/explain?path=/%4"), "/%4");
  EXPECT_EQ(path_asked_by("/explain?path="), "");
}

TEST(RequestHead, TakesNoPathThatWouldBeMoreThanOne) {
  for (const char* path : {"", "v1", "/a b", "/a\r\nx: y", "/\x7f", "/\xc3\xbc"})
    EXPECT_FALSE(request_head(path, "", 0).ok()) << path;
  const auto head = request_head("/v1/messages?beta=true", "x-a: 1\r\n", 7);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->path(), "/v1/messages");
  EXPECT_EQ(head->query(), "beta=true");
  EXPECT_EQ(head->find("x-a"), "1");
  EXPECT_EQ(head->content_length(), 7U);
}

TEST(FieldsOf, LeaveOutWhatFramesTheOuterRequest) {
  const auto head = request_head("/explain", "x-a: 1\r\nconnection: close\r\nx-b: 2\r\n", 7);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(fields_of(*head), "x-a: 1\r\nx-b: 2\r\n");
}

}  // namespace
}  // namespace slipstream::cli
