/** `platform create space`: its cluster, and a user at a terminal who waits for it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { describeWith } from '../../fixtures/program.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { openTerminal, type TmuxTerminal } from '../../fixtures/tmux.js';

let server: ServerFixture;
/** Acts as the connected cluster. */
let cluster: ServerFixture;
let cli: PlatformCli;

const run = (...args: string[]): Promise<Run> => cli.run(args);
const ofSpace = async (name: string, path: string): Promise<string> =>
  (await run('get', 'space', name, '--project', 'web', '-o', `jsonpath=${path}`)).stdout;

beforeAll(async () => {
  [server, cluster] = await Promise.all([
    startServer({ controllers: '*' }),
    startServer({ controllers: 'namespace-controller' }),
  ]);
  cli = platformCli();
  const caFile = join(cli.home, 'ca.crt');
  writeFileSync(caFile, authorityOf(server));
  await cli.run(['login', server.url, '--ca-file', caFile], { input: ADMIN_TOKEN });
  for (const project of ['empty', 'web']) await run('create', 'project', project);
  await run('connect', 'cluster', 'east', '--kubeconfig-file', cluster.kubeconfig);
  const all = { EDITOR: join(cli.home, 'editor'), XDG_RUNTIME_DIR: '', TMPDIR: cli.home };
  const script = `#!/bin/sh\nsed -i "s/^spec:.*/spec:\\n  allowedClusters: [{name: '*'}]/" "$1"\n`;
  writeFileSync(all.EDITOR, script, { mode: 0o755 });
  expect(await cli.run(['edit', 'project', 'web'], { env: all })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await Promise.all([server.remove(), cluster.remove()]);
  cli.remove();
});

test('reports a project without clusters, and fails to wait for its space', async () => {
  const why =
    'the space "none" stays Pending: it has no cluster, and "empty" has none for it: allow one with "platform allow cluster NAME --project empty"';
  const create = ['create', 'space', 'none', '--project', 'empty'];
  expect(await run(...create)).toMatchObject({ code: 0, stderr: expect.stringContaining(`Warning: ${why}`) });
  await run('delete', 'space', 'none', '--project', 'empty', '--yes');
  expect(await run(...create, '--wait')).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
});

test('does not wait for a space that nothing creates, and says what to do', async () => {
  await run('create', 'cluster', 'full', '--secret', 'cluster-east');
  const edit = { EDITOR: join(cli.home, 'full'), XDG_RUNTIME_DIR: '', TMPDIR: cli.home };
  writeFileSync(edit.EDITOR, `#!/bin/sh\nsed -i 's/^spec:.*/spec:\\n  unusable: true/' "$1"\n`, {
    mode: 0o755,
  });
  expect(await cli.run(['edit', 'cluster', 'full'], { env: edit })).toMatchObject({ code: 0 });
  const create = ['create', 'space', 'off', '--project', 'web', '--cluster', 'full', '--wait'];
  expect(await run(...create)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'the space "off" is not created: nothing new is put on cluster full: set its',
    ),
  });
  await run('delete', 'space', 'off', '--project', 'web', '--yes');
  await run('delete', 'cluster', 'full', '--yes', '--wait');
});

test('virtual clusters are imported, and not created', async () => {
  for (const words of [['vcluster'], ['vclusters', 'one', '--project', 'web']])
    expect(await run('create', ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('use "platform import vcluster"'),
    });
  expect((await run('create', '--help')).stdout).not.toContain('vcluster');
});

describeWith('tmux')('at a terminal', () => {
  let terminal: TmuxTerminal;
  beforeAll(() => {
    terminal = openTerminal(join(cli.home, 'tmux'), 'env PS1="$ " bash --norc', cli.installed());
  });
  afterAll(() => terminal.close());

  test('the only cluster of the project is taken, and the command ends when the space is ready', async () => {
    await terminal.shows('$');
    terminal.type('platform create space one --project web; echo "ended $?"');
    const shown = await terminal.shows('\nended');
    expect(shown).toContain('Cluster "east" is the only one of project "web".\nCreated space "one".\n');
    expect(shown).toContain('The space "one" is ready.\nended 0');
    expect(await ofSpace('one', '{.spec.clusterRef.cluster} {.status.phase}')).toBe('east Ready');
  });

  test('asks for one of several clusters, says why the space is not ready, and ends at Ctrl-C', async () => {
    expect(await run('create', 'cluster', 'lost', '--secret', 'missing', '--allow-unknown')).toMatchObject({
      code: 0,
    });
    terminal.clear();
    terminal.type('platform create space two --project web');
    await terminal.shows('east');
    await terminal.shows('lost');
    terminal.press('Down', 'Enter');
    await terminal.shows('Pending: ClusterUnreachable: ');
    terminal.press('C-c');
    await terminal.prompts();
    terminal.type('echo "ended $?"');
    await terminal.shows('ended 130');
    expect(await ofSpace('two', '{.spec.clusterRef.cluster} {.status.phase}')).toBe('lost Pending');
  });

  test('requires --cluster without a terminal', async () => {
    const create = ['create', 'space', 'three', '--project', 'web'];
    const refused = await run(...create);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('name the cluster with --cluster: project "web" has east, lost'),
    ]);
    expect(await run(...create, '--cluster', 'east', '--wait')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Created space "three"\.\n(.*\n)*The space "three" is ready\.\n$/),
    });
  });
});
