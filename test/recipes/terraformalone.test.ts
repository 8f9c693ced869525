/** docs/recipes/terraform.md with a standalone server: what works there, and what does not. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../fixtures/clients/client.js';
import { describeTerraform, Terraform } from '../fixtures/recipes/terraform.js';
import { startServer, type ServerFixture } from '../fixtures/servers/server.js';

const MANAGEMENT = 'management.svc.example/v1';
const SECRET = '/api/v1/namespaces/clusters/secrets/north';
const VALUE = 'kubeconfig-of-north';
const NO_DEFINITIONS: unknown = expect.stringMatching(/no matches for kind\s+"CustomResourceDefinition"/);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What the table of the page names, and no file of it has. */
const MORE = `
resource "kubernetes_labels" "web" {
  api_version = "${MANAGEMENT}"
  kind        = "Project"
  metadata { name = "web" }
  labels = { cost = "web" }
}
resource "kubernetes_config_map_v1" "more" {
  metadata { name = "more" }
  data = { a = "b" }
}
resource "kubernetes_role_v1" "more" {
  metadata { name = "more" }
  rule {
    api_groups = [""]
    resources  = ["configmaps"]
    verbs      = ["get"]
  }
}
resource "kubernetes_role_binding_v1" "more" {
  metadata { name = "more" }
  role_ref {
    api_group = "rbac.authorization.k8s.io"
    kind      = "Role"
    name      = kubernetes_role_v1.more.metadata[0].name
  }
  subject {
    kind      = "ServiceAccount"
    name      = kubernetes_service_account_v1.more.metadata[0].name
    namespace = "default"
  }
}
resource "kubernetes_service_account_v1" "more" {
  metadata { name = "more" }
}
ephemeral "kubernetes_token_request_v1" "more" {
  metadata {
    name      = "caller"
    namespace = "default"
  }
  spec { expiration_seconds = 600 }
}
resource "terraform_data" "token" {
  provisioner "local-exec" {
    command     = "case \\"$TOKEN\\" in *.*.*) ;; *) exit 1 ;; esac"
    environment = { TOKEN = ephemeral.kubernetes_token_request_v1.more.token }
  }
}
`;

const alone = new Terraform('standalone.tf', { TF_VAR_north: VALUE });
const describeThis = describeTerraform();

(describeThis === describe && (await alone.initialized()) ? describe : describe.skip)(
  'a standalone server',
  () => {
    let server: ServerFixture;
    beforeAll(async () => {
      server = await startServer({ controllers: '*' });
      copyFileSync(server.kubeconfig, join(alone.folder, 'kubeconfig'));
      const caller = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'caller' } };
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      expect((await client(server).send('POST', accounts, caller)).status).toBe(201);
      const project = { kind: 'Project', apiVersion: MANAGEMENT, metadata: { name: 'web' }, spec: {} };
      expect((await client(server).send('POST', `/apis/${MANAGEMENT}/projects`, project)).status).toBe(201);
    });
    afterAll(async () => {
      await server?.remove();
      alone.remove();
    });

    const get = async (path: string): Promise<unknown> =>
      JSON.parse((await client(server).send('GET', path)).text);

    test('applies the page, whose write-only value is in no state', async () => {
      await alone.succeed('apply', '-auto-approve');
      expect(await get(SECRET)).toMatchObject({ data: { config: base64(VALUE) } });
      expect(alone.state()).not.toContain(VALUE);
      expect(await alone.plan()).toMatchObject({ code: 0, err: '' });
    });

    test('writes the value again with another revision', async () => {
      alone.setVariable('north', 'another');
      expect(await alone.plan()).toMatchObject({ code: 0 });
      alone.replace('standalone.tf', 'data_wo_revision = 1', 'data_wo_revision = 2');
      await alone.succeed('apply', '-auto-approve');
      expect(await get(SECRET)).toMatchObject({ data: { config: base64('another') } });
    });

    test('manages the other built-in kinds, labels ours, and has ephemeral tokens', async () => {
      alone.write('more.tf', MORE);
      await alone.succeed('apply', '-auto-approve');
      expect(await get(`/apis/${MANAGEMENT}/projects/web`)).toMatchObject({
        metadata: { labels: { cost: 'web' } },
      });
      await alone.succeed('destroy', '-auto-approve');
      expect(await get(SECRET)).toMatchObject({ code: 404 });
    });

    test('platform writes a value that is in no state', async () => {
      const value = new Terraform('value.tf', { TF_VAR_token: 't0ken-value', KUBECONFIG: server.kubeconfig });
      await value.succeed('init');
      await value.succeed('apply', '-auto-approve');
      expect(await get(`/apis/${MANAGEMENT}/namespaces/loft-p-web/projectsecrets/mail`)).toMatchObject({
        spec: { data: { token: base64('t0ken-value') } },
      });
      expect(value.state()).not.toContain('t0ken');
      value.remove();
    });

    test.each(['kubernetes_resource', 'kubernetes_resources'])('has no data %s of ours', async (type) => {
      const named = type === 'kubernetes_resource' ? 'metadata { name = "web" }' : '';
      const kind = `api_version = "${MANAGEMENT}"\n  kind = "Project"\n  ${named}`;
      alone.write('more.tf', `data "${type}" "web" {\n  ${kind}\n}\n`);
      expect(await alone.plan()).toMatchObject({ code: 1, err: NO_DEFINITIONS });
    });

    test('has no kubernetes_manifest', async () => {
      const manifests = new Terraform('main.tf', { TF_VAR_password: 's3cret' });
      copyFileSync(server.kubeconfig, join(manifests.folder, 'kubeconfig'));
      await manifests.succeed('init');
      expect(await manifests.plan()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/no matches for kind\s+"CustomResourceDefinition"/),
      });
      manifests.remove();
    });
  },
);
