"""The official client: reads, patches, applies."""
import json

import pytest
from kubernetes.client import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ConflictError

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


def config_map(core, namespace, name="map", **data):
    return core.create_namespaced_config_map(namespace, {"metadata": {"name": name}, "data": data})


def test_a_list_comes_in_pages_of_one_state(secrets):
    for index in range(7):
        secrets.create(f"s-{index}")
    page = secrets.list(limit=3)
    assert page["metadata"]["remainingItemCount"] == 4
    secrets.create("s-late")
    names, versions = [], set()
    while True:
        names += [item["metadata"]["name"] for item in page["items"]]
        versions.add(page["metadata"]["resourceVersion"])
        if not page["metadata"].get("continue"):
            break
        page = secrets.list(limit=3, _continue=page["metadata"]["continue"])
    assert names == [f"s-{index}" for index in range(7)]
    assert len(versions) == 1


def test_a_typed_list_comes_in_pages(core, namespace):
    for index in range(5):
        core.create_namespaced_config_map(namespace, {"metadata": {"name": f"m-{index}", "labels": {"made": "here"}}})
    selected = {"label_selector": "made=here", "field_selector": "metadata.name!=m-0"}
    first = core.list_namespaced_config_map(namespace, limit=3, **selected)
    rest = core.list_namespaced_config_map(namespace, _continue=first.metadata._continue, **selected)
    assert [item.metadata.name for item in first.items] == ["m-1", "m-2", "m-3"]
    assert [item.metadata.name for item in rest.items] == ["m-4"]


def test_a_continue_token_expires_with_the_rights_that_it_was_given_for(secrets, seen):
    for name in ("a", "b", "c"):
        secrets.create(name)
    secrets.share("a")
    secrets.share("b")
    token = seen.list(limit=1)["metadata"]["continue"]
    secrets.share("c")
    with pytest.raises(ApiException) as raised:
        seen.list(limit=1, _continue=token)
    assert raised.value.status == 410
    assert seen.names() == ["a", "b", "c"]


def test_an_update_of_an_old_version_conflicts(core, namespace):
    read = config_map(core, namespace, a="1")
    core.patch_namespaced_config_map("map", namespace, {"data": {"a": "2"}}, _content_type=MERGE_PATCH)
    read.data["a"] = "3"
    with pytest.raises(ApiException) as raised:
        core.replace_namespaced_config_map("map", namespace, read)
    assert (raised.value.status, raised.value.reason) == (409, "Conflict")
    read.metadata.resource_version = core.read_namespaced_config_map("map", namespace).metadata.resource_version
    assert core.replace_namespaced_config_map("map", namespace, read).data == {"a": "3"}


def test_a_json_patch_tests_replaces_and_removes(core, namespace):
    config_map(core, namespace, a="1", b="2")
    patch = [{"op": "test", "path": "/data/a", "value": "1"}, {"op": "replace", "path": "/data/a", "value": "3"},
             {"op": "remove", "path": "/data/b"}]
    patched = core.patch_namespaced_config_map("map", namespace, patch, _content_type=JSON_PATCH)
    assert patched.data == {"a": "3"}
    with pytest.raises(ApiException) as raised:
        core.patch_namespaced_config_map("map", namespace, patch, _content_type=JSON_PATCH)
    assert raised.value.status == 422


def test_a_merge_patch_removes_what_is_null(core, namespace):
    config_map(core, namespace, a="1", b="2")
    patched = core.patch_namespaced_config_map("map", namespace, {"data": {"a": None, "c": "3"}}, _content_type=MERGE_PATCH)
    assert patched.data == {"b": "2", "c": "3"}


def test_a_strategic_merge_patch_merges_a_list_by_its_key(core, namespace):
    account = {"metadata": {"name": "robot"}, "secrets": [{"name": "one"}]}
    core.create_namespaced_service_account(namespace, account)
    patched = core.patch_namespaced_service_account("robot", namespace, {"secrets": [{"name": "two"}]},
                                                    _content_type=STRATEGIC_PATCH)
    assert sorted(secret.name for secret in patched.secrets) == ["one", "two"]
    replaced = core.patch_namespaced_service_account("robot", namespace, {"secrets": [{"name": "three"}]},
                                                     _content_type=MERGE_PATCH)
    assert [secret.name for secret in replaced.secrets] == ["three"]


@pytest.mark.parametrize(("content_type", "patch"), [
    (JSON_PATCH, [{"op": "add", "path": "/spec/description", "value": "new"}]),
    (MERGE_PATCH, {"spec": {"description": "new"}}),
    (STRATEGIC_PATCH, {"spec": {"description": "new"}}),
])
def test_a_patch_of_a_shared_secret(secrets, content_type, patch):
    secrets.create("one", data={"key": "dmFsdWU="})
    patched = secrets.patch("one", patch, _content_type=content_type)
    assert patched["spec"]["description"] == "new"
    assert patched["spec"]["data"] == {"key": "dmFsdWU="}
    assert patched["metadata"]["generation"] == 2


def test_an_apply_conflicts_with_another_manager_until_it_is_forced(core, namespace):
    def apply(manager, force=None, **data):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "map"}, "data": data}
        return core.patch_namespaced_config_map("map", namespace, body, field_manager=manager, force=force,
                                                _content_type=APPLY_PATCH)

    assert apply("first", a="1", b="1").data == {"a": "1", "b": "1"}
    with pytest.raises(ApiException) as raised:
        apply("second", a="2")
    assert raised.value.status == 409
    assert json.loads(raised.value.body)["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "first"', "field": ".data.a"}]
    assert apply("second", force=True, a="2").data == {"a": "2", "b": "1"}
    assert apply("first", b="1").data == {"a": "2", "b": "1"}
    left = apply("first")
    assert left.data == {"a": "2"}
    assert {entry.manager for entry in left.metadata.managed_fields if entry.operation == "Apply"} >= {"second"}


def test_the_dynamic_client_finds_kinds_and_applies(admin, namespace):
    kind = DynamicClient(admin).resources.get(api_version="management.svc.example/v1", kind="SharedSecret")
    assert kind.short_names == ["ss"]
    body = {"apiVersion": "management.svc.example/v1", "kind": "SharedSecret", "metadata": {"name": "one"},
            "spec": {"displayName": "One", "data": {"key": "dmFsdWU="}}}
    made = kind.server_side_apply(body=body, namespace=namespace, field_manager="first")
    assert made.spec.displayName == "One"
    body["spec"] = {"displayName": "Other"}
    with pytest.raises(ConflictError):
        kind.server_side_apply(body=body, namespace=namespace, field_manager="second")
    forced = kind.server_side_apply(body=body, namespace=namespace, field_manager="second", force_conflicts=True)
    assert (forced.spec.displayName, forced.spec.data.to_dict()) == ("Other", {"key": "dmFsdWU="})
    assert kind.get(namespace=namespace, name="one").metadata.uid == made.metadata.uid
    kind.delete(namespace=namespace, name="one")
    assert kind.get(namespace=namespace).items == []


@pytest.mark.parametrize(("status", "name", "spec"), [
    (409, "one", {}),
    (422, "two", {"data": {"no key!": "dmFsdWU="}}),
    (422, "Not_a_name", {}),
])
def test_a_refusal_is_a_status_that_says_why(secrets, status, name, spec):
    secrets.create("one")
    with pytest.raises(ApiException) as raised:
        secrets.create(name, **spec)
    assert raised.value.status == status
    told = json.loads(raised.value.body)
    assert (told["kind"], told["code"], told["details"]["name"]) == ("Status", status, name)


def test_without_rights_everything_is_forbidden(secrets, seen):
    secrets.create("one")
    with pytest.raises(ApiException) as raised:
        seen.list()
    assert raised.value.status == 403
