/** Where lines of the audit log go. */
export interface AuditSink {
  /** Takes a line at once; it is written with others within a moment. Never throws. */
  write(line: string): void;
  /** Resolves when all lines taken so far are written; rejects when they cannot be. */
  flush(): Promise<void>;
  /** Lines that were given. */
  taken(): number;
  /** Lines that were given up because they could not be written. */
  lost(): number;
  /** Writes what is left, as far as that can be done. */
  close(): Promise<void>;
}

/** Writes text at the end of something. Rejects when it cannot be; what was not written is tried again. */
export interface AuditFile {
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface SinkOptions {
  /** Told of failures, for the log. */
  readonly report: (error: unknown) => void;
  /** How long lines wait for company. */
  readonly waitMs?: number;
  /** From so many characters on, lines wait no longer. */
  readonly eager?: number;
  /** Lines that cannot be written are kept up to so many characters; then the newest are given up. */
  readonly kept?: number;
}

/** Collects lines and appends them together, one append at a time. */
export function batchedSink(file: AuditFile, options: SinkOptions): AuditSink {
  const { report, waitMs = 250, eager = 256 * 1024, kept = 8 * 1024 * 1024 } = options;
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let taken = 0;
  let lost = 0;

  async function writeWaiting(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = '';
    if (text === '') return;
    try {
      await file.append(text);
    } catch (error) {
      waiting = text + waiting;
      report(error);
      throw error;
    }
  }

  /** After the one under way, which may have begun before the newest lines. */
  function flush(): Promise<void> {
    const next = (running ?? Promise.resolve()).then(writeWaiting, writeWaiting);
    running = next;
    const done = (): void => {
      if (running === next) running = undefined;
    };
    next.then(done, done);
    return next;
  }

  // A failure was reported, and its lines are tried again.
  const soon = (): void => void flush().catch(() => arm());

  function arm(): void {
    timer ??= setTimeout(soon, waitMs).unref();
  }

  return {
    flush,
    taken: () => taken,
    lost: () => lost,
    write(line) {
      taken += 1;
      if (waiting.length + line.length > kept) {
        lost += 1;
        return;
      }
      waiting += `${line}\n`;
      if (waiting.length >= eager && running === undefined) soon();
      else arm();
    },
    async close() {
      await flush().catch(() => undefined);
      clearTimeout(timer);
      await file.close();
    },
  };
}
