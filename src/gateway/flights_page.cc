#include "gateway/flights_page.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace slipstream::gateway {

namespace {

struct Row {
  std::string key;
  std::string id;
  std::string_view state;
  std::string_view reason;
  long long age_ms;
  std::uint32_t subscribers;
  std::uint64_t bytes;
  flight::WorkerIndex home;
};

void append_row(std::string& out, const Row& row) {
  out += R"({"key":")" + row.key + R"(","flight":")" + row.id + R"(","state":")";
  out += row.state;
  out += R"(","reason":")";
  out += row.reason;
  out += R"(","age_ms":)";
  append_decimal(out, static_cast<std::uint64_t>(std::max(0LL, row.age_ms)));
  out += R"(,"subscribers":)";
  append_decimal(out, row.subscribers);
  out += R"(,"bytes":)";
  append_decimal(out, row.bytes);
  out += R"(,"home":)";
  append_decimal(out, row.home);
  out += '}';
}

void append_sampled(std::string& out, const SampledWatch::Totals& totals) {
  out += R"("sampled":{"calls":)";
  append_decimal(out, totals.calls);
  out += R"(,"would_have_saved":)";
  append_decimal(out, totals.would_have_saved);
  out += R"(,"keys":[)";
  for (std::size_t i = 0; i < totals.keys.size(); ++i) {
    out += i > 0 ? R"(,{"key":")" : R"({"key":")";
    out += totals.keys[i].key.short_hex() + R"(","saved":)";
    append_decimal(out, totals.keys[i].saved);
    out += '}';
  }
  out += "]}";
}

}  // namespace

std::string flights_page(const Shared& shared, std::uint64_t live_flights) {
  std::vector<Row> rows;
  const Time now = shared.clock.now();
  shared.table.for_each([&](const flight::Flight& flight, const flight::Core& core) {
    const contract::Key key{flight.key()};
    rows.push_back({key.short_hex(), flight.id(), to_string(core.state()), flight.reason(),
                    to_ms(now - flight.opened_at()), core.subscribers(), flight.log().appended(),
                    flight.home()});
  });
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.age_ms > b.age_ms; });
  std::string out = R"({"flights":[)";
  for (std::size_t i = 0; i < std::min(rows.size(), kFlightsShownMax); ++i) {
    if (i > 0) out += ",\n";
    append_row(out, rows[i]);
  }
  out += R"(],"flights_total":)";
  append_decimal(out, rows.size());
  out += R"(,"alone":)";
  append_decimal(out, live_flights - std::min<std::uint64_t>(live_flights, rows.size()));
  out += R"(,"epoch":")" + shared.epoch.value().text + "\",\n";
  append_sampled(out, shared.sampled.totals(kSampledKeysShownMax));
  out += "}\n";
  return out;
}

}  // namespace slipstream::gateway
