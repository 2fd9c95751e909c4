"""Measures a running registry: commit to served, start, requests per second beside nginx."""

import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
import urllib.request

from common import git, pack, table, tool, write
from daemon import Daemon

COMMITS = 20
RELEASES = 1000
EDITIONS = 20


def repository(folder):
    git(folder, "init", "-q", "-b", "main", "packs")
    (folder / "registry.toml").write_text('[[source]]\nname = "packs"\npath = "packs"\npoll = "1h"\n')
    return folder / "packs"


def commit(packs, names, edition):
    for name in names:
        write(packs / f"{name}.pack.json", pack(name, f"1.0.{edition}", extra=f" This is edition {edition}."))
    git(packs, "add", "--all")
    git(packs, "commit", "-q", "-m", f"edition {edition}")


def commit_to_served(folder):
    packs = repository(folder)
    commit(packs, ["greeter"], 0)
    daemon = Daemon(folder)
    daemon.wait("/v1/fetch/greeter@1.0.0")
    times = []
    for edition in range(1, COMMITS + 1):
        commit(packs, ["greeter"], edition)
        committed = time.perf_counter()
        daemon.wait(f"/v1/packs/greeter/versions/1.0.{edition}/pack.json")
        times.append((time.perf_counter() - committed) * 1000)
    daemon.stop()
    return sorted(times)


def many_releases(folder):
    packs = repository(folder)
    names = [f"pack-{n}" for n in range(RELEASES // EDITIONS)]
    for edition in range(EDITIONS):
        commit(packs, names, edition)
    started = time.perf_counter()
    daemon = Daemon(folder)
    daemon.wait(f"/v1/fetch/pack-0@1.0.{EDITIONS - 1}")
    ingest = time.perf_counter() - started
    time.sleep(1)
    daemon.stop()
    again = Daemon(folder)
    again.wait("/v1/fetch/pack-0@1.0.0")
    return ingest, again


def requests_per_second(wrk, url):
    command = [wrk, "-t1", "-c32", "-d5s", "--latency", url]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
    slowest = re.search(r"99%\s+(\S+)", output).group(1)
    return f"{rate:.0f}/s, p99 {slowest}"


def nginx_with(folder, nginx, body):
    folder.mkdir()
    (folder / "pack.json").write_bytes(body)
    port = 18421
    (folder / "nginx.conf").write_text(
        f"worker_processes 1;\npid {folder}/pid;\nerror_log stderr;\nevents {{ worker_connections 256; }}\n"
        f"http {{ access_log off; keepalive_requests 10000000; types {{ application/json json; }}\n"
        f"server {{ listen 127.0.0.1:{port}; root {folder}; }} }}\n"
    )
    command = [nginx, "-c", str(folder / "nginx.conf"), "-g", "daemon off;" + (" user root;" if os.geteuid() == 0 else "")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    return process, f"http://127.0.0.1:{port}/pack.json"


def fetches(folder, daemon, rows):
    wrk, nginx = tool("wrk"), tool("nginx")
    if not wrk:
        return
    exact = f"http://{daemon.address}/v1/packs/pack-0/versions/1.0.0/pack.json"
    body = urllib.request.urlopen(exact).read()
    if nginx:
        peer, url = nginx_with(folder / "nginx", nginx, body)
        rows.append((f"nginx, one worker, the same {len(body)} bytes as a file", requests_per_second(wrk, url)))
        peer.terminate()
        peer.wait()
    rows.append(("fetch of an exact version", requests_per_second(wrk, exact)))
    rows.append(("fetch by range", requests_per_second(wrk, f"http://{daemon.address}/v1/fetch/pack-0@%5E1")))


def main():
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        times = commit_to_served(pathlib.Path(temporary))
        served = f"p50 {statistics.median(times):.0f} ms, worst {times[-1]:.0f} ms"
        rows.append((f"commit → served, {COMMITS} commits", served))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        ingest, daemon = many_releases(folder)
        rows.append((f"first scan: {RELEASES} releases judged, published, served", f"{ingest:.2f} s"))
        started = f"{daemon.seconds_to_listen * 1000:.0f} ms, {daemon.memory_mb()} MB"
        rows.append((f"start with {RELEASES} releases", started))
        fetches(folder, daemon, rows)
        daemon.stop()
    table(["what", "measured"], rows)


main()
