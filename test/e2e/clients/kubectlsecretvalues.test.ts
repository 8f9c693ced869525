/** docs/kinds.md, "Secrets in the output of kubectl": where values are shown, and that `platform` shows and keeps none. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Kubectl, kubectl } from '../../fixtures/clients/kubectl.js';
import { type PlatformCli, platformCli } from '../../fixtures/clients/platformcli.js';
import { describeWith } from '../../fixtures/program.js';
import { type ServerFixture, startServer } from '../../fixtures/servers/server.js';

const VALUE = Buffer.from('hunter2').toString('base64');
const NEXT = Buffer.from('hunter3').toString('base64');
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SECRET = JSON.stringify({
  apiVersion: 'management.svc.example/v1',
  kind: 'SharedSecret',
  metadata: { name: 'db', namespace: 'default' },
  spec: { data: { password: VALUE } },
});

describeWith('kubectl')('values of secrets', () => {
  let server: ServerFixture;
  let kube: Kubectl;
  let cli: PlatformCli;
  beforeAll(async () => {
    server = await startServer();
    kube = kubectl(server);
    cli = platformCli();
    await platform('--kubeconfig', server.kubeconfig, 'login', '--name', 'admin');
  });
  afterAll(async () => {
    cli?.remove();
    await server?.remove();
  });

  async function platform(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await cli.run(args);
    if (code !== 0) throw new Error(`platform ${args.join(' ')}: ${stderr}`);
    return stdout;
  }
  const describeOne = (name: string): string => kube.run(['describe', 'sharedsecret', name, '-n', 'default']);

  const yamlOf = (name: string): string =>
    kube.run(['get', 'sharedsecret', name, '-n', 'default', '-o', 'yaml']);

  test('are in the output and in the annotation of kubectl, until that is removed', async () => {
    kube.run(['apply', '-f', '-'], { input: SECRET });
    expect(describeOne('db')).toContain(VALUE);
    await platform('set', 'secret', 'db.password', 'hunter3');
    expect(yamlOf('db')).toContain(VALUE);
    kube.run(['annotate', 'sharedsecret', 'db', '-n', 'default', `${LAST_APPLIED}-`]);
    expect(yamlOf('db')).not.toContain(VALUE);
    kube.run(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: SECRET });
    expect(yamlOf('db')).not.toContain(LAST_APPLIED);
  });

  test('are not in what platform lists, and in no annotation that it writes', async () => {
    await platform('create', 'secret', 'other', 'password=hunter2');
    await platform('set', 'secret', 'other.password', 'hunter3');
    const list = await platform('list', 'secrets');
    expect([list.includes('other'), list.includes(VALUE), list.includes('hunter')]).toEqual([
      true,
      false,
      false,
    ]);
    const shown = yamlOf('other');
    expect(shown.split(NEXT)).toHaveLength(2);
    expect(shown).not.toContain(LAST_APPLIED);
    expect((await platform('get', 'secret', 'other.password')).trim()).toBe('hunter3');
  });
});
