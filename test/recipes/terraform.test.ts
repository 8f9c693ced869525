/** docs/recipes/terraform.md: what the page writes is applied, kept and destroyed by OpenTofu or Terraform. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AggregatedHost, startAggregated } from '../fixtures/host/aggregatedhost.js';
import { ours } from '../fixtures/host/backends.js';
import { usualType } from '../fixtures/clients/client.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { NEWEST_HOST } from '../fixtures/host/hostcluster.js';
import { describeWith, execute, type Outcome } from '../fixtures/program.js';
import { recipe, writeFiles } from '../fixtures/docs/recipes.js';
import { eventually } from '../fixtures/wait.js';

const APIS = '/apis/management.svc.example/v1';
const PROJECT = `${APIS}/projects/web`;
const SECRET = `${APIS}/namespaces/loft-p-web/projectsecrets/database`;

const program = findProgram('tofu') ?? findProgram('terraform') ?? 'tofu';
const folder = mkdtempSync(join(tmpdir(), 'terraform-'));
const tofu = (...args: readonly string[]): Outcome =>
  execute(program, [`-chdir=${folder}`, ...args, '-input=false', '-no-color'], {
    env: { TF_IN_AUTOMATION: '1', TF_VAR_password: 's3cret' },
  });

/** Whether the provider can be had: from its registry, or as TF_CLI_CONFIG_FILE says. */
function initialized(): boolean {
  writeFiles(recipe('terraform'), folder, { 'main.tf': {} });
  const { code, out, err } = tofu('init');
  if (code === 0) return true;
  console.warn(`the recipe of Terraform is NOT TRIED: ${err}${out}`);
  return false;
}

const describeTofu =
  program === 'tofu' ? describeWith('tofu', NEWEST_HOST.apiserver) : describeWith(NEWEST_HOST.apiserver);
(describeTofu === describe && initialized() ? describe : describe.skip)('kubernetes_manifest', () => {
  let behind: AggregatedHost;
  beforeAll(async () => {
    behind = await startAggregated(NEWEST_HOST, ours());
    copyFileSync(behind.host.kubeconfig, join(folder, 'kubeconfig'));
    // The host fetches the documents of a new APIService in its own time.
    await eventually('the kinds in the OpenAPI document of the host', async () =>
      (await behind.host.api.send('GET', '/openapi/v2')).text.includes('ProjectSecret'),
    );
  });
  afterAll(async () => {
    await behind?.stop();
    rmSync(folder, { recursive: true });
  });

  const get = async (path: string): Promise<unknown> => {
    const { status, text } = await behind.host.api.send('GET', path);
    return status === 200 ? JSON.parse(text) : status;
  };
  const apply = (): void => {
    const { code, out, err } = tofu('apply', '-auto-approve');
    expect([code, err, code === 0 ? '' : out]).toEqual([0, '', '']);
  };
  /** Ends with 2 where `apply` would change something, with 0 where it would not. */
  const plan = (): Outcome => tofu('plan', '-detailed-exitcode');

  test('applies the page, and finds nothing to do then', async () => {
    apply();
    expect(await get(PROJECT)).toMatchObject({
      spec: { displayName: 'The website', members: [{ name: 'anna' }], quotas: { instances: 5 } },
    });
    expect(await get(SECRET)).toMatchObject({ spec: { data: { password: 'czNjcmV0' } } });
    expect(plan()).toMatchObject({ code: 0, err: '' });
  });

  test('shows the changes of others, and reverts them', async () => {
    const mine = { spec: { displayName: 'Mine' } };
    const type = { 'content-type': usualType('PATCH') };
    expect((await behind.host.api.send('PATCH', PROJECT, mine, type)).status).toBe(200);
    expect(plan()).toMatchObject({ code: 2, out: expect.stringContaining('"Mine" -> "The website"') });
    apply();
    expect(await get(PROJECT)).toMatchObject({ spec: { displayName: 'The website' } });
  });

  test('makes again what others have deleted', async () => {
    expect((await behind.host.api.send('DELETE', SECRET)).status).toBe(200);
    expect(plan()).toMatchObject({ code: 2 });
    apply();
    expect(await get(SECRET)).toMatchObject({ metadata: { name: 'database' } });
  });

  test('destroys all of it, the project with its namespace', async () => {
    const { code, out, err } = tofu('destroy', '-auto-approve');
    expect([code, err, code === 0 ? '' : out]).toEqual([0, '', '']);
    for (const path of [PROJECT, `${APIS}/users/anna`, '/api/v1/namespaces/loft-p-web'])
      expect([path, await get(path)]).toEqual([path, 404]);
  });
});
