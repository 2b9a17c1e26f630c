"""Requests that no rule makes: shapes of queries, functions, subqueries, mistakes, paths below entities, and PQL."""

from commands import moment, name, uuid

RUN = f"$REPORT({uuid(1, 2, 3)})"
BY_NAME = [{"field": "certname"}]


def one(entity, *queries):
    """Requests of one entity, named by their queries."""
    return [(f"{entity} {query}", entity, {"query": query}) for query in queries]


SHAPES = [
    *one("nodes", [], ["and"], ["or"], ["not"], ["=", "certname"], ["=", "certname", "a", "b"], ["nosuch", "certname", "x"], ["="], ["and", []], ["not", ["=", "certname", "a"], ["=", "certname", "b"]],
         ["and", ["=", "certname", name(1)]], ["AND", ["=", "certname", name(1)], ["Not", ["=", "certname", name(2)]]], ["or", ["=", "certname", name(1)], ["=", "certname", name(2)], ["=", "certname", "none"]],
         ["not", ["~", "certname", "node[012]"]], ["~", "certname", "["], ["~", "certname", "("], ["~", "certname", "*"], ["~", "certname", "\\d{2}\\.example$"], ["~", "certname", "(?i)NODE01"], ["~", "certname", "^node(01|02)"],
         ["~", "certname", "\\mnode01\\M"], ["~", "certname", "[[:digit:]]7"], ["~", "certname", ""], ["~", "certname", 5], ["=", ["node", "active"], True], ["=", ["node", "active"], False], ["=", "node_state", "active"],
         ["=", "node_state", "any"], ["=", "node_state", "inactive"], ["=", "node_state", "nosuch"], ["or", ["=", ["node", "active"], True], ["=", ["node", "active"], False]], ["and", ["=", "node_state", "any"], ["~", "certname", "node2[3-6]"]],
         ["null?", "deactivated", False], ["null?", "deactivated", True], ["and", ["=", "node_state", "any"], ["null?", "deactivated", False]], ["null?", "catalog_timestamp", True], ["null?", "report_timestamp", "true"], ["null?", "report_timestamp", "nosuch"],
         ["null?", "nosuch", True], ["null?", "certname"], ["=", "report_timestamp", "garbage"], [">", "report_timestamp", "garbage"], [">", "report_timestamp", moment(3, 3)], [">", "report_timestamp", "2026-11-13"], [">", "report_timestamp", "2026-11-12 08:10:00"],
         [">", "report_timestamp", "2026-11-12T09:10:00+01:00"], [">", "report_timestamp", 1794470400000], ["<", "report_timestamp", "2026-11-12T08:10"], ["=", "report_timestamp", moment(2, 9, 30)], [">", "certname", "a"], [">", "latest_report_noop", True],
         ["~", "report_timestamp", "2026"], ["~>", "certname", ["a"]], ["=", "certname", None], ["=", "latest_report_job_id", None], ["not", ["=", "latest_report_job_id", None]], ["=", "certname", ["a"]], ["=", "certname", {"a": 1}], ["=", 5, 5], ["=", ["fact", "os"], "x"],
         ["=", ["fact", "processors"], 4], ["=", ["fact", "mixed"], "3"], ["=", ["fact", "mixed"], 3], [">", ["fact", "uptime_seconds"], 172810], ["~", ["fact", "number"], "4"], ["in", ["fact", "mixed"], ["array", ["1", "4"]]], ["in", ["fact", "mixed"], ["array", ["1", 4]]], ["<", ["fact", "mixed"], "4"],
         ["=", ["fact", "is_virtual"], True], ["=", ["parameter", "uid"], 1], ["in", "certname", ["array", [name(1), name(2)]]], ["in", "certname", ["array", []]], ["in", "certname", ["array", name(1)]], ["in", "certname", ["array"]], ["in", "certname", [name(1)]], ["in", "certname", "x"], ["in", "report_timestamp", ["array", [moment(2, 9, 30)]]],
         ["in", ["certname"], ["array", [name(1)]]], ["in", ["certname", "report_environment"], ["array", [[name(1), "production"]]]], ["extract", "certname"], ["extract", ["certname"], ["=", "certname", name(1)]], ["extract", [], ["=", "certname", name(1)]], ["extract"], ["extract", ["certname", "certname"], ["=", "certname", name(1)]],
         ["extract", "certname", ["nosuch", 1]], ["extract", "certname", ["and", ["nosuch", 1, 2], ["=", "certname", name(1)]]], ["extract", "certname", ["=", "certname", name(1)], ["group_by", "certname"]], ["extract", ["certname", ["function", "nosuch"]]], ["extract", [["function", "count", "certname"]]], ["extract", [["function", "count", "nosuch"]]],
         ["extract", [["function", "count"], ["function", "count", "catalog_timestamp"]]], ["extract", [["function", "max", "report_timestamp"]]], ["extract", [["function", "min", "certname"]]], ["extract", [["function", "avg", "certname"]]], ["extract", [["function", "sum", "latest_report_noop"]]],
         ["extract", [["function", "to_string", "report_timestamp", "YYYY-MM-DD HH24:MI:SS.MS"], "certname"], ["=", "certname", name(3)]], ["extract", [["function", "to_string", "report_timestamp", "FMDay, DD Mon YYYY"], ["function", "count"]], ["group_by", ["function", "to_string", "report_timestamp", "FMDay, DD Mon YYYY"]]],
         ["extract", [["function", "to_string", "report_timestamp", "Day Month D DDD IW Q"]], ["=", "certname", name(3)]], ["extract", [["function", "to_string", "report_timestamp"]]], ["extract", [["function", "to_string", "report_timestamp", "HH12 am\"x\" SSSS J"]], ["=", "certname", name(3)]],
         ["extract", ["report_environment", ["function", "count"]], ["group_by", "report_environment"]], ["extract", ["report_environment", ["function", "count"]], ["~", "certname", "node0"], ["group_by", "report_environment"]], ["extract", [["function", "count"], "report_environment", "latest_report_status"], ["group_by", "report_environment", "latest_report_status"]],
         ["extract", ["certname", ["function", "count"]], ["group_by", "report_environment"]], ["extract", ["certname", ["function", "count"]]], ["extract", [["function", "count"]], ["group_by", "nosuch"]], ["extract", [["function", "count"]], ["group_by"]], ["group_by", "certname"], ["function", "count"],
         ["from", "nodes", ["=", "certname", name(1)]], ["select_nodes", ["=", "certname", name(1)]], ["subquery", "facts", ["=", "name", "os"]], ["limit", 1], ["order_by", ["certname"]]),
    ("a query that is no JSON", "nodes", {"query": "["}), ("a query of two values", "nodes", {"query": '["=","certname","a"]["=","certname","b"]'}), ("a query with a comma too many", "nodes", {"query": '["=","certname","a",]'}),
    ("a query that is a word", "nodes", {"query": "nodes"}), ("a query that is PQL at an entity", "nodes", {"query": "nodes { }"}), ("a query that is null", "nodes", {"query": "null", "limit": 1, "order_by": BY_NAME}), ("an empty query", "nodes", {"query": "", "limit": 1, "order_by": BY_NAME}), ("a blank query", "nodes", {"query": "  ", "limit": 1, "order_by": BY_NAME}),
    ("a query that is an object", "nodes", {"query": "{}"}), ("a query that is a number", "nodes", {"query": "5"}), ("a query that is a text", "nodes", {"query": '"s"'}), ("a query that is true", "nodes", {"query": "true"}), ("a query in two lines", "nodes", {"query": '["=",\n "certname" nosuch]'}),
]

PAGING = [
    ("limit 0", "nodes", {"limit": "0"}), ("limit -1", "nodes", {"limit": "-1"}), ("limit x", "nodes", {"limit": "x"}), ("limit 1.5", "nodes", {"limit": "1.5"}), ("limit with blanks", "nodes", {"limit": " 2 "}), ("an empty limit", "nodes", {"limit": ""}), ("a huge limit", "nodes", {"query": ["extract", "certname"], "limit": "99999999999999999999"}),
    ("offset alone", "nodes", {"query": ["extract", "certname"], "offset": "25", "order_by": BY_NAME}, "ordered"), ("offset -1", "nodes", {"offset": "-1"}), ("offset x", "nodes", {"offset": "x"}), ("offset beyond the end", "nodes", {"offset": "1000"}), ("limit and total", "nodes", {"query": ["extract", "certname"], "limit": "2", "order_by": BY_NAME, "include_total": "true"}, "ordered"),
    ("total without a limit", "environments", {"include_total": "true"}), ("total false", "environments", {"include_total": "false"}), ("total that is no boolean", "environments", {"include_total": "yes"}), ("total of a group", "nodes", {"query": ["extract", ["report_environment", ["function", "count"]], ["group_by", "report_environment"]], "include_total": "true"}),
    ("total of no row", "nodes", {"query": ["=", "certname", "none"], "include_total": "true"}), ("order_by of two fields", "nodes", {"query": ["extract", ["report_environment", "certname"]], "order_by": [{"field": "report_environment", "order": "desc"}, {"field": "certname"}]}, "ordered"),
    ("order_by in capitals", "nodes", {"query": ["extract", "certname"], "order_by": [{"field": "certname", "order": "DESC"}], "limit": "3"}, "ordered"), ("order_by with nulls", "nodes", {"query": ["extract", ["latest_report_job_id", "certname"]], "order_by": [{"field": "latest_report_job_id"}, {"field": "certname"}]}, "ordered"),
    ("order_by with nulls first", "nodes", {"query": ["extract", ["latest_report_job_id", "certname"]], "order_by": [{"field": "latest_report_job_id", "order": "desc"}, {"field": "certname"}]}, "ordered"), ("order_by of another direction", "nodes", {"order_by": [{"field": "certname", "order": "up"}]}),
    ("order_by without a field", "nodes", {"order_by": [{"order": "asc"}]}), ("order_by with an unknown key", "nodes", {"order_by": [{"field": "certname", "x": 1}]}), ("order_by of words", "nodes", {"order_by": ["certname"]}), ("order_by that is a word", "nodes", {"order_by": "certname"}), ("order_by that is an object", "nodes", {"order_by": {"field": "certname"}}),
    ("order_by of nothing", "environments", {"order_by": []}), ("order_by a field that is not shown", "nodes", {"query": ["extract", "certname"], "order_by": [{"field": "report_timestamp", "order": "desc"}, {"field": "certname"}], "limit": "5"}, "ordered"), ("order_by a function", "nodes", {"query": ["extract", ["report_environment", ["function", "count"]], ["group_by", "report_environment"]], "order_by": [{"field": "count"}]}),
    ("order_by a group", "nodes", {"query": ["extract", ["report_environment", ["function", "count"]], ["group_by", "report_environment"]], "order_by": [{"field": "report_environment"}]}, "ordered"), ("order_by a path", "inventory", {"order_by": [{"field": "facts.os.name"}]}), ("order_by a number", "nodes", {"order_by": [{"field": 5}]}),
    ("an unknown parameter", "nodes", {"nosuch": "1"}), ("pretty", "environments", {"pretty": "true"}), ("pretty with a member", "environments/testing", {"pretty": "true"}), ("explain", "nodes", {"explain": "x"}), ("origin", "environments", {"origin": "test"}), ("a query parameter of another entity", "nodes", {"summarize_by": "certname"}),
    ("facts ordered by their values", "facts", {"query": ["extract", ["value", "certname"], ["=", "name", "mixed"]], "order_by": [{"field": "value"}, {"field": "certname"}]}, "ordered"), ("facts ordered and limited", "facts", {"query": ["extract", ["certname", "name"], ["~", "certname", "node0[12]"]], "order_by": [{"field": "name"}, {"field": "certname", "order": "desc"}], "limit": "9", "include_total": "true"}, "ordered"),
]

FACTS = [
    *one("facts", ["=", "name", "quote\"d"], ["=", "name", "it's"], ["=", "name", "a.b"], ["=", "name", "blank name"], ["and", ["=", "name", "mixed"], ["=", "value", 8]], ["and", ["=", "name", "mixed"], ["=", "value", "8"]], ["and", ["=", "name", "mixed"], [">", "value", 8]], ["and", ["=", "name", "mixed"], ["~", "value", "^1"]],
         ["and", ["=", "name", "load"], ["<", "value", 0.5]], ["and", ["=", "name", "load"], ["<=", "value", 0.5]], ["=", "value", 2.0], ["=", "value", None], ["null?", "value", True], ["=", "value", ""], ["=", "value", "Zürich"], ["=", "value", "\U0001f600"], ["~", "value", "^Z.rich$"], ["in", "value", ["array", ["42", "true"]]], ["in", "value", ["array", [42, True, "42"]]], ["and", ["=", "name", "is_virtual"], ["=", "value", True], ["~", "certname", "0[0-9]"]],
         ["and", ["=", "name", "is_virtual"], ["=", "value", "true"]], ["=", "value", 9007199254740993], ["=", "value", 1.25e20], ["=", "value", 1.5e-7], ["=", "value", -5], [">", "value", "a"], ["~", "value", "'; DROP"], ["=", "value", "'; DROP TABLE facts; --"], ["~", "name", "^\\$"], ["in", "name", ["array", ["*", "select", "#hash", "1"]]], ["=", "name", ["os"]],
         ["extract", [["function", "avg", "value"]], ["=", "name", "uptime_seconds"]], ["extract", [["function", "sum", "value"], ["function", "min", "value"], ["function", "max", "value"], ["function", "count", "value"]], ["=", "name", "load"]], ["extract", [["function", "avg", "value"]], ["=", "name", "os"]], ["extract", ["value", ["function", "count"]], ["=", "name", "mixed"], ["group_by", "value"]],
         ["extract", ["name", ["function", "count"]], ["group_by", "name"]], ["extract", ["environment", ["function", "max", "value"]], ["=", "name", "load"], ["group_by", "environment"]], ["extract", [["function", "jsonb_typeof", "value"], ["function", "count"]], ["=", "name", "mixed"], ["group_by", ["function", "jsonb_typeof", "value"]]], ["=", ["function", "jsonb_typeof", "value"], "object"],
         ["and", ["=", ["function", "jsonb_typeof", "value"], "number"], ["=", "certname", name(3)]], ["extract", ["certname", "value"], ["and", ["=", "name", "kanji"], ["not", ["=", "value", 1]]]], ["=", "value", {"東京": ["駅"]}], ["=", "path", ["os"]], ["subquery", "fact_contents", ["=", "path", ["os", "name"]]], ["and", ["=", "name", "trusted"], ["=", "certname", name(1)]]),
    *one("fact-contents", ["=", "path", "os"], ["=", "path", ["list", 3]], ["=", "path", ["1", "2"]], ["=", "path", ["brackets[0]", "x]"]], ["=", "path", []], ["=", "path", [True]], ["in", "path", ["array", [["os", "name"], ["deep", "a", "b", "c", "d", 0, "e"]]]], ["~>", "path", ["networking", ".*", ".*", "mac"]], ["~>", "path", ["list", 3]], ["~>", "path", ["list", ".*"]], ["~>", "path", ["list", "3"]], ["~>", "path", ["^o", "name|family"]], ["~>", "path", [".*"]],
         ["~>", "path", "os"], ["~>", "path", []], ["~>", "path", ["["]], ["~>", "path", ["list", 7, "\\d"]], ["and", ["=", "name", "kanji"], ["~", "value", "駅"]], ["and", ["~", "certname", "node0[1-4]"], ["=", "value", None]], ["=", "value", ""], [">", "value", 100000], ["extract", ["path"], ["=", "certname", name(2)]], ["extract", ["value", "path"], ["and", ["=", "certname", name(4)], ["~", "name", "^(big|large|small|zero|whole|float|negative)$"]]],
         ["extract", [["function", "count"], "name"], ["group_by", "name"]], ["extract", [["function", "avg", "value"]], ["=", "path", ["processors", "count"]]], ["extract", ["value", ["function", "count"]], ["=", "path", ["os", "name"]], ["group_by", "value"]], ["=", "path", ["quote\"d", "it's"]], ["=", "path", ["tab"]], ["=", "path", ["back\\slash"]], ["=", "environment", "quote'd"]),
    *one("fact-paths", ["~>", "path", ["list", ".*"]], ["~>", "path", ["list", 2]], ["~>", "path", ["os", ".*"]], ["=", "path", ["a.b", "c.d"]], ["=", "type", "null"], ["in", "type", ["array", ["float", "boolean"]]], ["~", "path", "os"], ["~", "name", "^n"], ["extract", ["type", ["function", "count"]], ["group_by", "type"]], ["=", "depth", 3], [">", "depth", 4], ["subquery", "facts", ["=", "certname", name(2)]], ["and", ["=", "name", "mixed"]], ["=", "certname", "x"], ["in", "path", ["array", [["os", "name"]]]], ["=", "name", "list"]),
    ("fact-names with a query", "fact-names", {"query": ["~", "name", "^n"]}), ("fact-names with paging", "fact-names", {"limit": "3", "offset": "2", "include_total": "true"}, "ordered"), ("fact-names extract", "fact-names", {"query": ["extract", "name", ["~", "name", "^u"]]}),
    *one("inventory", ["=", "facts.os", {"name": "Debian"}], ["=", "facts", {}], ["=", "facts.mixed", 8], ["=", "facts.mixed", "8"], ["=", "facts.is_virtual", True], ["=", "facts.is_virtual", "true"], ["~", "facts.os.name", "^D"], ["~", "facts.processors.count", "1"], [">", "facts.processors.count", 3], [">", "facts.processors.count", "3"], [">=", "facts.os.release.major", "9"], ["=", "facts.nosuch", 1],
         ["=", "facts.nosuch", None], ["null?", "facts.nosuch", True], ["null?", "facts.nothing", True], ["null?", "facts.os.name", False], ["null?", "trusted.extensions.pp_role", False], ["=", "trusted.certname", name(3)], ["=", "facts.trusted.certname", name(3)], ["~", "trusted.certname", "0[12]"], ["=", "facts.\"a.b\".\"c.d\"", "dotted"], ["=", "facts.a.b", 1], ["=", "facts.brackets[0]", 1], ["=", "facts.list[0]", 1], ["=", "facts.list[7][0]", 2], ["=", "facts.list.1", "1"], ["=", "facts.list[3]", True],
         ["=", "facts.processors.models[0]", "x86"], ["=", "facts.match(\"os|networking\").name", "Debian"], ["=", "facts.networking.interfaces.match(\".*\").mtu", 1501], ["~", "facts.match(\"p.*\").match(\"models\").match(\"\\d+\")", "x"], ["=", "facts.match(\"nosuch\").x", 1], ["=", "facts.", 1], ["=", "facts.\"\"", 1], ["=", ".facts", 1], ["=", "facts.deep.a.b.c.d[0].e", "f"], ["in", "facts.os.name", ["array", ["Debian", "Ubuntu"]]], ["in", "facts.processors.count", ["array", [1, 2]]],
         ["extract", ["certname", "facts.os.name", "facts.os.release"], ["=", "certname", name(2)]], ["extract", ["facts.list", "trusted.extensions"], ["=", "certname", name(2)]], ["extract", ["facts.list[0]"], ["=", "certname", name(2)]], ["extract", ["facts.\"a.b\".\"c.d\""], ["=", "certname", name(1)]], ["extract", ["facts.nosuch.x"], ["=", "certname", name(1)]], ["extract", ["facts.os.name", ["function", "count"]], ["group_by", "facts.os.name"]], ["extract", ["facts.os.name", ["function", "count"]], ["~", "certname", "node0"], ["group_by", "facts.os.name"]],
         ["extract", ["trusted.extensions.pp_role", "environment", ["function", "count"]], ["group_by", "trusted.extensions.pp_role", "environment"]], ["extract", [["function", "max", "facts.load"]]], ["extract", ["facts.trusted"], ["=", "certname", name(1)]], ["extract", ["facts.it's"], ["=", "certname", name(1)]], ["=", "facts.quote\"d.it's", 1], ["=", "facts.select", "facts"], ["=", "facts.$dollar", "${x}"], ["=", "facts.umlaut", "Zürich"], ["=", "facts.kanji.東京[0]", "駅"], ["=", "facts.1.2", "numeric names"], ["=", "facts.large", 1.25e20], ["<", "facts.small", 0.001], ["=", "facts.whole", 2],
         ["extract", ["facts." + "x" * 70]]),
    ("factsets of one node", "factsets/" + name(3), None), ("factsets of nobody", "factsets/none", None), ("facts of a factset", f"factsets/{name(3)}/facts", None), ("facts of no factset", "factsets/none/facts", None), ("factsets with packages", "factsets", {"query": ["=", "certname", name(5)], "include_package_inventory": "true"}),
    ("one fact", "facts/uptime_seconds", {"query": ["~", "certname", "node0"]}), ("one fact with a value", "facts/mixed/8", None), ("one fact with a text", "facts/number/42", None), ("a fact that is unknown", "facts/nosuch", None), ("a fact with a blank", "facts/blank%20name", None), ("a fact in Japanese", "facts/kanji", None), ("one fact with paging", "facts/load", {"limit": "2", "order_by": [{"field": "certname"}], "include_total": "true"}, "ordered"),
]

RESOURCES = [
    *one("resources", ["=", "tag", "monitoring"], ["~", "tag", "^GROUP"], ["~", "tag", "^group1"], ["=", "tags", "GROUP1"], ["in", "tag", ["array", ["group1"]]], ["in", "tags", ["array", ["group1"]]], ["=", ["parameter", "ensure"], "directory"], ["=", ["parameter", "uid"], 1003], ["=", ["parameter", "uid"], "1003"], ["=", ["parameter", "groups"], ["a", "b"]], ["=", ["parameter", "recurse"], True], ["=", ["parameter", "mixed"], None], ["~", ["parameter", "content"], "Node [12]\\n"], ["~", ["parameter", "mode"], "06"],
         [">", ["parameter", "uid"], 1], ["=", ["parameter", "check"], {"every": 60, "deep": [1, {"x": None}]}], ["=", ["parameter", "check"], {"deep": [1, {"x": None}], "every": 60}], ["=", ["parameter", "a.b"], 1], ["=", ["parameter", "nosuch"], 1], ["=", ["parameter"], 1], ["=", ["parameter", "a", "b"], 1], ["in", ["parameter", "uid"], ["array", [1000, 1001]]], ["=", "parameters.uid", 1003], [">", "parameters.uid", 1004], ["=", "parameters.ensure", "directory"], ["~", "parameters.owner", "^adm"], ["=", "parameters.groups", ["a"]],
         ["=", "parameters.check.deep[1].x", None], ["=", "parameters.check.deep[0]", 1], ["null?", "parameters.ensure", True], ["null?", "parameters.nosuch", False], ["null?", "file", True], ["null?", "line", False], ["=", "line", "10"], ["<", "line", 4], ["=", "line", 10.5], ["=", "exported", "true"], ["=", "exported", True], ["~", "title", "^/srv/1"], ["=", "title", "it's a \"title\" [x] 100%_"], ["~", "title", "100%_"], ["=", "type", "Notify"], ["=", "parameters", {"ensure": "file"}], ["~", "parameters", "x"],
         ["extract", ["parameters.ensure", "title"], ["and", ["=", "certname", name(7)], ["=", "type", "File"]]], ["extract", ["type", "title", "parameters"], ["=", "certname", name(8)]], ["extract", ["type", ["function", "count"]], ["group_by", "type"]], ["extract", ["tags"], ["=", "type", "Stage"]], ["extract", ["tag"], ["=", "type", "Stage"]], ["extract", [["function", "sum", "line"], ["function", "avg", "line"], ["function", "max", "line"]]], ["extract", [["function", "avg", "line"], "type"], ["group_by", "type"]], ["extract", [["function", "avg", "parameters.uid"]]],
         ["and", ["=", "type", "File"], ["=", "exported", True], ["not", ["=", "certname", name(1)]], ["=", "tag", "web"]], ["and", ["=", "type", "Nagios_host"], ["=", "exported", True], ["not", ["=", "certname", name(1)]], ["=", "tag", "monitoring"], ["=", ["parameter", "address"], "10.0.0.5"]], ["=", ["node", "active"], False], ["and", ["=", "node_state", "any"], ["=", "certname", name(24)], ["=", "type", "User"]]),
    ("resources of a type", "resources/Package", {"query": ["~", "certname", "node0[1-3]"]}), ("resources of a type in lower case", "resources/package", None), ("one resource", "resources/User/app", {"query": ["=", "certname", name(3)]}), ("resources of an unknown type", "resources/Nosuch", None), ("a resource with slashes in its title", "resources/File/%2Fetc%2Fmotd", {"query": ["=", "certname", name(3)]}), ("a class", "resources/Class/Role::Web", {"query": ["extract", "certname"]}),
    ("resources of a node", f"nodes/{name(4)}/resources", None), ("resources of a type of a node", f"nodes/{name(4)}/resources/File", None), ("a resource of a node", f"nodes/{name(4)}/resources/User/app", None), ("resources of nobody", "nodes/none/resources", None),
    ("a catalog", f"catalogs/{name(7)}", None), ("catalog of nobody", "catalogs/none", None), ("edges of a catalog", f"catalogs/{name(5)}/edges", None), ("resources of a catalog", f"catalogs/{name(5)}/resources", None), ("resources of a type of a catalog", f"catalogs/{name(5)}/resources/File", None), ("edges of no catalog", "catalogs/none/edges", None), ("a catalog of an inactive node", f"catalogs/{name(24)}", None),
    *one("catalogs", ["=", "certname", name(3)], ["extract", ["certname", "resources"], ["=", "certname", name(9)]], ["extract", ["edges"], ["=", "certname", name(9)]], ["=", "resources", "x"], ["extract", ["environment", ["function", "count"]], ["group_by", "environment"]], ["extract", "certname", ["=", "code_id", None]], ["extract", "certname", ["~", "transaction_uuid", "0003$"]], ["extract", [["function", "max", "producer_timestamp"]]]),
    *one("edges", ["=", "relationship", "before"], ["and", ["=", "source_type", "Stage"], ["=", "certname", name(1)]], ["extract", ["relationship", ["function", "count"]], ["group_by", "relationship"]], ["=", "source_title", "Role::Web"], ["~", "target_title", "^/srv/1"]),
]

REPORTS = [
    *one("reports", ["=", "latest_report?", True], ["=", "latest_report?", False], ["=", "latest_report?", "true"], ["and", ["=", "latest_report?", True], ["=", "status", "failed"]], ["not", ["=", "latest_report?", True]], ["=", "certname", name(9)], ["=", "hash", RUN], ["extract", ["certname", "status"], ["and", [">", "end_time", moment(2, 10)], ["<=", "end_time", moment(2, 14)]]], ["extract", ["certname", "metrics"], ["=", "hash", RUN]], ["extract", ["logs"], ["=", "hash", RUN]], ["extract", ["resource_events", "certname"], ["=", "hash", RUN]], ["=", "metrics", 1],
         ["extract", ["status", ["function", "count"]], ["group_by", "status"]], ["extract", ["noop", "environment", ["function", "count"]], ["group_by", "noop", "environment"]], ["extract", ["certname", ["function", "max", "end_time"]], ["group_by", "certname"]], ["extract", [["function", "to_string", "end_time", "YYYY-MM-DD"], ["function", "count"]], ["group_by", ["function", "to_string", "end_time", "YYYY-MM-DD"]]], ["extract", [["function", "avg", "report_format"], ["function", "sum", "report_format"]]], ["extract", ["report_format", ["function", "count"]], ["group_by", "report_format"]], ["=", "report_format", "10"], [">", "report_format", 10],
         ["=", "noop", "true"], ["=", "noop", False], ["=", "type", "any"], ["and", ["=", "type", "any"], ["=", "certname", name(9)]], ["=", "type", "plan"], ["=", "job_id", None], ["extract", ["latest_report?"], ["=", "certname", name(9)]], ["in", "status", ["array", ["failed", "changed"]]], ["=", "transaction_uuid", "nosuch"], ["=", ["node", "active"], True], ["=", "node_state", "inactive"], ["=", "end_time", moment(2, 3, 30)], ["in", "end_time", ["array", [moment(2, 3, 30), moment(2, 4, 30)]]], ["in", "end_time", ["array", ["garbage"]]], ["=", "corrective_change", None], ["null?", "corrective_change", True]),
    *one("events", ["=", "report", RUN], ["=", "resource_type", "Exec"], ["and", ["=", "latest_report?", True], ["=", "status", "success"], ["=", "property", "mode"]], ["and", ["=", "latest_report?", False], ["=", "status", "failure"]], ["=", "new_value", "0644"], ["=", "new_value", ["a", "b"]], ["=", "old_value", "absent"], ["~", "message", "it's \"broken\""], ["~", "containing_class", "^Role"], ["null?", "containing_class", True], ["=", "containment_path", "Class[Role::Web]"], ["~", "containment_path", "^Class"], ["extract", ["status", ["function", "count"]], ["group_by", "status"]],
         ["extract", ["resource_type", "status", ["function", "count"]], ["and", ["=", "latest_report?", True], ["~", "certname", "node0"]], ["group_by", "resource_type", "status"]], ["extract", ["certname"], ["and", [">", "timestamp", moment(2, 20)], ["=", "property", "ensure"]]], ["=", "report_id", 1], ["extract", ["report_id"]], ["=", "configuration-version", "v1"], ["=", "line", 30], ["in", "containment_path", ["array", ["x"]]], ["extract", ["new_value", "old_value", "containment_path"], ["=", "report", RUN]], ["=", "new_value", {"a": [1, None]}], ["~", "new_value", "a"], ["in", "new_value", ["array", ["0644"]]]),
    ("logs of a report", f"reports/{RUN}/logs", None), ("metrics of a report", f"reports/{RUN}/metrics", None), ("events of a report", f"reports/{RUN}/events", None), ("logs of no report", "reports/none/logs", None), ("metrics of no report", "reports/none/metrics", None), ("a report", f"reports/{RUN}", None), ("events with distinct resources", "events", {"query": ["=", "certname", name(4)], "distinct_resources": "true", "distinct_start_time": "2026-11-01", "distinct_end_time": "2026-12-01"}),
    ("distinct resources without times", "events", {"distinct_resources": "true"}), ("distinct times alone", "events", {"distinct_start_time": "2026-11-01", "distinct_end_time": "2026-12-01"}), ("distinct resources with a wrong time", "events", {"distinct_resources": "true", "distinct_start_time": "x", "distinct_end_time": "2026-12-01"}),
    *[(f"event-counts {parameters}", "event-counts", parameters, "ordered") for parameters in [
        {"summarize_by": "certname", "order_by": BY_NAME}, {"summarize_by": "resource", "order_by": [{"field": "resource_type"}, {"field": "resource_title"}]}, {"summarize_by": "containing_class", "order_by": [{"field": "containing_class"}]}, {"summarize_by": "certname", "query": ["=", "latest_report?", True], "order_by": BY_NAME}, {"summarize_by": "resource", "count_by": "certname", "order_by": [{"field": "resource_type"}, {"field": "resource_title"}]},
        {"summarize_by": "certname", "count_by": "certname", "order_by": BY_NAME}, {"summarize_by": "certname", "counts_filter": [">", "failures", 0], "order_by": BY_NAME}, {"summarize_by": "certname", "counts_filter": ["and", [">", "successes", 0], ["=", "skips", 0]], "order_by": BY_NAME}, {"summarize_by": "certname", "counts_filter": ["or", ["=", "noops", 1], ["not", ["<", "failures", 1]]], "order_by": BY_NAME}, {"summarize_by": "certname", "limit": "3", "offset": "1", "include_total": "true", "order_by": BY_NAME},
        {"summarize_by": "certname", "order_by": [{"field": "failures", "order": "desc"}, {"field": "certname"}], "limit": "6"}, {"summarize_by": "certname", "query": ["=", "certname", "none"]}, {"summarize_by": "containing_class", "query": ["=", "status", "success"], "count_by": "certname", "order_by": [{"field": "containing_class"}]}]],
    *[(f"event-counts {parameters}", "event-counts", parameters) for parameters in [
        {}, {"summarize_by": "nosuch"}, {"summarize_by": "certname", "count_by": "nosuch"}, {"summarize_by": "certname", "counts_filter": ["=", "nosuch", 1]}, {"summarize_by": "certname", "counts_filter": ["~", "failures", 1]}, {"summarize_by": "certname", "counts_filter": ["=", "failures", "x"]}, {"summarize_by": "certname", "counts_filter": "["}, {"summarize_by": "certname", "query": ["=", "nosuch", 1]}, {"summarize_by": "certname", "order_by": [{"field": "nosuch"}]},
        {"summarize_by": "certname", "counts_filter": [">", "successes"]}]],
    *[(f"aggregate-event-counts {parameters}", "aggregate-event-counts", parameters) for parameters in [
        {"summarize_by": "certname"}, {"summarize_by": "resource"}, {"summarize_by": "containing_class"}, {"summarize_by": "certname,resource,containing_class"}, {"summarize_by": "certname", "query": ["=", "latest_report?", True]}, {"summarize_by": "resource", "count_by": "certname"}, {"summarize_by": "certname", "counts_filter": [">", "failures", 0]}, {"summarize_by": "certname", "query": ["=", "certname", "none"]}, {}, {"summarize_by": "nosuch"}, {"summarize_by": "certname,nosuch"},
        {"summarize_by": "certname", "limit": "1"}, {"summarize_by": "certname", "query": ["=", "nosuch", 1]}]],
]

SUBQUERIES = [
    *one("nodes", ["in", "certname", ["extract", "certname", ["select_resources", ["and", ["=", "type", "Class"], ["=", "title", "Role::Web"]]]]], ["in", "certname", ["extract", "certname", ["select_facts", ["and", ["=", "name", "mixed"], ["=", "value", 9]]]]], ["in", "certname", ["extract", "certname", ["select_reports", ["=", "status", "failed"]]]], ["in", "certname", ["extract", "certname", ["select_events", ["=", "status", "noop"]]]], ["in", "certname", ["extract", "certname", ["select_fact_contents", ["and", ["=", "path", ["os", "name"]], ["=", "value", "Debian"]]]]],
         ["in", "certname", ["extract", "certname", ["select_inventory", ["=", "facts.os.name", "Ubuntu"]]]], ["in", "certname", ["extract", "certname", ["select_catalogs", ["=", "job_id", "5"]]]], ["in", "certname", ["extract", "certname", ["select_edges", ["=", "relationship", "before"]]]], ["in", "certname", ["extract", "certname", ["select_factsets", ["=", "producer", "puppet1.example"]]]], ["in", "certname", ["extract", "certname", ["select_nodes", ["~", "certname", "7"]]]], ["in", "certname", ["extract", "certname", ["select_package_inventory", ["=", "package_name", "rake"]]]],
         ["in", "certname", ["extract", "certname", ["select-resources", ["=", "type", "User"]]]], ["in", "certname", ["extract", "certname", ["select_nosuch", ["=", "type", "User"]]]], ["in", "certname", ["extract", "nosuch", ["select_resources", ["=", "type", "User"]]]], ["in", "certname", ["extract", ["certname", "type"], ["select_resources", ["=", "type", "User"]]]], ["in", ["certname", "report_environment"], ["extract", ["certname", "environment"], ["select_reports", ["=", "status", "failed"]]]], ["in", "certname", ["select_resources", ["=", "type", "User"]]], ["in", "certname", ["extract", "certname", ["select_resources"]]],
         ["in", "certname", ["extract", "certname", ["select_resources", ["=", "nosuch", "User"]]]], ["in", "certname", ["from", "resources", ["extract", "certname", ["=", "title", "Role::Db"]]]], ["in", "certname", ["from", "facts", ["extract", ["certname"], ["and", ["=", "name", "load"], ["<", "value", 1]]]]], ["in", "certname", ["from", "nodes", ["extract", "certname"], ["order_by", ["certname"]], ["limit", 3]]], ["in", "certname", ["from", "nodes", ["extract", "certname"], ["order_by", [["certname", "desc"]]], ["limit", 3], ["offset", 2]]], ["in", "certname", ["from", "nosuch", ["extract", "certname"]]], ["in", "certname", ["from", "reports", ["extract", "certname", ["not", ["=", "status", "failed"]]]]],
         ["in", "report_environment", ["from", "environments", ["extract", "name", ["~", "name", "^t"]]]], ["in", "certname", ["from", "resources", ["extract", "title", ["=", "type", "Nagios_host"]]]], ["subquery", "resources", ["and", ["=", "type", "Class"], ["=", "title", "Role::Db"]]], ["subquery", "facts", ["and", ["=", "name", "number"]]], ["subquery", "reports", ["=", "status", "changed"]], ["subquery", "events", ["=", "status", "noop"]], ["subquery", "catalogs", ["=", "job_id", "10"]], ["subquery", "edges", ["=", "relationship", "before"]], ["subquery", "factsets", ["=", "environment", "testing"]], ["subquery", "fact_contents", ["=", "path", ["os", "name"]]], ["subquery", "inventory", ["=", "facts.os.name", "Debian"]],
         ["subquery", "nodes", ["=", "certname", name(1)]], ["subquery", "package_inventory", ["=", "package_name", "rake"]], ["subquery", "packages", ["=", "package_name", "rake"]], ["subquery", "environments", ["=", "name", "testing"]], ["subquery", "nosuch", ["=", "name", "testing"]], ["subquery", "resources"], ["subquery", "resources", ["=", "nosuch", 1]], ["not", ["subquery", "resources", ["=", "title", "Role::Web"]]], ["and", ["subquery", "resources", ["=", "title", "Role::Web"]], ["subquery", "facts", ["and", ["=", "name", "mixed"], ["=", "value", "16"]]]],
         ["in", "certname", ["extract", "certname", ["select_resources", ["in", "certname", ["extract", "certname", ["select_facts", ["=", "value", "42"]]]]]]], ["in", "report_timestamp", ["extract", "end_time", ["select_reports", ["=", "certname", name(3)]]]], ["in", "latest_report_hash", ["from", "reports", ["extract", "hash", ["=", "status", "failed"]]]], ["in", "latest_report_noop", ["from", "reports", ["extract", "noop"]]], ["in", "certname", ["from", "facts", ["extract", "value", ["=", "name", "number"]]]], ["in", "certname", ["extract", "certname", ["select_params", ["=", "res_param_name", "uid"]]]]),
    *one("facts", ["and", ["=", "name", "load"], ["in", "certname", ["extract", "certname", ["select_resources", ["=", "title", "Role::Web"]]]]], ["and", ["=", "name", "mixed"], ["subquery", "nodes", ["=", "report_environment", "testing"]]], ["and", ["=", "name", "os"], ["subquery", "environments", ["=", "name", "quote'd"]]], ["in", ["certname", "name"], ["extract", ["certname", "name"], ["select_fact_contents", ["=", "value", "駅"]]]], ["and", ["=", "name", "umlaut"], ["subquery", "fact_paths", ["=", "depth", 0]]]),
    *one("resources", ["and", ["=", "type", "User"], ["subquery", "nodes", ["=", "report_environment", "quote'd"]]], ["and", ["=", "type", "User"], ["subquery", "catalogs", ["=", "job_id", "5"]]], ["and", ["=", "type", "User"], ["subquery", "facts", ["=", "value", "42"]]], ["and", ["=", "type", "User"], ["subquery", "environments", ["=", "name", "quote'd"]]], ["and", ["=", "type", "User"], ["in", "certname", ["extract", "certname", ["select_facts", ["=", "value", "42"]]]]]),
    *one("events", ["and", ["=", "property", "mode"], ["subquery", "reports", ["=", "job_id", "5"]]], ["subquery", "nodes", ["=", "certname", name(4)]], ["in", "report", ["extract", "hash", ["select_reports", ["=", "job_id", "10"]]]]),
    *one("reports", ["subquery", "events", ["=", "property", "groups"]], ["subquery", "environments", ["=", "name", "quote'd"]], ["subquery", "producers", ["=", "name", "puppet1.example"]], ["subquery", "nodes", ["=", "certname", name(4)]]),
    *one("environments", ["subquery", "facts", ["=", "value", "42"]], ["subquery", "resources", ["=", "title", "NOTIFY"]], ["subquery", "reports", ["=", "status", "failed"]], ["subquery", "nodes", ["=", "certname", name(1)]], ["in", "name", ["extract", "environment", ["select_catalogs", ["=", "certname", name(9)]]]], ["in", "name", ["array", ["testing", "x"]]]),
    *one("producers", ["subquery", "catalogs", ["=", "certname", name(9)]], ["subquery", "nodes", ["=", "certname", name(9)]]), *one("packages", ["subquery", "package_inventory", ["=", "certname", name(9)]], ["~", "package_name", "^[or]"], ["extract", ["package_name", ["function", "count"]], ["group_by", "package_name"]], ["in", "package_name", ["from", "package_inventory", ["extract", "package_name", ["=", "certname", name(9)]]]]),
    *one("package-inventory", ["subquery", "nodes", ["=", "certname", name(9)]], ["=", "provider", "gem"], ["extract", ["package_name", "version", ["function", "count"]], ["group_by", "package_name", "version"]]), *one("inventory", ["subquery", "resources", ["=", "title", "NOTIFY"]]), *one("edges", ["and", ["=", "relationship", "before"], ["subquery", "nodes", ["=", "certname", name(4)]]]), *one("factsets", ["subquery", "nodes", ["=", "certname", name(4)]], ["=", "facts", "x"], ["extract", ["facts"], ["=", "certname", name(3)]]),
    *one("fact-contents", ["and", ["=", "path", ["os", "name"]], ["subquery", "nodes", ["=", "report_environment", "testing"]]], ["and", ["=", "value", "42"], ["subquery", "facts", ["=", "name", "number"]]]),
]

PATHS = [
    ("a node", f"nodes/{name(3)}", None), ("a node that is inactive", f"nodes/{name(24)}", None), ("a node that only was deactivated", f"nodes/{name(40)}", None), ("a node that is unknown", "nodes/none", None), ("facts of a node", f"nodes/{name(6)}/facts", None), ("facts of a node that is inactive", f"nodes/{name(24)}/facts", None), ("facts of a node that is unknown", "nodes/none/facts", None), ("a fact of a node", f"nodes/{name(6)}/facts/os", None), ("a fact with a value of a node", f"nodes/{name(6)}/facts/number/42", None),
    ("an entity that is unknown", "nosuch", None), ("an environment", "environments/testing", None), ("an environment with a quote", "environments/quote'd", None), ("an environment that is unknown", "environments/none", None), *[(f"{part} of an environment", f"environments/testing/{part}", {"query": ["=", "certname", name(10)]}) for part in ("facts", "reports", "resources", "events", "catalogs", "factsets", "inventory", "nodes")], *[(f"{part} of no environment", f"environments/none/{part}", None) for part in ("facts", "reports", "resources", "events")],
    ("facts of an environment", "environments/testing/facts/number", None), ("resources of a type of an environment", "environments/testing/resources/User/app", {"query": ["extract", "certname"]}), ("a producer", "producers/puppet1.example", None), ("a producer that is unknown", "producers/none", None), *[(f"{part} of a producer", f"producers/puppet2.example/{part}", {"query": ["=", "certname", name(9)]}) for part in ("factsets", "catalogs", "reports", "facts")],
    ("packages of a node", f"package-inventory/{name(5)}", None), ("packages of nobody", "package-inventory/none", None), ("catalog-inputs", "catalog-inputs", None), ("catalog-input-contents", "catalog-input-contents", None), ("the root without a query", "", None), ("fact_names with an underscore", "fact_names", None),
    *[(f"root: {query}", "", {"query": query}) for query in [
        ["from", "nodes"], ["from", "nodes", ["=", "certname", name(1)]], ["from", "nodes", ["extract", "certname"], ["order_by", ["certname"]], ["limit", 2]], ["from", "nodes", ["extract", ["certname"]], ["limit", 2], ["offset", 1], ["order_by", [["certname", "desc"]]]], ["from", "nosuch"], ["from", "fact_names"], ["from", "producers"], ["from", "environments"], ["from", "fact_paths", ["=", "name", "os"]], ["from", "fact-paths", ["=", "name", "os"]], ["from", "event_counts"], ["from", "packages"], ["from"], ["nodes"], ["=", "certname", "x"], ["from", 5], ["from", "nodes", 5], ["from", "nodes", ["limit", 0]],
        ["from", "nodes", ["limit", "x"]], ["from", "nodes", ["limit", -1]], ["from", "nodes", ["order_by", ["nosuch"]]], ["from", "nodes", ["order_by", [["certname", "up"]]]], ["from", "nodes", ["limit", 1], ["limit", 2]], ["from", "nodes", ["order_by", ["certname"]], ["=", "certname", "x"]], ["from", "nodes", ["extract", "certname", ["=", "certname", name(1)]], ["nosuch", 1]], ["from", "nodes", ["=", "certname", name(1)], ["=", "certname", name(2)]], ["from", "facts", ["extract", [["function", "count"]], ["=", "name", "os"]]],
        ["from", "inventory", ["extract", ["certname", "facts.os.name"], ["~", "certname", "node0[12]"]]], ["from", "reports", ["extract", ["certname", "status"], ["=", "node_state", "any"]], ["order_by", ["certname", ["end_time", "desc"]]], ["limit", 4]], ["from", "nodes", ["extract", "certname", ["=", "node_state", "inactive"]]], ["FROM", "nodes"], ["from", "catalogs", ["extract", ["certname"]], ["limit", 1], ["order_by", ["certname"]]], ["from", "package_inventory", ["=", "certname", name(1)]], ["from", "edges", ["=", "certname", name(1)]], ["from", "events", ["=", "certname", name(1)]], ["from", "factsets", ["extract", ["certname", "environment"], ["=", "certname", name(1)]]]]],
    ("root: paging by parameters", "", {"query": ["from", "nodes", ["extract", "certname"]], "limit": "2", "order_by": BY_NAME, "include_total": "true"}, "ordered"), ("root: ast_only", "", {"query": "nodes { certname = 'x' }", "ast_only": "true"}), ("root: ast_only of a wrong query", "", {"query": "nodes { nosuch = 'x' }", "ast_only": "true"}),
]

ODD = [*SHAPES, *PAGING, *FACTS, *RESOURCES, *REPORTS, *SUBQUERIES, *PATHS]

PQL = r"""
nodes { }
nodes[certname] { }
nodes [certname] { certname = "node01.example" }
nodes[certname]{certname='node01.example'}
nodes [certname] { certname ~ "node0[12]" and latest_report_status = "failed" or certname = 'node09.example' }
nodes [certname] { (certname ~ "node0" or certname ~ "node1") and !(certname ~ "[1-5]\\.example$") }
nodes [certname] { ! certname ~ "node" }
nodes [certname] { !!certname ~ "node01" }
nodes [certname] { !certname = "node01.example" and certname ~ "node0" }
nodes [certname] { not certname = "node01.example" }
nodes [certname] { certname != "node01.example" and certname ~ "node0[12]" }
nodes [certname] { certname !~ "node[012]" }
nodes [certname] { certname in ["node01.example", 'node02.example'] }
nodes [certname] { certname in [] }
nodes [certname] { [certname] in ["node01.example"] }
nodes [certname] { certname in facts[certname] { name = "number" } }
nodes [certname] { [certname, report_environment] in reports[certname, environment] { status = 'failed' } }
nodes [certname] { facts { name = "load" and value < 1 } }
nodes [certname] { facts { name = "mixed" and value = "1" } }
nodes [certname] { resources { type = "Class" and title = "Role::Web" } and report_environment = "testing" }
nodes [certname] { !resources { title = "Role::Web" } }
nodes [certname] { latest_report_job_id is null and certname ~ '0' }
nodes [certname] { latest_report_job_id is not null }
nodes [certname] { latest_report_job_id is  null }
nodes [certname] { latest_report_noop = true }
nodes [certname] { latest_report_noop = false and certname ~ "node0" }
nodes [certname] { report_timestamp > "2026-11-12T08:20:00Z" and report_timestamp <= "2026-11-13" }
nodes [certname] { order by certname }
nodes [certname] { order by certname desc limit 3 }
nodes [certname] { certname ~ "node" order by certname asc limit 3 offset 2 }
nodes [certname] { limit 2 order by certname }
nodes [certname, report_environment] { order by report_environment desc, certname limit 5 }
nodes [certname] { order by nosuch }
nodes [certname] { order by certname, }
nodes [certname] { limit 0 }
nodes [certname] { limit -1 }
nodes [certname] { limit x }
nodes [certname] { limit 1 limit 2 }
nodes [count()] { }
nodes [report_environment, count()] { group by report_environment }
nodes [report_environment, count(certname)] { certname ~ "node0" group by report_environment }
nodes [count(), latest_report_status] { group by latest_report_status order by latest_report_status }
nodes [nosuch] { }
nodes [] { }
nodes { nosuch = 1 }
nodes { certname = }
nodes { certname = "x }
nodes { certname == "x" }
nodes { certname = x }
nodes { certname "x" }
nodes [certname { }
nodes certname { }
nodes
nodes {
nodes { } }
nodes { } # comment
 nodes [certname] { certname = "node01.example" } 
NODES { }
nosuch { }
fact_names { }
producers { }
event_counts { }
nodes { certname = "a" AND certname = "b" }
nodes [certname] { certname = "a" orcertname = "b" }
nodes [certname] { certname = "a"or certname = "b" }
nodes [certname]  {  certname   =   "node01.example"   }
nodes [certname] { certname = "node01.example" and (certname = "x" or (certname ~ "1")) }
nodes [certname] { ((certname = "node01.example")) }
nodes [certname] { certname = ["a"] }
nodes [certname] { certname = "quote\"d" }
nodes [certname] { certname = 'it\'s' }
nodes [certname] { certname = "node\u0030\u0031.example" }
nodes [certname] { certname = "node01.example\n" }
nodes [certname] { certname ~ '\d1\.example' }
nodes [certname] { certname ~ "\d1" }
facts [certname, value] { name = "mixed" and value > 8 }
facts [certname] { name = "load" and value = 1.25 }
facts [certname] { name = "load" and value < 5e-1 }
facts [certname] { name = "load" and value < 5.0e-1 }
facts [certname] { name = "negative" and value = -5 }
facts [certname] { name = "is_virtual" and value = true and certname ~ "node0" }
facts [value, count()] { name = "mixed" group by value }
facts [avg(value), min(value), max(value), sum(value)] { name = "uptime_seconds" }
facts [name, value] { certname in nodes[certname] { certname = "node06.example" } and name in ["1", "number", "truth"] }
facts { name = "kanji" }
facts [certname] { name ~> ["os"] }
facts [certname, facts.os] { }
fact_contents [certname, value] { path = ["os", "name"] and certname ~ "node0[1-4]" }
fact_contents [value] { path ~> ["networking", ".*", ".*", "mac"] and certname = "node03.example" }
fact_contents [path, value] { path ~> ["list", ".*"] }
fact_contents [path] { certname = "node06.example" and value = "42" }
fact_paths [path, type] { name = "os" }
fact_paths { path ~> ["list", ".*"] and type = "integer" }
factsets [certname, environment] { certname ~ "node0[19]" }
inventory [certname] { facts.os.name = "Debian" and trusted.extensions.pp_role = "db" }
inventory [certname, facts.os.name] { facts.processors.count >= 3 and certname ~ "node0" }
inventory [certname] { facts.os.name ~ "^[DU]" and certname ~ "node0" }
inventory [facts.os.name, count()] { group by facts.os.name }
inventory [certname] { facts."a.b"."c.d" = "dotted" }
inventory [certname] { facts.list[0] = 1 }
inventory [certname] { facts.match("os").name = "Debian" and certname ~ "node0" }
inventory [certname] { facts.networking.interfaces.match(".*").mtu = 1501 and certname ~ "node0" }
inventory [certname] { facts.nosuch is null }
inventory [certname] { facts.nothing is null }
inventory [certname] { facts.number is not null }
inventory { certname = "node03.example" }
inventory [certname, trusted] { certname = "node03.example" }
inventory [certname] { resources { title = "NOTIFY" } }
inventory [certname] { facts.1.2 = "numeric names" }
inventory [certname] { facts.umlaut = "Zürich" }
inventory [certname] { facts = 1 }
catalogs [certname, version] { environment = "testing" }
catalogs [certname] { producer_timestamp > "2026-11-12T08:25:00Z" }
resources [certname, title] { type = "Class" and title = "Role::Db" and certname ~ "node0" }
resources [certname] { parameters.uid = 1003 and type = "User" }
resources [certname] { parameters.uid > 1004 }
resources [title] { parameters.ensure = "directory" and parameters.recurse = true }
resources [certname, title] { tag = "Monitoring" and certname ~ "node0[12]" }
resources [certname] { tags = "group1" and type = "User" and certname ~ "node0" }
resources [type, count()] { group by type }
resources [type, count(title)] { certname = "node07.example" group by type }
resources { exported = true and certname = "node02.example" }
resources [title] { file is null and certname = "node02.example" }
resources [title] { line >= 11 and line < 31 and certname = "node02.example" }
resources [certname] { nodes { report_environment = "quote'd" } and type = "User" }
resources[title] { title = "it's a \"title\" [x] 100%_" }
resources[title] { title = 'it\'s a "title" [x] 100%_' }
edges [certname, target_title] { relationship = "before" and certname ~ "node0" }
events [certname, resource_title] { status = "failure" and latest_report? = true }
events [certname] { latest_report? = false and property = "mode" }
events [status, count()] { latest_report? = true group by status }
events { report = "none" }
events [certname, new_value] { containing_class ~ "Web" and property = "mode" }
reports [certname, status] { latest_report? = true and certname ~ "node0" }
reports [certname, end_time] { latest_report? = true order by end_time desc limit 3 }
reports [status, count()] { group by status }
reports [certname] { events { property = "groups" } and latest_report? = true }
reports [count()] { certname = "node01.example" }
reports [to_string(end_time, "YYYY-MM-DD"), count()] { group by to_string(end_time, "YYYY-MM-DD") }
reports [max(end_time)] { }
reports [metrics] { certname = "node30.example" }
environments { }
environments [name] { name ~ "t" }
environments { facts { name = "number" } }
packages [package_name, version] { package_name = "rake" }
package_inventory [certname, version] { package_name = "rake" and provider = "gem" }
package_inventory [package_name, count()] { group by package_name }
nodes [certname] { package_inventory { package_name = "rake" } }
nodes [certname] { certname in package_inventory[certname] { package_name = "rake" } }
nodes [certname] { node_state = "any" and certname ~ "node2" }
nodes [certname] { node_state = "inactive" }
nodes { count() = 1 }
nodes [certname] { certname = "node01.example" limit 1 }
nodes [certname] { certname = "node01.example"limit 1 }
nodes [certname] { group by certname, report_environment }
nodes [avg(certname)] { }
nodes [sum()] { }
nodes [to_string(report_timestamp)] { }
nodes [certname,] { }
nodes [certname report_environment] { }
nodes [certname] { certname in ["a" "b"] }
nodes [certname] { certname in nodes { } }
nodes [certname] { certname in nodes[certname] { order by certname limit 2 } }
nodes [certname] { certname in nosuch[certname] { } }
nodes [certname] { certname is nul }
nodes [certname] { certname > 5 }
nodes [certname] { certname ~ 5 }
nodes [certname] { certname ~> "x" }
nodes [certname] { certname = "'; DROP TABLE nodes; --" }
nodes [certname] { certname ~ "[" }
nodes [certname] { certname = true }
nodes [certname] { certname = 12345678901234567890 }
nodes [certname] { certname = 0x5 }
nodes [certname] { certname = .5 }
""".strip("\n").split("\n")
