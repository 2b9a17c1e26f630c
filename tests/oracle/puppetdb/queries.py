"""The requests that are sent to PuppetDB about the fleet of commands.py.

A request is a dictionary with `name`, `method`, `path`, and either `parameters` (of the address) or `body` (JSON of a POST).
`ordered` says that the order of the answer is total. `$REPORT(UUID)` in a text stands for the hash of the report with that
transaction; `$RESOURCE(NODE|TYPE|TITLE)` for the hash of a resource.
"""

import json

from commands import moment, name, uuid
from odd import ODD, PQL

V4 = "/pdb/query/v4"
FEW = ["~", "certname", "^node0[1-9]"]

# Entities: path; fields with values that occur; the fields that order the rows totally.
ENTITIES = {
    "nodes": ({
        "certname": [name(3)], "deactivated": [], "expired": [], "facts_environment": ["production", "quote'd"], "catalog_timestamp": ["2020-01-01"],
        "facts_timestamp": ["2020-01-01T00:00:00Z"], "report_timestamp": [moment(2, 3, 30)], "latest_report_hash": [f"$REPORT({uuid(1, 3, 4)})"], "latest_report_noop": [True, False],
        "latest_report_noop_pending": [True], "latest_report_status": ["failed"], "latest_report_corrective_change": [True], "latest_report_job_id": ["5"],
        "cached_catalog_status": ["on_failure"], "catalog_environment": ["testing"], "report_environment": ["testing"],
    }, ["certname"]),
    "facts": ({"certname": [name(2)], "environment": ["testing"], "name": ["os"], "value": ["42", 42, True, 2, 1.25, {"os": 1}, ["x"]]}, ["certname", "name"]),
    "fact-names": ({"name": ["os"]}, ["name"]),
    "fact-paths": ({"path": [["os", "name"], ["processors", "models", 0], "os"], "type": ["integer", "json"], "name": ["os"], "depth": [1]}, ["path", "type"]),
    "fact-contents": ({"certname": [name(2)], "environment": ["testing"], "name": ["list"], "path": [["os", "name"], ["list", 0], ["list", "0"], ["deep", "a", "b", "c", "d", 0, "e"]], "value": ["Debian", 1, 1.5, True, "1"]}, ["certname", "path"]),
    "factsets": ({"certname": [name(2)], "environment": ["testing"], "timestamp": ["2020-01-01"], "producer_timestamp": [moment(2, 2)], "producer": ["puppet1.example"], "hash": ["0" * 40]}, ["certname"]),
    "inventory": ({"certname": [name(2)], "environment": ["testing"], "timestamp": ["2020-01-01"], "facts.os.name": ["Debian"], "facts.processors.count": [2, "2"], "trusted.extensions.pp_role": ["db"], "facts.list[1]": ["1"]}, ["certname"]),
    "catalogs": ({
        "certname": [name(3)], "version": ["v2"], "environment": ["testing"], "transaction_uuid": [uuid(1, 2, 3)], "catalog_uuid": [uuid(2, 2, 3)], "code_id": ["code2"], "job_id": ["5"],
        "producer": ["puppet2.example"], "producer_timestamp": [moment(2, 3, 5)], "hash": ["0" * 40],
    }, ["certname"]),
    "resources": ({
        "certname": [name(7)], "environment": ["testing"], "type": ["Class", "class"], "title": ["Role::Web", "main"], "tag": ["GROUP1", "monitoring"], "tags": ["group1"], "exported": [True, False], "file": ["/code/file.pp"],
        "line": [20, 3], "parameters": [], "parameters.ensure": ["file"], "parameters.uid": [1003], "parameters.check.every": [60], "resource": [f"$RESOURCE({name(7)}|File|/etc/motd)"],
    }, ["certname", "type", "title"]),
    "edges": ({"certname": [name(4)], "relationship": ["before"], "source_type": ["Stage"], "source_title": ["main"], "target_type": ["Class"], "target_title": ["/etc/motd"]}, ["certname", "source_type", "source_title", "target_type", "target_title"]),
    "reports": ({
        "hash": [f"$REPORT({uuid(1, 1, 7)})"], "certname": [name(3)], "noop_pending": [True], "puppet_version": ["8.4.0"], "report_format": [10], "configuration_version": ["v1"], "start_time": [moment(1, 3, 10)], "end_time": [moment(1, 3, 30)],
        "producer_timestamp": [moment(2, 5, 31)], "producer": ["puppet2.example"], "corrective_change": [True], "receive_time": ["2020-01-01"], "transaction_uuid": [uuid(1, 2, 5)], "catalog_uuid": [uuid(2, 2, 5)], "noop": [True],
        "code_id": ["code2"], "job_id": ["10"], "cached_catalog_status": ["not_used"], "environment": ["testing"], "status": ["failed"], "type": ["agent"], "latest_report?": [True, False], "metrics": [], "logs": [], "resource_events": [],
    }, ["certname", "end_time"]),
    "events": ({
        "certname": [name(3)], "configuration_version": ["v1"], "run_start_time": [moment(1, 3, 10)], "run_end_time": [moment(1, 3, 30)], "report_receive_time": ["2020-01-01"], "report": [f"$REPORT({uuid(1, 1, 4)})"], "status": ["failure", "skipped"],
        "corrective_change": [True], "timestamp": [moment(2, 3, 20)], "resource_type": ["File"], "resource_title": ["/etc/motd"], "property": ["mode"], "new_value": ["0644", ["a", "b"], {"a": [1, None]}], "old_value": ["0600"], "message": ["mode changed"],
        "file": ["/code/file.pp"], "line": [10], "containment_path": ["Stage[main]"], "containing_class": ["Role::Web"], "environment": ["testing"], "latest_report?": [True, False], "name": ["mode_event"],
    }, ["certname", "run_end_time", "resource_type", "resource_title", "property"]),
    "environments": ({"name": ["testing"]}, ["name"]),
    "producers": ({"name": ["puppet2.example"]}, ["name"]),
    "packages": ({"package_name": ["rake"], "version": ["5.2"], "provider": ["gem"]}, ["package_name", "version"]),
    "package-inventory": ({"certname": [name(1)], "package_name": ["rake"], "version": ["5.2"], "provider": ["gem"]}, ["certname", "package_name", "version"]),
}
# Fields whose values differ between two stores: times of receipt and hashes. They neither order nor group.
OWN = {"nodes": ["catalog_timestamp", "facts_timestamp", "latest_report_hash"], "factsets": ["timestamp", "hash"], "inventory": ["timestamp"], "catalogs": ["hash"],
       "reports": ["hash", "receive_time"], "events": ["report", "report_receive_time"], "resources": ["tags"]}
# A field that keeps answers of the systematic requests small.
SHOWN = {"fact-names": "name", "fact-paths": "path", "environments": "name", "producers": "name", "packages": "package_name"}


def request(title, path, parameters=None, body=None, ordered=False):
    found = {"name": title, "method": "POST" if body is not None else "GET", "path": path if path.startswith("/") else f"{V4}/{path}".rstrip("/")}
    if body is not None:
        found["body"] = body
    elif parameters:
        found["parameters"] = {key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for key, value in parameters.items()}
    if ordered:
        found["ordered"] = True
    return found


def systematic():
    for entity, (fields, order) in ENTITIES.items():
        shown = SHOWN.get(entity, "certname")
        few = FEW if shown == "certname" else None
        yield request(f"{entity}: some", entity, {"query": ["=", "certname", name(7)] if few else None} if few else None)
        yield request(f"{entity}: paged", entity, {"query": ["extract", order], "limit": 4, "offset": 3, "order_by": [{"field": field} for field in order], "include_total": "true"}, ordered=True)
        yield request(f"{entity}: an unknown field", entity, {"query": ["=", "nosuch", 1]})
        yield request(f"{entity}: an unknown field is extracted", entity, {"query": ["extract", ["nosuch", shown]]})
        yield request(f"{entity}: an unknown field orders", entity, {"order_by": [{"field": "nosuch"}]})
        yield request(f"{entity}: an unknown field in a list", entity, {"query": ["in", "nosuch", ["array", ["x"]]]})
        yield request(f"{entity}: an unknown field in a subquery", entity, {"query": ["in", "nosuch", ["extract", "certname", ["select_nodes"]]]})
        yield request(f"{entity}: count", entity, {"query": ["extract", [["function", "count"]]]})
        for field, values in fields.items():
            title = f"{entity}: {field}"
            base = field.split(".")[0].split("[")[0]

            def conditional(condition):
                return {"query": ["extract", shown, condition]}

            for value in values:
                yield request(f"{title} = {json.dumps(value)}", entity, conditional(["=", field, value]))
            first = values[0] if values else "x"
            yield request(f"{title} in a list", entity, conditional(["in", field, ["array", [first, "nosuch"] if isinstance(first, str) and not first.startswith("20") else [first]]]))
            yield request(f"{title} matches", entity, conditional(["~", field, "[0-9e]r?"]))
            yield request(f"{title} is greater", entity, conditional([">=", field, first]))
            yield request(f"{title} is less", entity, conditional(["<", field, 12]))
            yield request(f"{title} is null", entity, conditional(["null?", field, True]))
            yield request(f"{title} is of another type", entity, conditional(["=", field, 5 if isinstance(first, str) else "five"]))
            if field in OWN.get(entity, []):
                continue
            if base == field:
                alone = [field] if field in order else [field, *order]
                bounds = {"order_by": [{"field": field, "order": "desc"}, *({"field": other} for other in order if other != field)]}
                is_long = entity in ("facts", "fact-contents", "events", "resources", "edges")
                restriction = [["and", ["=", "certname", name(7)], ["~", "certname", "."]]] if is_long else [few] if few else []
                yield request(f"{title} is extracted and orders", entity, {"query": ["extract", alone, *restriction], **bounds}, ordered=True)
                yield request(f"{title} is counted", entity, {"query": ["extract", [["function", "count"], field], ["group_by", field]]})
            else:
                yield request(f"{title} is extracted", entity, {"query": ["extract", [shown, field], *([few] if few else [])]})


def odd():
    for title, path, parameters, *rest in ODD:
        yield request(title, path, parameters, ordered="ordered" in rest)


def pql():
    for index, text in enumerate(PQL):
        ordered = "order by certname" in text or "order by name" in text
        yield request(f"PQL {index + 1}: {text[:60]}", "", {"query": text}, ordered=ordered)


def puppetboard():
    """What the pages of puppetboard 7.0.4 ask, as its library writes it; `tests/oracle/puppetboard` compares the pages themselves."""
    production, active = ["=", "environment", "production"], ["null?", "deactivated", True]
    known = ["null?", "catalog_timestamp", False]
    inventory = ["or", *(["=", "name", fact] for fact in ("os", "trusted", "puppetversion", "networking", "kernelrelease"))]
    role = ["=", "title", "Role::Web"]
    day = [[">=", "producer_timestamp", "2026-11-12T00:00:00.000000Z"], ["<", "producer_timestamp", "2026-11-13T00:00:00.000000Z"]]
    newest = {"order_by": [{"field": "end_time", "order": "desc"}], "limit": 100, "include_total": "true", "offset": 0}
    by_name = {"order_by": [{"field": "certname", "order": "desc"}], "limit": 100, "include_total": "true", "offset": 0}
    for path in ("environments", "fact-names", "nodes", f"nodes/{name(1)}", f"nodes/{name(24)}", "nodes/nobody.example", f"catalogs/{name(1)}", "facts/load"):
        yield path, path, None
    yield "counts of events", "event-counts", {"query": ["=", "latest_report?", True], "summarize_by": "certname"}
    for where, environment in (("everywhere", []), ("production", [production])):
        yield f"a fact {where}", "facts/os", {"query": ["and", *environment, ["~", "certname", "."]]}
        yield f"a value {where}", "facts/is_virtual", {"query": ["and", *environment, ["=", "value", "true"]]}
        yield f"facts of a node {where}", "facts", {"query": ["and", ["=", "certname", name(1)], *environment]}
        yield f"inventory {where}", "facts", {"query": ["extract", ["certname", "name", "value"], ["and", inventory, *environment]]}
        yield f"nodes of a class {where}", "nodes", {"query": ["in", "certname", ["from", "resources", ["extract", ["certname"], ["and", ["=", "type", "Class"], role, *environment]]]]}
        yield f"reports of a day {where}", "reports", {"query": ["extract", [["function", "count"], "status"], ["and", *day, *environment], ["group_by", "status"]]}
        yield f"reports of a node {where}", "reports", {"query": ["and", *environment, ["=", "certname", name(1)]], **newest}
        own = [["=", "catalog_environment", "production"]] if environment else []
        yield f"failed nodes {where}", "nodes", {"query": ["and", ["=", "latest_report_status", "failed"], *own]}
        yield f"catalogs {where}", "nodes", {"query": ["and", *own, known], **by_name}
    yield "nodes of an environment", "nodes", {"query": ["and", ["=", "catalog_environment", "production"]]}
    yield "reporting nodes of an environment", "nodes", {"query": ["and", ["=", "report_environment", "production"], active]}
    yield "the number of nodes", "nodes", {"query": ["extract", [["function", "count"]], ["and", ["=", "catalog_environment", "production"]]]}
    yield "the number of resources", "resources", {"query": ["extract", [["function", "count"]], production]}
    run = "$REPORT(00000001-0002-4000-8000-000000000002)"
    yield "a report", "reports", {"query": ["=", "hash", run]}
    yield "events of a report", "events", {"query": ["=", "report", run]}
    yield "a report by hash or version", "reports", {"query": ["and", ["=", "certname", name(2)], ["or", ["=", "hash", run], ["=", "configuration_version", run]]]}


def bodies():
    for title, body in [
        ("a query in a body", {"query": ["=", "certname", name(3)]}),
        ("a query in a body as text", {"query": json.dumps(["=", "certname", name(3)])}),
        ("paging in a body", {"query": ["extract", "certname"], "order_by": [{"field": "certname", "order": "DESC"}], "limit": 2, "offset": 1, "include_total": True}),
        ("paging in a body as text", {"query": ["extract", "certname"], "order_by": '[{"field":"certname"}]', "limit": "2"}),
        ("an unknown parameter in a body", {"query": ["=", "certname", "x"], "nosuch": 1}),
        ("an empty body", {}),
        ("a body without a query", {"limit": 1, "order_by": [{"field": "certname"}]}),
        ("a query that is null in a body", {"query": None, "limit": 1, "order_by": [{"field": "certname"}]}),
        ("a query that is a number in a body", {"query": 5}),
    ]:
        yield request(f"POST: {title}", "nodes", body=body, ordered="order_by" in body)
    yield request("POST: PQL in a body", "", body={"query": "nodes [certname] { certname ~ 'node0[12]' }"})
    yield request("POST: AST at the root", "", body={"query": ["from", "nodes", ["extract", "certname", ["~", "certname", "node0[12]"]]]})


def requests():
    seen = set()
    boards = [request(f"puppetboard: {title}", path, parameters, ordered="order_by" in (parameters or {})) for title, path, parameters in puppetboard()]
    for found in [*systematic(), *odd(), *pql(), *bodies(), *boards]:
        while found["name"] in seen:
            found["name"] += "'"
        seen.add(found["name"])
        yield found


if __name__ == "__main__":
    print(len(list(requests())))
