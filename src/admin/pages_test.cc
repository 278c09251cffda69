#include "admin/pages.h"

#include <gtest/gtest.h>

#include "http/parser.h"

namespace slipstream::admin {
namespace {

http::Head request(const std::string& line) {
  http::Parser parser(http::Parser::Kind::kRequest, http::Limits{});
  const std::string text = line + " HTTP/1.1\r\nhost: a\r\n\r\n";
  std::string_view input = text;
  EXPECT_EQ(parser.next(input), http::Parser::Step::kHead);
  return parser.take_head();
}

class PagesTest : public testing::Test {
 protected:
  Page page(const std::string& line, std::string_view body = "") {
    return page_for(sources_, request(line), body);
  }

  std::string_view not_ready_;
  Sources sources_{.not_ready = [this] { return not_ready_; },
                   .metrics = [] { return std::string("slipstream_x 1\n"); },
                   .flights = [] { return std::string("{\"flights\":[]}\n"); },
                   .explain =
                       [](const http::Head& head, std::string_view body) {
                         return Page{200, "application/json",
                                     std::string(head.method()) + " " + std::string(body)};
                       }};
};

TEST_F(PagesTest, ShowsWhatThereIs) {
  EXPECT_EQ(page("GET /healthz").body, "ok\n");
  EXPECT_EQ(page("GET /metrics").body, "slipstream_x 1\n");
  EXPECT_EQ(page("GET /metrics").content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(page("GET /flights").body, "{\"flights\":[]}\n");
  EXPECT_EQ(page("GET /flights").content_type, "application/json");
  EXPECT_EQ(page("GET /flights?x=1").status, 200) << "a query changes nothing";
  EXPECT_EQ(page("POST /explain", "{}").body, "POST {}");
}

TEST_F(PagesTest, IndexNamesEveryPage) {
  const std::string index = page("GET /").body;
  for (const char* path : {"/healthz", "/readyz", "/metrics", "/flights", "/explain"}) {
    EXPECT_NE(index.find(path), std::string::npos) << path;
  }
}

TEST_F(PagesTest, NotReadySaysWhyAndIsAlive) {
  EXPECT_EQ(page("GET /readyz").status, 200);
  not_ready_ = "draining";
  EXPECT_EQ(page("GET /readyz").status, 503);
  EXPECT_EQ(page("GET /readyz").body, "draining\n");
  EXPECT_EQ(page("GET /healthz").status, 200);
}

TEST_F(PagesTest, AnythingElseIsSaidSo) {
  EXPECT_EQ(page("GET /nothing").status, 404);
  EXPECT_NE(page("GET /nothing").body.find("/metrics"), std::string::npos);
  EXPECT_EQ(page("POST /metrics").status, 405);
  EXPECT_EQ(page("DELETE /").status, 405);
  EXPECT_EQ(page("GET /explain").status, 405);
  EXPECT_EQ(page("GET /metrics/").status, 404);
  EXPECT_EQ(page("HEAD /metrics").status, 200);
  EXPECT_EQ(page("GET /nothing").content_type, "application/json");
}

}  // namespace
}  // namespace slipstream::admin
