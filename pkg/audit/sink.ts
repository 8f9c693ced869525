/** Takes the lines of the audit log. */
export interface AuditSink {
  /** Buffers a line, which is soon written together with others. Never throws. */
  write(line: string): void;
  /** Resolves when all lines taken before the call are written; rejects if they cannot be. */
  flush(): Promise<void>;
  /** Number of lines taken. */
  taken(): number;
  /** Number of lines dropped because they could not be written. */
  lost(): number;
  /** Writes the buffered lines if it can, then closes the file. */
  close(): Promise<void>;
}

export interface AuditFile {
  /** Rejects if the text cannot be written; the sink then tries again. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface SinkOptions {
  /** Logs failures. */
  readonly report: (error: unknown) => void;
  /** How long a line is buffered before it is written, in ms. */
  readonly waitMs?: number;
  /** Number of buffered characters that are written at once. */
  readonly flushChars?: number;
  /** Maximum number of buffered characters. Beyond it, new lines are dropped. */
  readonly maxChars?: number;
}

/** Collects lines and appends them together, one append at a time. */
export class BatchedSink implements AuditSink {
  private readonly report: (error: unknown) => void;
  private readonly waitMs: number;
  private readonly flushChars: number;
  private readonly maxChars: number;
  private buffered = '';
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private takenLines = 0;
  private lostLines = 0;

  constructor(
    private readonly file: AuditFile,
    { report, waitMs = 250, flushChars = 256 * 1024, maxChars = 8 * 1024 * 1024 }: SinkOptions,
  ) {
    this.report = report;
    this.waitMs = waitMs;
    this.flushChars = flushChars;
    this.maxChars = maxChars;
  }

  write(line: string): void {
    this.takenLines += 1;
    if (this.buffered.length + line.length > this.maxChars) {
      this.lostLines += 1;
      return;
    }
    this.buffered += `${line}\n`;
    if (this.buffered.length >= this.flushChars && this.running === undefined) this.flushAndRetry();
    else this.arm();
  }

  /** Appends after the running append, which may have begun before the newest lines. */
  flush(): Promise<void> {
    const append = (): Promise<void> => this.appendBuffered();
    const next = (this.running ?? Promise.resolve()).then(append, append);
    this.running = next;
    const done = (): void => {
      if (this.running === next) this.running = undefined;
    };
    next.then(done, done);
    return next;
  }

  taken(): number {
    return this.takenLines;
  }

  lost(): number {
    return this.lostLines;
  }

  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    clearTimeout(this.timer);
    await this.file.close();
  }

  private async appendBuffered(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const text = this.buffered;
    this.buffered = '';
    if (text === '') return;
    try {
      await this.file.append(text);
    } catch (error) {
      this.buffered = text + this.buffered;
      this.report(error);
      throw error;
    }
  }

  /** A failure is reported by the append, and its lines are written again later. */
  private flushAndRetry(): void {
    void this.flush().catch(() => this.arm());
  }

  private arm(): void {
    this.timer ??= setTimeout(() => this.flushAndRetry(), this.waitMs).unref();
  }
}
