"""No failure is lost, on reports that nobody has seen before: sample_reports.py OUT --samples N [--seed S].

Draws reports over a map with two categories, lets `greenloop categorize` read them, and compares the counts with its own
count of what was drawn: every failing required case stands exactly once among assigned, unclassified and ambiguous.
The seed is printed; without --seed it is another one in every run.
"""

import argparse
import json
import os
import random
import subprocess

PARTS = ["cart", "tax", "stock", "naïve name", "a > b::c", "x" * 90, "100%", "\u202eevil", "'quoted'"]


def draw_case(rng, number):
    """One case, and what must become of it: assigned, unclassified, ambiguous or nothing."""
    outcome = rng.choice(["PASS", "FAIL", "FAIL", "FAIL"])
    required = number == 0 or rng.random() < 0.8  # a report without a required case proves nothing, and is refused
    seams = rng.choice([[], ["left"], ["right"], ["left", "right"], ["elsewhere"]])
    trials = []
    for trial in range(2):
        problems = [f"exit_code {rng.randrange(256)} != 0"] if outcome == "FAIL" else []
        trials.append({
            "trial_id": f"t{trial}", "outcome": outcome, "problems": problems, "exit_code": len(problems), "stdout": "",
            "stderr": "", "duration_ms": rng.random() * 1000, "timed_out": False, "orphan_pids_after_teardown": [],
            "artifact_hashes": {}, "execution_provenance": None,
        })
    case = {
        "name": f"{rng.choice(PARTS)} {number}", "type": "positive", "case_id": f"r-c{number:03}", "required": required,
        "outcome": outcome, "observed_outcome": outcome, "problems": trials[0]["problems"], "argv": ["./shop"],
        "passed_trials": 2 * (outcome == "PASS"), "total_trials": 2, "pass_rate": float(outcome == "PASS"),
        "avg_latency_ms": 1.0, "flaky": False, "infra_blocked_trials": 0, "supports_claims": [], "seams": seams,
        "trials": trials,
    }
    known = [seam for seam in seams if seam != "elsewhere"]
    fate = ["unclassified", "assigned", "ambiguous"][len(known)]
    return case, fate if outcome == "FAIL" and required else None


def draw_report(rng):
    """A complete report, and the fate of its cases by name."""
    drawn = [draw_case(rng, number) for number in range(rng.randrange(1, 40))]
    cases = [case for case, _ in drawn]
    outcomes = [case["outcome"] for case in cases]
    report = {
        "schema": "agentic_evals.report.v2", "source": "drawn", "run_id": f"r{rng.random()}", "fixture_sha256": None,
        "repo": {"sha": None, "ref": None}, "mocked": True, "fixture_backed": True, "live": False, "proof_scope": "none",
        "claims": {"proves": "", "does_not_prove": ""}, "what_was_exercised": "", "what_remains_unverified": "",
        "readiness": "NOT_READY", "case_readiness": "NOT_READY", "capability_readiness": None,
        "claims_coverage": "manifest-spanning", "focused_cases": [], "generated_at": "2026-01-01T00:00:00Z",
        "case_count": len(cases), "required_case_count": sum(case["required"] for case in cases),
        "outcome_counts": {kind: outcomes.count(kind) for kind in ["PASS", "FAIL", "BLOCKED", "NOT_TESTED"]},
        "trial_count": 2 * len(cases), "cases": cases,
    }
    return report, {case["name"]: fate for case, fate in drawn if fate}


def judge(folder, report, fates):
    """Raises unless greenloop places every failure as it was drawn."""
    path = os.path.join(folder, "report.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(report, file)
    here = os.path.dirname(os.path.abspath(__file__))
    sides = os.path.join(here, "..", "fixtures", "maps", "two_sides.json")
    argv = ["greenloop", "categorize", path, "--map", sides, "--format", "json"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=20)
    said = json.loads(done.stdout)
    found = {}
    for kind, key in [("assigned", "assignments"), ("unclassified", "unclassified"), ("ambiguous", "ambiguous")]:
        for entry in said[key]:
            assert entry["case"] not in found, f"{entry['case']} stands twice"
            found[entry["case"]] = kind
    assert found == fates, f"{found} != {fates}"
    status = int(any(fate != "assigned" for fate in fates.values()))
    assert done.returncode == status, f"status {done.returncode} != {status}"
    return len(fates)


def main():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    seed = random.SystemRandom().getrandbits(48) if args.seed is None else args.seed
    print("seed", seed)
    os.makedirs(args.out, exist_ok=True)
    failures = 0
    for sample in range(args.samples):
        failures += judge(args.out, *draw_report(random.Random(f"{seed}/{sample}")))
    print(f"{args.samples} reports with {failures} failures")
    with open(os.path.join(args.out, "samples.json"), "w", encoding="utf-8") as file:
        json.dump({"samples": args.samples, "lost": 0}, file)


main()
