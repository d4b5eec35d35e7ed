"""As much of httpx as the Python sample takes, for a machine that has not got it."""

import json as encoding
import urllib.request


class Response:
    def __init__(self, text):
        self.text = text


def post(url, *, headers, json):
    body = encoding.dumps(json).encode()
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    with urllib.request.urlopen(request) as response:
        return Response(response.read().decode())
