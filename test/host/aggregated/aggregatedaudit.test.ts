/**
 * Searches of the audit log through the API server of a cluster, which forwards requests of all users; the server
 * authorizes them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allow, sendingTo } from '../../fixtures/clients/impersonation.js';
import { startAggregated } from '../../fixtures/host/aggregatedhost.js';
import type { AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { ours } from '../../fixtures/host/backends.js';
import { ONE_RELEASE } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const SEARCHES = `/apis/${GROUP}/v1/auditsearches`;

interface Search {
  readonly status: {
    readonly log: string;
    readonly events: readonly { readonly user: { readonly username: string } }[];
  };
}

for (const release of ONE_RELEASE)
  describeWith(release.apiserver)(`the audit log behind Kubernetes ${release.release}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'aggregated-audit-'));
    let aggregated: AggregatedHost;

    beforeAll(async () => {
      aggregated = await startAggregated(release, ours([`--audit-log-path=${join(folder, 'audit.log')}`]));
    });
    afterAll(async () => {
      await aggregated?.stop();
      rmSync(folder, { recursive: true });
    });

    const send = sendingTo(() => aggregated.host);
    const search = (user: string | undefined, spec: object) =>
      send<Search>(user, 'POST', SEARCHES, { kind: 'AuditSearch', apiVersion: `${GROUP}/v1`, spec });

    test('is searched by administrators of the cluster, and by users whom its RBAC allows it', async () => {
      expect((await search('nobody', {})).status).toBe(403);
      const { status, body } = await search(undefined, { user: 'nobody', code: '403' });
      expect([status, body.status.log]).toEqual([201, 'File']);
      expect(body.status.events).toMatchObject([{ user: { username: 'nobody' } }]);
      await allow(aggregated.host, 'reader', '', {
        ...{ apiGroups: [GROUP], resources: ['sharedsecrets', 'projects'], verbs: ['*'] },
      });
      expect((await search('reader', {})).status).toBe(403);
      const rule = { apiGroups: [GROUP], resources: ['auditsearches'], verbs: ['create'] };
      await allow(aggregated.host, 'auditor', '', rule);
      await eventually('the right', async () => (await search('auditor', {})).status === 201);
      const found = await search('auditor', { user: 'reader' });
      expect([found.status, found.body.status.events.length]).toEqual([201, 1]);
    });
  });
