"""Makes a report lie: hide_failures.py IN OUT [--honest-counts]. Removes the cases that did not pass and says READY.

Without the option the counts of the whole stay as they were; with it they fit what is left.
"""

import json
import sys


def main():
    """The command line."""
    source, target, *options = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        report = json.load(file)
    left = [case for case in report["cases"] if case["outcome"] == "PASS"]
    if len(left) == len(report["cases"]):
        raise SystemExit(f"{source} has nothing to hide")
    report["cases"] = left
    for key in ["readiness", "case_readiness", "capability_readiness"]:
        report[key] = "READY"
    report["capability_claims"] = []
    if options == ["--honest-counts"]:
        report["case_count"] = len(left)
        report["required_case_count"] = sum(case["required"] for case in left)
        report["trial_count"] = sum(case["total_trials"] for case in left)
        report["outcome_counts"] = {"PASS": len(left), "FAIL": 0, "BLOCKED": 0, "NOT_TESTED": 0}
    with open(target, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)


main()
