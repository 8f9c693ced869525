/** Whether the requests for each object are linearizable, which porcupine decides (`hack/tools/porcupine`). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../../fixtures/stores/etcd.js';
import type { History, RequestRecord, ShownObject, Violation } from '../history/history.js';
import type { Revisions } from '../history/revisions.js';

const PROGRAM = 'linearizability';

const TIMEOUT_SECONDS = 60;
/**
 * Requests with an unknown outcome multiply the possible orders. If more than this share of the objects stays
 * undecided, the check is not meaningful.
 */
const MAX_UNDECIDED = 0.1;

/** A line of the input of `hack/tools/porcupine/history.go`. */
interface Line extends Partial<Pick<RequestRecord, 'fields' | 'ifRevision' | 'ifUID' | 'uid'>> {
  readonly client: number;
  readonly key: string;
  readonly operation: string;
  readonly call: number;
  /** Absent: it may be executed at any later time. */
  readonly return?: number;
  readonly outcome: string;
  readonly revision?: number;
  readonly result?: ShownObject['fields'];
}

interface Verdict {
  readonly operations: number;
  readonly keys: number;
  readonly illegal: readonly {
    readonly key: string;
    readonly explained: number;
    readonly next: readonly string[];
    readonly picture?: string;
  }[];
  readonly undecided: readonly string[];
}

export interface Linearizability {
  readonly operations: number;
  readonly keys: number;
  /**
   * The number of objects for which porcupine found neither an order nor a proof that there is none, within the time.
   */
  readonly undecided: number;
  readonly violations: readonly Violation[];
}

/**
 * @param folder for a picture of each history that is not linearizable
 */
export async function judgeLinearizability(
  history: History,
  revisions: readonly Revisions[],
  folder: string,
): Promise<Linearizability> {
  const lines = linesOf(history, revisions);
  const { operations, keys, illegal, undecided } = await verdictOn(lines, folder);
  const violations: Violation[] = [
    ...illegal.map(({ key, explained, next, picture }) => ({
      judge: 'linearizable' as const,
      text: `${key}: no order explains more than ${explained} requests; then come ${next.join('; ')} (${picture ?? ''})`,
    })),
    ...(undecided.length > MAX_UNDECIDED * keys ? undecided : []).map((key) => ({
      judge: 'linearizable' as const,
      text: `${key}: ${TIMEOUT_SECONDS} s did not suffice to find an order`,
    })),
  ];
  return { operations, keys, undecided: undecided.length, violations };
}

function linesOf({ requests, lists }: History, revisions: readonly Revisions[]): Line[] {
  const written = new Map(revisions.flatMap((each) => [...writtenValues(each)]));
  const names = new Map<string, Set<string>>();
  for (const { kind, name } of requests) names.set(kind, (names.get(kind) ?? new Set()).add(name));
  const asked = requests
    .filter(({ stale, outcome }) => stale !== true && outcome !== 'refused')
    .map((request) => lineOf(request, written));
  // A list is a read of every object at one moment; it is added to the history of each object.
  const listed = lists
    .filter(({ stale }) => stale !== true)
    .flatMap(({ client, kind, call, return: end, items }): Line[] => {
      const shown = new Map(items.map((item) => [item.name, item]));
      const base = { client, operation: 'get', call, return: end };
      return [...(names.get(kind) ?? [])].map((name) => {
        const object = shown.get(name);
        const key = `${kind}/${name}`;
        return object === undefined
          ? { ...base, key, outcome: 'absent' }
          : { ...base, key, outcome: 'ok', ...told(object) };
      });
    });
  return [...asked, ...listed];
}

const told = ({ revision, uid, fields }: ShownObject): Pick<Line, 'revision' | 'uid' | 'result'> => ({
  revision,
  uid,
  result: fields,
});

/** The object in which each value was first seen. */
function writtenValues(revisions: Revisions): Map<string, ShownObject> {
  const first = new Map<string, ShownObject>();
  for (const { object, deleted } of revisions.all) {
    if (deleted) continue;
    for (const value of Object.values(object.fields)) if (!first.has(value)) first.set(value, object);
  }
  return first;
}

/**
 * A write with an unknown outcome whose value was seen has been executed, at the revision at which the value was first
 * seen.
 */
function lineOf(request: RequestRecord, written: ReadonlyMap<string, ShownObject>): Line {
  const { client, kind, name, operation, call, ifRevision, ifUID, fields, outcome, uid, shown } = request;
  const base = { client, key: `${kind}/${name}`, operation, call, ifRevision, ifUID, fields, outcome };
  if (outcome !== 'unknown') {
    return { ...base, return: request.return, ...(shown === undefined ? { uid } : told(shown)) };
  }
  const [value] = Object.values(fields ?? {});
  const done = value === undefined ? undefined : written.get(value);
  return { ...base, ...(done !== undefined && told(done)) };
}

async function verdictOn(lines: readonly Line[], folder: string): Promise<Verdict> {
  const program = findProgram(PROGRAM);
  if (program === undefined) throw new Error(`${PROGRAM} is not in .tools/bin: run hack/obtain-tools.sh`);
  const child = spawn(program, ['--timeout', `${TIMEOUT_SECONDS}s`, '--visualize', folder]);
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => output.push(piece));
  child.stderr.on('data', (piece: Buffer) => errors.push(piece));
  for (const line of lines) child.stdin.write(`${JSON.stringify(line)}\n`);
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${PROGRAM} ended with ${code}: ${Buffer.concat(errors).toString()}`);
  return JSON.parse(Buffer.concat(output).toString()) as Verdict;
}
