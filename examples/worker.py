#!/usr/bin/env python3
"""A worker for Merpati in Python's standard library: a "platform" that is a text file.

Messages are appended to the file that is named on the command line. A device is linked by a code, and
keeps its credentials in the gateway's store. docs/connector-protocol.md is what it speaks:

    [workers.textfile]
    command = ["python3", "/opt/merpati/worker.py", "/tmp/messages.txt"]
"""
import base64
import json
import socket
import sys

gateway = socket.socket(fileno=3)
lines = gateway.makefile("rw", encoding="utf-8", newline="\n")
waiting = {}  # What is done with the answers to our requests, by id.


def write(line):
    lines.write(json.dumps(line) + "\n")
    lines.flush()


def ask(op, done=lambda answer: None, **fields):
    waiting[ask.id] = done
    write({"id": ask.id, "op": op, **fields})
    ask.id += 1


ask.id = 1


def start_device(device, **_):
    def known(answer):
        if answer["ok"] and answer["result"]["values"]["creds"]:
            ask("device.state", device=device, state="connected")
        else:
            ask("device.state", device=device, state="pairing", reason="Masukkan kode")
            write({"op": "device.pairing", "device": device, "method": "otp",
                   "payload": "Kode: 123456", "expires_in_ms": 600_000})

    ask("store.get", known, device=device, names=["creds"])


def answer_device(device, answer, **_):
    """Connected only when the credentials are durable."""
    if answer == "123456":
        ask("store.put", lambda _: ask("device.state", device=device, state="connected"),
            device=device, values={"creds": base64.b64encode(b"secret").decode()}, clear=True)


def send(device, message, to, text, type, **_):
    if type != "text":
        return {"kind": "media_type"}
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(json.dumps({"from": device, "to": to, "id": message, "text": text}) + "\n")
    return {"outcome": "sent", "platform_id": message}


ask("hello", protocols=[1], name="textfile", version="1.0",
    capabilities={"pairing": ["otp"], "media_types": []})
for text in lines:
    line = json.loads(text)
    if "ok" in line:
        waiting.pop(line["id"])(line)
    elif line["op"] == "send":
        result = send(**line)
        good = "outcome" in result
        write({"id": line["id"], "ok": good, "result" if good else "error": result})
    elif "id" in line:
        write({"id": line["id"], "ok": True})  # device.start is answered before its reports.
        {"device.start": start_device, "device.answer": answer_device,
         "device.forget": lambda device, **_: ask("store.put", device=device, values={}, clear=True),
         "shutdown": lambda **_: sys.exit(0)}.get(line["op"], lambda **_: None)(**line)
