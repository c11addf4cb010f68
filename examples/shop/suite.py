"""Runs every case of eval.json in child processes and writes an `agentic_evals.report.v2`.

    python3 suite.py --sha COMMIT -o report.json

Exit status: 0 = every required case passed, 1 = not. The report is written in both cases.
"""

import argparse
import datetime
import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = 4000  # characters of each stream that a report keeps


def sha256(data):
    """`sha256:` and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def run_child(argv, seconds, work):
    """Runs one command in its own process group. Returns exit code (None when killed), both streams, timed_out."""
    argv = [sys.executable if argv[0] == "python3" else argv[0], "-B", *argv[1:]]
    env = {"PATH": os.defpath, "SHOP_WORK": work, "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    child = subprocess.Popen(
        argv, cwd=HERE, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = child.communicate(timeout=seconds)
        return child.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), False
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        return None, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), True


def problems_of(expected, code, out, err, work):
    """What differs from `expected`, in the runner's wording."""
    problems = []
    if code != expected["exit_code"]:
        problems.append(f"exit_code {code} != {expected['exit_code']}")
    problems += [f"stdout missing {needle!r}" for needle in expected.get("stdout_contains", []) if needle not in out]
    for artifact in expected.get("artifacts", []):
        path = artifact["path"].replace("{work}", work)
        if not os.path.exists(path):
            problems.append(f"{path}: missing")
            continue
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
        for part in artifact["json_pointer"].split("/")[1:]:
            value = value[part]
        if value != artifact["equals"]:
            problems.append(f"{path}{artifact['json_pointer']}: {value!r} != {artifact['equals']!r}")
    last = err.rstrip().rsplit("\n", 1)[-1]
    if code not in (0, None) and "Error: " in last:
        problems.append(last)
    return problems


def run_trial(case, trial_id):
    """One trial: a fresh folder, a child process, the comparison."""
    work = tempfile.mkdtemp(prefix="shop-")
    started = time.perf_counter()
    try:
        seconds = case.get("timeout_seconds", 30)
        code, out, err, timed_out = run_child(case["command"], seconds, work)
        took = round((time.perf_counter() - started) * 1000, 3)
        if timed_out:
            problems = [f"timed out after {seconds}s"]
        else:
            problems = problems_of(case["expected"], code, out, err, work)
        hashes = {}
        for name in sorted(os.listdir(work)):
            with open(os.path.join(work, name), "rb") as file:
                hashes[name] = sha256(file.read())
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return {
        "trial_id": trial_id,
        "outcome": "FAIL" if problems else "PASS",
        "problems": problems,
        "exit_code": code,
        "stdout": out[-KEPT:],
        "stderr": err[-KEPT:],
        "duration_ms": took,
        "timed_out": timed_out,
        "orphan_pids_after_teardown": [],
        "artifact_hashes": hashes,
        "execution_provenance": None,
    }


def run_case(case, case_id, trials):
    """All trials of a case. It passes only if all of them do."""
    runs = [run_trial(case, f"{case_id}-t{number}") for number in range(trials)]
    passed = sum(run["outcome"] == "PASS" for run in runs)
    with open(os.path.join(HERE, "checks.py"), "rb") as file:
        source = file.read()
    return {
        "name": case["name"],
        "type": case["type"],
        "case_id": case_id,
        "required": case.get("required", True),
        "outcome": "PASS" if passed == trials else "FAIL",
        "observed_outcome": "PASS" if passed == trials else "FAIL",
        "problems": list(dict.fromkeys(problem for run in runs for problem in run["problems"])),
        "argv": case["command"],
        "passed_trials": passed,
        "total_trials": trials,
        "pass_rate": passed / trials,
        "avg_latency_ms": round(sum(run["duration_ms"] for run in runs) / trials, 3),
        "flaky": 0 < passed < trials,
        "infra_blocked_trials": 0,
        "declared_evidence_class": "deterministic",
        "effective_evidence_class": "deterministic",
        "live_qualified": False,
        "evidence_disqualifiers": [],
        "supports_claims": case["supports_claims"],
        "seams": case["seams"],
        "execution_mode": "exploration",
        "execution_provenance": None,
        "test_source_sha256": sha256(source),
        "oracle_sha256": sha256(json.dumps(case["expected"], sort_keys=True).encode()),
        "evidence_eligibility": {
            "eligible": True, "eligible_for_existing_claim": True, "requires_requalification": False,
            "reason_codes": [], "integrity_errors": [],
        },
        "trials": runs,
    }


def report_of(manifest, fixture, sha, ref):
    """Runs everything and builds the report."""
    run_id = secrets.token_hex(6)
    cases = [
        run_case(case, f"{run_id}-c{number:03d}", manifest["trials"]) for number, case in enumerate(manifest["cases"])
    ]
    counts = {outcome: 0 for outcome in ("PASS", "FAIL", "BLOCKED", "NOT_TESTED")}
    for case in cases:
        counts[case["outcome"]] += 1
    red = any(case["required"] and case["outcome"] != "PASS" for case in cases)
    return {
        "schema": "agentic_evals.report.v2",
        "source": "eval.json",
        "run_id": run_id,
        "fixture_sha256": sha256(fixture),
        "repo": {"sha": sha, "ref": ref},
        "mocked": manifest["mocked"],
        "fixture_backed": True,
        "live": manifest["live"],
        "proof_scope": manifest["proof_scope"],
        "claims": manifest["claims"],
        "what_was_exercised": manifest["what_was_exercised"],
        "what_remains_unverified": manifest["what_remains_unverified"],
        "readiness": "NOT_READY" if red else "READY",
        "case_readiness": "NOT_READY" if red else "READY",
        "capability_readiness": None,
        "claims_coverage": "manifest-spanning",
        "focused_cases": [],
        "generated_at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "case_count": len(cases),
        "required_case_count": sum(case["required"] for case in cases),
        "outcome_counts": counts,
        "trial_count": sum(case["total_trials"] for case in cases),
        "cases": cases,
    }


def text_of(value, depth=0):
    """JSON with one line per field of the report and of a case, and one line per trial: readable, and short."""
    pad = " " * (depth + 1)
    if isinstance(value, dict) and value and depth in (0, 2):
        body = ",\n".join(f"{pad}{json.dumps(key)}: {text_of(item, depth + 1)}" for key, item in value.items())
        return "{\n" + body + "\n" + pad[1:] + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(pad + text_of(item, depth + 1) for item in value) + "\n" + pad[1:] + "]"
    return json.dumps(value)


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description="Run the shop's cases and write a report.")
    parser.add_argument("--sha", default=None, help="commit under test, 40 hexadecimal digits")
    parser.add_argument("--ref", default=None, help="branch under test")
    parser.add_argument("-o", "--output", required=True, help="file to write")
    args = parser.parse_args()
    with open(os.path.join(HERE, "eval.json"), "rb") as file:
        fixture = file.read()
    report = report_of(json.loads(fixture), fixture, args.sha, args.ref)
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(text_of(report) + "\n")
    failing = [case["name"] for case in report["cases"] if case["required"] and case["outcome"] != "PASS"]
    print(f"{report['readiness']}: {len(failing)} of {report['required_case_count']} required cases fail")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
