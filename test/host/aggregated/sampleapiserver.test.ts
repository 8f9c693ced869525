/** The harness for aggregated mode works with sample-apiserver, too. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { made } from '../../fixtures/host/apiservice.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { SAMPLE } from '../../fixtures/host/backends.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';

const FLUNDERS = '/apis/wardle.example.com/v1alpha1/namespaces/default/flunders';

describeWith('sample-apiserver')('sample-apiserver behind Kubernetes', () => {
  let aggregated: AggregatedHost;
  beforeAll(async () => {
    // Of the same release: with an older host, it waits for kinds that do not exist there.
    aggregated = await startAggregated(NEWEST_HOST, SAMPLE);
  });
  afterAll(() => aggregated?.stop());

  test('objects are made and read through the aggregator', async () => {
    const { api } = aggregated.host;
    await made(api, FLUNDERS, {
      apiVersion: 'wardle.example.com/v1alpha1',
      kind: 'Flunder',
      metadata: { name: 'a' },
    });
    const { status, text } = await api.send('GET', `${FLUNDERS}/a`);
    expect([status, JSON.parse(text)]).toMatchObject([200, { kind: 'Flunder', metadata: { name: 'a' } }]);
  });
});
