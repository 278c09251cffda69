// What the admin address shows. The gateway's side is given as functions, so that this folder knows
// pages and status codes, and nothing of flights.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/head.h"

namespace slipstream::admin {

struct Page {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

// All called on the admin loop's thread.
struct Sources {
  // Why callers should not be sent here now, in one word; empty if they may.
  std::function<std::string_view()> not_ready;
  std::function<std::string()> metrics;
  std::function<std::string()> flights;
  // The request whose contract is asked for: head and body as a caller would send them.
  std::function<Page(const http::Head& head, std::string_view body)> explain;
};

// GET /healthz /readyz /metrics /flights, POST /explain; anything else is 404 or 405 with a
// sentence that says what there is.
Page page_for(const Sources& sources, const http::Head& head, std::string_view body);

}  // namespace slipstream::admin
