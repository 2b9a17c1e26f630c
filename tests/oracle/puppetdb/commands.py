"""The commands of a small fleet, in the order in which they are sent.

    python3 tests/oracle/puppetdb/commands.py > crates/store/tests/puppetdb/commands.jsonl

One line per command: name, version, node and payload. Nothing is random, so that all recordings speak of the same fleet.
"""

import json

DAY = "2026-11-1%d"
SYSTEMS = ["Debian", "Ubuntu", "RedHat"]
STATUSES = ["unchanged", "changed", "failed"]
ENVIRONMENTS = ["production", "testing", "quote'd"]
COUNT = 30


def name(number):
    return f"node{number:02}.example"


def moment(run, number, seconds=0):
    total = number * 61 + seconds
    return f"{DAY % run}T{8 + total // 3600:02}:{total // 60 % 60:02}:{total % 60:02}.{number:03}Z"


def uuid(kind, run, number):
    return f"{kind:08x}-{run:04}-4000-8000-{number:012}"


def environment(number):
    return ENVIRONMENTS[2] if number == 9 else ENVIRONMENTS[number % 5 == 0]


def producer(number):
    return f"puppet{number % 2 + 1}.example"


def odd_values(number):
    """Facts of one node each, with values and names that are hard to store or to ask for."""
    return {
        1: {"a.b": {"c.d": "dotted"}, "quote\"d": {"it's": 1}, "brackets[0]": {"x]": "y"}, "blank name": " "},
        2: {"list": [1, "1", 1.5, True, None, [], {}, [2, [3]], {"k": "v"}], "empty_hash": {}, "empty_list": []},
        3: {"nothing": None, "empty": "", "yes": True, "no": False, "deep": {"a": {"b": {"c": {"d": [{"e": "f"}]}}}}},
        4: {"big": 9007199254740993, "negative": -5, "float": 1.25, "large": 1.25e20, "small": 1.5e-7, "zero": 0, "whole": 2.0},
        5: {"umlaut": "Zürich", "emoji": "\U0001f600", "kanji": {"東京": ["駅"]}, "tab": "a\tb\nc", "back\\slash": "\\d+"},
        6: {"1": {"2": "numeric names"}, "number": "42", "truth": "true", "null": "null", "like": "100%_x"},
        7: {"*": {"~": "wild"}, "select": "facts", "$dollar": "${x}", "semi;colon": "'; DROP TABLE facts; --", "#hash": "#~"},
        8: {"mixed": 8, "processors": {"count": "8"}, "uptime_seconds": "many"},
    }.get(number, {})


def facts(number, run):
    system = SYSTEMS[number % 3]
    values = {
        "os": {"name": system, "family": "RedHat" if system == "RedHat" else "Debian", "release": {"major": str(number % 4 + 9), "full": f"{number % 4 + 9}.{run}"}},
        "networking": {"ip": f"10.0.0.{number}", "interfaces": {"eth0": {"mac": f"02:00:00:00:00:{number:02x}", "mtu": 1500 + number % 3}}},
        "processors": {"count": number % 4 + 1, "models": ["x86"] * (number % 3)},
        "uptime_seconds": run * 86400 + number,
        "load": number / 8,
        "is_virtual": number % 2 == 0,
        "mixed": [number, str(number), number % 2 == 0][number % 3],
        "trusted": {"authenticated": "remote", "certname": name(number), "domain": "example", "hostname": f"node{number:02}", "extensions": {"pp_role": ["web", "db"][number % 2]} if number % 3 else {}},
    }
    values.update(odd_values(number))
    payload = {"certname": name(number), "environment": environment(number), "values": values, "producer_timestamp": moment(run, number), "producer": producer(number)}
    if number % 4 == 1:
        packages = [["openssl", f"3.0.{run}", "apt"], ["bash", "5.2", "apt"], ["rake", "13.0", "gem"], ["rake", "12.3", "gem"]]
        payload["package_inventory"] = packages[: 2 + number % 3]
    return {"command": "replace facts", "version": 5, "payload": payload}


def resource(kind, title, number, line=None, exported=False, **parameters):
    named = {title.lower()} if kind == "Class" else set()
    tags = sorted({kind.lower(), "class", f"group{number % 3}", *named, *parameters.get("tag", [])})
    place = {"file": f"/code/{kind.lower()}.pp", "line": line} if line else {}
    return {"type": kind, "title": title, "exported": exported, "tags": tags, "parameters": parameters, **place}


def resources(number, run):
    web = number % 2 == 0
    found = [
        resource("Stage", "main", number),
        resource("Class", "Settings", number),
        resource("Class", "main", number, name="main"),
        resource("Class", "Role::Web" if web else "Role::Db", number, 3, port=80 + number % 2, mixed=[number, str(number), None][number % 3]),
        resource("File", "/etc/motd", number, 10, ensure="file", content=f"Node {number}\n", mode="0644", owner=["root", "admin"][number % 2]),
        resource("File", f"/srv/{number}", number, 11, ensure="directory", recurse=number % 4 == 0),
        resource("User", "app", number, 20, uid=1000 + number % 7, groups=["a", "b"][: number % 3], shell="/bin/sh"),
        resource("Package", "openssl", number, 30, ensure=["installed", "3.0.1"][run % 2]),
        resource("Nagios_host", name(number), number, 40, True, address=f"10.0.0.{number}", check={"every": 60, "deep": [1, {"x": None}]}, tag=["monitoring"]),
    ]
    if number == 7:
        found.append(resource("Notify", "it's a \"title\" [x] 100%_", 7, 50, message="ä ; ' \\ 東京", **{"a.b": 1, "c d": 2}))
    if number == 8:
        found.append(resource("Notify", "NOTIFY", 8, 51, message=["1", 1, 1.0, True, {}], withpath="/x", loglevel=None))
    return found


def catalog(number, run):
    found = resources(number, run)
    shown = {"Class": 3, "File": 4}
    edges = [{"source": {"type": "Stage", "title": "main"}, "target": {"type": "Class", "title": title}, "relationship": "contains"} for title in ("Settings", "main")]
    role = {"type": "Class", "title": found[shown["Class"]]["title"]}
    edges += [{"source": role, "target": {"type": kind, "title": title}, "relationship": relationship} for kind, title, relationship in
              [("File", "/etc/motd", "contains"), ("User", "app", "contains"), ("File", f"/srv/{number}", "before"), ("Package", "openssl", "required-by")][: 2 + number % 3]]
    payload = {
        "certname": name(number), "version": f"v{run}", "environment": environment(number), "transaction_uuid": uuid(1, run, number), "catalog_uuid": uuid(2, run, number),
        "code_id": f"code{run}" if number % 2 else None, "job_id": str(number) if number % 5 == 0 else None, "producer_timestamp": moment(run, number, 5), "producer": producer(number),
        "resources": found, "edges": edges,
    }
    return {"command": "replace catalog", "version": 9, "payload": payload}


def event(status, at, prop, old, new, message, corrective=None):
    return {"status": status, "timestamp": at, "name": f"{prop}_event" if prop else None, "property": prop, "old_value": old, "new_value": new, "message": message, "corrective_change": corrective}


def report_resource(kind, title, at, line, events, skipped=False, path=("Stage[main]",)):
    return {"resource_type": kind, "resource_title": title, "timestamp": at, "skipped": skipped, "file": f"/code/{kind.lower()}.pp" if line else None, "line": line,
            "containment_path": list(path), "corrective_change": False, "events": events}


def report_resources(number, run, status):
    at = moment(run, number, 20)
    path = ["Stage[main]", "Class[Role::Web]" if number % 2 == 0 else "Class[Role::Db]", "File[/etc/motd]"]
    if status == "unchanged":
        return [] if number % 2 else [report_resource("User", "app", at, 20, [])]
    if status == "failed":
        return [report_resource("Package", "openssl", at, 30, [event("failure", at, "ensure", "absent", "installed", "apt failed: it's \"broken\"")], path=path[:2]),
                report_resource("Service", "app", at, None, [], skipped=True)]
    return [report_resource("File", "/etc/motd", at, 10, [event("success", at, "content", "{md5}a", "{md5}b", "content changed"), event("success", at, "mode", "0600", "0644", "mode changed", True)], path=path),
            report_resource("User", "app", moment(run, number, 21), 20, [event(["success", "noop"][number % 2], moment(run, number, 21), "groups", ["a"], ["a", "b"], None)], path=path[:2]),
            report_resource("Exec", "odd", at, None, [event("success", at, None, None, {"a": [1, None]}, "ä 東京")], path=[])]


def report(number, run):
    status = STATUSES[(number + run) % 3]
    at = moment(run, number, 30)
    logs = [{"file": None, "line": None, "level": "notice", "message": f"Applied catalog in {number}.{run} seconds", "source": "Puppet", "tags": ["notice"], "time": at}]
    if status == "failed":
        logs.append({"file": "/code/package.pp", "line": 30, "level": "err", "message": "apt failed: it's \"broken\"", "source": "Package[openssl]", "tags": ["err", "package"], "time": at})
    metrics = [{"category": "resources", "name": "total", "value": 10 + number}, {"category": "time", "name": "total", "value": number / 4}, {"category": "changes", "name": "total", "value": 2 * (status == "changed")}]
    payload = {
        "certname": name(number), "puppet_version": ["7.23.0", "8.4.0"][number % 2], "report_format": 10 + number % 2, "configuration_version": f"v{run}",
        "start_time": moment(run, number, 10), "end_time": moment(run, number, 30), "producer_timestamp": moment(run, number, 31), "producer": producer(number), "environment": environment(number),
        "transaction_uuid": uuid(1, run, number), "catalog_uuid": uuid(2, run, number), "code_id": f"code{run}" if number % 2 else None, "job_id": str(number) if number % 5 == 0 else None,
        "status": status, "noop": number % 6 == 0, "noop_pending": number % 6 == 0 and run == 2, "corrective_change": status == "changed",
        "cached_catalog_status": ["not_used", "on_failure", "explicitly_requested"][number % 3], "logs": logs, "metrics": metrics, "resources": report_resources(number, run, status),
    }
    return {"command": "store report", "version": 8, "payload": payload}


def deactivate(number, run):
    return {"command": "deactivate node", "version": 3, "payload": {"certname": name(number), "producer_timestamp": moment(run, number, 60)}}


def runs():
    for run in (1, 2):
        for number in range(1, COUNT + 1):
            has = {26: "f", 27: "c", 28: "r"}.get(number, "fcr")
            yield from (make(number, run) for letter, make in (("f", facts), ("c", catalog), ("r", report)) if letter in has)
    yield from (report(number, 3) for number in range(1, 7))


def commands():
    yield from runs()
    yield deactivate(24, 3)
    yield deactivate(25, 3)
    # A node that comes back, one that is deactivated by an old command, and one that PuppetDB has not heard of.
    yield facts(25, 4)
    yield deactivate(23, 1)
    yield deactivate(40, 3)
    # Stale: an older run again, of another producer. And a report that is sent twice.
    stale = facts(2, 0)
    stale["payload"]["producer"] = "stale.example"
    yield stale
    stale = catalog(3, 0)
    stale["payload"]["environment"] = "stale"
    yield stale
    yield report(4, 2)


def main():
    for command in commands():
        print(json.dumps(command, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
