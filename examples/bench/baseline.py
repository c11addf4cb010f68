"""A plain categorizer: loads the whole report, rebuilds the sets of seams and claims for every failing case, hashes
the result. It prints its own seconds without the start of the interpreter."""
import hashlib
import json
import sys
import time


def categorize(report_file, map_file):
    with open(report_file, encoding="utf-8") as file:
        report = json.load(file)
    with open(map_file, encoding="utf-8") as file:
        categories = json.load(file)["categories"]
    active = {}
    for case in report["cases"]:
        if not case.get("required", True) or case["outcome"] != "FAIL":
            continue
        seams, claims = set(case.get("seams") or []), set(case.get("supports_claims") or [])
        owners = [
            entry["category_id"]
            for entry in categories.values()
            if seams & set(entry.get("seams") or []) or claims & set(entry.get("supports_claims") or [])
        ]
        if len(owners) != 1:
            raise SystemExit(f"{case['name']}: {owners}")
        active.setdefault(owners[0], []).append((case["name"], sorted(set(case["problems"]))))
    state = json.dumps({"active": {key: sorted(value) for key, value in active.items()}}, sort_keys=True)
    return len(active), hashlib.sha256(state.encode()).hexdigest()


start = time.perf_counter()
categorize(sys.argv[1], sys.argv[2])
print(time.perf_counter() - start)
