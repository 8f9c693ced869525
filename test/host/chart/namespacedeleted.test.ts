/** docs/troubleshooting.md, "The namespace of the release was deleted": its commands, after that. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.js';
import { formatKeyFile, newDataKey } from '../../../pkg/storage/encryption/keyfile.js';
import { made } from '../../fixtures/host/apiservice.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { InstalledChart, NAMESPACE, RELEASE } from '../../fixtures/host/installedchart.js';
import { noContainers } from '../../fixtures/host/container.js';
import { scriptsUnder } from '../../fixtures/docs/docssteps.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const PAGE = readPage('docs/troubleshooting.md');
const [end = '', again = ''] = scriptsUnder(PAGE, 'The namespace of the release was deleted');
const KEYS = formatKeyFile([newDataKey()]);
const MINUTES_4 = 240_000;

const hindrance = noContainers();
const suite = hindrance === undefined ? describeWith('etcd', 'helm', NEWEST_HOST.apiserver) : describe.skip;
suite('the namespace of the release is deleted', () => {
  let chart: InstalledChart;
  let notes: string;
  beforeAll(async () => {
    chart = await InstalledChart.start(NEWEST_HOST);
    const { code, out } = await chart.helm('install');
    expect(code).toBe(0);
    notes = out;
    await made(chart.host.api, '/api/v1/namespaces', { metadata: { name: 'other' } });
    mkdirSync(chart.home);
    writeFileSync(join(chart.home, 'encryption.key'), KEYS);
  }, MINUTES_4);
  afterAll(() => chart?.stop());

  test('the notes of the chart say what comes first, and ask for a copy of the keys', () => {
    expect(notes).toContain(`\`helm uninstall\` comes before \`kubectl delete namespace ${NAMESPACE}\``);
    expect(notes).toContain('kubectl delete apiservice v1.management.svc.example');
    expect(notes).toMatch(new RegExp(`KEEP A COPY[^]*get secret ${RELEASE}-encryption`));
  });

  test(
    'the commands of the docs end that of all namespaces, and bring the release back with its keys',
    async () => {
      for (const name of [NAMESPACE, 'other'])
        expect(chart.kubectl('delete', 'namespace', name, '--wait=false')).toMatchObject({ code: 0 });
      for (const name of [NAMESPACE, 'other'])
        await eventually('that it does not end', async () =>
          (await chart.host.api.send('GET', `/api/v1/namespaces/${name}`)).text.includes(
            'NamespaceDeletionDiscoveryFailure',
          ),
        );
      expect(await chart.run(end)).toMatchObject({ code: 0 });
      const other = chart.kubectl('wait', '--for=delete', 'namespace/other', '--timeout=2m');
      expect(other).toMatchObject({ code: 0 });
      expect(await chart.run(again)).toMatchObject({ code: 0 });
      expect(await chart.helm('install')).toMatchObject({ code: 0 });
      const secret = ['get', 'secret', `${RELEASE}-encryption`, '-o', 'jsonpath={.data.encryption\\.key}'];
      expect(Buffer.from(chart.kubectl(...secret).out, 'base64').toString()).toBe(KEYS);
    },
    MINUTES_4,
  );
});
