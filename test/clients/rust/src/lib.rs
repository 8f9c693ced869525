//! The server under test, as the environment names it, and what its suites share.
use std::{fmt::Debug, future::Future, time::Duration};

use anyhow::{Context, Result, anyhow};
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client, Config, CustomResource,
    api::{Patch, PatchParams, PostParams},
    config::{KubeConfigOptions, Kubeconfig},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// As much of a SharedSecret as the suites use.
#[derive(CustomResource, Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[kube(group = "management.svc.example", version = "v1", kind = "SharedSecret", namespaced)]
#[serde(rename_all = "camelCase")]
pub struct SharedSecretSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<std::collections::BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Vec<Value>>,
}

/// Names the kubeconfig of an administrator.
pub const ADMIN: &str = "KUBECONFIG";
/// Names the kubeconfig of a user without rights of their own.
pub const VIEWER: &str = "VIEWER_KUBECONFIG";

pub async fn client(variable: &str) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(std::env::var(variable).context(variable.to_owned())?)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

/// The SharedSecrets of a new namespace, as both users see them.
pub struct Stage {
    pub client: Client,
    pub namespace: String,
    pub secrets: Api<SharedSecret>,
    pub seen: Api<SharedSecret>,
}

impl Stage {
    pub async fn new() -> Result<Self> {
        let client = client(ADMIN).await?;
        let wanted: Namespace = serde_json::from_value(json!({"metadata": {"generateName": "rust-"}}))?;
        let made = Api::<Namespace>::all(client.clone())
            .create(&PostParams::default(), &wanted)
            .await?;
        let namespace = made.metadata.name.context("a name")?;
        let secrets = Api::namespaced(client.clone(), &namespace);
        let seen = Api::namespaced(self::client(VIEWER).await?, &namespace);
        Ok(Self {
            client,
            namespace,
            secrets,
            seen,
        })
    }

    pub async fn create(&self, name: &str, spec: Value) -> kube::Result<SharedSecret> {
        let spec = serde_json::from_value(spec).map_err(kube::Error::SerdeError)?;
        self.secrets
            .create(&PostParams::default(), &SharedSecret::new(name, spec))
            .await
    }

    pub async fn merge(&self, name: &str, patch: Value) -> kube::Result<SharedSecret> {
        self.secrets.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await
    }

    /// Lets the user `viewer` get it.
    pub async fn share(&self, name: &str) -> kube::Result<SharedSecret> {
        self.merge(name, json!({"spec": {"access": shared()}})).await
    }
}

pub fn shared() -> Value {
    json!([{"verbs": ["get"], "users": ["viewer"]}])
}

/// The code of the Status that the server refused with.
pub fn refused<T: Debug>(answer: kube::Result<T>) -> Result<u16> {
    match answer {
        Err(kube::Error::Api(status)) => Ok(status.code),
        other => Err(anyhow!("not refused: {other:?}")),
    }
}

/// Asks until the answer is true. The bound only ends a broken test.
pub async fn eventually<F: Future<Output = Result<bool>>>(what: &str, mut ask: impl FnMut() -> F) -> Result<()> {
    let asking = async {
        while !ask().await? {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    };
    tokio::time::timeout(Duration::from_secs(60), asking)
        .await
        .with_context(|| format!("did not come: {what}"))?
}
