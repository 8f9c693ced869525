import { EventEmitter, once } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Dialled } from './dial.js';
import { keepTunnels, type Tunnels } from './keep.js';

/** A session that the test ends. */
class Session extends EventEmitter {
  destroyed = false;
  close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
  destroy = (): void => this.close();
}

const connection = {} as Socket;

function keeping(answers: (attempt: number, known: readonly string[]) => Dialled | Error): {
  tunnels: Tunnels;
  sessions: Session[];
  told: EventEmitter;
  failures: string[];
} {
  const [sessions, failures, told] = [[] as Session[], [] as string[], new EventEmitter()];
  let attempts = 0;
  const tunnels = keepTunnels({
    dial: (known) => {
      const answer = answers((attempts += 1), known);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    server: {
      serve() {
        const session = new Session();
        sessions.push(session);
        return session as unknown as ServerHttp2Session;
      },
    },
    failed: (why) => failures.push(why),
    changed: (open) => told.emit(`open ${open}`),
    random: () => 0.5,
    pauses: { first: 1, longest: 4, recheck: 5_000 },
  });
  return { tunnels, sessions, told, failures };
}

describe('the tunnels of an agent', () => {
  test('are dialled until there is one to each server', async () => {
    const order = ['a', 'a', 'b', 'a', 'c'];
    const known: (readonly string[])[] = [];
    const { tunnels, told } = keeping((attempt, has) => {
      known.push(has);
      const server = order[attempt - 1] ?? 'a';
      return { server, servers: 3, ...(!has.includes(server) && { connection }) };
    });
    await once(told, 'open 3');
    expect(known).toEqual([[], ['a'], ['a'], ['a', 'b'], ['a', 'b']]);
    await tunnels.stop(1_000);
    expect(tunnels.open).toBe(0);
  });

  test('are dialled again when they end, and refusals are reported and retried', async () => {
    const { tunnels, sessions, told, failures } = keeping((attempt) =>
      attempt === 2 || attempt === 3
        ? new Error('the management API answers 401')
        : { server: 'a', servers: 1, connection },
    );
    await once(told, 'open 1');
    const again = once(told, 'open 1');
    sessions[0]?.close();
    await again;
    expect(failures).toEqual(Array(2).fill('the management API answers 401'));
    await tunnels.stop(1_000);
  });

  test('are dialled again after GOAWAY, while requests in flight finish', async () => {
    const { tunnels, sessions, told } = keeping(() => ({ server: 'a', servers: 1, connection }));
    await once(told, 'open 1');
    const again = once(told, 'open 1');
    sessions[0]?.emit('goaway');
    await again;
    expect(sessions.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    await tunnels.stop(1_000);
    expect(sessions[1]?.destroyed).toBe(true);
  });
});
