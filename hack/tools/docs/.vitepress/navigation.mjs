// The sidebar of the site: every page is in it once.
const page = (text, link) => ({ text, link: `/${link}` });
const group = (text, items, collapsed = false) => ({ text, items, collapsed });

export const sidebar = [
  page('What and why', 'index.md'),
  page('Quickstart', 'quickstart.md'),
  group('Tutorials', [
    page('Invite a colleague', 'tutorials/invite-a-colleague.md'),
    page('Share a secret', 'tutorials/share-a-secret.md'),
    page('A key for a pipeline', 'tutorials/pipeline-key.md'),
    page('A project for a team', 'tutorials/project-for-a-team.md'),
    page('Behind your cluster', 'tutorials/behind-your-cluster.md'),
    page('Every endpoint by curl', 'walkthrough.md'),
  ]),
  group('How-to', [
    page('Install in a cluster', 'installation.md'),
    page('Connect clusters', 'clusters.md'),
    page('Run the agent', 'agent.md'),
    page('Bring secrets into clusters', 'secrets-in-clusters.md'),
    page('Tokens and login', 'tokens-and-login.md'),
    page('Run several servers', 'replicas.md'),
    page('Monitor', 'monitoring.md'),
    page('Troubleshoot', 'troubleshooting.md'),
    page('Upgrade', 'upgrade.md'),
    page('Rotate keys', 'rotate.md'),
    page('Back up and restore', 'backup.md'),
    page('Recover etcd', 'restore.md'),
  ]),
  group('Recipes', [
    page('Terraform and OpenTofu', 'recipes/terraform.md'),
    page('Flux', 'recipes/flux.md'),
    page('Prometheus', 'recipes/prometheus.md'),
    page('External Secrets Operator', 'recipes/external-secrets.md'),
    page('cert-manager', 'recipes/cert-manager.md'),
  ]),
  group('Concepts', [
    page('Kinds', 'kinds.md'),
    page('Sharing', 'concepts/sharing.md'),
    page('Scopes', 'concepts/scopes.md'),
    page('Ownership and deletion', 'concepts/ownership.md'),
    page('Consistency', 'concepts/consistency.md'),
    page('Security', 'security.md'),
    page('Encryption at rest', 'encryption.md'),
    page('Console', 'console.md'),
    page('Coming from Loft', 'from-loft.md'),
    page('Glossary', 'glossary.md'),
  ]),
  group('Reference', [
    page('Configuration by topic', 'configuration.md'),
    page('Flags of the server', 'reference/server-flags.md'),
    page('Configuration files', 'reference/configuration-files.md'),
    page('Commands of the server', 'reference/server-commands.md'),
    page('Flags of the agent', 'reference/agent-flags.md'),
    page('Command line client', 'platform.md'),
    page('Commands of platform', 'reference/commands.md'),
    page('API fields', 'reference/api.md'),
    page('Errors', 'reference/errors.md'),
    page('Metrics', 'reference/metrics.md'),
    page('Service levels', 'service-levels.md'),
    page('Compatibility and limits', 'limits.md'),
    page('Releases', 'releases.md'),
    page('Changelog', 'changelog.md'),
  ]),
  group(
    'Contributing',
    [
      page('Rules and checks', 'contributing/index.md'),
      page('Architecture', 'contributing/architecture.md'),
      page('Report a vulnerability', 'contributing/reporting.md'),
      page('Add a kind', 'how-to-add-a-kind.md'),
      page('Add a controller', 'how-to-add-a-controller.md'),
      page('Add an admission plugin', 'how-to-add-an-admission-plugin.md'),
      page('Add a storage engine', 'how-to-add-a-storage-engine.md'),
      page('Build the console', 'contributing/console.md'),
      page('Measurements', 'contributing/measurements.md'),
      page('Latency', 'contributing/latency.md'),
      page('Robustness', 'contributing/robustness.md'),
      page('HTTP by its standards', 'contributing/http.md'),
      page('Tests in real clusters', 'contributing/real-clusters.md'),
      page('Trials of the docs', 'contributing/docs-trials.md'),
    ],
    true,
  ),
];

/** The pages that the sidebar names, such as `quickstart.md`. */
export const listedPages = (items = sidebar) =>
  items.flatMap((item) => (item.items ? listedPages(item.items) : [item.link.slice(1)]));
