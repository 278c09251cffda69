// The modes of the load generator. Each prints one JSON object on standard output and returns the
// exit code: 0 unless an answer was wrong, incomplete or missing.
//
// Common options: --port P (required), --model stub-D-K-I, --pids A,B (processes whose CPU is
// sampled inside the mode, between the moments named below), --serial S (where unique prompts
// start).
#pragma once

#include "options.h"

namespace slipstream::bench {

// --connections C, --seconds S, --warmup-ms W. Each connection sends its next unique request when
// its answer is whole. CPU: from the end of the warm-up to the end.
int run_closed(const Options& options);

// --rate R, --seconds S, --connections C. Unique requests at fixed moments; latency counts from the
// scheduled moment, also while no connection is free. CPU: the whole run.
int run_open(const Options& options);

// --n N, --spread-ms S, --late L, --late-ms T, --distinct 0|1, --header "Name: value". N opened
// connections ask at once (or evenly over S ms), L more after T ms; --distinct 1 gives each its own
// prompt. CPU: from the moment of asking
// until all are complete (accepted requests and keys included, connects not).
int run_fanout(const Options& options);

// --n N, --kind idle|same|distinct. Brings N connections into a state, prints {"ready":..} and
// keeps them there until standard input ends. idle: all asked once at one instant and were
// answered; same / distinct: streams whose first event has arrived.
int run_hold(const Options& options);

// --n N, --rounds R, --interval-ms I, --bytes B, --senders W, --cpu C, --sink-cpu D. No HTTP, no
// proxy: W processes send one buffer to N sockets each interval while another drains them. The
// physical limit of a fan-out on this machine.
int run_bare(const Options& options);

}  // namespace slipstream::bench
