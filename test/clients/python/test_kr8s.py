"""kr8s: lists in pages, patches, waits and watches, of kinds that it finds by discovery."""
import os
import threading

import kr8s
import pytest
from kr8s.objects import ConfigMap, new_class

SharedSecret = new_class(kind="SharedSecret", version="management.svc.example/v1", plural="sharedsecrets", namespaced=True)


@pytest.fixture
def api():
    return kr8s.api(kubeconfig=os.environ["KUBECONFIG"])


@pytest.fixture
def make(api, namespace):
    def make(name, **spec):
        made = SharedSecret({"metadata": {"name": name, "namespace": namespace}, "spec": spec}, api=api)
        made.create()
        return made

    return make


def test_discovery_finds_the_kinds(api):
    assert api.lookup_kind("ss") == api.lookup_kind("sharedsecrets.management.svc.example")
    assert {"SharedSecret", "OwnedAccessKey", "ConfigMap"} <= {found["kind"] for found in api.api_resources()}
    assert "management.svc.example/v1" in list(api.api_versions())


def test_a_list_is_read_page_by_page(api, make, namespace):
    # kr8s asks for pages of 100.
    for index in range(105):
        make(f"s-{index:03}")
    assert [found.name for found in api.get("sharedsecrets", namespace=namespace)] == [f"s-{i:03}" for i in range(105)]


def test_an_object_is_created_patched_refreshed_and_deleted(api, make, namespace):
    secret = make("one", data={"key": "dmFsdWU="})
    secret.patch({"spec": {"description": "merged"}})
    secret.patch([{"op": "replace", "path": "/spec/description", "value": "replaced"}], type="json")
    secret.label(kept="yes")
    secret.annotate({"example.com/note": "n"})
    found = next(iter(api.get("ss", "one", namespace=namespace)))
    assert found.spec.to_dict() == {"description": "replaced", "data": {"key": "dmFsdWU="}} | {
        key: value for key, value in found.spec.items() if key == "owner"}
    assert (found.labels.kept, found.annotations["example.com/note"]) == ("yes", "n")
    secret.delete()
    secret.wait("delete", timeout=30)
    assert not secret.exists()


def test_an_owned_object_goes_with_its_owner(api, make, namespace):
    owner = make("owner")
    owned = ConfigMap({"metadata": {"name": "owned", "namespace": namespace}}, api=api)
    owned.create()
    owner.adopt(owned)
    owner.delete(propagation_policy="Foreground")
    owned.wait("delete", timeout=60)
    owner.wait("delete", timeout=60)


def test_a_watch_has_the_state_and_then_each_change(api, make, namespace):
    make("before")
    seen, begun = [], threading.Event()

    def follow():
        for change, found in api.watch("sharedsecrets", namespace=namespace):
            seen.append((change, found.name))
            begun.set()
            if change == "DELETED":
                return

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    assert begun.wait(30)
    secret = make("one")
    secret.patch({"spec": {"description": "new"}})
    secret.delete()
    follower.join(30)
    assert seen == [("ADDED", "before"), ("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]


def test_a_refusal_has_the_text_of_the_status(make):
    make("one")
    with pytest.raises(kr8s.ServerError, match='"one" already exists'):
        make("one")


def test_who_one_is(api):
    assert api.whoami() == "admin"
