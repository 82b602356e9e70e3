# receive.py PORT FILE: receives forms with Werkzeug's parser; writes each as a line of JSON to FILE, its parts in order.
# Names are bytes in hexadecimal.
import fcntl
import hashlib
import json
import sys
from urllib.parse import parse_qs

from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData
from werkzeug.serving import WSGIRequestHandler, run_simple


def parse(source, length, boundary):
    decoder = MultipartDecoder(boundary, max_form_memory_size=None)
    parts, digest = [], None
    while True:
        chunk = source.read(min(65536, length)) if length else b""
        length -= len(chunk)
        decoder.receive_data(chunk or None)
        while True:
            event = decoder.next_event()
            if isinstance(event, (NeedData, Epilogue)):
                break
            if isinstance(event, (Field, File)):
                digest = hashlib.sha256()
                name = getattr(event, "filename", None)
                parts.append({
                    "name": event.name.encode().hex(), "filename": None if name is None else name.encode().hex(),
                    "type": event.headers.get("content-type"), "size": 0,
                })
            if isinstance(event, Data):
                digest.update(event.data)
                parts[-1]["size"] += len(event.data)
                if not event.more_data:
                    parts[-1]["sha256"] = digest.hexdigest()
        if not chunk:
            return parts


def receive(environment, start_response):
    options = parse_options_header(environment["CONTENT_TYPE"])[1]
    number = int(parse_qs(environment["QUERY_STRING"])["form"][0])
    length = int(environment["CONTENT_LENGTH"])
    line = json.dumps({"form": number, "parts": parse(environment["wsgi.input"], length, options["boundary"].encode())})
    with open(sys.argv[2], "a") as received:
        fcntl.flock(received, fcntl.LOCK_EX)
        received.write(line + "\n")
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(line)))])
    return [line.encode()]


class Quiet(WSGIRequestHandler):
    def log_request(self, *words):
        pass


run_simple("127.0.0.1", int(sys.argv[1]), receive, threaded=True, request_handler=Quiet)
