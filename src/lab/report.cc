#include "lab/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/escape.h"

namespace slipstream::lab {

namespace {

double ms(Duration d) {
  return to_seconds(d) * 1000.0;
}

// As options are written, 4.3ms, 304ms, 1.08s: three significant places are enough to read.
std::string shown(Duration d) {
  if (d >= seconds(1)) return fmt::format("{:.2f}s", to_seconds(d));
  return fmt::format("{:.{}f}ms", ms(d), d < milliseconds(100) ? 1 : 0);
}

std::string first_tokens(const Quantiles& q) {
  return q.count ? shown(q.p50) + " / " + shown(q.p95) : "-";
}

using Row = std::vector<std::string>;

// The first column to the left, the others to the right, two spaces between.
std::string render_rows(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    out += fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) out += fmt::format("  {:>{}}", row[i], widths[i]);
    out += '\n';
  }
  return out;
}

Row row_of(const GroupReport& group) {
  return {group.name,
          fmt::format("{}", group.callers),
          fmt::format("{}", group.requests),
          fmt::format("{}", group.generations),
          fmt::format("{}", group.joined),
          first_tokens(group.first_lead),
          first_tokens(group.first_follower),
          fmt::format("{}", group.tokens_saved),
          fmt::format("{}/{}", group.sound, group.requests - group.left)};
}

std::string json_of(const Quantiles& q) {
  if (!q.count) return "null";
  return fmt::format(R"({{"count":{},"p50_ms":{:.3f},"p95_ms":{:.3f},"p99_ms":{:.3f}}})", q.count,
                     ms(q.p50), ms(q.p95), ms(q.p99));
}

std::string json_of(const GroupReport& group) {
  std::string out = R"({"name":)";
  json::append_quoted(out, group.name);
  out += fmt::format(
      R"(,"callers":{},"requests":{},"sound":{},"left":{},"generations":{},"joined":{},)"
      R"("leaders":{},"followers":{},"solo":{},"tokens":{},"tokens_saved":{},)",
      group.callers, group.requests, group.sound, group.left, group.generations, group.joined,
      group.leaders, group.followers, group.solo, group.tokens, group.tokens_saved);
  out +=
      fmt::format(R"("first_token_lead":{},"first_token_follower":{},"total":{},"failures":{{)",
                  json_of(group.first_lead), json_of(group.first_follower), json_of(group.total));
  const char* separator = "";
  for (std::size_t i = 1; i < kDefects; ++i) {
    if (!group.defects[i]) continue;
    out +=
        fmt::format(R"({}"{}":{})", separator, name_of(static_cast<Defect>(i)), group.defects[i]);
    separator = ",";
  }
  return out + "}}";
}

std::uint64_t requests_of(const BurstReport& report) {
  std::uint64_t requests = 0;
  for (const GroupReport& group : report.groups) requests += group.requests;
  return requests;
}

double rate_of(const BurstReport& report) {
  const double elapsed = to_seconds(report.elapsed);
  return elapsed > 0 ? static_cast<double>(requests_of(report)) / elapsed : 0.0;
}

}  // namespace

Quantiles quantiles_of(std::vector<Duration>& samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](std::size_t percent) {
    return samples[(samples.size() * percent + 99) / 100 - 1];
  };
  return {.count = samples.size(), .p50 = at(50), .p95 = at(95), .p99 = at(99)};
}

std::uint64_t GroupReport::failed() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : defects) sum += count;
  return sum;
}

bool BurstReport::all_sound() const {
  return std::all_of(groups.begin(), groups.end(), [](const GroupReport& group) {
    return group.sound + group.left == group.requests;
  });
}

std::string render_table(const BurstReport& report) {
  std::vector<Row> rows = {{"", "callers", "requests", "generations", "followers", "TTFT leaders",
                            "TTFT followers", "tokens saved", "verified"}};
  for (const GroupReport& group : report.groups) rows.push_back(row_of(group));
  std::string out = render_rows(rows);
  out += fmt::format("\n{} requests in {}, {:.0f} a second", requests_of(report),
                     shown(report.elapsed), rate_of(report));
  if (report.upstream_calls) out += fmt::format("; the upstream saw {}", *report.upstream_calls);
  out += '\n';
  out +=
      "TTFT: time to first token, p50 / p95; followers: joined a generation that a leader "
      "started;\n"
      "verified: complete to the last byte and equal wherever a generation was shared\n";
  for (const GroupReport& group : report.groups) {
    if (group.left) out += fmt::format("{}: {} callers left early\n", group.name, group.left);
    for (std::size_t i = 1; i < kDefects; ++i) {
      if (!group.defects[i]) continue;
      out += fmt::format("{}: FAILED {}: {}\n", group.name, group.defects[i],
                         sentence_of(static_cast<Defect>(i)));
    }
  }
  if (!report.first_failure.empty()) out += "first failure: " + report.first_failure + "\n";
  return out;
}

std::string render_json(const BurstReport& report) {
  std::string out = R"({"groups":[)";
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    if (i) out += ',';
    out += json_of(report.groups[i]);
  }
  out += fmt::format(R"(],"elapsed_ms":{:.3f},"requests_per_second":{:.1f},"upstream_calls":{},)",
                     ms(report.elapsed), rate_of(report),
                     report.upstream_calls ? std::to_string(*report.upstream_calls) : "null");
  out += fmt::format(R"("all_sound":{},"first_failure":)", report.all_sound());
  json::append_quoted(out, report.first_failure);
  return out + "}";
}

}  // namespace slipstream::lab
