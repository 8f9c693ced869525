/** Searches the audit log of this server, from the newest event to the oldest, a bounded part of it at a time. */
import { linesBackwards, type Lines } from './backwards.js';
import { logFiles, type LogFile } from './files.js';
import { matches, needlesOf, timeOf, type AuditFilter, type RecordedEvent } from './filter.js';
import { isObject } from '../../apimachinery/encoding/members.js';
import { badRequest, expired } from '../../apimachinery/errors.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/**
 * Every line begins like this (`pkg/audit/event.ts`). An object within a body may do so, but no string, as its quotes
 * are escaped.
 */
const BEGIN = Buffer.from('{"kind":"Event","apiVersion":"audit.k8s.io/v1",');
/** Of one line. */
const MAX_ATTEMPTS = 16;

/**
 * Undefined if the line has no event. After an interrupted write, a line begins with part of another one: only the
 * event that reaches to the end of the line is read, never one within a body.
 */
function eventOf(line: Buffer): RecordedEvent | undefined {
  let event = parsed(line);
  let at = line.length;
  for (let attempts = 0; event === undefined && at > 0 && attempts < MAX_ATTEMPTS; attempts += 1) {
    at = line.lastIndexOf(BEGIN, at - 1);
    if (at > 0) event = parsed(line.subarray(at));
  }
  return event;
}

function parsed(line: Buffer): RecordedEvent | undefined {
  try {
    const value = parseStored<unknown>(line);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Other members are not looked at: a line that something else wrote may have any. */
function isEvent(value: unknown): value is RecordedEvent {
  return isObject(value) && value.kind === 'Event';
}

export interface SearchBounds {
  /** Bytes that one search reads. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Bytes of the events that it finds, before the last. */
  readonly found: number;
}

export const BOUNDS: SearchBounds = { bytes: 32 * 1024 * 1024, milliseconds: 1500, found: 1024 * 1024 };

/**
 * Lines are buffered before they are written, and workers write one after another, so the log is out of order by up to
 * this.
 */
const SLACK_MS = 60_000;

export interface AuditSearch extends AuditFilter {
  /** Most events. */
  readonly limit: number;
  /** {@link Found.continue} of an earlier search; `''`: from the newest event on. */
  readonly from: string;
}

export interface Found {
  /** The newest first. */
  readonly events: RecordedEvent[];
  /** Absent: the log was searched to its end, or to `after`. */
  readonly continue?: string;
  /** RFC 3339: the time back to which the log was searched. Absent as `continue`. */
  readonly searchedTo?: string;
  /** Lines without an event, or too long. */
  readonly unreadable: number;
}

/** Rejects with StatusError, 400 and 410, for `from`; and with errors of the file system. */
export async function searchAuditLog(
  path: string,
  search: AuditSearch,
  bounds: SearchBounds = BOUNDS,
): Promise<Found> {
  const { after = -Infinity, before = Infinity } = search;
  let sought = decodePosition(search.from);
  let pastAfter = false;
  const run = new Run(search, bounds);
  const skip = ({ since, until }: Pick<LogFile, 'since' | 'until'>): boolean => {
    if (until < after - SLACK_MS) pastAfter = true;
    return pastAfter || since > before + SLACK_MS;
  };
  for await (const { id, handle, size } of logFiles(path, skip)) {
    if (sought !== undefined && sought.file !== id) continue;
    const end = Math.min(size, sought?.offset ?? size);
    sought = undefined;
    for await (const lines of linesBackwards(handle, end)) {
      const stopped = run.take(lines, { file: id, offset: end });
      if (stopped === 'here') return run.found();
      if (stopped === 'at the end') return run.found(true);
    }
  }
  if (sought !== undefined && !pastAfter) throw positionGone();
  return run.found(true);
}

/** One search and its progress. */
class Run {
  private readonly needles: readonly Buffer[];
  private readonly begun = performance.now();
  private readonly events: RecordedEvent[] = [];
  private position: Position | undefined;
  private searchedTo: string | undefined;
  private unreadable = 0;
  private read = 0;
  private size = 0;

  constructor(
    private readonly search: AuditSearch,
    private readonly bounds: SearchBounds,
  ) {
    this.needles = needlesOf(search);
  }

  /**
   * Whether the search stops within or before these lines, or has reached `after`. `begun`: the position in the file
   * at the start.
   */
  take({ lines, start, bytes }: Lines, begun: Position): 'here' | 'at the end' | undefined {
    const { file } = begun;
    this.read += bytes;
    for (const { text, start: begin } of lines) {
      this.position = { file, offset: begin };
      if (text === undefined) this.unreadable += 1;
      else this.takeLine(text);
      if (this.events.length >= this.search.limit || this.size >= this.bounds.found) return 'here';
    }
    this.position = { file, offset: start };
    if (this.isPast(lines)) return 'at the end';
    const late = performance.now() - this.begun > this.bounds.milliseconds;
    // Without progress, the next search would stop at the same position.
    return (late || this.read >= this.bounds.bytes) && start < begun.offset ? 'here' : undefined;
  }

  found(ended = false): Found {
    const { events, unreadable, position, searchedTo } = this;
    if (ended || position === undefined) return { events, unreadable };
    const found = { events, unreadable, continue: encodePosition(position) };
    return searchedTo === undefined ? found : { ...found, searchedTo };
  }

  private takeLine(text: Buffer): void {
    if (!this.needles.every((needle) => text.includes(needle))) return;
    const event = eventOf(text);
    if (event === undefined) {
      this.unreadable += 1;
      return;
    }
    this.searchedTo = event.stageTimestamp ?? this.searchedTo;
    if (!matches(this.search, event)) return;
    this.events.push(event);
    this.size += text.length;
  }

  /** Whether the oldest of these lines is before the requested time. */
  private isPast(lines: Lines['lines']): boolean {
    const oldest = lines.at(-1)?.text;
    const event = oldest && eventOf(oldest);
    if (event === undefined) return false;
    this.searchedTo = event.stageTimestamp ?? this.searchedTo;
    return timeOf(event) < (this.search.after ?? -Infinity) - SLACK_MS;
  }
}

/**
 * The position where a search ended: the part of a file before `offset` was not searched yet. Opaque to clients, and
 * harmless if they change it.
 */
interface Position {
  /** {@link LogFile.id}: it stays when the file is put aside. */
  readonly file: string;
  readonly offset: number;
}

const encodePosition = ({ file, offset }: Position): string =>
  Buffer.from(`v1 ${file} ${offset}`).toString('base64url');

/** Undefined for the empty text. Throws StatusError 400. */
export function decodePosition(text: string): Position | undefined {
  if (text === '') return undefined;
  const [, file, offset] = /^v1 (\d+-\d+) (\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (file === undefined || offset === undefined)
    throw badRequest('spec.continue is not a value of status.continue: search without it');
  return { file, offset: Number(offset) };
}

const positionGone = (): Error =>
  expired(
    'this server does not have the part of the audit log where the search ended: it has been deleted, or another server ' +
      'answered before (status.server): search without spec.continue',
  );
