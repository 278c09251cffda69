"""The twelve measures. Each takes the bench and returns rows; the docstring is its question."""

import http.client
import json
import subprocess
import time

import servers
from report import Goal, Row, Spread, number, ratios, spread, values
from servers import Failure

PASS_PEERS = ["nginx", "haproxy", "varnish"]
SHARE_PEERS = ["varnish-share", "nginx-share"]
STREAM = "stub-300-100-10"  # 100 events, one each 10 ms, after 300 ms
EVENT_WIRE_BYTES = 206      # an event with its chunk framing


def medians(rounds, names, field, unit):
    """For the last column: what each server measured, absolutely."""
    parts = [f"{name} {number(spread(values(rounds, name, field)).median)}"
             for name in dict.fromkeys(names) if values(rounds, name, field)]
    return f"{unit}: " + ", ".join(parts)


def placed(workers):
    return "1 worker" if workers == 1 else f"{workers} workers"


def unique_cpu(bench):
    """CPU per unique 1 KB request at saturation, against nginx."""
    rows = []
    subject = bench.subject()
    names = bench.present([subject] + PASS_PEERS)
    for workers in (1, 2):
        with bench.running(names, workers) as up:
            rounds = bench.alternate(
                up, names, lambda s: bench.load("closed", s, workers,
                                                seconds=1.5 * bench.options.scale),
                "cpu_us_per_request")
        rows.append(Row(1, f"CPU per unique request vs nginx, {placed(workers)}",
                        spread(ratios(rounds, subject, "nginx", "cpu_us_per_request")),
                        Goal("<=", 0.95, 0.85),
                        medians(rounds, names, "cpu_us_per_request", "µs")
                        + "; " + medians(rounds, names, "per_second", "req/s")))
    return rows


def unique_latency(bench):
    """p50 at 5,000 requests/s, whole and added to the direct way, against nginx."""
    rows = []
    subject = bench.subject()
    names = ["direct"] + bench.present([subject] + PASS_PEERS[:2])
    for workers in (1, 2):
        with bench.running(names, workers) as up:
            rounds = bench.alternate(
                up, names, lambda s: bench.load("open", s, workers, rate=5000,
                                                seconds=2 * bench.options.scale), "p50_us")
        added = [(r[subject]["p50_us"] - r["direct"]["p50_us"])
                 / (r["nginx"]["p50_us"] - r["direct"]["p50_us"])
                 for r in rounds if {subject, "nginx", "direct"} <= r.keys()
                 and r["nginx"]["p50_us"] > r["direct"]["p50_us"]]
        detail = (medians(rounds, names, "p50_us", "p50 µs") + "; "
                  + medians(rounds, names, "p99_us", "p99 µs"))
        where = f"at 5,000 req/s vs nginx, {placed(workers)}"
        rows.append(Row(2, f"p50 {where}", spread(ratios(rounds, subject, "nginx", "p50_us")),
                        Goal("<=", 1.0), detail))
        rows.append(Row(2, f"added p50 {where}", spread(added), Goal("<=", 0.8)))
    return rows


def stub_calls(stub):
    connection = http.client.HTTPConnection("127.0.0.1", stub.port, timeout=10)
    connection.request("GET", "/stats")
    calls = json.load(connection.getresponse())["calls"]
    connection.close()
    return calls


def counted_fanout(bench, server, stub, workers, n):
    before = stub_calls(stub)
    result = bench.load("fanout", server, workers, n=n, late=0, model="stub-1000-20-20")
    result["calls"] = stub_calls(stub) - before
    return result


def upstream_calls(bench):
    """How many upstream calls N identical requests cost over several workers."""
    rows = []
    subject = bench.subject("share")
    names = bench.present([subject] + SHARE_PEERS)
    for wanted in (500, 2000, 10000):
        n = bench.held_count(wanted, 1)
        chosen = names if n <= 2000 else [subject]
        with bench.running(chosen, 2) as up:
            rounds = bench.alternate(up, chosen,
                                     lambda s: counted_fanout(bench, s, up["stub"], 2, n),
                                     "calls", rounds=min(bench.options.rounds, 3))
        calls = values(rounds, subject, "calls")
        # The worst round decides: one extra call in any round is a broken promise.
        worst = Spread(max(calls), min(calls), max(calls)) if calls else None
        wrong = sum(values(rounds, subject, "differing"))
        rows.append(Row(3, f"upstream calls for {n} identical, 2 workers (worst round)", worst,
                        Goal("==", 1),
                        medians(rounds, chosen, "calls", "calls") + f"; differing bodies {wrong}"))
    return rows


def fanout_rounds(bench, n, workers):
    """Rounds of the shared stream with the bare limit beside it; measures 4 to 7 read the same."""
    key = ("fanout", n, workers)
    if key in bench.cache:
        return bench.cache[key]
    subject = bench.subject("share")
    names = [*bench.present([subject] + SHARE_PEERS[:1]), "bare"]

    def sample(server):
        if server is not None:
            result = bench.load("fanout", server, workers, n=n, late=n // 20, late_ms=800,
                                model=STREAM)
            if result["differing"]:
                raise Failure(f"{server.name}, N={n}: {result['differing']} bodies differ")
            return result
        pins = {"cpu": 0, "sink_cpu": 1} if bench.pinned(workers) else {}
        bare = bench.load("bare", None, workers, n=n, rounds=100, interval_ms=10,
                          bytes=EVENT_WIRE_BYTES, senders=workers, **pins)
        return {**bare, "cpu_us_per_event": bare["cpu_us_per_write"],
                "events_per_cpu_second": 1e6 / bare["cpu_us_per_write"]}

    with bench.running(names[:-1], workers) as up:
        rounds = bench.alternate(up, names, sample, "cpu_us_per_event")
    bench.cache[key] = rounds
    return rounds


def from_fanout(bench, measure, what, field, limits, more, workers=1):
    """Rows for N = 500 and 2000, judged on the subject's own `field`."""
    rows = []
    subject = bench.subject("share")
    for n, limit in limits.items():
        rounds = fanout_rounds(bench, n, workers)
        names = [subject] + SHARE_PEERS[:1]
        detail = "; ".join(medians(rounds, names, extra, title) for extra, title in more.items())
        bare = spread(values(rounds, "bare", "cpu_us_per_event"))
        if bare:
            detail += f"; {n} bare sends {bare.median * n / 1000:.2f} ms of CPU"
        rows.append(Row(measure, f"{what}, N={n}, {placed(workers)}",
                        spread(values(rounds, subject, field)), Goal("<=", limit), detail))
    return rows


def follower_first_byte(bench):
    """p99 of the followers' first byte after the leader's, in ms."""
    return [row for workers in (1, 2)
            for row in from_fanout(bench, 4, "follower's first byte p99 after the leader's, ms",
                                   "follower_first_p99_ms", {500: 3, 2000: 10},
                                   {"follower_first_p99_ms": "p99", "follower_first_p50_ms": "p50",
                                    "leader_first_ms": "leader (300 due)"}, workers)]


def late_first_byte(bench):
    """How long a late joiner waits until it has all early events, in ms."""
    return from_fanout(bench, 5, "late joiner's first byte with all early events p50, ms",
                       "late_first_p50_ms", {500: 3, 2000: 30},
                       {"late_first_p50_ms": "p50", "late_first_p99_ms": "p99"})


def follower_cpu(bench):
    """CPU per follower and event against one bare paced send, N=500."""
    rows = []
    subject = bench.subject("share")
    for workers in (1, 2):
        rounds = fanout_rounds(bench, 500, workers)
        names = [subject, SHARE_PEERS[0], "bare"]
        rows.append(Row(6, f"CPU per follower and event vs a bare send, N=500, {placed(workers)}",
                        spread(ratios(rounds, subject, "bare", "cpu_us_per_event")),
                        Goal("<=", 1.2),
                        medians(rounds, names, "cpu_us_per_event", "µs") + "; "
                        + medians(rounds, names[:2], "lag_p99_ms", "lag p99 ms")))
    return rows


def overload(bench):
    """More events than a core can send one by one: does it merge, and how late are they?"""
    subject = bench.subject("share")
    rounds = fanout_rounds(bench, 2000, 1)
    names = [subject, SHARE_PEERS[0], "bare"]
    return [Row(7, "overload N=2000: follower-events per CPU second vs one send per event",
                spread(ratios(rounds, subject, "bare", "events_per_cpu_second")), Goal(">=", 1.5),
                medians(rounds, names, "events_per_cpu_second", "per CPU s")),
            Row(7, "overload N=2000: event lag p99, ms",
                spread(values(rounds, subject, "lag_p99_ms")), Goal("<=", 60),
                medians(rounds, names[:2], "lag_p99_ms", "p99") + "; "
                + medians(rounds, names[:2], "lag_p50_ms", "p50"))]


def held_bytes(bench, name, n, kind, model):
    """User memory (PSS) per held connection of a fresh, warmed server."""
    with bench.running([name], 1) as up:
        if name not in up:
            raise Failure(f"{name}: not measured")
        server = up[name]
        bench.load("closed", server, 1, seconds=0.3)
        before = servers.pss_bytes(server.pids())
        with bench.holding(server, 1, n=n, kind=kind, model=model):
            time.sleep(0.5)
            after = servers.pss_bytes(server.pids())
    return {"bytes": (after - before) / n}


def memory(bench):
    """User memory per streaming follower, per unique stream, per idle connection after a burst."""
    rows = []
    for title, kind, model, role, descriptors in (
            ("streaming follower", "same", "stub-2000-2-600000", "share", 1),
            ("unique stream", "distinct", "stub-2000-2-600000", "pass", 2),
            ("idle connection after a burst", "idle", "stub-500-0-0", "pass", 2)):
        subject = bench.subject(role)
        # Most peers cannot hold followers at all (they wait, or need a thread each): no ratio.
        names = bench.present([subject] if role == "share" else [subject, "nginx", "haproxy"])
        n = bench.held_count(9000, descriptors)
        rounds = bench.alternate({name: name for name in names}, names,
                                 lambda name: held_bytes(bench, name, n, kind, model), "bytes",
                                 rounds=min(bench.options.rounds, 3))
        detail = medians(rounds, names, "bytes", "bytes") + f"; {n} held"
        if role == "share":
            kib = [value / 1024 for value in values(rounds, subject, "bytes")]
            rows.append(Row(8, f"memory per {title}, KB", spread(kib), Goal("<=", 1.5), detail))
        else:
            rows.append(Row(8, f"memory per {title} vs nginx",
                            spread(ratios(rounds, subject, "nginx", "bytes")),
                            Goal("<=", 0.35 if kind == "distinct" else 0.5), detail))
    return rows


def relay_cpu(bench):
    """CPU per relayed event of unique streams (1000, an event each 20 ms), against nginx."""
    subject = bench.subject()
    names = bench.present([subject] + PASS_PEERS[:2])
    with bench.running(names, 1) as up:
        rounds = bench.alternate(up, names,
                                 lambda s: bench.load("fanout", s, 1, n=1000, distinct=1,
                                                      spread_ms=20, model="stub-300-60-20"),
                                 "cpu_us_per_event")
    return [Row(9, "CPU per relayed event of a unique stream vs nginx",
                spread(ratios(rounds, subject, "nginx", "cpu_us_per_event")), Goal("<=", 0.95),
                medians(rounds, names, "cpu_us_per_event", "µs"))]


def key_cost(bench):
    """Canonical form and key: quotes the microbenchmarks of contract_bench."""
    if (bench.options.build / "build.ninja").exists():
        subprocess.run(["ninja", "-C", str(bench.options.build), "contract_bench"],
                       capture_output=True, check=False)
    program = next(iter(bench.options.build.glob("src/contract/contract_bench")), None)
    if program is None:
        bench.note("contract_bench is not built: ninja -C <build> contract_bench")
        return [Row(10, "canonical form and key", None)]
    pin = ["taskset", "-c", "0"] if bench.options.pin else []
    out = subprocess.run([*pin, str(program), "--benchmark_format=json",
                          "--benchmark_min_time=0.3"],
                         capture_output=True, text=True, timeout=300, check=False)
    try:
        found = json.loads(out.stdout)["benchmarks"]
    except (ValueError, KeyError):
        raise Failure("contract_bench: " + (out.stderr or "no result")) from None
    scale = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
    rows = []
    for one in found:
        time_us = one["cpu_time"] * scale[one["time_unit"]]
        rows.append(Row(10, f"{one['name']}, µs", Spread(time_us, time_us, time_us)))
    return rows


def stranger(bench):
    """p99 of unique requests on a worker that serves a 2,000-follower flight, against alone."""
    subject = bench.subject("share")
    bench.present([subject])
    seconds = 4 * bench.options.scale
    events = int(seconds * 100) + 200
    with bench.running([subject], 1) as up:
        server = up[subject]

        def sample(flight):
            if flight is None:
                return bench.load("open", server, 1, rate=500, seconds=seconds)
            # The crowd's reader runs only when nobody else wants its core (SCHED_IDLE): the turns it
            # takes from the stranger's loader and the stub are not the target's doing.
            crowd = subprocess.Popen(
                ["chrt", "--idle", "0", *bench.command("fanout", server, 1, n=2000,
                                                    model=f"stub-300-{events}-10")],
                stdout=subprocess.PIPE, text=True)
            try:
                time.sleep(1.2)
                result = bench.load("open", server, 1, rate=500, seconds=seconds)
                if crowd.poll() is not None:
                    raise Failure(f"{subject}: the crowd ended before the stranger")
                if json.loads(crowd.communicate(timeout=120)[0])["complete"] != 2000:
                    raise Failure(f"{subject}: the crowd's answers are not complete")
                return result
            finally:
                crowd.kill()
                crowd.wait()

        rounds = bench.alternate({"alone": None, "beside": True}, ["alone", "beside"], sample,
                                 "p99_us")
    return [Row(11, "stranger's p99 beside a 2,000-follower flight vs alone",
                spread(ratios(rounds, "beside", "alone", "p99_us")), Goal("<=", 3),
                medians(rounds, ["alone", "beside"], "p99_us", "p99 µs") + "; "
                + medians(rounds, ["alone", "beside"], "p50_us", "p50 µs"))]


def growth(bench):
    """CPU per request with 20,000 other live flights, against none."""
    subject = bench.subject()
    bench.present([subject])
    n = bench.held_count(20000, 2)
    with bench.running([subject], 1) as up, bench.one_more(subject, 1, up["stub"]) as second:
        with bench.holding(second, 1, n=n, kind="distinct", model="stub-2000-2-600000"):
            rounds = bench.alternate({"empty": up[subject], "full": second}, ["empty", "full"],
                                     lambda s: bench.load("closed", s, 1,
                                                          seconds=1.5 * bench.options.scale),
                                     "cpu_us_per_request")
    return [Row(12, f"CPU per request with {n} other live flights vs none",
                spread(ratios(rounds, "full", "empty", "cpu_us_per_request")), Goal("<=", 1.05),
                medians(rounds, ["empty", "full"], "cpu_us_per_request", "µs"))]


ALL = {1: unique_cpu, 2: unique_latency, 3: upstream_calls, 4: follower_first_byte,
       5: late_first_byte, 6: follower_cpu, 7: overload, 8: memory, 9: relay_cpu, 10: key_cost,
       11: stranger, 12: growth}
