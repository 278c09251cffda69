#include "admin/pages.h"

#include "json/escape.h"

namespace slipstream::admin {

namespace {

Page plain(int status, std::string body) {
  return {status, "text/plain; charset=utf-8", std::move(body)};
}

Page error(int status, std::string_view message) {
  Page page{status, "application/json", R"({"error":{"message":)"};
  json::append_quoted(page.body, message);
  page.body += R"(,"type":"invalid_request_error","param":null,"code":null}})";
  page.body += '\n';
  return page;
}

constexpr std::string_view kIndex =
    "slipstream admin\n"
    "  GET  /healthz   the process runs\n"
    "  GET  /readyz    503 until the upstream was looked at, and while draining\n"
    "  GET  /metrics   Prometheus\n"
    "  GET  /flights   what is in flight now\n"
    "  POST /explain   a request in, ?path= says to where; its key, verdict, reason and proof "
    "out\n";

}  // namespace

Page page_for(const Sources& sources, const http::Head& head, std::string_view body) {
  const std::string_view path = head.path();
  const bool get = head.method() == "GET" || head.method() == "HEAD";
  if (path == "/explain") {
    if (head.method() != "POST") return error(405, "POST a request to /explain.");
    return sources.explain(head, body);
  }
  const bool known = path == "/" || path == "/healthz" || path == "/readyz" || path == "/metrics" ||
                     path == "/flights";
  if (!known)
    return error(404, "There are /healthz, /readyz, /metrics, /flights and POST /explain.");
  if (!get) return error(405, "Use GET.");
  if (path == "/healthz") return plain(200, "ok\n");
  if (path == "/readyz") {
    const std::string_view why = sources.not_ready();
    return why.empty() ? plain(200, "ready\n") : plain(503, std::string(why) + '\n');
  }
  if (path == "/metrics")
    return {200, "text/plain; version=0.0.4; charset=utf-8", sources.metrics()};
  if (path == "/flights") return {200, "application/json", sources.flights()};
  return plain(200, std::string(kIndex));
}

}  // namespace slipstream::admin
