/** Who judges the lines of which file: the one place for the table tests and for `make vectors`. */
import { AssertionError } from 'node:assert/strict';
import { StatusError } from '../../pkg/apimachinery/errors.js';
import { DEVIATIONS } from './deviations.js';
import { applyJudge } from './judge/apply.js';
import { judgeContinue } from './judge/continue.js';
import { fieldSetJudge } from './judge/fieldset.js';
import { idOf, type Context, type Judge, type Line } from './judge/judge.js';
import { definitionOf } from './judge/kinds.js';
import { judgeMetadata } from './judge/metadata.js';
import { judgeNegotiation } from './judge/negotiation.js';
import { judgeJsonPatch, judgeMergePatch } from './judge/patches.js';
import { judgeProtobuf } from './judge/protobuf.js';
import { judgeQuery } from './judge/query.js';
import { judgeSelector, type SelectorVector } from './judge/selectors.js';
import { judgeShard, type ShardVector } from './judge/shards.js';
import { judgeStrategicMerge } from './judge/strategicmerge.js';
import { strictDecodeJudge } from './judge/strictdecode.js';

/** A judge whose lines say all. What a line holds is the matter of its file's README section. */
const alone =
  <V>(judge: (vector: V) => void) =>
  (): Judge =>
    judge as unknown as Judge;

/** By the name of the file without `.jsonl`. */
const JUDGES: Readonly<Record<string, (context: Context) => Judge>> = {
  apply: ({ schemas }) => alone(applyJudge(schemas))(),
  continue: alone(judgeContinue),
  fieldset: ({ schemas }) => alone(fieldSetJudge(schemas))(),
  jsonpatch: alone(judgeJsonPatch),
  mergepatch: alone(judgeMergePatch),
  metadata: alone(judgeMetadata),
  negotiation: alone(judgeNegotiation),
  protobuf: alone(judgeProtobuf),
  query: alone(judgeQuery),
  selectors: ({ lines }) => {
    const maps = (lines as unknown as SelectorVector[]).find(({ kind }) => kind === 'maps');
    if (maps === undefined) throw new Error('selectors.jsonl has no line of kind maps');
    return (line: Line) => judgeSelector(line as SelectorVector, maps);
  },
  shards: ({ lines }) => {
    const objects = (lines as unknown as ShardVector[]).find(({ kind }) => kind === 'objects');
    if (objects === undefined) throw new Error('shards.jsonl has no line of kind objects');
    return (line: Line) => judgeShard(line as unknown as ShardVector, objects);
  },
  strategicmerge: ({ schemas }) => alone(judgeStrategicMergeWith(schemas))(),
  strictdecode: ({ schemas }) => alone(strictDecodeJudge((kind) => definitionOf(kind, schemas)))(),
};

const judgeStrategicMergeWith =
  ({ patchMeta }: Context['schemas']) =>
  (vector: Parameters<typeof judgeStrategicMerge>[0]): void =>
    judgeStrategicMerge(vector, patchMeta);

/** The judge of `<file>.jsonl`, undefined where there is none. A line of {@link DEVIATIONS} must differ. */
export function judgeOf(file: string, context: Context): Judge | undefined {
  const judge = JUDGES[file]?.(context);
  if (judge === undefined) return undefined;
  return (line) => {
    const reason = DEVIATIONS[file]?.[idOf(line)];
    if (reason === undefined) judge(line);
    else if (agrees(judge, line)) throw new Error(`agrees again, so DEVIATIONS need not say: ${reason}`);
  };
}

function agrees(judge: Judge, line: Line): boolean {
  try {
    judge(line);
    return true;
  } catch (error) {
    if ([AssertionError, StatusError, SyntaxError].some((refusal) => error instanceof refusal)) return false;
    throw error;
  }
}

/** The files that have a judge. */
export const JUDGED: readonly string[] = Object.keys(JUDGES);
