#!/usr/bin/env python3
"""Puts or gets objects over connections that stay open, with presigned URLs, for some seconds; prints the rate, and the
processor time of the server for each request. The client is in one process: compare servers with it, not with others.

    s3_client.py put|get PORT KEY SECRET PID SIZE CONNECTIONS SECONDS OBJECTS
"""
import datetime
import hashlib
import hmac
import os
import socket
import sys
import threading
import time
import urllib.parse

verb, port, key, secret, pid, size, connections, seconds, objects = sys.argv[1:10]
port, size, connections, seconds, objects = int(port), int(size), int(connections), float(seconds), int(objects)


def presigned(path):
    now = datetime.datetime.now(datetime.timezone.utc).strftime('%Y%m%dT%H%M%SZ')
    scope = f'{now[:8]}/us-east-1/s3/aws4_request'
    query = '&'.join(f'{name}={urllib.parse.quote(value, safe="")}' for name, value in (
        ('X-Amz-Algorithm', 'AWS4-HMAC-SHA256'), ('X-Amz-Credential', f'{key}/{scope}'), ('X-Amz-Date', now),
        ('X-Amz-Expires', '86400'), ('X-Amz-SignedHeaders', 'host')))
    canonical = f'{verb.upper()}\n{path}\n{query}\nhost:127.0.0.1:{port}\n\nhost\nUNSIGNED-PAYLOAD'
    text = f'AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}'
    signing = ('AWS4' + secret).encode()
    for word in scope.split('/'):
        signing = hmac.new(signing, word.encode(), hashlib.sha256).digest()
    return f'{path}?{query}&X-Amz-Signature={hmac.new(signing, text.encode(), hashlib.sha256).hexdigest()}'


def processor_time():
    fields = open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


heads = [f'{verb.upper()} {presigned(f"/data/{size}/{i:05}")} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n'
         f'Content-Length: {size if verb == "put" else 0}\r\n\r\n'.encode() for i in range(objects)]
body = os.urandom(min(size, 1 << 20))
done, failed, stop = [0] * connections, [], threading.Event()


def work(own):
    with socket.create_connection(('127.0.0.1', port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        taken = connection.makefile('rb', 1 << 16)
        i = own
        while not stop.is_set():
            if verb == 'put' and size <= 1 << 16:
                connection.sendall(heads[i % objects] + body[:size])
            else:
                connection.sendall(heads[i % objects])
                for at in range(0, size if verb == 'put' else 0, len(body)):
                    connection.sendall(body[:size - at])
            status, length = taken.readline(), 0
            while (line := taken.readline().strip()):
                if line.lower().startswith(b'content-length:'):
                    length = int(line[15:])
            while length > 0:
                length -= len(taken.read(min(length, 1 << 20)))
            if b' 200 ' not in status:
                failed.append(status)
                return
            done[own] += 1
            i += connections


threads = [threading.Thread(target=work, args=(i,)) for i in range(connections)]
before, start = processor_time(), time.monotonic()
for each in threads:
    each.start()
time.sleep(seconds)
stop.set()
for each in threads:
    each.join()
elapsed, spent = time.monotonic() - start, processor_time() - before
if failed:
    sys.exit(f'{verb} of {size} bytes failed: {failed[0].decode().strip()}')
print(f'{sum(done) / elapsed:.1f},{1e6 * spent / sum(done):.1f}')
