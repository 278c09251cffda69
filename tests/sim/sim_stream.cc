#include "sim/sim_stream.h"

#include <algorithm>
#include <cstring>

namespace slipstream::sim {

using net::IoResult;
using net::IoStatus;

SimStream::SimStream(std::shared_ptr<Pipe> pipe, int side) : pipe_(std::move(pipe)), side_(side) {
  pipe_->go_live(side_);
}

void SimStream::set_handler(net::StreamHandler* handler) {
  pipe_->ends_[static_cast<std::size_t>(side_)].handler = handler;
}
IoResult SimStream::read(std::span<char> into) {
  return pipe_->read(side_, into);
}
IoResult SimStream::write(std::span<const iovec> pieces) {
  return pipe_->write(side_, pieces);
}
void SimStream::close() {
  pipe_->close(side_);
}
void SimStream::shutdown_write() {
  pipe_->finish(side_);
}
void SimStream::reset() {
  pipe_->reset(side_);
}

namespace {
std::size_t at(int side) {
  return static_cast<std::size_t>(side);
}
}  // namespace

Pipe::Pipe(SimWorld& world, std::uint64_t number, SimLoop& opener, SimLoop& other,
           const std::array<LinkFaults, 2>& faults)
    : world_(world), number_(number), faults_(faults) {
  ends_[0].loop = &opener;
  ends_[1].loop = &other;
}

void Pipe::note(std::string_view what, int side, std::uint64_t n) {
  world_.note(what, number_, static_cast<std::uint64_t>(side), n);
}

void Pipe::go_live(int side) {
  End& end = ends_[at(side)];
  end.live = true;
  const Half& in = halves_[at(1 - side)];
  if (!in.arrived.empty() || in.fin_arrived || in.rst_arrived) tell_readable(side);
}

IoResult Pipe::read(int side, std::span<char> into) {
  End& end = ends_[at(side)];
  if (end.closed) return {IoStatus::kError, 0};
  Half& in = halves_[at(1 - side)];
  if (in.arrived.empty()) {
    if (in.fin_arrived) return {IoStatus::kEof, 0};
    if (in.rst_arrived) return {IoStatus::kError, 0};
    end.armed = true;
    return {IoStatus::kWouldBlock, 0};
  }
  std::size_t n = std::min(into.size(), in.arrived.size());
  if (world_.chance(faults_[at(1 - side)].split_percent)) n = world_.between(1, n);
  std::memcpy(into.data(), in.arrived.data(), n);
  in.arrived.erase(0, n);
  note("read", side, n);
  if (room(1 - side) > 0) tell_writable(1 - side);
  return {IoStatus::kOk, n};
}

std::size_t Pipe::room(int side) const {
  const Half& out = halves_[at(side)];
  const std::size_t used = out.wire.size() + out.arrived.size();
  return faults_[at(side)].capacity - std::min(faults_[at(side)].capacity, used);
}

IoResult Pipe::write(int side, std::span<const iovec> pieces) {
  End& end = ends_[at(side)];
  Half& out = halves_[at(side)];
  if (end.closed || out.fin || halves_[at(1 - side)].rst_arrived) return {IoStatus::kError, 0};
  std::size_t offered = 0;
  for (const iovec& piece : pieces) offered += piece.iov_len;
  std::size_t taken = std::min(offered, room(side));
  if (taken > 1 && world_.chance(faults_[at(side)].short_write_percent)) {
    taken = world_.between(1, taken);
  }
  std::size_t left = taken;
  for (const iovec& piece : pieces) {
    const std::size_t n = std::min(left, piece.iov_len);
    out.wire.append(static_cast<const char*>(piece.iov_base), n);
    left -= n;
  }
  note("write", side, taken);
  if (taken > 0) schedule(side);
  if (taken < offered) {
    end.blocked = true;
    // A write may be short although there is room; then the next one is allowed at once.
    if (room(side) > 0) tell_writable(side);
  }
  if (taken == 0 && offered > 0) return {IoStatus::kWouldBlock, 0};
  return {IoStatus::kOk, taken};
}

void Pipe::finish(int side) {
  Half& out = halves_[at(side)];
  if (ends_[at(side)].closed || out.fin) return;
  note("fin", side);
  out.fin = true;
  schedule(side);
}

void Pipe::close(int side) {
  if (ends_[at(side)].closed) return;
  // Unread bytes turn the close into an abort.
  if (!halves_[at(1 - side)].arrived.empty()) return reset(side);
  finish(side);
  ends_[at(side)].closed = true;
  ends_[at(side)].handler = nullptr;
}

void Pipe::reset(int side) {
  End& end = ends_[at(side)];
  if (end.closed) return;
  note("rst", side);
  end.closed = true;
  end.handler = nullptr;
  Half& out = halves_[at(side)];
  // What was not sent yet never leaves.
  const std::size_t kept = static_cast<std::size_t>(world_.below(out.wire.size() + 1));
  if (!out.fin) out.wire.resize(kept);
  out.rst = true;
  schedule(side);
}

void Pipe::schedule(int side, Travel travel) {
  Half& out = halves_[at(side)];
  if (out.ticking || (out.wire.empty() && !out.fin && !out.rst) || out.rst_arrived) return;
  if (out.wire.empty() && out.fin_arrived && !out.rst) return;
  out.ticking = true;
  const LinkFaults& faults = faults_[at(side)];
  std::uint64_t delay = 0;
  if (travel == Travel::kAnew && faults.delay_ms_max > 0) {
    delay = world_.below(faults.delay_ms_max + 1);
  }
  if (world_.chance(faults.stall_percent)) delay += faults.stall_ms;
  world_.after(milliseconds(delay), *ends_[at(1 - side)].loop,
               [self = shared_from_this(), side] { self->deliver(side); });
}

void Pipe::deliver(int side) {
  Half& out = halves_[at(side)];
  out.ticking = false;
  End& reader = ends_[at(1 - side)];
  if (!out.wire.empty()) {
    std::size_t n = out.wire.size();
    if (world_.chance(faults_[at(side)].split_percent)) n = world_.between(1, n);
    note("arrive", side, n);
    if (reader.closed) {
      // Nobody is there: the answer is a reset.
      out.wire.clear();
      halves_[at(1 - side)].rst = true;
      schedule(1 - side);
      tell_writable(side);
    } else {
      out.arrived.append(out.wire, 0, n);
      out.wire.erase(0, n);
      if (reader.armed || world_.chance(faults_[at(side)].spurious_percent))
        tell_readable(1 - side);
    }
    if (!out.wire.empty()) return schedule(side, Travel::kRest);
  }
  if (out.fin && !out.fin_arrived) {
    note("fin arrives", side);
    out.fin_arrived = true;
    tell_readable(1 - side);
  }
  if (out.rst) return deliver_reset(side);
  if (world_.chance(faults_[at(side)].spurious_percent)) tell_writable(1 - side);
}

void Pipe::deliver_reset(int side) {
  Half& out = halves_[at(side)];
  note("rst arrives", side);
  out.rst_arrived = true;
  if (!out.fin_arrived && world_.chance(faults_[at(side)].loss_percent)) out.arrived.clear();
  tell_readable(1 - side);
  tell_writable(1 - side);
}

void Pipe::tell_readable(int side) {
  End& end = ends_[at(side)];
  if (!end.live || end.closed || end.readable_on_its_way) return;
  end.readable_on_its_way = true;
  end.armed = false;
  world_.ready(*end.loop, [self = shared_from_this(), side] {
    End& told = self->ends_[at(side)];
    told.readable_on_its_way = false;
    if (told.closed || !told.handler) return;
    self->note("readable", side);
    told.handler->on_readable();
  });
}

void Pipe::tell_writable(int side) {
  End& end = ends_[at(side)];
  const bool wanted = end.blocked || world_.chance(faults_[at(side)].spurious_percent);
  if (!wanted || !end.live || end.closed || end.writable_on_its_way) return;
  end.writable_on_its_way = true;
  world_.ready(*end.loop, [self = shared_from_this(), side] {
    End& told = self->ends_[at(side)];
    told.writable_on_its_way = false;
    told.blocked = false;
    if (told.closed || !told.handler) return;
    self->note("writable", side);
    told.handler->on_writable();
  });
}

StreamPair make_pair(SimWorld& world, std::uint64_t number, SimLoop& opener, SimLoop& other,
                     const std::array<LinkFaults, 2>& faults) {
  const auto pipe = std::make_shared<Pipe>(world, number, opener, other, faults);
  return {std::make_unique<SimStream>(pipe, 0), std::make_unique<SimStream>(pipe, 1)};
}

}  // namespace slipstream::sim
