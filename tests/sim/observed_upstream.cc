#include "sim/observed_upstream.h"

namespace slipstream::sim {

namespace {

class ObservedAttempt final : public upstream::Attempt {
 public:
  ObservedAttempt(SimWorld& world, AttemptRecord& record, std::size_t number)
      : world_(world), record_(record), number_(number) {}
  ~ObservedAttempt() override {
    real_.reset();
    record_.ended = world_.now();
    world_.note("attempt ends", number_);
  }
  void run(std::unique_ptr<upstream::Attempt> real) { real_ = std::move(real); }

  void set_deadline(Time at) override { real_->set_deadline(at); }
  void pause() override {
    world_.note("attempt pauses", number_);
    record_.paused = true;
    real_->pause();
  }
  void resume() override {
    world_.note("attempt resumes", number_);
    record_.paused = false;
    real_->resume();
  }
  void upload(std::string_view bytes) override { real_->upload(bytes); }
  void finish_upload() override { real_->finish_upload(); }
  std::uint64_t upload_backlog() const override { return real_->upload_backlog(); }
  bool on_reused_connection() const override { return real_->on_reused_connection(); }

 private:
  SimWorld& world_;
  AttemptRecord& record_;
  const std::size_t number_;
  std::unique_ptr<upstream::Attempt> real_;
};

std::string request_id_in(std::string_view head) {
  constexpr std::string_view kName = "\r\nx-request-id: ";
  const std::size_t at = head.find(kName);
  if (at == std::string_view::npos) return {};
  head.remove_prefix(at + kName.size());
  return std::string(head.substr(0, head.find("\r\n")));
}

}  // namespace

std::unique_ptr<upstream::Attempt> ObservedUpstream::start(upstream::Call call,
                                                           upstream::AttemptHandler* handler) {
  records_.push_back({request_id_in(call.head), world_.now()});
  world_.note("attempt begins", records_.size());
  auto attempt = std::make_unique<ObservedAttempt>(world_, records_.back(), records_.size());
  attempt->run(real_.start(std::move(call), handler));
  return attempt;
}

}  // namespace slipstream::sim
