"""Compares PuppetDB as the store of `kukla serve` with a store of Kukla's own.

    python3 tests/oracle/puppetdb/engine.py PROGRAM

starts Debian's PuppetDB and two servers with the same code and the same CA: one sends to that PuppetDB, over TLS with its certificate, the other
one has SQLite. Both hear the same 20 nodes with facts, catalogs and reports; then the same queries are asked of PuppetDB and of the SQLite store.
50 nodes that export to each other get catalogs from both. PuppetDB is stopped and started again while nodes run.
"""

import concurrent.futures
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from service import free_port, start

NODES = [f"node{number:02}.example" for number in range(1, 51)]
REPORTING = NODES[:20]
ROUNDS = 3
MANIFEST = """
define backend($port, $options = []) { notify { "backend ${title} ${port}": } }
define check($interval, $text = undef) { file { "/checks/${title}": content => "${interval} ${text}" } }
class role::web { file { '/srv/web': ensure => directory, require => Class['base'] } }
class base { file { ['/a', '/b']: ensure => file, mode => '0644', tag => ['x', 'UpperCase'] } ~> notify { 'changed': } }
node default {
  include base
  include role::web
  $n = $facts['number']
  $own = $trusted['certname']
  file { '/secret': content => Sensitive("password of ${own}"), mode => '0600' }
  file { '/versions': content => $facts['versions'].map |$k, $v| { "${k} ${v}" }.join(' ') }
  @@file { "/hosts/${own}": content => $facts['networking']['ip'], tag => ['hosts', "rack${$n % 4}"] }
  @@backend { $own: port => 8000 + $n, options => ['check', { 'weight' => $n, 'text' => "\u00e4\u2192" }], tag => "pool${$n % 3}" }
  @@check { $own: interval => 60 * ($n % 5), text => Sensitive('hunter2') }
  @@notify { "virtual ${own}": withpath => true, require => File['/a'] }
  File <<| tag == 'hosts' and title != '/hosts/node13.example' |>>
  Backend <<| tag == "pool${$n % 3}" and port != 8001 |>>
  Check <<| interval == 60 or title == 'node07.example' |>> { noop => true }
  $rows = puppetdb_query("facts[certname, value] { name = 'number' order by certname limit 5 }")
  $ast = puppetdb_query(['from', 'nodes', ['extract', ['certname'], ['~', 'certname', '^node0']], ['order_by', ['certname']]])
  if $n > 0 { notify { 'asked': message => $rows.map |$row| { "${row['certname']}=${row['value']}" }.join(',') } }
  notify { 'nodes': message => $ast.map |$row| { $row['certname'] }.join(',') }
}
"""
QUERIES = [
    ("nodes", 'extract certname, facts_environment, latest_report_status, cached_catalog_status, latest_report_noop, latest_report_corrective_change'),
    ("facts", None), ("factsets", 'extract certname, environment, producer'), ("fact-names", None), ("fact-paths", None),
    ("fact-contents", None), ("inventory", None), ("resources", None), ("edges", None),
    ("catalogs", 'extract certname, environment, transaction_uuid, producer, code_id, job_id'),
    ("reports", 'extract certname, puppet_version, report_format, configuration_version, start_time, end_time, environment, transaction_uuid, status, noop,'
     ' noop_pending, corrective_change, cached_catalog_status, producer, logs, metrics'),
    ("events", None), ("environments", None), ("producers", None), ("packages", None), ("package-inventory", None),
]
PQL = [
    'resources[certname, title, parameters] { type = "File" and exported = true }',
    'nodes[certname] { resources { type = "Class" and title = "Role::Web" } and facts { name = "number" and value < 7 } }',
    'facts[value, count()] { name = "kernel" group by value }',
    'inventory[certname, facts.networking.ip] { trusted.certname ~ "node1" }',
    'events[certname, resource_title, status, old_value, new_value] { status = "success" }',
    'edges[certname, relationship, count()] { group by certname, relationship }',
]
TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
HASH = re.compile(r"^[0-9a-f]{40}$")
START = "2026-01-02T03:04:05.678+00:00"
# Members that are each store's own.
OWN = {"hash", "resource", "report", "timestamp", "receive_time", "producer_timestamp", "catalog_uuid", "run_start_time", "run_end_time", "report_receive_time"}


def uuid(node, number):
    return f"00000000-0000-4000-8000-{NODES.index(node):06}{number:06}"


def facts(node, round_):
    number = NODES.index(node)
    values = {
        "number": number, "kernel": "Linux" if number % 2 else "FreeBSD", "round": round_, "empty": None, "float": 1.5 + number, "flag": number % 3 == 0,
        "networking": {"ip": f"192.0.2.{number}", "interfaces": {"eth0": {"mtu": 1500, "list": [1, "two", None]}}}, "text": "\u00e4 \u2192 \"quoted\"\n",
        "versions": {"a": "1.0", "b": f"2.{round_}"}, "large": "x" * 3000,
    }
    if number % 4 == 0:
        values["_puppet_inventory_1"] = {"packages": [["bash", "5.2", "apt"], ["kukla", f"{number}.{round_}", "apt"]]}
    return values


def report(node, round_):
    event = {"audited": False, "property": "ensure", "previous_value": "absent", "desired_value": "file", "historical_value": None, "message": "created",
             "name": "file_created", "status": "success", "time": START, "redacted": False, "corrective_change": False}
    status = {"title": "/a", "file": "/site.pp", "line": 4, "resource": "File[/a]", "resource_type": "File", "provider_used": "posix",
              "containment_path": ["Stage[main]", "Base", "File[/a]"], "evaluation_time": 0.1, "tags": ["file"], "time": START, "failed": False, "changed": True,
              "out_of_sync": True, "skipped": False, "change_count": 1, "out_of_sync_count": 1, "events": [event], "corrective_change": False}
    skipped = {**status, "title": "/b", "resource": "File[/b]", "skipped": True, "changed": False, "events": []}
    quiet = {**status, "title": "/srv/web", "resource": "File[/srv/web]", "changed": False, "events": []}
    return {
        "host": node, "time": START, "configuration_version": 7, "transaction_uuid": uuid(node, round_), "report_format": 12, "puppet_version": "7.23.0", "status": "changed",
        "transaction_completed": True, "noop": False, "noop_pending": False, "environment": "production", "catalog_uuid": uuid(node, 100 + round_), "code_id": None, "job_id": None,
        "cached_catalog_status": "not_used", "corrective_change": False,
        "logs": [{"level": "notice", "message": f"round {round_}", "source": "Puppet", "tags": ["notice"], "time": START, "file": None, "line": None}],
        "metrics": {"time": {"name": "time", "label": "Time", "values": [["config_retrieval", "Config retrieval", 1.5], ["total", "Total", 2.25]]},
                    "resources": {"name": "resources", "label": "Resources", "values": [["total", "Total", 3], ["changed", "Changed", 1]]}},
        "resource_statuses": {"File[/a]": status, "File[/b]": skipped, "File[/srv/web]": quiet},
    }


class Server:
    """A `kukla serve` behind a proxy that speaks TLS."""

    def __init__(self, program, directory, arguments=()):
        self.program, self.directory = program, directory
        self.port, self.tools = free_port(), free_port()
        command = [program, "serve", "--confdir", directory, "--listen", f"127.0.0.1:{free_port()}", "--plain", f"127.0.0.1:{self.port}", "--allow-header-cert-info",
                   "--store-listen", f"127.0.0.1:{self.tools}", *arguments]
        self.log = f"{directory}.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, cwd="/", stdout=log, stderr=log)
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise SystemExit(self.words())
            try:
                self.ask(f"http://127.0.0.1:{self.port}/status/v1/simple")
                return
            except OSError:
                time.sleep(0.2)
        raise SystemExit(self.words())

    def words(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()[-4000:]

    @staticmethod
    def ask(url, data=None, headers=None, method=None):
        asked = urllib.request.Request(url, data=data, headers={"Accept": "application/json", **(headers or {})}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=120) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{url}: {error.code} {error.read().decode()[:2000]}") from error

    def agent(self, node, path, data, content_type, method):
        headers = {"Content-Type": content_type, "X-Client-Verify": "SUCCESS", "X-Client-DN": f"CN={node}"}
        return self.ask(f"http://127.0.0.1:{self.port}/puppet/v3/{path}/{node}?environment=production", data, headers, method)

    def catalog(self, node, round_):
        document = json.dumps({"name": node, "values": facts(node, round_)})
        form = urllib.parse.urlencode({"environment": "production", "facts_format": "application/json", "facts": urllib.parse.quote(document, safe=""),
                                       "transaction_uuid": uuid(node, round_)})
        return json.loads(self.agent(node, "catalog", form.encode(), "application/x-www-form-urlencoded", "POST"))

    def report(self, node, round_):
        self.agent(node, "report", json.dumps(report(node, round_)).encode(), "application/json", "PUT")

    def metric(self, name):
        headers = {"X-Client-Verify": "SUCCESS", "X-Client-DN": "CN=admin.example"}
        text = self.ask(f"http://127.0.0.1:{self.port}/metrics", headers=headers)
        found = re.search(rf"^{name} (\S+)$", text, re.M)
        return float(found[1]) if found else None

    def stop(self):
        self.process.terminate()
        self.process.wait()


def run(server, nodes, round_, reports=True):
    """Runs all nodes at once, as agents do: catalog with facts, then report."""
    def one(node):
        catalog = server.catalog(node, round_)
        if reports and node in REPORTING:
            server.report(node, round_)
        return node, catalog
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return dict(pool.map(one, nodes))


def drained(server, puppetdb, n_reports, last):
    """Waits until PuppetDB has stored everything."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        depth = server.metric("kukla_puppetdb_queue_commands")
        if depth == 0:
            rows = query(puppetdb.port, "/pdb/query/v4", {"query": f'facts[certname]{{ name = "round" and value = {last} }}'})
            catalogs = query(puppetdb.port, "/pdb/query/v4", {"query": "catalogs[certname, transaction_uuid]{}"})
            reports = query(puppetdb.port, "/pdb/query/v4", {"query": "reports[count()]{}"})
            wanted = {uuid(node, last) for node in NODES}
            if len(rows) == len(NODES) and reports[0]["count"] == n_reports and wanted <= {row["transaction_uuid"] for row in catalogs}:
                return
        time.sleep(0.5)
    raise SystemExit(f"the queue does not drain: {depth} commands\n{server.words()}")


def query(port, path, parameters=None):
    encoded = f"?{urllib.parse.urlencode(parameters)}" if parameters else ""
    return json.loads(Server.ask(f"http://127.0.0.1:{port}{path}{encoded}"))


def normal(value, name=None):
    if isinstance(value, dict):
        return {key: normal(member, key) for key, member in sorted(value.items())}
    if isinstance(value, list):
        values = [normal(member) for member in value]
        return sorted(values, key=lambda it: json.dumps(it, sort_keys=True)) if all(isinstance(it, dict) for it in values) or name == "tags" else values
    if isinstance(value, str) and (name in OWN or HASH.match(value) or name == "href" and "/reports/" in value):
        return "OWN"
    if isinstance(value, str) and name in ("start_time", "end_time", "time"):
        return TIME.sub(lambda match: match[0].replace(".000Z", "Z"), value)
    return value


def compare(name, ours, theirs):
    """Returns whether two answers are equal; prints how not."""
    own, other = (json.dumps(normal(it), indent=1, sort_keys=True, ensure_ascii=False).splitlines() for it in (ours, theirs))
    if own == other:
        print(f"ok  {name}  {len(ours)} rows", flush=True)
        return True
    print(f"DIFFERENT  {name}", flush=True)
    for line in list(difflib.unified_diff(other, own, "PuppetDB", "SQLite", lineterm="", n=2))[:60]:
        print("    " + line)
    return False


def answers_are_equal(sqlite, puppetdb):
    results = []
    for entity, extract in QUERIES:
        parameters = {}
        if extract:
            fields = extract.removeprefix("extract ").split(", ")
            parameters["query"] = json.dumps(["extract", [field.strip() for field in fields]])
        pair = [query(port, f"/pdb/query/v4/{entity}", parameters) for port in (sqlite.tools, puppetdb.port)]
        results.append(compare(entity, *pair))
    for text in PQL:
        pair = [query(port, "/pdb/query/v4", {"query": text}) for port in (sqlite.tools, puppetdb.port)]
        results.append(compare(text, *pair))
    return all(results)


def shape(catalog):
    """A catalog as a set: PuppetDB answers collectors in no order."""
    resources = {f"{it['type']}[{it['title']}]": {key: value for key, value in it.items() if key not in ("type", "title")} for it in catalog["resources"]}
    return {"resources": resources, "edges": sorted(json.dumps(edge, sort_keys=True) for edge in catalog["edges"]), "classes": sorted(catalog["classes"])}


def set_up(program, root):
    """Makes two directories with the same CA; one of them is for PuppetDB."""
    own, other = f"{root}/sqlite", f"{root}/puppetdb"
    os.makedirs(f"{own}/code/environments/production/manifests")
    with open(f"{own}/code/environments/production/manifests/site.pp", "w", encoding="utf-8") as file:
        file.write(MANIFEST)
    lines = "[main]\nedition = 7\nkeylength = 2048\ncertname = puppet.example\n[server]\nstoreconfigs = true\nstoreconfigs_backend = puppetdb\nreports = store,puppetdb\nnode_ttl = 0\nnode_purge_ttl = 0\nreport_ttl = 0\n"
    auth = """authorization: { version: 1, rules: [
        { match-request: { path: "^/puppet/v3/(catalog|report)/([^/]+)$", type: regex }, allow: "$2", sort-order: 500, name: "own" },
        { match-request: { path: "/status/", type: path }, allow-unauthenticated: true, sort-order: 500, name: "status" },
        { match-request: { path: "/metrics", type: path }, allow: "admin.example", sort-order: 500, name: "metrics" } ] }"""
    os.makedirs(f"{own}/conf.d")
    for name, text in (("puppet.conf", f"{lines}".replace("[main]\n", f"[main]\nvardir = {own}/var\nssldir = {own}/ssl\ncodedir = {own}/code\nconfdir = {own}\n")), ("conf.d/auth.conf", auth)):
        with open(f"{own}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    Server(program, own).stop()
    for name in ("localhost",):
        subprocess.run([program, "ca", "generate", "--certname", name, "--config", f"{own}/puppet.conf"], check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(own, other, ignore=shutil.ignore_patterns("store*"))
    with open(f"{own}/puppet.conf", encoding="utf-8") as file:
        text = file.read()
    with open(f"{other}/puppet.conf", "w", encoding="utf-8") as file:
        file.write(text.replace(f"{own}/var", f"{other}/var").replace(f"{own}/ssl", f"{other}/ssl").replace(f"confdir = {own}", f"confdir = {other}"))
    ssl = f"{own}/ssl"
    return own, other, (f"{ssl}/private_keys/localhost.pem", f"{ssl}/certs/localhost.pem", f"{ssl}/certs/ca.pem")


def main():
    program = os.path.abspath(sys.argv[1])
    servers, real = [], None
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        try:
            own, other, tls = set_up(program, root)
            real = start(f"{root}/real", tls)
            database, puppetdb = real
            with open(f"{other}/puppetdb.conf", "w", encoding="utf-8") as file:
                file.write(f"[main]\nserver_urls = https://localhost:{puppetdb.tls_port}\nserver_url_timeout = 20\n")
            sqlite = Server(program, own, ["--store", "sqlite"])
            servers.append(sqlite)
            remote = Server(program, other)
            servers.append(remote)
            is_good = True
            checked = subprocess.run([program, "store", "check", "--config", f"{other}/puppet.conf"], capture_output=True, text=True)
            print(f"kukla store check: {checked.returncode} {checked.stdout}{checked.stderr}", flush=True)
            is_good &= checked.returncode == 0
            n_reports = 0
            for round_ in range(1, ROUNDS + 1):
                if round_ == 2:
                    # Agents see nothing of a PuppetDB that is down, but for collectors and queries.
                    puppetdb.stop()
                    for node in REPORTING:
                        remote.report(node, 50)
                        sqlite.report(node, 50)
                    n_reports += len(REPORTING)
                    print(f"PuppetDB is down: {remote.metric('kukla_puppetdb_queue_commands'):.0f} commands wait", flush=True)
                    ports = puppetdb.port, puppetdb.tls_port
                    puppetdb.start()
                    puppetdb.wait()
                    assert ports == (puppetdb.port, puppetdb.tls_port)
                catalogs = [run(server, NODES, round_) for server in (sqlite, remote)]
                n_reports += len(REPORTING)
                drained(remote, puppetdb, n_reports, round_)
            pairs = [({"node": shape(catalogs[0][node])}, {"node": shape(catalogs[1][node])}) for node in NODES]
            n_equal = sum(compare(f"catalog of {node}", *pair) for node, pair in zip(NODES, pairs))
            collected = sum(len(it["node"]["resources"]) for it, _ in pairs)
            print(f"{n_equal} of {len(NODES)} catalogs alike, with {collected} resources", flush=True)
            is_good &= n_equal == len(NODES) and answers_are_equal(sqlite, puppetdb)
            status = subprocess.run([program, "store", "status", "--config", f"{other}/puppet.conf"], capture_output=True, text=True).stdout
            print(status, flush=True)
            is_good &= "\n0 bytes of commands wait" in status and "0 commands were refused" in status and "PuppetDB 7.12" in status
            text = subprocess.run(["psql", "-h", "127.0.0.1", "-p", str(database.port), "-U", "postgres", "-Atc", "SELECT * FROM resource_params_cache", "puppetdb"],
                                  capture_output=True, text=True, check=True).stdout
            is_good &= "password of" not in text and "hunter2" not in text
        finally:
            for server in servers:
                server.stop()
            if real:
                real[1].stop()
                real[0].stop()
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
