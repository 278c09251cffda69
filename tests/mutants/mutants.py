"""Plants bugs in src/flight, one at a time, and requires that flight_test fails on each.

A mutant that survives is a hole in the tests: add a test, do not delete the mutant.
Run alone: python3 tests/mutants/mutants.py [--only REGEX]
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-O1", "-DSLIP_FEW_INTERLEAVINGS", "-D_GLIBCXX_ASSERTIONS", "-w"]
SECONDS_MAX = 60  # a mutant may hang; that is noticed too

# name, file of src/flight, text (once in the file), replacement
MUTANTS = [
    ("join after the end", "core.cc", "if (terminal()) return JoinRefusal::kTerminal;", ""),
    ("closed flight joined", "core.cc", "if (closed_ || age > bounds", "if (age > bounds"),
    ("join window never closes", "core.cc", "age > bounds.join_window_age ||", ""),
    ("caller's max age ignored", "core.cc", "if (age > max_age)", "if (false)"),
    ("one subscriber too many", "core.cc", "subscribers_ >= bounds.subscribers_max",
     "subscribers_ > bounds.subscribers_max"),
    ("grace survives a join", "core.cc", "  grace_until_ = kNever;\n  return JoinRefusal::kNone",
     "  return JoinRefusal::kNone"),
    ("leave counted twice", "core.cc", "--subscribers_ > 0", "(subscribers_ -= 2) > 0"),
    ("grace for a closed flight", "core.cc", "grace <= Duration::zero() || closed_",
     "grace <= Duration::zero()"),
    ("grace ends early", "core.cc", "!in_grace() || now < grace_until_", "!in_grace()"),
    ("grace never ends", "core.cc", "now < grace_until_", "now <= grace_until_ + seconds(9)"),
    ("grace unbounded", "core.cc", "std::min(bounds.grace_max,", "std::max(bounds.grace_max,"),
    ("attempt without a retry", "core.cc", "attempts_ > retries_", "attempts_ > retries_ + 1"),
    ("two retries", "core.cc", "retries_ < kRetriesMax", "retries_ <= kRetriesMax"),
    ("retry after the commit point", "core.cc", "!committed() && transience", "transience"),
    ("retry without budget", "core.cc", "budget == Budget::kGranted &&", ""),
    ("retry for nobody", "core.cc", "&& subscribers_ > 0;", ";"),
    ("deterministic failure retried", "core.cc", "transience == Transience::kTransient &&", ""),
    ("commit revives an ended flight", "core.cc", "if (!terminal()) state_ = State::kStreaming",
     "state_ = State::kStreaming"),
    ("removal by key", "table.cc", "if (!flight.in_table_) return;",
     "if (shard.flights.find(flight.key()) == shard.flights.end()) return;"),
    ("replaced flight still joinable", "table.cc", "    found.core_.close_to_joiners();\n", ""),
    ("end without leaving the table", "table.h",
     "if (flight.core_.terminal()) remove_locked(shard, flight, removed);", ""),
    ("closed flight stays in the table", "table.cc",
     "flight.log_.release_head();\n  remove_locked(shard, flight, removed);",
     "flight.log_.release_head();"),
    ("cursor off by one", "replay_log.cc", "  position_ += bytes;\n", "  position_ += ++bytes;\n"),
    ("piece starts too early", "replay_log.cc", "at->data() + offset, length - offset",
     "at->data(), length - offset"),
    ("segment skipped", "replay_log.cc", "    release(std::exchange(segment_, next));\n    offset_ = 0;",
     "    release(std::exchange(segment_, next));"),
    ("segment linked before its length", "replay_log.cc",
     "    tail_->released.store(tail_used_, std::memory_order_release);\n    tail_->next",
     "    tail_->next"),
    ("end before the last bytes", "replay_log.cc", "  publish();\n  ending_ = ending;",
     "  ending_ = ending;"),
    ("segment leaked", "replay_log.cc", "  release(tail_);\n}", "}"),
    ("budget never given back", "replay_log.cc",
     "segment->budget->remove(sizeof(Segment) + segment->capacity);", ""),
    ("hint not exact", "replay_log.cc",
     "expected >= bytes.size() ? Fit::kExact", "expected < bytes.size() ? Fit::kExact"),
    ("wake-up lost", "flight.cc", "if (pending_.fetch_or(bit, std::memory_order_seq_cst) & bit)",
     "if (!(pending_.fetch_or(bit, std::memory_order_seq_cst) & bit))"),
    ("wake-up per publish", "flight.cc", "std::memory_order_seq_cst) & bit) return;",
     "std::memory_order_seq_cst) & 0) return;"),
    ("pending never cleared", "hall.cc",
     "flight->pending_.fetch_and(~(std::uint64_t{1} << worker_), std::memory_order_seq_cst);", ""),
    ("interest not published", "hall.cc",
     "flight.interests_.fetch_or(std::uint64_t{1} << worker_, std::memory_order_seq_cst);", ""),
    ("pass never yields", "hall.cc", "writes < kWritesPerSlice", "true"),
    ("rest of a pass forgotten", "hall.cc", "if (at->next || news) flight.wake(worker_);", ""),
    ("pass repeats for ever", "hall.cc", "at->heard = announced;", ""),
    ("leaver's neighbour lost", "hall.cc", "if (room->next == &subscriber) {", "if (false) {"),
    ("empty room kept", "hall.cc",
     "flight.interests_.fetch_and(~(std::uint64_t{1} << worker_), std::memory_order_seq_cst);", ""),
]


def compile_object(compiler, tree, source, target):
    return subprocess.run([compiler, *FLAGS, "-I", tree / "src", "-c", source, "-o", target],
                          capture_output=True, text=True)


def sources_using(tree, changed):
    """The files of src/flight to compile again: a header touches all, a source only itself."""
    everything = sorted((tree / "src/flight").glob("*.cc"))
    everything = [f for f in everything if not f.name.endswith(("_bench.cc", "_fuzz.cc"))]
    return everything if changed is None or changed.endswith(".h") else [tree / "src/flight" / changed]


def build(compiler, tree, objects, changed):
    """Compiles into `objects` and links. Returns an error text or nothing."""
    jobs = [(source, objects / (source.stem + ".o")) for source in sources_using(tree, changed)]
    if changed is None:
        jobs += [(s, objects / ("base_" + s.stem + ".o")) for s in (tree / "src/base").glob("*.cc")
                 if not s.name.endswith("_test.cc")]
    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(lambda job: compile_object(compiler, tree, *job), jobs):
            if done.returncode:
                return done.stderr
    linked = subprocess.run([compiler, *objects.glob("*.o"), "-o", objects / "flight_test",
                             "-lgtest", "-lgtest_main", "-lcrypto", "-lpthread"], capture_output=True, text=True)
    return linked.stderr if linked.returncode else None


def run(program):
    """The name of the test that fails, or nothing when all pass."""
    command = [program, "--gtest_brief=0", "--gtest_fail_fast", "--gtest_color=no"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS_MAX)
        output, failed, how = done.stdout, done.returncode != 0, ""
        if done.returncode < 0:
            how = f" (signal {-done.returncode})"
    except subprocess.TimeoutExpired as hung:
        output, failed, how = (hung.stdout or b"").decode(errors="replace"), True, " (hangs)"
    if not failed:
        return None
    named = re.findall(r"\[  FAILED  \] (\S+?),? ", output) or re.findall(r"\[ RUN      \] (\S+)", output)
    return (named[0] if how == "" and named else named[-1] if named else "start-up") + how


def try_mutant(compiler, clean, work, mutant):
    name, file, text, replacement = mutant
    tree, objects = work / "tree", work / "objects"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(clean / "objects", objects)
    shutil.copytree(clean / "tree", tree)
    path = tree / "src/flight" / file
    source = path.read_text()
    if source.count(text) != 1:
        return f"its text stands {source.count(text)} times in {file}: update the mutant", None
    path.write_text(source.replace(text, replacement))
    error = build(compiler, tree, objects, file)
    if error:
        return "does not compile:\n" + error, None
    caught = run(objects / "flight_test")
    return (None, caught) if caught else ("SURVIVED", None)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--compiler", default="clang++-19")
    options.add_argument("--build", type=Path, default=None)
    options.add_argument("--only", default="")
    arguments = options.parse_args()
    work = arguments.build or Path(tempfile.mkdtemp(prefix="mutants"))
    shutil.rmtree(work, ignore_errors=True)
    clean = work / "clean"
    (clean / "objects").mkdir(parents=True)
    for folder in ("base", "flight"):
        shutil.copytree(ROOT / "src" / folder, clean / "tree/src" / folder)
    error = build(arguments.compiler, clean / "tree", clean / "objects", None)
    if error or run(clean / "objects/flight_test"):
        sys.exit(f"the unchanged tree does not pass: {error or ''}")

    chosen = [m for m in MUTANTS if re.search(arguments.only, m[0])]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(
            lambda i: try_mutant(arguments.compiler, clean, work / str(i), chosen[i]),
            range(len(chosen))))
    for mutant, (trouble, caught) in zip(chosen, results):
        print(f"{mutant[0]:36} {trouble or 'caught by ' + caught}")
    bad = sum(1 for trouble, _ in results if trouble)
    print(f"{len(chosen) - bad} of {len(chosen)} mutants caught")
    shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
