#!/usr/bin/env python3
"""A worker for Merpati: a "platform" that is a text file, named on the command line.

A device is linked by a code, and keeps its credentials in the gateway's store. What it speaks is
docs/connector-protocol.md, which also says how the gateway is told to run it.
"""
import base64
import itertools
import json
import socket
import sys

lines = socket.socket(fileno=3).makefile("rw", encoding="utf-8", newline="\n")
ids = itertools.count(1)
waiting = {}  # What is done with the answers to our requests, by id.

def write(line):
    lines.write(json.dumps(line) + "\n")
    lines.flush()

def ask(op, done=lambda answer: None, **fields):
    waiting[id := next(ids)] = done
    write({"id": id, "op": op, **fields})

def start(device, **_):
    def known(answer):
        if answer["ok"] and answer["result"]["values"]["creds"]:
            ask("device.state", device=device, state="connected")
        else:
            ask("device.state", device=device, state="pairing", reason="Masukkan kode")
            write({"op": "device.pairing", "device": device, "method": "otp",
                   "payload": "Kode: 123456", "expires_in_ms": 600_000})
    ask("store.get", known, device=device, names=["creds"])

def take_code(device, answer, **_):
    if answer == "123456":
        values = {"creds": base64.b64encode(b"secret").decode()}
        # Connected only when the store has them.
        ask("store.put", lambda _: start(device), device=device, values=values, clear=True)

def forget(device, **_):
    ask("store.put", device=device, values={}, clear=True)

def send(device, message, to, text, **_):
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(json.dumps({"from": device, "to": to, "id": message, "text": text}) + "\n")

ask("hello", protocols=[1], name="textfile", version="1.0",
    capabilities={"pairing": ["otp"], "media_types": []})
handlers = {"device.start": start, "device.answer": take_code, "device.forget": forget,
            "shutdown": lambda **_: sys.exit(0)}
for line in map(json.loads, lines):
    if "ok" in line:
        waiting.pop(line["id"])(line)
    elif line["op"] == "send":
        send(**line)
        write({"id": line["id"], "ok": True, "result": {"outcome": "sent"}})
    elif "id" in line:  # Answered before what it leads to is reported.
        write({"id": line["id"], "ok": True})
        handlers.get(line["op"], lambda **_: None)(**line)
