#include <functional>

#include "telemetry/metrics.h"

namespace slipstream::telemetry {
namespace {

std::size_t hash_of(std::string_view route, std::string_view model, std::string_view endpoint,
                    std::string_view tenant) {
  std::size_t hash = 0;
  for (const std::string_view part : {route, model, endpoint, tenant}) {
    hash = (hash ^ std::hash<std::string_view>{}(part)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

Series& SeriesList::append(Labels labels) {
  Series& series = storage_.emplace_back(std::move(labels));
  series.next_ = newest_.load(std::memory_order_relaxed);
  newest_.store(&series, std::memory_order_release);
  return series;
}

WorkerMetrics::WorkerMetrics(LabelLimit& models, LabelLimit& tenants)
    : models_(models), tenants_(tenants), slots_(64) {}

Series& WorkerMetrics::series(std::string_view route, std::string_view raw_model,
                              std::string_view endpoint, std::string_view raw_tenant) {
  const CleanLabel clean_model(models_.used() ? raw_model : "");
  const CleanLabel clean_tenant(tenants_.used() ? raw_tenant : "");
  std::string_view model = clean_model.view();
  std::string_view tenant = clean_tenant.view();

  std::size_t hash = hash_of(route, model, endpoint, tenant);
  Slot* slot = &slot_of(hash, route, model, endpoint, tenant);
  if (slot->series) return *slot->series;

  if (!models_.admit(model)) model = kOtherLabel;
  if (!tenants_.admit(tenant)) tenant = kOtherLabel;
  hash = hash_of(route, model, endpoint, tenant);
  slot = &slot_of(hash, route, model, endpoint, tenant);
  if (slot->series) return *slot->series;

  Series& series = list_.append(
      {std::string(route), std::string(model), std::string(endpoint), std::string(tenant)});
  *slot = {hash, &series};
  if (++used_ * 2 > slots_.size()) grow();
  return series;
}

WorkerMetrics::Slot& WorkerMetrics::slot_of(std::size_t hash, std::string_view route,
                                            std::string_view model, std::string_view endpoint,
                                            std::string_view tenant) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (!slot.series) return slot;
    const Labels& labels = slot.series->labels();
    if (slot.hash == hash && labels.route == route && labels.model == model &&
        labels.endpoint == endpoint && labels.tenant == tenant) {
      return slot;
    }
  }
}

void WorkerMetrics::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (!slot.series) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].series) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace slipstream::telemetry
