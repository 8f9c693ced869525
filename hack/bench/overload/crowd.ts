/** The load of all ordinary users, in a process of its own. It does what its parent says, one order after another. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Http1Wire } from './http1wire.js';
import { Http2Wire } from './http2wire.js';
import { callAt, tokenOf, USERS } from './team.js';
import type { Wire } from './wire.js';

export type Order =
  | { readonly loop: 'closed'; readonly clients: number; readonly seconds: number }
  | { readonly loop: 'open'; readonly rate: number; readonly seconds: number };

export interface CrowdOptions {
  readonly port: number;
  readonly protocol: '1' | '2';
  readonly deadlineMs: number;
}

/** What came of the requests of an order. Seconds are those of the order; `latencies` are of the good, in ms, ascending. */
export interface Outcome {
  readonly seconds: number;
  readonly offered: number;
  readonly good: number;
  readonly refused: number;
  /** Not answered within the deadline, or broken off. */
  readonly late: number;
  /** Other answers. */
  readonly other: number;
  /** What was created and acknowledged, as `namespace/name`. */
  readonly made: readonly string[];
  readonly latencies: readonly number[];
  /** Share of the time in which this process had something to do, and its longest delay in ms. */
  readonly busy: number;
  readonly lag: number;
}

/** Of HTTP/1.1, of one user at a time; the rest wait in the client. */
const MAX_CONNECTIONS = 4;
/** Between arrivals that are sent together, in ms. */
const TICK_MS = 1;

/** One request that is under way, or waits in the client for a connection. */
interface Pending {
  readonly index: number;
  readonly due: number;
  state: 'waits' | 'sent' | 'over';
  giveUp: (() => void) | undefined;
  readonly answered: (code: number) => void;
}

class Crowd {
  private readonly options: CrowdOptions;
  private readonly wires: Wire[][] = Array.from({ length: USERS }, () => []);
  private readonly waiting: Pending[][] = Array.from({ length: USERS }, () => []);
  /** Connections of HTTP/1.1. */
  private readonly open: number[] = [];
  /** In the order of their deadlines, which all have the same distance. */
  private readonly pending: Pending[] = [];
  private oldest = 0;
  private next = 0;
  private readonly run = Date.now().toString(36);
  private made: string[] = [];

  constructor(options: CrowdOptions) {
    this.options = options;
  }

  /** Gives the status, or -1 where there is none within the deadline. `due`: when it should have been sent. */
  ask(due: number, answered: (code: number) => void): void {
    const index = this.next++;
    const pending: Pending = { index, due, state: 'waits', giveUp: undefined, answered };
    this.pending.push(pending);
    if (!this.send(pending)) (this.waiting[index % USERS] as Pending[]).push(pending);
  }

  /** Gives up what is past its deadline. */
  look(now: number): void {
    for (; ; this.oldest++) {
      const first = this.pending[this.oldest];
      if (first === undefined || (first.state !== 'over' && now - first.due < this.options.deadlineMs)) break;
      if (first.state === 'over') continue;
      first.state = 'over';
      first.giveUp?.();
      first.answered(-1);
      this.sendWaiting(first.index % USERS);
    }
    if (this.oldest > 100_000) (this.pending.splice(0, this.oldest), (this.oldest = 0));
  }

  close(): void {
    for (const wire of this.wires.flat()) wire.close();
  }

  /** What was acknowledged since it was asked last. */
  takeMade(): string[] {
    const { made } = this;
    this.made = [];
    return made;
  }

  /** One that takes a request now. */
  private wireOf(user: number): Wire | undefined {
    const wires = this.wires[user] as Wire[];
    const { protocol, port } = this.options;
    for (let last = wires.at(-1); last?.closed === true; last = wires.at(-1)) wires.pop();
    if (protocol === '2') {
      const [wire = new Http2Wire(port, tokenOf(user))] = wires;
      wires[0] = wire;
      return wire.full ? undefined : wire;
    }
    const free = wires.pop();
    if (free !== undefined) return free;
    const open = this.open[user] ?? 0;
    if (open >= MAX_CONNECTIONS) return undefined;
    this.open[user] = open + 1;
    return new Http1Wire(port, tokenOf(user));
  }

  /** Those of HTTP/1.1 take one request at a time: the free ones are kept. */
  private giveBack(user: number, wire: Wire): void {
    if (this.options.protocol === '2') return;
    if (!wire.closed) (this.wires[user] as Wire[]).push(wire);
    else this.open[user] = (this.open[user] ?? 1) - 1;
  }

  private send(pending: Pending): boolean {
    const wire = this.wireOf(pending.index % USERS);
    if (wire === undefined) return false;
    const { user, makes, ...call } = callAt(pending.index, this.run);
    pending.state = 'sent';
    const giveUp = wire.send(call, (code) => {
      this.giveBack(user, wire);
      if (code === 201 && makes !== undefined) this.made.push(makes);
      if (pending.state === 'over') return;
      pending.state = 'over';
      pending.answered(code);
      this.sendWaiting(user);
    });
    pending.giveUp = () => {
      giveUp();
      this.giveBack(user, wire);
    };
    return true;
  }

  /** The newest first: whoever has waited for long gives up soon, and would take the place in vain. */
  private sendWaiting(user: number): void {
    const line = this.waiting[user] as Pending[];
    for (let last = line.at(-1); last !== undefined; last = line.at(-1)) {
      if (last.state !== 'over' && !this.send(last)) return;
      line.pop();
    }
  }
}

class Count {
  good = 0;
  refused = 0;
  late = 0;
  other = 0;
  readonly latencies: number[] = [];

  add(code: number, ms: number): void {
    if (code >= 200 && code < 300) {
      this.good++;
      this.latencies.push(ms);
    } else if (code === 429) this.refused++;
    else if (code <= 0) this.late++;
    else this.other++;
  }
}

/** Each client asks again when it is answered. */
async function closedLoop(crowd: Crowd, clients: number, seconds: number): Promise<[Count, number]> {
  const count = new Count();
  const end = performance.now() + seconds * 1000;
  let [offered, running] = [0, 0];
  const again = (): void => {
    const began = performance.now();
    if (began >= end) return;
    offered++;
    running++;
    crowd.ask(began, (code) => {
      running--;
      const now = performance.now();
      if (now < end) count.add(code, now - began);
      again();
    });
  };
  for (let client = 0; client < clients; client++) again();
  while (performance.now() < end || running > 0) {
    await sleep(5);
    crowd.look(performance.now());
  }
  return [count, offered];
}

/** Requests come at their times, whether or not those before them are answered. */
async function openLoop(crowd: Crowd, rate: number, seconds: number): Promise<[Count, number]> {
  const count = new Count();
  const began = performance.now();
  const end = began + seconds * 1000;
  const all = Math.round(rate * seconds);
  let [sent, running] = [0, 0];
  const ask = (): void => {
    const due = began + (sent++ * 1000) / rate;
    running++;
    crowd.ask(due, (code) => {
      running--;
      const now = performance.now();
      // What is answered when nobody asks any more is not what the server does under load.
      if (now < end || code < 200 || code > 299) count.add(code, now - due);
    });
  };
  while (sent < all || running > 0) {
    await sleep(TICK_MS);
    const now = performance.now();
    while (sent < all && began + (sent * 1000) / rate <= now) ask();
    crowd.look(now);
  }
  return [count, sent];
}

async function carryOut(crowd: Crowd, order: Order): Promise<Outcome> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = performance.eventLoopUtilization();
  const [count, offered] = await (order.loop === 'closed'
    ? closedLoop(crowd, order.clients, order.seconds)
    : openLoop(crowd, order.rate, order.seconds));
  const { utilization } = performance.eventLoopUtilization(before);
  const { good, refused, late, other, latencies } = count;
  latencies.sort((a, b) => a - b);
  const { seconds } = order;
  const lag = delay.max / 1e6;
  const made = crowd.takeMade();
  return { seconds, offered, good, refused, late, other, made, latencies, busy: utilization, lag };
}

const crowd = new Crowd(JSON.parse(process.argv[2] ?? '{}') as CrowdOptions);
process.on('message', (order: Order) => {
  void carryOut(crowd, order).then((outcome) => process.send?.(outcome));
});
process.once('disconnect', () => process.exit());
