"""A fleet of the day for the page: code with data, and commands of nodes that ran a short time ago."""

import json
import random
import time
import urllib.request

FILES = {
    "manifests/site.pp": "node default {\n  include base\n  include \"role::${facts['role']}\"\n}\n",
    "hiera.yaml": "version: 5\nhierarchy:\n  - name: Role\n    path: \"role/%{facts.role}.yaml\"\n  - name: Common\n    path: common.yaml\n",
    "data/common.yaml": "base::ntp_servers:\n  - ntp1.example\n  - ntp2.example\nbase::motd: Managed by Puppet\nbase::root_password: not for you\n"
                        "lookup_options:\n  base::root_password:\n    convert_to: Sensitive\n",
    "data/role/web.yaml": "web::port: 8443\nweb::workers: 16\n",
    "data/role/db.yaml": "db::memory: 32 GiB\n",
    "modules/base/manifests/init.pp": "class base(\n  Array[String] $ntp_servers,\n  String $motd,\n  Sensitive[String] $root_password,\n  String $timezone = 'UTC',\n) {\n"
                                      "  file { '/etc/ntp.conf':\n    content => $ntp_servers.map |$server| { \"server ${server}\\n\" }.join,\n  }\n"
                                      "  file { '/etc/motd': content => \"${motd} on ${facts['networking']['ip']}\\n\" }\n"
                                      "  user { 'root': password => $root_password }\n}\n",
    "modules/role/manifests/web.pp": "class role::web { include web }\n",
    "modules/role/manifests/db.pp": "class role::db { include db }\n",
    "modules/web/manifests/init.pp": "class web(Integer $port, Integer $workers = 4) {\n  package { 'nginx': ensure => installed }\n"
                                     "  -> file { '/etc/nginx/nginx.conf': content => \"workers ${workers}; listen ${port};\\n\", notify => Service['nginx'] }\n"
                                     "  service { 'nginx': ensure => running }\n}\n",
    "modules/db/manifests/init.pp": "class db(String $memory) {\n  file { '/etc/db.conf': content => \"memory = ${memory}\\n\" }\n}\n",
}
MINUTE = 60


def name(number):
    return f"{role(number)}{number:04}.example"


def role(number):
    return "db" if number % 4 == 0 else "web"


def written(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


def facts(number, now):
    values = {"role": role(number), "networking": {"ip": f"10.0.{number // 250}.{number % 250 + 1}"}, "os": {"family": "Debian", "name": "Debian"},
              "trusted": {"authenticated": "remote", "certname": name(number), "extensions": {}, "hostname": name(number).split(".", maxsplit=1)[0], "domain": "example", "external": {}}}
    return "replace facts", 5, {"certname": name(number), "environment": "production", "values": values, "producer_timestamp": written(now), "producer": "puppet.example"}


def resource(kind, title, file=None, line=None, **parameters):
    return {"type": kind, "title": title, "exported": False, "tags": [kind.lower()], "parameters": parameters, "file": file, "line": line}


def catalog(number, now, version):
    code = "/etc/puppetlabs/code/environments/production"
    kind = role(number)
    resources = [resource("Stage", "main"), resource("Class", "main"), resource("Class", "Base"), resource("Class", f"Role::{kind.title()}"), resource("Class", kind.title()),
                 resource("File", "/etc/motd", f"{code}/modules/base/manifests/init.pp", 10, content="Managed by Puppet\n" if version > 1 else "Hands off\n", mode="0644")]
    if version > 1:
        resources.append(resource("File", "/etc/ntp.conf", f"{code}/modules/base/manifests/init.pp", 7, content="server ntp1.example\nserver ntp2.example\n"))
    else:
        resources.append(resource("Package", "ntpdate", f"{code}/modules/base/manifests/init.pp", 7, ensure="installed"))
    data = [[f"{code}/data/common.yaml", 1, "base::ntp_servers"], [f"{code}/data/common.yaml", 4, "base::motd"]]
    data += [[f"{code}/data/role/web.yaml", 1, "web::port"], [f"{code}/data/role/web.yaml", 2, "web::workers"]] if kind == "web" else [[f"{code}/data/role/db.yaml", 1, "db::memory"]]
    return "replace catalog", 9, {"certname": name(number), "version": f"4f1c{version:03}", "environment": "production", "transaction_uuid": None, "catalog_uuid": None, "code_id": None,
                                  "job_id": None, "producer_timestamp": written(now), "producer": "puppet.example", "resources": resources, "edges": [], "data": data}


def report(number, now, chance):
    status, ago = "unchanged", chance.uniform(1, 32) * MINUTE
    drawn = chance.random()
    if drawn < 0.02:
        status = "failed"
    elif drawn < 0.08:
        status = "changed"
    if chance.random() < 0.02:
        ago = chance.uniform(2, 100) * 60 * MINUTE
    at = written(now - ago)
    return "store report", 8, {
        "certname": name(number), "puppet_version": "8.10.0", "report_format": 12, "configuration_version": "4f1c002", "start_time": at, "end_time": at, "producer_timestamp": at,
        "producer": "puppet.example", "environment": "production", "transaction_uuid": None, "status": status, "noop": False, "noop_pending": status == "unchanged" and number % 40 == 7,
        "corrective_change": False, "logs": [], "metrics": [], "resources": [], "type": "agent", "catalog_uuid": None, "code_id": None, "job_id": None, "cached_catalog_status": "not_used"}


def commands(count, n_catalogs):
    """Yields a report of each node, and facts and two catalogs of some."""
    chance, now = random.Random(7), time.time()
    for number in range(1, count + 1):
        if number <= n_catalogs:
            yield facts(number, now - 20 * MINUTE)
            yield catalog(number, now - 600 * MINUTE, 1)
            yield catalog(number, now - 20 * MINUTE, 2)
        yield report(number, now, chance)


def send(port, command):
    kind, version, payload = command
    body = json.dumps({"command": kind, "version": version, "payload": payload}).encode()
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/pdb/cmd/v1", data=body, method="POST", headers={"Content-Type": "application/json", "Accept": "application/json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        answer.read()
