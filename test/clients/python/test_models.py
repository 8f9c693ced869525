"""Models that datamodel-code-generator makes of /openapi/v3: of each group, and SharedSecret's in use."""
import importlib
import json
import subprocess
import sys

import kubernetes.client
import pytest
from conftest import GROUP
from kubernetes.dynamic import DynamicClient
from pydantic import ValidationError

GROUPS = ["api/v1", "apis/authentication.k8s.io/v1", "apis/authorization.k8s.io/v1", "apis/coordination.k8s.io/v1",
          "apis/events.k8s.io/v1", f"apis/{GROUP}/v1", "apis/rbac.authorization.k8s.io/v1"]


def get(admin, path):
    return json.loads(DynamicClient(admin).request("get", path, serialize=False).data)


@pytest.fixture(scope="session")
def modules(admin, tmp_path_factory):
    """The folders of the generated modules by the path of their document, made when they are asked for."""
    made = {}

    def module(path):
        if path not in made:
            made[path] = generate(get(admin, f"/openapi/v3/{path}"), tmp_path_factory.mktemp("models"),
                                  f"models{len(made)}")
        return made[path]

    return module


def generate(document, folder, name):
    source = folder / "openapi.json"
    source.write_text(json.dumps(document))
    subprocess.run([sys.executable, "-m", "datamodel_code_generator", "--input", source, "--input-file-type", "openapi",
                    "--output", folder / name, "--output-model-type", "pydantic_v2.BaseModel", "--extra-fields", "forbid",
                    "--formatters", "builtin"], check=True)
    sys.path.insert(0, str(folder))
    return folder / name


@pytest.fixture
def management(modules):
    return importlib.import_module(modules(f"apis/{GROUP}/v1").name + ".example.svc.management.v1")


def test_every_group_has_a_document(admin):
    served = {path for path in get(admin, "/openapi/v3")["paths"] if "/v" in path}
    assert served == set(GROUPS)


@pytest.mark.parametrize("path", GROUPS)
def test_the_models_of_a_group_load(modules, path):
    folder = modules(path)
    files = [file for file in folder.rglob("*.py") if file.name != "__init__.py"]
    for file in files:
        importlib.import_module(".".join(file.relative_to(folder.parent).with_suffix("").parts))
    assert files


def plain(found):
    """Without managedFields, whose FieldsV1 no schema describes."""
    for item in found.get("items", [found]):
        item["metadata"].pop("managedFields", None)
    return found


def test_an_object_is_written_and_read_by_its_model(management, secrets):
    spec = {"displayName": "One", "data": {"key": "dmFsdWU="}, "access": [{"verbs": ["get"], "users": ["viewer"]}]}
    wanted = management.SharedSecret.model_validate({"apiVersion": f"{GROUP}/v1", "kind": "SharedSecret",
                                                     "metadata": {"name": "one"}, "spec": spec})
    sent = wanted.model_dump(mode="json", exclude_unset=True)
    made = plain(secrets.api.create_namespaced_custom_object(**secrets.where, body=sent))
    read = management.SharedSecret.model_validate(made)
    assert read.model_dump(mode="json", exclude_unset=True) == made
    assert made["spec"]["access"] == spec["access"]


def test_lists_of_every_kind_are_as_their_models_say(management, admin, secrets):
    secrets.create("one", data={"key": "dmFsdWU="})
    custom = kubernetes.client.CustomObjectsApi(admin)
    found = get(admin, f"/apis/{GROUP}/v1")["resources"]
    kinds = [(one["name"], one["kind"]) for one in found if "list" in one["verbs"]]
    for plural, kind in kinds:
        listed = plain(custom.list_cluster_custom_object(GROUP, "v1", plural))
        getattr(management, f"{kind}List").model_validate(listed)
    assert len(kinds) > 8


def test_a_model_refuses_what_the_schema_does_not_allow(management):
    with pytest.raises(ValidationError, match="dispalyName"):
        management.SharedSecret.model_validate({"spec": {"dispalyName": "x"}})
    with pytest.raises(ValidationError, match="at most 1024"):
        management.SharedSecret.model_validate({"spec": {"displayName": "x" * 1025}})
