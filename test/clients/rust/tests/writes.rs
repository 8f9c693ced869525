//! kube: pages, patches and applies, of typed and dynamic objects.
use std::collections::BTreeMap;

use anyhow::{Context, Result};
use clients::{Stage, refused};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::{
    Api, ResourceExt,
    api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
    discovery,
};
use serde_json::{Value, json};

fn names<K: kube::Resource>(objects: &[K]) -> Vec<String> {
    objects.iter().map(|found| found.name_any()).collect()
}

#[tokio::test]
async fn a_list_comes_in_pages_of_one_state() -> Result<()> {
    let stage = Stage::new().await?;
    for name in ["a", "b", "c", "d", "e"] {
        stage.create(name, json!({})).await?;
    }
    let pages = ListParams::default().limit(3);
    let first = stage.secrets.list(&pages).await?;
    assert_eq!(first.metadata.remaining_item_count, Some(2));
    stage.create("ab", json!({})).await?;
    let token = first.metadata.continue_.clone().context("a token")?;
    let rest = stage.secrets.list(&pages.continue_token(&token)).await?;
    assert_eq!([names(&first.items), names(&rest.items)].concat(), ["a", "b", "c", "d", "e"]);
    assert_eq!(first.metadata.resource_version, rest.metadata.resource_version);
    Ok(())
}

#[tokio::test]
async fn a_continue_token_expires_with_the_rights_that_it_was_given_for() -> Result<()> {
    let stage = Stage::new().await?;
    for name in ["a", "b", "c"] {
        stage.create(name, json!({})).await?;
    }
    stage.share("a").await?;
    stage.share("b").await?;
    let pages = ListParams::default().limit(1);
    let token = stage.seen.list(&pages).await?.metadata.continue_.context("a token")?;
    stage.share("c").await?;
    assert_eq!(refused(stage.seen.list(&pages.continue_token(&token)).await)?, 410);
    assert_eq!(names(&stage.seen.list(&ListParams::default()).await?.items), ["a", "b", "c"]);
    Ok(())
}

async fn patched(patch: Patch<Value>) -> Result<()> {
    let stage = Stage::new().await?;
    stage.create("one", json!({"data": {"key": "dmFsdWU="}})).await?;
    let found = stage.secrets.patch("one", &PatchParams::default(), &patch).await?;
    assert_eq!(found.spec.description.as_deref(), Some("new"));
    assert_eq!(found.spec.data, Some(BTreeMap::from([("key".into(), "dmFsdWU=".into())])));
    assert_eq!(found.metadata.generation, Some(2));
    Ok(())
}

#[tokio::test]
async fn a_json_patch_changes_what_it_names() -> Result<()> {
    let operations = json!([{"op": "add", "path": "/spec/description", "value": "new"}]);
    patched(Patch::Json(serde_json::from_value(operations)?)).await
}

#[tokio::test]
async fn a_merge_patch_changes_what_it_names() -> Result<()> {
    patched(Patch::Merge(json!({"spec": {"description": "new"}}))).await
}

#[tokio::test]
async fn a_strategic_merge_patch_changes_what_it_names() -> Result<()> {
    patched(Patch::Strategic(json!({"spec": {"description": "new"}}))).await
}

#[tokio::test]
async fn a_strategic_merge_patch_merges_a_list_by_its_key() -> Result<()> {
    let stage = Stage::new().await?;
    let accounts = Api::<ServiceAccount>::namespaced(stage.client.clone(), &stage.namespace);
    let robot = json!({"metadata": {"name": "robot"}, "secrets": [{"name": "one"}]});
    accounts
        .create(&PostParams::default(), &serde_json::from_value(robot)?)
        .await?;
    let patch = Patch::Strategic(json!({"secrets": [{"name": "two"}]}));
    let found = accounts.patch("robot", &PatchParams::default(), &patch).await?;
    let mut secrets: Vec<_> = found
        .secrets
        .unwrap_or_default()
        .into_iter()
        .filter_map(|one| one.name)
        .collect();
    secrets.sort();
    assert_eq!(secrets, ["one", "two"]);
    Ok(())
}

#[tokio::test]
async fn an_apply_conflicts_with_another_manager_until_it_is_forced() -> Result<()> {
    let stage = Stage::new().await?;
    let header = json!({"apiVersion": "management.svc.example/v1", "kind": "SharedSecret", "metadata": {"name": "one"}});
    let wanted = |spec: Value| {
        let mut object = header.clone();
        object["spec"] = spec;
        Patch::Apply(object)
    };
    let apply = async |params: PatchParams, spec: Value| stage.secrets.patch("one", &params, &wanted(spec)).await;
    let (first, second) = (PatchParams::apply("first"), PatchParams::apply("second"));
    apply(first.clone(), json!({"description": "first", "data": {"key": "dmFsdWU="}})).await?;
    assert_eq!(refused(apply(second.clone(), json!({"description": "second"})).await)?, 409);
    let forced = apply(second.force(), json!({"description": "second"})).await?;
    assert_eq!(
        (forced.spec.description.as_deref(), forced.spec.data.is_some()),
        (Some("second"), true)
    );
    let left = apply(first, json!({})).await?;
    assert_eq!((left.spec.description.as_deref(), left.spec.data), (Some("second"), None));
    Ok(())
}

#[tokio::test]
async fn an_update_of_an_old_version_conflicts() -> Result<()> {
    let stage = Stage::new().await?;
    let old = stage.create("one", json!({})).await?;
    let new = stage.merge("one", json!({"spec": {"description": "new"}})).await?;
    assert_eq!(
        refused(stage.secrets.replace("one", &PostParams::default(), &old).await)?,
        409
    );
    stage.secrets.replace("one", &PostParams::default(), &new).await?;
    assert_eq!(refused(stage.create("one", json!({})).await)?, 409);
    assert_eq!(refused(stage.create("two", json!({"data": {"no key!": ""}})).await)?, 422);
    assert_eq!(refused(stage.secrets.get("none").await)?, 404);
    Ok(())
}

#[tokio::test]
async fn discovery_leads_to_a_dynamic_client() -> Result<()> {
    let stage = Stage::new().await?;
    let kind = GroupVersionKind::gvk("management.svc.example", "v1", "SharedSecret");
    let (resource, capabilities): (ApiResource, _) = discovery::pinned_kind(&stage.client, &kind).await?;
    assert_eq!(
        (resource.plural.as_str(), capabilities.subresources.len()),
        ("sharedsecrets", 1)
    );
    let secrets = Api::<DynamicObject>::namespaced_with(stage.client.clone(), &stage.namespace, &resource);
    let wanted = DynamicObject::new("one", &resource).data(json!({"spec": {"description": "new"}}));
    let made = secrets.create(&PostParams::default(), &wanted).await?;
    assert_eq!(made.data["spec"]["description"], "new");
    assert_eq!(secrets.get_metadata("one").await?.metadata.uid, made.metadata.uid);
    secrets.delete("one", &Default::default()).await?;
    assert!(secrets.list(&ListParams::default()).await?.items.is_empty());
    Ok(())
}
