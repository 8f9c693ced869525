"""The official client: watches, its informer, its leader election."""
import datetime
import threading

import kubernetes.client
import pytest
from conftest import eventually
from kubernetes.client import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.informer import SharedInformer
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
from kubernetes.watch import Watch


def test_a_watch_has_each_change_after_its_version_in_order(secrets):
    version = secrets.create("before")["metadata"]["resourceVersion"]
    secrets.create("one")
    secrets.share("one")
    secrets.api.delete_namespaced_custom_object(**secrets.where, name="one")
    watch, changes = Watch(), []
    for event in watch.stream(secrets.api.list_namespaced_custom_object, **secrets.where, resource_version=version,
                              timeout_seconds=30):
        changes.append((event["type"], event["object"]["metadata"]["name"]))
        if event["type"] == "DELETED":
            watch.stop()
    assert changes == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]


def test_a_watch_ends_at_its_time_with_a_bookmark_to_resume_from(secrets, core, namespace):
    begun = secrets.list()["metadata"]["resourceVersion"]
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "other"}})
    watch = Watch()
    events = list(watch.stream(secrets.api.list_namespaced_custom_object, **secrets.where, resource_version=begun,
                               allow_watch_bookmarks=True, timeout_seconds=2))
    assert [event["type"] for event in events] == ["BOOKMARK"]
    marked = events[0]["raw_object"]["metadata"]["resourceVersion"]
    assert int(marked) > int(begun)
    secrets.create("after")
    resumed = watch.stream(secrets.api.list_namespaced_custom_object, **secrets.where, resource_version=marked,
                           timeout_seconds=30)
    assert next(resumed)["object"]["metadata"]["name"] == "after"
    resumed.close()


def test_a_watch_streams_the_state_and_marks_its_end(secrets):
    secrets.create("one")
    secrets.create("two")
    kind = DynamicClient(secrets.api.api_client).resources.get(
        api_version="management.svc.example/v1", kind="SharedSecret")
    streamed = kind.watch(namespace=secrets.where["namespace"], timeout=30, allow_watch_bookmarks=True,
                          send_initial_events=True, resource_version_match="NotOlderThan")
    first = [next(streamed) for _ in range(3)]
    assert [event["type"] for event in first] == ["ADDED", "ADDED", "BOOKMARK"]
    assert first[2]["raw_object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_a_watch_from_a_forgotten_version_is_410(core, namespace):
    with pytest.raises(ApiException) as raised:
        list(Watch().stream(core.list_namespaced_config_map, namespace, resource_version="1", timeout_seconds=30))
    assert raised.value.status == 410


def test_a_watch_ends_with_410_when_rights_change_and_goes_on_after_a_list(secrets, seen):
    """The loop that a client writes: list, watch, and list again at each 410."""
    for name in ("shown", "hidden"):
        secrets.create(name)
    secrets.share("shown")
    lists, changes, listed, added = [], [], threading.Event(), threading.Event()

    def follow():
        while not added.is_set():
            state = seen.list()
            lists.append([item["metadata"]["name"] for item in state["items"]])
            listed.set()
            try:
                for event in Watch().stream(seen.api.list_namespaced_custom_object, **seen.where,
                                            resource_version=state["metadata"]["resourceVersion"]):
                    changes.append((event["type"], event["object"]["metadata"]["name"]))
                    if changes[-1] == ("ADDED", "later"):
                        return added.set()
            except ApiException as error:
                assert error.status == 410

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    assert listed.wait(60)
    secrets.share("hidden")
    eventually("a list after the 410", lambda: lists[-1] == ["hidden", "shown"])
    secrets.create("later", access=[{"verbs": ["get"], "users": ["viewer"]}])
    follower.join(60)
    assert added.is_set()
    assert lists == [["shown"], ["hidden", "shown"]]


def test_an_informer_follows_creates_updates_and_deletes(core, namespace):
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "before"}})
    informer = SharedInformer(core.list_namespaced_config_map, namespace=namespace)
    seen = []
    for change in ("ADDED", "MODIFIED", "DELETED"):
        informer.add_event_handler(change, lambda found, change=change: seen.append((change, found.metadata.name)))
    informer.start()
    eventually("the state", lambda: ("ADDED", "before") in seen)
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "one"}})
    core.patch_namespaced_config_map("one", namespace, {"data": {"a": "1"}},
                                     _content_type="application/merge-patch+json")
    core.delete_namespaced_config_map("before", namespace)
    eventually("the changes", lambda: ("DELETED", "before") in seen)
    informer.stop()
    ours = [change for change in seen if change[1] in ("before", "one")]
    assert ours == [("ADDED", "before"), ("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "before")]
    assert informer.cache.get_by_key(f"{namespace}/one").data == {"a": "1"}
    assert informer.cache.get_by_key(f"{namespace}/before") is None


def test_one_of_two_candidates_leads_and_the_other_follows_when_it_is_gone(admin, namespace):
    kubernetes.client.Configuration.set_default(admin.configuration)
    leading = {name: threading.Event() for name in ("first", "second")}
    ended = threading.Event()

    def begin(name):
        def lead():
            leading[name].set()
            ended.wait(60)
            raise RuntimeError("gives up")  # The way to stop leading that this client has.

        lock = LeaseLock("election", namespace, name)
        config = electionconfig.Config(lock, lease_duration=10, renew_deadline=8, retry_period=1, onstarted_leading=lead,
                                       onstopped_leading=lambda: None)
        threading.Thread(target=leaderelection.LeaderElection(config).run, daemon=True).start()

    begin("first")
    assert leading["first"].wait(30)
    begin("second")
    lease = kubernetes.client.CoordinationV1Api(admin).read_namespaced_lease
    renewed = lease("election", namespace).spec.renew_time
    eventually("a renewal", lambda: lease("election", namespace).spec.renew_time > renewed)
    assert lease("election", namespace).spec.holder_identity == "first"
    assert not leading["second"].is_set()
    ended.set()
    assert leading["second"].wait(60)
    spec = lease("election", namespace).spec
    assert spec.holder_identity == "second"
    assert datetime.datetime.now(datetime.timezone.utc) - spec.renew_time < datetime.timedelta(minutes=1)
