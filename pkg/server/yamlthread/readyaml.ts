/** YAML bodies without holding the event loop: reading one costs about a millisecond for each KiB. */
import { Worker } from 'node:worker_threads';
import type { JsonValue } from '../../../api/resource.js';
import { StatusError } from '../../apimachinery/errors.js';
import { DecodeError } from '../../apimachinery/encoding/json.js';
import type { JsonDecoded } from '../../apimachinery/encoding/json.js';
import { parseContentType } from '../../apimachinery/mediatype.js';
import { MEDIA_TYPE } from '../../apimachinery/negotiation.js';
import { decodeJsonAsYaml, decodeYaml } from '../../apimachinery/encoding/yaml.js';
import type { Reading } from './thread.js';

/** Larger bodies go to the thread, which costs more than reading small ones here: up to 25 ms for one of this size. */
const LARGE_BYTES = 2 * 1024;
/** How long one body may take, in milliseconds; 3 MiB take 4 s where nothing else runs. */
const LONGEST_READING = 30_000;
/** After this time without work the thread ends, in milliseconds. */
const IDLE = 10_000;
const HEAP_MIB = 1024;

let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
/** Bodies are read one after another. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Reads what `decodeYaml` would, with the same outcome, for a body of any size. The answer is what reading gave: it
 * returns the value or throws its {@link DecodeError}, so that a caller may read early and decode in its own order.
 */
export async function readYaml(body: Buffer): Promise<() => JsonDecoded> {
  if (body.length <= LARGE_BYTES) return () => decodeYaml(body);
  const json = decodeJsonAsYaml(body.toString('utf8'));
  if (json !== undefined) return () => json;
  const mine = turn.then(() => readInThread(body));
  turn = mine.catch(() => undefined);
  const reading = await mine;
  return () => {
    if ('refusedBy' in reading) throw new StatusError(reading.refusedBy);
    if ('refused' in reading) throw new DecodeError(reading.refused);
    return { value: JSON.parse(reading.json) as JsonValue, duplicates: reading.duplicates };
  };
}

export const isYaml = (contentType: string | undefined): boolean =>
  parseContentType(contentType ?? '') === MEDIA_TYPE.yaml;

async function readInThread(body: Buffer): Promise<Reading> {
  clearTimeout(idle);
  const worker = (thread ??= startThread());
  try {
    return await answerOf(worker, body);
  } finally {
    idle = setTimeout(() => void endThread(worker), IDLE).unref();
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  worker.unref();
  return worker;
}

async function endThread(worker: Worker): Promise<void> {
  if (thread === worker) thread = undefined;
  await worker.terminate();
}

/** A body that exhausts the thread's memory or time is refused; the next one gets a new thread. */
async function answerOf(worker: Worker, body: Buffer): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      worker.off('message', answer);
      worker.off('error', fail);
    };
    const answer = (reading: Reading): void => {
      settle();
      resolve(reading);
    };
    const giveUp = (refused: string): void => {
      answer({ refused });
      void endThread(worker);
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        return giveUp('yaml: the document takes too much memory');
      settle();
      reject(error);
      void endThread(worker);
    };
    const timer = setTimeout(() => giveUp('yaml: the document takes too long to read'), LONGEST_READING);
    worker.once('message', answer);
    worker.once('error', fail);
    worker.postMessage(body);
  });
}
