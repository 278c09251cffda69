"""Plants bugs in the gateway, one at a time, and requires that the simulation notices each of them.

Only the changed file is compiled again; it is linked in front of the libraries that the build made.
A mutant that survives is a hole in the checkers: close the hole, do not delete the mutant.
Run alone: python3 tests/sim/sim_mutants.py --build build/release [--only NAME]
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 60  # a mutant may hang; that is noticed too

# name, file below src, text (once in the file), replacement
MUTANTS = [
    # The life of a flight.
    ("leave counted twice", "flight/core.cc", "--subscribers_ > 0", "(subscribers_ -= 2) > 0"),
    ("abandoned too early", "flight/core.cc", "--subscribers_ > 0 ||", "--subscribers_ > 1 ||"),
    ("grace survives a join", "flight/core.cc",
     "  grace_until_ = kNever;\n  return JoinRefusal::kNone", "  return JoinRefusal::kNone"),
    ("grace without a bound", "flight/core.cc", "std::min(bounds.grace_max,",
     "std::max<Duration>(seconds(30),"),
    ("joined never", "flight/core.cc", "if (terminal()) return JoinRefusal::kTerminal;",
     "return JoinRefusal::kTerminal;"),
    ("wake-up lost", "flight/flight.cc",
     "if (pending_.fetch_or(bit, std::memory_order_seq_cst) & bit)",
     "if (!(pending_.fetch_or(bit, std::memory_order_seq_cst) & bit))"),
    ("pending never cleared", "flight/hall.cc",
     "flight->pending_.fetch_and(~(std::uint64_t{1} << worker_), std::memory_order_seq_cst);", ""),
    ("interest not published", "flight/hall.cc",
     "flight.interests_.fetch_or(std::uint64_t{1} << worker_, std::memory_order_seq_cst);", ""),
    ("cursor off by one", "flight/replay_log.cc", "  position_ += bytes;\n",
     "  position_ += bytes + 1;\n"),
    ("segment leaked", "flight/replay_log.cc", "  release(tail_);\n}", "}"),
    # Who sees what.
    ("tenants share", "contract/preimage.cc",
     "{reinterpret_cast<const char*>(scope.bytes.data()), scope.bytes.size()},",
     "((void)scope, std::string_view()),"),
    ("leader's cookie for all", "gateway/heads.cc", "if (caller.role != Role::kFollower) ", ""),
    # Ends.
    ("final chunk after a cut", "gateway/exchange_write.cc",
     "    case FlightEnding::kCut:\n    case FlightEnding::kAbandoned:\n      return false;",
     "    case FlightEnding::kCut:\n    case FlightEnding::kAbandoned:\n      return true;"),
    ("end told to nobody", "gateway/live_flight_end.cc",
     "  worker_.flight_ended(*this, ending, cause_);\n  worker_.hall().announce(*this);",
     "  worker_.flight_ended(*this, ending, cause_);"),
    ("direct answer never over", "gateway/exchange_write.cc",
     "direct || (log == LogState::kEnded &&", "(log == LogState::kEnded && !direct &&"),
    ("cut until-close body believed", "gateway/live_flight.cc", "if (ends_with_connection_ &&",
     "if (false &&"),
    ("half-closed caller sees an end", "gateway/session.cc",
     "  // whole.\n  close(After::kReset);", "  // whole.\n  close(After::kClose);"),
    ("half an event before the error", "gateway/live_flight.cc",
     "  if (judge_.ending() == contract::Ending::kCut) return attempt_failed(FailureClass::kCut);\n  collected_.append(rest);", "  collected_.append(rest);\n  if (judge_.ending() == contract::Ending::kCut) return attempt_failed(FailureClass::kCut);"),
    ("error glued to a torn relay", "gateway/live_flight_end.cc",
     "const bool relayed = broken && committed_", "const bool relayed = false && committed_"),
    ("deadline ignored", "gateway/exchange_write.cc", "if (now >= deadline_) {", "if (false) {"),
    ("half an interim answer", "gateway/exchange.cc",
     "blocked_ = !out_.empty();\n}", "out_.clear();\n}"),
    ("opened head keeps alive", "gateway/exchange_write.cc",
     "if (!keep_alive_) caller.connection = CallerHead::Connection::kClose;", ""),
    ("spurious writable before the request", "gateway/exchange_write.cc",
     "    if (!flight_) {", "    if (answer_ == Answer::kDirect) {"),
    ("pipelined request forgotten", "gateway/session.cc", "  if (held_.empty()) return;\n",
     "  held_.clear();\n  if (held_.empty()) return;\n"),
    ("session leaked", "gateway/worker.cc",
     "shared_.connections.fetch_sub(1, std::memory_order_relaxed);", ""),
    # The upstream call.
    ("abandoned call runs on", "gateway/exchange.cc",
     "at_home ? live.on_home_wake() : flight->wake(flight->home());",
     "if (!at_home) flight->wake(flight->home());"),
    ("commit before a token", "gateway/live_flight.cc", "if (!committed_ && (semantic ||",
     "if (!committed_ && (true ||"),
    ("retry after the end", "gateway/live_flight_end.cc",
     "if (effect == Core::OnFailure::kRetry) return retry_later(failure);",
     "if (may_retry) return retry_later(failure);"),
    ("error event ends well", "gateway/live_flight.cc", "    return complete(FlightEnding::kCut);",
     "    return complete(FlightEnding::kWhole);"),
    ("pause never resumed", "gateway/live_flight_publish.cc", "    attempt_->resume();\n", ""),
    ("dirty connection pooled", "upstream/connection.cc",
     "clean_ = keep_ && rest.empty() && unsent() == 0;", "clean_ = true;\n  return attempt_->complete();"),
    ("unfinished connection pooled", "upstream/http_attempt.cc", "if (connection_->clean()) return",
     "if (true) return"),
    ("busy never given back", "upstream/http_attempt.cc", "  --client_.busy_;\n", ""),
    ("cut message is complete", "upstream/connection.cc", "return attempt_->failed(FailureClass::kCut);",
     "return attempt_->complete();"),
]


def recipe(build, source):
    """The compile command of one source as a list, without its -o and -c parts."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if Path(entry["file"]) == ROOT / "src" / source:
            words = shlex.split(entry["command"])
            del words[words.index("-o"):words.index("-o") + 2]
            del words[words.index("-c"):words.index("-c") + 2]
            return [w for w in words if w not in ("-O2", "-g1", "-Werror")] + ["-O1", "-w"]
    sys.exit(f"{source} is not in {build}/compile_commands.json")


def link_recipe(build):
    """The link command of sim_test, split behind the test's own object."""
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "tests/sim/sim_test"],
                              capture_output=True, text=True, check=True).stdout
    words = shlex.split(commands.strip().splitlines()[-1].replace("&&", " ").strip(": "))
    at = words.index("-o")
    return words[:at], words[at + 2:]


def run(program, seeds):
    """What the simulation says of a program: nothing when it finds nothing."""
    environment = dict(os.environ, SIM_SEEDS=str(seeds), SIM_FAILURES="1")
    environment.pop("SIM_SEED", None)
    try:
        done = subprocess.run([program, "--gtest_color=no", "--gtest_filter=-*SameSeed*:*ThatFailed*"], env=environment, capture_output=True,
                              text=True, errors="replace", timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return "it hangs"
    if done.returncode == 0:
        return None
    found = re.search(r"^seed (\d+):\n  (.*)", done.stdout, re.M)
    aborted = re.search(r"replay: SIM_SEED=(\d+)", done.stderr)
    if found:
        return f"seed {found.group(1)}: {found.group(2)[:90]}"
    return f"seed {aborted.group(1)}: aborts" if aborted else f"exit code {done.returncode}"


def try_mutant(arguments, work, linking, mutant):
    name, file, text, replacement = mutant
    source = (ROOT / "src" / file).read_text()
    if source.count(text) != 1:
        return f"its text stands {source.count(text)} times in {file}: update the mutant", None
    stem = work / re.sub(r"\W+", "_", name)
    changed, objects, program = (stem.with_suffix(s) for s in (".cc", ".o", ""))
    changed.write_text(source.replace(text, replacement))
    compiled = subprocess.run([*recipe(arguments.build, file), "-c", changed, "-o", objects],
                              cwd=arguments.build, capture_output=True, text=True)
    if compiled.returncode:
        return "does not compile:\n" + compiled.stderr, None
    # Its symbols are there before the library's own object could be asked for them.
    linked = subprocess.run([*linking[0], objects, "-o", program, *linking[1]], cwd=arguments.build,
                            capture_output=True, text=True)
    if linked.returncode:
        return "does not link:\n" + linked.stderr, None
    caught = run(program, arguments.seeds)
    program.unlink()
    return (None, caught) if caught else ("SURVIVED", None)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", type=Path, default=ROOT / "build/release")
    options.add_argument("--seeds", type=int, default=2500)
    options.add_argument("--only", default="")
    arguments = options.parse_args()
    arguments.build = arguments.build.resolve()
    if not (arguments.build / "build.ninja").exists():
        print("skipped: the build was not made by ninja")
        sys.exit(77)
    if trouble := run(arguments.build / "tests/sim/sim_test", arguments.seeds):
        sys.exit(f"the unchanged gateway does not pass: {trouble}")
    linking = link_recipe(arguments.build)
    chosen = [m for m in MUTANTS if arguments.only in m[0]]
    with tempfile.TemporaryDirectory(prefix="sim_mutants") as work, ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda m: try_mutant(arguments, Path(work), linking, m), chosen))
    for mutant, (trouble, caught) in zip(chosen, results):
        print(f"{mutant[0]:38} {trouble or 'caught by ' + caught}")
    bad = sum(1 for trouble, _ in results if trouble)
    print(f"{len(chosen) - bad} of {len(chosen)} mutants caught")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
