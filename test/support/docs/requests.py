# Stands in for the library `requests` on machines that do not have it: what the examples of the reference use of it.
import json as json_text
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen


class Response:
    def __init__(self, status, body):
        self.status_code = status
        self.text = body.decode()

    def json(self):
        return json_text.loads(self.text)

    def raise_for_status(self):
        if self.status_code >= 400:
            raise RuntimeError(f"{self.status_code}: {self.text}")


def request(method, url, headers=None, params=None, json=None, timeout=None):
    address = url if params is None else f"{url}?{urlencode(params)}"
    sent = dict(headers or {})
    data = None
    if json is not None:
        data = json_text.dumps(json).encode()
        sent["Content-Type"] = "application/json"
    try:
        with urlopen(Request(address, data, sent, method=method.upper()), timeout=timeout) as answer:
            return Response(answer.status, answer.read())
    except HTTPError as error:
        return Response(error.code, error.read())


def __getattr__(method):
    if method not in ("get", "post", "put", "patch", "delete"):
        raise AttributeError(method)
    return lambda url, **options: request(method, url, **options)
