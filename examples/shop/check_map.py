"""Checks that the map gives every failing required case of every recorded run exactly one category.

A second, independent reading of the rules (hints, then signatures, then their intersection), in 40 lines.
Exit status 1 and a list when a case has no category or several.
"""

import fnmatch
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def hinted(case, entry):
    """True if the case's seams, claims or name speak for the category."""
    return (
        set(case["seams"]) & set(entry["seams"])
        or set(case["supports_claims"]) & set(entry["supports_claims"])
        or any(fnmatch.fnmatchcase(case["name"], pattern) for pattern in entry.get("cases", []))
    )


def signed(case, entry):
    """True if a pattern of the category is found in the failure evidence."""
    bad = [trial for trial in case["trials"] if trial["outcome"] == "FAIL"]
    evidence = {
        "problems": [*case["problems"], *(problem for trial in bad for problem in trial["problems"])],
        "stdout": [trial["stdout"] for trial in bad],
        "stderr": [trial["stderr"] for trial in bad],
    }
    return any(
        re.search(signature["pattern"], text)
        for signature in entry.get("signatures", [])
        for text in evidence[signature["in"]]
    )


def candidates(case, categories):
    """The keys of the categories that the case could belong to."""
    hints = {key for key, entry in categories.items() if hinted(case, entry)}
    signs = {key for key, entry in categories.items() if signed(case, entry)}
    return hints & signs if hints and signs else hints | signs


def main():
    """Checks every run."""
    with open(os.path.join(HERE, "..", "..", "category_maps", "shop.json"), encoding="utf-8") as file:
        categories = json.load(file)["categories"]
    wrong = 0
    for path in sorted(glob.glob(os.path.join(HERE, "runs", "*", "*.json"))):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        active = {}
        for case in report["cases"]:
            if case["required"] and case["outcome"] == "FAIL":
                found = candidates(case, categories)
                if len(found) == 1:
                    active.setdefault(found.pop(), []).append(case["name"])
                else:
                    wrong += 1
                    print(f"{path}: {case['name']}: {sorted(found) or 'no category'}")
        counted = ", ".join(f"{key} {len(names)}" for key, names in sorted(active.items()))
        print(f"{os.path.relpath(path, HERE)}: {counted or 'green'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
