/** Threads that parse YAML, shared fairly between users. */
import { Worker } from 'node:worker_threads';
import { FairSlots, Overloaded, type ClientEnd } from '../filters/flowcontrol/fairslots.js';
import type { Holder } from '../filters/flowcontrol/slotholders.js';
import { recentUse } from './recentuse.js';
import type { Reading } from './worker.js';

/** The sender of a body: its share, and the end of its request. */
export interface Sender {
  readonly share: string;
  readonly end?: ClientEnd & Holder;
}

/** Timeout of parsing one body, in milliseconds; the worst 3 MiB take 2 s on an idle machine. */
const LONGEST_READING = 30_000;
/** Queue timeout of a body, in milliseconds. */
const LONGEST_WAIT = 30_000;
/** After this time without work a thread ends, in milliseconds. */
const IDLE = 10_000;
const HEAP_MIB = 1024;
/** Of one share that wait or are read, in one pool. */
const SHARE_BYTES = 16 * 1024 * 1024;
/** Bodies that wait, in one pool. */
const QUEUE_LENGTH = 200;

/** Estimated cost of a waiting body: about that of an invalid one on a busy machine. */
const MS_A_BYTE = 10 / 1024;

export interface ParserPool {
  /** Throws `Overloaded` where too much of the sender, or of all, waits. */
  read(body: Buffer, sender: Sender): Promise<Reading>;
}

/**
 * Opens a pool of up to this many threads, of which one share has one at a time. The share with the least recent use
 * and the least waiting is next.
 */
export function openParserPool(threads: number): ParserPool {
  const use = recentUse();
  /** Bytes of each share that wait or are read. */
  const waiting = new Map<string, number>();
  const had = (share: string): number => use.of(share) + (waiting.get(share) ?? 0) * MS_A_BYTE;
  const turns = new FairSlots({ limit: threads, queueLength: QUEUE_LENGTH, timeoutMs: LONGEST_WAIT, had });
  const idle: IdleThread[] = [];

  function count(share: string, bytes: number): void {
    const sum = (waiting.get(share) ?? 0) + bytes;
    if (sum > SHARE_BYTES) throw new Overloaded();
    if (sum === 0) waiting.delete(share);
    else waiting.set(share, sum);
  }

  async function readNow(body: Buffer): Promise<Reading> {
    const { worker } = takeIdle(idle) ?? { worker: startThread() };
    const { reading, usable } = await answerOf(worker, body);
    if (usable) keepIdle(idle, worker);
    else await worker.terminate();
    return reading;
  }

  return {
    async read(body, { share, end }) {
      count(share, body.length);
      const most = body.length * MS_A_BYTE;
      try {
        const release = await turns.enter({ share, turn: '', part: 1 / threads }, 1, end);
        const began = performance.now();
        try {
          return await readNow(body);
        } finally {
          // The start of a thread is not charged to a share.
          use.add(share, Math.min(performance.now() - began, most));
          release();
        }
      } finally {
        count(share, -body.length);
      }
    },
  };
}

interface IdleThread {
  readonly worker: Worker;
  readonly ends: NodeJS.Timeout;
}

function takeIdle(idle: IdleThread[]): IdleThread | undefined {
  const one = idle.pop();
  clearTimeout(one?.ends);
  return one;
}

function keepIdle(idle: IdleThread[], worker: Worker): void {
  const ends = setTimeout(() => {
    idle.splice(idle.indexOf(one), 1);
    void worker.terminate();
  }, IDLE).unref();
  const one: IdleThread = { worker, ends };
  idle.push(one);
}

function startThread(): Worker {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  worker.unref();
  return worker;
}

interface Answered {
  readonly reading: Reading;
  /** Whether the thread may read another. */
  readonly usable: boolean;
}

/** A body that exhausts the thread's memory or time is refused; the next one gets a new thread. */
async function answerOf(worker: Worker, body: Buffer): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      worker.off('message', answer);
      worker.off('error', fail);
    };
    const answer = (reading: Reading): void => {
      settle();
      resolve({ reading, usable: true });
    };
    const giveUp = (refused: string): void => {
      settle();
      resolve({ reading: { refused }, usable: false });
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        return giveUp('yaml: the document takes too much memory');
      settle();
      reject(error);
      void worker.terminate();
    };
    const timer = setTimeout(() => giveUp('yaml: the document takes too long to read'), LONGEST_READING);
    worker.once('message', answer);
    worker.once('error', fail);
    worker.postMessage(body);
  });
}
