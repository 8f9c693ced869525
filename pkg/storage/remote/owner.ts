/** The owner's end: carries out calls of other processes in the order of their arrival. */
import { messageOf } from '../../apimachinery/caught.js';
import { StorageError, type Storage, type StorageWatch } from '../interface.js';
import {
  BATCHES_AHEAD,
  type Answer,
  type Answered,
  type Call,
  type Failed,
  type Port,
  type Request,
} from './messages.js';
import { toBuffer } from './bytes.js';

/** Serves until the other end has closed; then its watches end. Calls in flight are completed. */
export function serveStorage(storage: Storage, port: Port<Answer, Request>): void {
  const watches = new Map<number, ServedWatch>();
  let open = true;
  const post = (answer: Answer): void => {
    if (open) port.post(answer);
  };
  port.receive((request) => {
    const { id } = request;
    if ('ask' in request) {
      carryOut(storage, request.ask).then(
        (answer) => post({ id, answer }),
        (error: unknown) => post({ id, failed: failedOf(error) }),
      );
    } else if ('watch' in request) {
      const { range, after } = request.watch;
      const watch = new ServedWatch(
        storage.watch(range, { after, standing: () => post({ id, standing: true }) }),
      );
      watches.set(id, watch);
      void watch.deliver(id, post).finally(() => watches.delete(id));
    } else if ('taken' in request) watches.get(id)?.taken();
    else watches.get(id)?.cancel();
  });
  port.closed(() => {
    open = false;
    for (const watch of watches.values()) watch.cancel();
  });
}

/** Async, so that exceptions of an engine become rejections. */
async function carryOut(storage: Storage, ask: Call): Promise<Answered> {
  switch (ask.call) {
    case 'get':
      return storage.get(ask.key, ask.options);
    case 'scan':
      return storage.scan(ask.range, ask.options);
    case 'commit':
      return storage.commit(
        ask.writes.map((write) =>
          write.value === undefined ? write : { ...write, value: toBuffer(write.value) },
        ),
        ask.guards,
      );
    case 'currentRevision':
      return storage.currentRevision();
    case 'compact':
      await storage.compact(ask.revision);
      return undefined;
  }
}

/**
 * Takes batches of the engine while few are unread at the other end, so that the engine's bound applies to
 * it.
 */
class ServedWatch {
  private ahead = 0;
  private over = false;
  private goOn: (() => void) | undefined;

  constructor(private readonly watch: StorageWatch) {}

  async deliver(id: number, post: (answer: Answer) => void): Promise<void> {
    try {
      for await (const batch of this.watch) {
        post({ id, batch });
        this.ahead += 1;
        if (this.ahead >= BATCHES_AHEAD && !this.over) await new Promise<void>((go) => (this.goOn = go));
      }
      post({ id, ended: true });
    } catch (error) {
      post({ id, failed: failedOf(error) });
    }
  }

  taken(): void {
    this.ahead -= 1;
    this.goOn?.();
  }

  cancel(): void {
    this.over = true;
    this.watch.cancel();
    this.goOn?.();
  }
}

function failedOf(error: unknown): Failed {
  if (error instanceof StorageError) return { failure: error.failure };
  return { error: messageOf(error) };
}
