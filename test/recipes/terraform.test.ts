/** docs/recipes/terraform.md behind a cluster: what the page writes is applied, kept and destroyed by OpenTofu or Terraform. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startAggregated, type AggregatedHost } from '../fixtures/host/aggregatedhost.js';
import { ours } from '../fixtures/host/backends.js';
import { usualType } from '../fixtures/clients/client.js';
import { NEWEST_HOST } from '../fixtures/host/hostcluster.js';
import { describeTerraform, Terraform } from '../fixtures/recipes/terraform.js';
import { eventually } from '../fixtures/wait.js';

const APIS = '/apis/management.svc.example/v1';
const PROJECT = `${APIS}/projects/web`;
const SECRET = `${APIS}/namespaces/loft-p-web/projectsecrets/database`;

/** What the table of the page names, and no file of it has. */
const MORE = `
data "kubernetes_resource" "web" {
  depends_on  = [kubernetes_manifest.web]
  api_version = "management.svc.example/v1"
  kind        = "Project"
  metadata { name = "web" }
}
data "kubernetes_resources" "users" {
  depends_on  = [kubernetes_manifest.anna]
  api_version = "management.svc.example/v1"
  kind        = "User"
}
output "users" { value = data.kubernetes_resources.users.objects[*].metadata.name }
output "shown" { value = data.kubernetes_resource.web.object.spec.displayName }
resource "kubernetes_labels" "web" {
  depends_on  = [kubernetes_manifest.web]
  api_version = "management.svc.example/v1"
  kind        = "Project"
  metadata { name = "web" }
  labels = { cost = "web" }
}
`;

const terraform = new Terraform('main.tf', { TF_VAR_password: 's3cret' });
const describeThis = describeTerraform(NEWEST_HOST.apiserver);

(describeThis === describe && (await terraform.initialized()) ? describe : describe.skip)(
  'kubernetes_manifest',
  () => {
    let behind: AggregatedHost;
    beforeAll(async () => {
      behind = await startAggregated(NEWEST_HOST, ours());
      copyFileSync(behind.host.kubeconfig, join(terraform.folder, 'kubeconfig'));
      // The host fetches the documents of a new APIService in its own time.
      await eventually('the kinds in the OpenAPI document of the host', async () =>
        (await behind.host.api.send('GET', '/openapi/v2')).text.includes('ProjectSecret'),
      );
    });
    afterAll(async () => {
      await behind?.stop();
      terraform.remove();
    });

    const get = async (path: string): Promise<unknown> => {
      const { status, text } = await behind.host.api.send('GET', path);
      return status === 200 ? JSON.parse(text) : status;
    };

    test('applies the page, and finds nothing to do then', async () => {
      await terraform.succeed('apply', '-auto-approve');
      expect(await get(PROJECT)).toMatchObject({
        spec: { displayName: 'The website', members: [{ name: 'anna' }], quotas: { instances: 5 } },
      });
      expect(await get(SECRET)).toMatchObject({ spec: { data: { password: 'czNjcmV0' } } });
      expect(await terraform.plan()).toMatchObject({ code: 0, err: '' });
    });

    test('shows the changes of others, and reverts them', async () => {
      const mine = { spec: { displayName: 'Mine' } };
      const type = { 'content-type': usualType('PATCH') };
      expect((await behind.host.api.send('PATCH', PROJECT, mine, type)).status).toBe(200);
      expect(await terraform.plan()).toMatchObject({
        code: 2,
        out: expect.stringContaining('"Mine" -> "The website"'),
      });
      await terraform.succeed('apply', '-auto-approve');
      expect(await get(PROJECT)).toMatchObject({ spec: { displayName: 'The website' } });
    });

    test('makes again what others have deleted', async () => {
      expect((await behind.host.api.send('DELETE', SECRET)).status).toBe(200);
      expect(await terraform.plan()).toMatchObject({ code: 2 });
      await terraform.succeed('apply', '-auto-approve');
      expect(await get(SECRET)).toMatchObject({ metadata: { name: 'database' } });
    });

    test('reads a project, and labels it', async () => {
      terraform.write('more.tf', MORE);
      await terraform.succeed('apply', '-auto-approve');
      expect(JSON.parse(terraform.state())).toMatchObject({
        outputs: { shown: { value: 'The website' }, users: { value: ['anna'] } },
      });
      expect(await get(PROJECT)).toMatchObject({ metadata: { labels: { cost: 'web' } } });
    });

    test('has the data of secrets in the state', () => {
      expect(terraform.state()).toContain('czNjcmV0');
    });

    test('a value that platform writes is in no state', async () => {
      const value = new Terraform('value.tf', {
        TF_VAR_token: 't0ken-value',
        KUBECONFIG: behind.host.kubeconfig,
      });
      await value.succeed('init');
      await value.succeed('apply', '-auto-approve');
      expect(await get(SECRET.replace('database', 'mail'))).toMatchObject({
        spec: { data: { token: Buffer.from('t0ken-value').toString('base64') } },
      });
      expect(value.state()).not.toContain('t0ken');
      value.remove();
    });

    test('destroys all of it, the project with its namespace', async () => {
      await terraform.succeed('destroy', '-auto-approve');
      for (const path of [PROJECT, `${APIS}/users/anna`, '/api/v1/namespaces/loft-p-web'])
        expect([path, await get(path)]).toEqual([path, 404]);
    });
  },
);
