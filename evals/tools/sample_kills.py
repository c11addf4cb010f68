"""No ticket is doubled or lost by a kill: sample_kills.py PROJECT PLAN OUT --samples N [--seed S].

For each sample: a copy of PROJECT, `greenloop apply` killed with SIGKILL after a drawn time, `greenloop apply` again,
and a look into the tracker without greenloop. The seed is printed; without --seed it is another one in every run.
"""

import argparse
import concurrent.futures
import json
import os
import random
import shutil
import sqlite3
import subprocess
import time


def tickets(project):
    """Categories of all tickets, sorted."""
    database = sqlite3.connect(os.path.join(project, ".greenloop", "tracker.db"))
    rows = database.execute("SELECT category_id FROM ticket").fetchall()
    database.close()
    return sorted(category for (category,) in rows)


def apply(project, plan, kill_after=None):
    """Applies the plan; True if it was killed on the way."""
    process = subprocess.Popen(
        ["greenloop", "--project", project, "apply", plan], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, said = process.communicate(timeout=kill_after if kill_after is not None else 20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        assert kill_after is not None, "apply did not end"
        return True
    assert process.returncode == 0, said.decode()
    return False


def main():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("project")
    parser.add_argument("plan")
    parser.add_argument("out")
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    seed = random.SystemRandom().getrandbits(48) if args.seed is None else args.seed
    print("seed", seed)
    rng = random.Random(seed)
    os.makedirs(args.out, exist_ok=True)

    def fresh(name):
        copy = os.path.join(args.out, name)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(args.project, copy)
        return copy

    def sample(number, kill_after):
        copy = fresh(f"copy-{number}")
        was_killed = apply(copy, args.plan, kill_after)
        apply(copy, args.plan)
        found = tickets(copy)
        shutil.rmtree(copy)
        assert found == wanted, f"killed after {kill_after} s: {found} != {wanted}"
        return was_killed

    undisturbed = fresh("undisturbed")
    started = time.monotonic()
    apply(undisturbed, args.plan)
    whole, wanted = time.monotonic() - started, tickets(undisturbed)
    assert wanted, "the plan makes no ticket, so nothing could be doubled"
    moments = [rng.uniform(0, whole) for _ in range(args.samples)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        killed = sum(pool.map(sample, range(args.samples), moments))
    assert killed * 5 > args.samples, f"only {killed} of {args.samples} were killed in time"
    print(f"{killed} of {args.samples} killed")
    with open(os.path.join(args.out, "samples.json"), "w", encoding="utf-8") as file:
        json.dump({"samples": args.samples, "doubled": 0}, file)


main()
