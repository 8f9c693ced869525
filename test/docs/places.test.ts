/** The pages about clusters, installing, and coming from elsewhere, command by command. Helm renders, and installs nothing. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AgentProcess } from '../fixtures/agents/agentprocess.js';
import { client, usualType } from '../fixtures/clients/client.js';
import { describeWith } from '../fixtures/program.js';
import { startStubVirtualCluster } from '../fixtures/stubs/stubvirtualcluster.js';
import {
  agentUser,
  peopleAndClusters,
  startDialingAgent,
  tokenOf,
  untilConnected,
} from '../fixtures/agents/tunnel.js';
import { startKindServer } from './kindserver.js';
import { follow, startReader, type Reader } from './reader.js';

const API = '/apis/management.svc.example/v1';

describeWith('kubectl', 'helm')('every command of', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await startReader({ controllers: '*' });
  });
  afterAll(() => reader?.remove());

  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  async function send(method: string, path: string, body?: object): Promise<string> {
    const type = { 'content-type': usualType(method) };
    const { status, text } = await client(reader.server).send(method, path, body, type);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return text;
  }
  const secret = (namespace: string, name: string, data: object): Promise<string> =>
    send('POST', `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, data });

  test('README.md', async () => {
    const words = {
      'oci://$PUBLISHED/charts/management-apiserver --version 0.1.0': 'deploy/helm',
      $PUBLISHED: 'registry.example.com/management',
      $REGISTRY: 'registry.example.com',
    };
    await follow(reader, 'README.md', { language: 'sh', words });
  });

  test('docs/installation.md', async () => {
    for (const file of ['ca.crt', 'tls.crt', 'tls.key']) writeFileSync(join(reader.home, file), 'PEM\n');
    await follow(reader, 'docs/installation.md', {
      words: {
        'oci://$PUBLISHED/charts/management-apiserver --version 0.1.0': 'deploy/helm',
        $PUBLISHED: 'registry.example.com/management',
        $REGISTRY: 'registry.example.com',
        'install …': 'install management-apiserver deploy/helm',
        'management-apiserver-chart-0.1.0.tgz': 'deploy/helm',
        'kubectl -n management patch': async () => {
          await secret('management', 'management-apiserver-etcd-tls', {
            'server.crt': 'YQ==',
            'ca.key': 'YQ==',
          });
          return 'kubectl -n management patch';
        },
        // As a member of etcd does.
        '/data/server.crt"}]\'\n':
          '/data/server.crt"}]\'\nkubectl -n management patch secret management-apiserver-etcd-tls -p \'{"data":{"server.crt":"YQ=="}}\'\n',
        'delete secret management-apiserver-encryption': async () => {
          await secret('management', 'management-apiserver-encryption', {});
          return 'delete secret management-apiserver-encryption';
        },
      },
    });
  });

  test('docs/agent.md', async () => {
    const pod = { metadata: { name: 'web', namespace: 'default' }, status: { phase: 'Running' } };
    const cluster = await startKindServer('', { Pod: ['pods', pod] });
    let agent: AgentProcess | undefined;
    try {
      const kubeconfig = join(reader.home, 'cluster.kubeconfig');
      writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
      const { anna } = await peopleAndClusters(reader.server);
      const [key, token] = [await agentUser(reader.server, 'east'), await tokenOf(reader.server, anna)];
      agent = await startDialingAgent(reader.server, { cluster: 'east', key, kubeconfig });
      await untilConnected(reader.server, token);
      await follow(reader, 'docs/agent.md', {
        words: {
          // The agent that runs already has this name.
          'agent-east': 'agent-of-the-page',
          'kubectl --server': 'kubectl --kubeconfig=/dev/null --insecure-skip-tls-verify --server',
          'https://agent.example.com': agent.url,
          'https://management.example.com': reader.server.url,
          $TOKEN: token,
        },
      });
    } finally {
      await agent?.kill();
      await cluster.stop();
    }
  });

  test('docs/clusters.md', async () => {
    const virtual = await startStubVirtualCluster();
    try {
      await send('POST', '/api/v1/namespaces', { metadata: { name: 'vcs' } });
      await secret('vcs', 'vc-one', { config: base64(virtual.kubeconfig) });
      await secret('management-system', 'self', {
        config: base64(readFileSync(reader.server.kubeconfig, 'utf8')),
      });
      await send('POST', `${API}/clusters`, {
        metadata: { name: 'self' },
        spec: { config: { secretName: 'self' } },
      });
      const spec = {
        accessPoint: { ingress: { enabled: true } },
        clusterRef: { cluster: 'self', namespace: 'vcs', virtualCluster: 'one' },
      };
      await send('POST', `${API}/projects`, {
        metadata: { name: 'web' },
        spec: { allowedClusters: [{ name: '*' }] },
      });
      const instances = `${API}/namespaces/loft-p-web/virtualclusterinstances`;
      await send('POST', instances, { metadata: { name: 'one' }, spec });
      const { host } = new URL(virtual.stub.url);
      await send('PATCH', `${instances}/one/status`, {
        status: { virtualCluster: { accessPoint: { ingress: { host } } } },
      });
      // The server itself stands for `north`.
      await follow(reader, 'docs/clusters.md', { words: { 'kubectl --context north': 'kubectl' } });
      expect(virtual.bound.size).toBe(1);
    } finally {
      await virtual.stub.stop();
    }
  });

  test('docs/from-loft.md', async () => {
    const metadata = { uid: 'u', resourceVersion: '7' };
    const data = { password: base64('s3cret') };
    const old = await startKindServer('management.loft.sh', {
      User: ['users', { metadata: { ...metadata, name: 'ann' }, spec: { username: 'ann' } }],
      Team: ['teams', { metadata: { ...metadata, name: 'devs' }, spec: { users: ['ann'] } }],
      Project: ['projects', { metadata: { ...metadata, name: 'old' }, spec: {} }],
      SharedSecret: [
        'sharedsecrets',
        { metadata: { ...metadata, name: 'db', namespace: 'default' }, spec: { data } },
      ],
      ProjectSecret: [
        'projectsecrets',
        { metadata: { ...metadata, name: 'key', namespace: 'p-old' }, spec: { data } },
      ],
    });
    try {
      writeFileSync(join(reader.home, 'old.kubeconfig'), old.kubeconfig, { mode: 0o600 });
      copyFileSync(reader.server.kubeconfig, join(reader.home, 'new.kubeconfig'));
      await follow(reader, 'docs/from-loft.md');
      const taken = await send('GET', `${API}/namespaces/loft-p-old/projectsecrets/key`);
      expect(JSON.parse(taken)).toMatchObject({ spec: { data } });
    } finally {
      await old.stop();
    }
  });
});
