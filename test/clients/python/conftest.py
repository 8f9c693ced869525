"""The server under test, as its environment names it.

KUBECONFIG         an administrator
VIEWER_KUBECONFIG  the user `viewer`, without any right of its own
"""
import os
import time

import kubernetes.client
import kubernetes.config
import pytest

GROUP = "management.svc.example"


def eventually(what, ask, seconds=60):
    """Asks until the answer is true, and answers it. The bound only ends a broken test."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if answer := ask():
            return answer
        time.sleep(0.05)
    raise AssertionError(f"did not come: {what}")


def client_of(variable):
    return kubernetes.config.new_client_from_config(os.environ[variable], persist_config=False)


@pytest.fixture(scope="session")
def admin():
    return client_of("KUBECONFIG")


@pytest.fixture(scope="session")
def viewer():
    return client_of("VIEWER_KUBECONFIG")


@pytest.fixture
def core(admin):
    return kubernetes.client.CoreV1Api(admin)


@pytest.fixture
def namespace(core):
    """One of the test's own."""
    made = core.create_namespace({"metadata": {"generateName": "python-"}})
    yield made.metadata.name
    core.delete_namespace(made.metadata.name)


class Secrets:
    """SharedSecrets of a namespace, through CustomObjectsApi."""

    def __init__(self, client, namespace):
        self.api = kubernetes.client.CustomObjectsApi(client)
        self.where = {"group": GROUP, "version": "v1", "namespace": namespace, "plural": "sharedsecrets"}

    def create(self, name, **spec):
        body = {"apiVersion": f"{GROUP}/v1", "kind": "SharedSecret", "metadata": {"name": name}, "spec": spec}
        return self.api.create_namespaced_custom_object(**self.where, body=body)

    def patch(self, name, body, **more):
        return self.api.patch_namespaced_custom_object(**self.where, name=name, body=body, **more)

    def share(self, name):
        """With the user `viewer`."""
        return self.patch(name, {"spec": {"access": [{"verbs": ["get"], "users": ["viewer"]}]}},
                          _content_type="application/merge-patch+json")

    def list(self, **query):
        return self.api.list_namespaced_custom_object(**self.where, **query)

    def names(self, **query):
        return [item["metadata"]["name"] for item in self.list(**query)["items"]]


@pytest.fixture
def secrets(admin, namespace):
    return Secrets(admin, namespace)


@pytest.fixture
def seen(viewer, namespace):
    """The same SharedSecrets, as `viewer`."""
    return Secrets(viewer, namespace)
