"""kopf: an operator with finalizers, its records on the objects, its events, and its return after a 410."""
import os
import pathlib

import kopf
import kopf.testing
import pytest
from conftest import eventually
from kubernetes.client import ApiException

OPERATOR = str(pathlib.Path(__file__).with_name("operator_of_secrets.py"))
MERGE_PATCH = "application/merge-patch+json"
LAST_HANDLED = "kopf.zalando.org/last-handled-configuration"


def running(namespace, *files, **more):
    return kopf.testing.KopfRunner(["run", "--standalone", "--namespace", namespace, *files], timeout=60, **more)


@pytest.fixture
def operator(namespace):
    with running(namespace, OPERATOR) as runner:
        yield
    assert runner.exit_code == 0


def read(core, namespace, name):
    try:
        return core.read_namespaced_config_map(name, namespace)
    except ApiException as error:
        assert error.status == 404
        return None


def metadata(secrets, name):
    return next((found["metadata"] for found in secrets.list()["items"] if found["metadata"]["name"] == name), None)


def test_it_handles_create_and_update_and_notes_it_on_the_object(operator, core, namespace, secrets):
    secrets.create("one", data={"a": "MQ=="})
    written = eventually("the ConfigMap", lambda: read(core, namespace, "one-keys"))
    assert written.data == {"keys": "a"}
    eventually("its note", lambda: LAST_HANDLED in metadata(secrets, "one").get("annotations", {}))
    assert metadata(secrets, "one")["finalizers"] == ["example.com/kopf"]
    secrets.patch("one", {"spec": {"data": {"b": "Mg=="}}}, _content_type=MERGE_PATCH)
    eventually("the update", lambda: read(core, namespace, "one-keys").data == {"keys": "a,b"})
    [event] = eventually("its event", lambda: core.list_namespaced_event(namespace).items)
    assert (event.reason, event.involved_object.name, event.source.component) == ("Written", "one", "kopf")


def test_its_finalizer_holds_the_object_until_the_handler_is_done(operator, core, namespace, secrets):
    secrets.create("held", description="hold")
    eventually("the finalizer", lambda: metadata(secrets, "held").get("finalizers"))
    secrets.api.delete_namespaced_custom_object(**secrets.where, name="held")
    assert metadata(secrets, "held")["deletionTimestamp"]
    secrets.patch("held", {"spec": {"description": "go"}}, _content_type=MERGE_PATCH)
    eventually("the removal", lambda: metadata(secrets, "held") is None)
    assert read(core, namespace, "held-farewell") is not None


def test_it_takes_up_what_was_there_before(core, namespace, secrets):
    secrets.create("early", data={"k": "MQ=="})
    with running(namespace, OPERATOR):
        eventually("the ConfigMap", lambda: read(core, namespace, "early-keys"))


def test_its_watch_goes_on_after_rights_have_changed(namespace, secrets, monkeypatch):
    """As `viewer`, whose watch ends with 410 when a secret is shared; kopf lists again."""
    monkeypatch.setenv("KUBECONFIG", os.environ["VIEWER_KUBECONFIG"])
    for name in ("shown", "hidden"):
        secrets.create(name)
    secrets.share("shown")
    registry, settings, seen = kopf.OperatorRegistry(), kopf.OperatorSettings(), []
    settings.networking.error_backoffs = ()  # It asks for all namespaces first, which is forbidden.
    kopf.on.login(registry=registry)(lambda **which: kopf.login_with_kubeconfig(**which))

    @kopf.on.event("management.svc.example", "v1", "sharedsecrets", registry=registry)
    def note(name, type, **_):
        seen.append((type, name))

    with running(namespace, registry=registry, settings=settings):
        eventually("the state", lambda: (None, "shown") in seen)
        secrets.share("hidden")
        eventually("the list after the 410", lambda: (None, "hidden") in seen)
        secrets.create("later", access=[{"verbs": ["get"], "users": ["viewer"]}])
        eventually("the watch after it", lambda: ("ADDED", "later") in seen)
