//! kube: watches, reflectors through a 410, a controller with a finalizer, leader election.
use std::{pin::pin, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use clients::{SharedSecret, Stage, eventually, shared};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, ResourceExt,
    api::{PostParams, WatchEvent, WatchParams},
    runtime::{
        Controller, WatchStreamExt,
        controller::Action,
        finalizer::{Error as FinalizerError, Event, finalizer},
        reflector, watcher,
    },
};
use kube_leader_election::{LeaseLock, LeaseLockParams, LeaseLockResult};
use serde_json::json;

/// A watch until the server ends it: the type of each event, and the name or version of its object.
async fn watched(secrets: &Api<SharedSecret>, version: &str) -> Result<Vec<(&'static str, String)>> {
    let events = secrets.watch(&WatchParams::default().timeout(2), version).await?;
    let told = events.map_ok(|event| match event {
        WatchEvent::Added(found) => ("ADDED", found.name_any()),
        WatchEvent::Modified(found) => ("MODIFIED", found.name_any()),
        WatchEvent::Deleted(found) => ("DELETED", found.name_any()),
        WatchEvent::Bookmark(mark) => ("BOOKMARK", mark.metadata.resource_version),
        WatchEvent::Error(status) => ("ERROR", status.code.to_string()),
    });
    Ok(told.try_collect().await?)
}

async fn make_config_map(stage: &Stage, name: &str) -> kube::Result<ConfigMap> {
    let wanted = ConfigMap {
        metadata: kube::core::ObjectMeta {
            name: Some(name.into()),
            ..Default::default()
        },
        ..Default::default()
    };
    Api::namespaced(stage.client.clone(), &stage.namespace)
        .create(&PostParams::default(), &wanted)
        .await
}

#[tokio::test]
async fn a_watch_has_each_change_and_a_bookmark_at_its_end() -> Result<()> {
    let stage = Stage::new().await?;
    let begun = stage
        .create("before", json!({}))
        .await?
        .resource_version()
        .context("a version")?;
    stage.create("one", json!({})).await?;
    stage.share("one").await?;
    stage.secrets.delete("before", &Default::default()).await?;
    make_config_map(&stage, "besides").await?;
    let mut events = watched(&stage.secrets, &begun).await?;
    let (kind, marked) = events.pop().context("a bookmark")?;
    let wanted = [
        ("ADDED", "one".to_owned()),
        ("MODIFIED", "one".to_owned()),
        ("DELETED", "before".to_owned()),
    ];
    assert_eq!((events.as_slice(), kind), (wanted.as_slice(), "BOOKMARK"));
    stage.create("after", json!({})).await?;
    assert_eq!(watched(&stage.secrets, &marked).await?[0], ("ADDED", "after".to_owned()));
    Ok(())
}

#[tokio::test]
async fn a_watch_from_a_forgotten_version_is_410() -> Result<()> {
    let stage = Stage::new().await?;
    assert_eq!(watched(&stage.secrets, "1").await?, [("ERROR", "410".to_owned())]);
    Ok(())
}

/// A reflector of `viewer` through a 410, which ends its watch when a secret is shared.
async fn followed(config: watcher::Config) -> Result<()> {
    let stage = Stage::new().await?;
    for name in ["shown", "hidden"] {
        stage.create(name, json!({})).await?;
    }
    stage.share("shown").await?;
    let (store, writer) = reflector::store();
    let stream = watcher(stage.seen.clone(), config).default_backoff().reflect(writer);
    let following = tokio::spawn(async move {
        let mut stream = pin!(stream);
        while stream.next().await.is_some() {}
    });
    let holds = async |wanted: &[&str]| {
        let names = || {
            let mut names: Vec<_> = store.state().iter().map(|found| found.name_any()).collect();
            names.sort();
            names
        };
        eventually(&wanted.join(","), async || Ok(names() == wanted)).await
    };
    holds(&["shown"]).await?;
    stage.share("hidden").await?;
    holds(&["hidden", "shown"]).await?;
    stage.create("later", json!({"access": shared()})).await?;
    holds(&["hidden", "later", "shown"]).await?;
    stage.secrets.delete("shown", &Default::default()).await?;
    holds(&["hidden", "later"]).await?;
    following.abort();
    Ok(())
}

#[tokio::test]
async fn a_reflector_lists_again_after_the_410_that_ends_its_watch() -> Result<()> {
    followed(watcher::Config::default().page_size(1)).await
}

#[tokio::test]
async fn a_reflector_streams_again_after_the_410_that_ends_its_watch() -> Result<()> {
    followed(watcher::Config::default().streaming_lists()).await
}

const FINALIZER: &str = "example.com/kube-rs";

async fn reconcile(found: Arc<SharedSecret>, stage: Arc<Stage>) -> Result<Action, FinalizerError<kube::Error>> {
    finalizer(&stage.secrets, FINALIZER, found, async |event| match event {
        Event::Apply(_) => Ok(Action::await_change()),
        Event::Cleanup(found) => {
            make_config_map(&stage, &format!("{}-farewell", found.name_any())).await?;
            Ok(Action::await_change())
        }
    })
    .await
}

#[tokio::test]
async fn a_controller_holds_objects_with_a_finalizer_until_it_is_done() -> Result<()> {
    let stage = Arc::new(Stage::new().await?);
    let again =
        |_: Arc<SharedSecret>, _: &FinalizerError<kube::Error>, _: Arc<Stage>| Action::requeue(Duration::from_millis(100));
    let controller = Controller::new(stage.secrets.clone(), watcher::Config::default())
        .run(reconcile, again, stage.clone())
        .for_each(async |_| ());
    let running = tokio::spawn(controller);
    stage.create("one", json!({})).await?;
    let held = async || Ok(stage.secrets.get("one").await?.finalizers().contains(&FINALIZER.to_owned()));
    eventually("the finalizer", held).await?;
    stage.secrets.delete("one", &Default::default()).await?;
    eventually("the removal", async || Ok(stage.secrets.get_opt("one").await?.is_none())).await?;
    Api::<ConfigMap>::namespaced(stage.client.clone(), &stage.namespace)
        .get("one-farewell")
        .await?;
    running.abort();
    Ok(())
}

fn candidate(stage: &Stage, name: &str) -> LeaseLock {
    let params = LeaseLockParams {
        holder_id: name.into(),
        lease_name: "election".into(),
        lease_ttl: Duration::from_secs(10),
    };
    LeaseLock::new(stage.client.clone(), &stage.namespace, params)
}

async fn leads(candidate: &LeaseLock) -> Result<bool> {
    Ok(matches!(
        candidate.try_acquire_or_renew().await?,
        LeaseLockResult::Acquired(_)
    ))
}

#[tokio::test]
async fn one_of_two_candidates_leads_and_the_other_follows_when_it_is_gone() -> Result<()> {
    let stage = Stage::new().await?;
    let (first, second) = (candidate(&stage, "first"), candidate(&stage, "second"));
    assert!(leads(&first).await?);
    assert!(!leads(&second).await?);
    assert!(leads(&first).await?);
    eventually("the end of its lease", async || leads(&second).await).await?;
    assert!(!leads(&first).await?);
    // It leaves the lease for a second.
    second.step_down().await?;
    eventually("the lease that was given up", async || leads(&first).await).await?;
    Ok(())
}
