"""An operator on kopf: for each SharedSecret it keeps a ConfigMap with the names of its keys, and holds a finalizer."""
import kopf
import kubernetes.client
import kubernetes.config

RESOURCE = ("management.svc.example", "v1", "sharedsecrets")


@kopf.on.startup()
def configure(settings, **_):
    kubernetes.config.load_kube_config()
    settings.persistence.finalizer = "example.com/kopf"


@kopf.on.login()
def login(**which):
    return kopf.login_with_kubeconfig(**which)


@kopf.on.create(*RESOURCE)
def create(name, namespace, spec, body, **_):
    keys = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-keys"}, "data": {"keys": listed(spec)}}
    kopf.adopt(keys, owner=body)
    kubernetes.client.CoreV1Api().create_namespaced_config_map(namespace, keys)
    kopf.info(body, reason="Written", message="its keys are written down")


@kopf.on.update(*RESOURCE, field="spec.data")
def update(name, namespace, spec, **_):
    keys = {"data": {"keys": listed(spec)}}
    kubernetes.client.CoreV1Api().patch_namespaced_config_map(f"{name}-keys", namespace, keys)


@kopf.on.delete(*RESOURCE)
def delete(name, namespace, spec, **_):
    if spec.get("description") == "hold":
        raise kopf.TemporaryError("it is held", delay=1)
    farewell = {"metadata": {"name": f"{name}-farewell"}}
    kubernetes.client.CoreV1Api().create_namespaced_config_map(namespace, farewell)


def listed(spec):
    return ",".join(sorted(spec.get("data", {})))
