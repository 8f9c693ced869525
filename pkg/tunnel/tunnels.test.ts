import type { ClientRequest } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { TunnelSession } from './session.js';
import { clusterTunnels } from './tunnels.js';

interface Fake extends TunnelSession {
  latencyMs: number | undefined;
  clockAheadMs: number | undefined;
  streams: number;
  hasCapacity: boolean;
  sent: number;
  end(): void;
}

function fake(streams = 0): Fake {
  const told: (() => void)[] = [];
  return {
    streams,
    hasCapacity: true,
    ended: false,
    sent: 0,
    latencyMs: undefined,
    clockAheadMs: undefined,
    send() {
      this.sent += 1;
      return {} as ClientRequest;
    },
    dial: () => Promise.reject(new Error('not dialed here')),
    close: () => undefined,
    destroy: () => undefined,
    onEnd: (then) => void told.push(then),
    end: () => told.forEach((tell) => tell()),
  };
}

const SENT = { method: 'GET', path: '/', headers: [], lasting: false };

function setup(): ReturnType<typeof clusterTunnels> & { uids: Map<string, string> } {
  const uids = new Map([['east', 'u1']]);
  return { ...clusterTunnels((name) => uids.get(name)), uids };
}
const refused = (text: string): object => ({ code: 503, message: expect.stringContaining(text) as unknown });

describe('tunnels', () => {
  test('send a request through the tunnel with the fewest streams', async () => {
    const { add, upstream } = setup();
    const [busy, idle] = [fake(5), fake(2)];
    for (const session of [busy, idle]) add({ cluster: 'east', uid: 'u1', user: 'agent', session });
    await upstream('east', '').open(SENT);
    expect([busy.sent, idle.sent]).toEqual([0, 1]);
  });

  test('send no request through a tunnel that is ending or has ended', async () => {
    const { add, upstream, count } = setup();
    const [ending, other] = [fake(), fake(9)];
    for (const session of [ending, other]) add({ cluster: 'east', uid: 'u1', user: 'agent', session });
    ending.hasCapacity = false;
    await upstream('east', '').open(SENT);
    expect([ending.sent, other.sent]).toEqual([0, 1]);
    other.hasCapacity = false;
    await expect(upstream('east', '').open(SENT)).rejects.toMatchObject(refused('busy or about to end'));
    for (const one of [ending, other]) one.end();
    expect(count('east')).toBe(0);
    await expect(upstream('east', '').open(SENT)).rejects.toMatchObject(refused('no agent of the cluster'));
  });

  test('send no request to another cluster, or to a deleted one of the same name', async () => {
    const { add, upstream, uids } = setup();
    add({ cluster: 'east', uid: 'u1', user: 'agent', session: fake() });
    await expect(upstream('west', '').open(SENT)).rejects.toMatchObject(refused('no agent of the cluster'));
    uids.set('east', 'u2');
    await expect(upstream('east', '').open(SENT)).rejects.toMatchObject(refused('no agent of the cluster'));
  });

  test('answer 503 if the tunnel closes when it is chosen', async () => {
    const { add, upstream } = setup();
    const session = fake();
    session.send = () => {
      throw new Error('closed');
    };
    add({ cluster: 'east', uid: 'u1', user: 'agent', session });
    await expect(upstream('east', '').open(SENT)).rejects.toMatchObject(refused('about to end'));
  });

  test('report the oldest release, the lowest latency and the largest clock error of the agents', () => {
    const { add, agents, uids } = setup();
    expect(agents('east')).toBeUndefined();
    const [first, second, third] = [fake(), fake(), fake()];
    add({ cluster: 'east', uid: 'u1', user: 'agent', session: first });
    expect(agents('east')).toEqual({ user: 'agent' });
    add({ cluster: 'east', uid: 'u1', user: 'agent', session: second, version: '0.10.0' });
    add({ cluster: 'east', uid: 'u1', user: 'agent', session: third, version: '0.9.2' });
    [second.latencyMs, third.latencyMs] = [7.5, 20];
    [second.clockAheadMs, third.clockAheadMs] = [-20, 10];
    expect(agents('east')).toEqual({ user: 'agent', version: '0.9.2', latencyMs: 7.5, clockAheadMs: -20 });
    third.end();
    expect(agents('east')).toEqual({ user: 'agent', version: '0.10.0', latencyMs: 7.5, clockAheadMs: -20 });
    uids.set('east', 'u2');
    expect(agents('east')).toBeUndefined();
  });

  test.each([
    [['0.10.0', '0.10.0-rc.1'], '0.10.0-rc.1'],
    [['0.10.0-rc.10', '0.10.0-rc.9'], '0.10.0-rc.9'],
    [['0.10.0-rc.1', '0.9.0'], '0.9.0'],
  ])('report the oldest release of %j: %s', (versions, oldest) => {
    for (const given of [versions, versions.toReversed()]) {
      const { add, agents } = setup();
      for (const version of given)
        add({ cluster: 'east', uid: 'u1', user: 'agent', session: fake(), version });
      expect(agents('east')?.version).toBe(oldest);
    }
  });

  test('are bounded per cluster', () => {
    const { add, checkRoom } = setup();
    for (let count = 0; count < 32; count += 1) {
      checkRoom('east');
      add({ cluster: 'east', uid: 'u1', user: 'agent', session: fake() });
    }
    expect(() => checkRoom('east')).toThrow('32 tunnels');
    checkRoom('west');
  });
});
