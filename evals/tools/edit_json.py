"""Changes one value of a JSON file: edit_json.py IN OUT POINTER VALUE; the VALUE `-` removes what is there."""

import json
import sys


def main():
    """The command line."""
    source, target, pointer, value = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        root = json.load(file)
    *above, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    place = root
    for part in above:
        place = place[int(part)] if isinstance(place, list) else place[part]
    key = int(last) if isinstance(place, list) else last
    before = json.dumps(place)
    if value == "-":
        del place[key]
    else:
        place[key] = json.loads(value)
    if json.dumps(place) == before:
        raise SystemExit(f"{pointer} is {value} already: the edit would test nothing")
    with open(target, "w", encoding="utf-8") as file:
        json.dump(root, file, indent=1)


main()
