import type { Members } from '../../../../api/members.js';
import { useState } from 'react';
import { parseDocument } from 'yaml';
import { ApiError } from '../../client/status.js';
import { fieldEdits, mergedEdits, type FieldEdit, type Side } from '../../client/edits/threeway.js';
import { mergePatch, sendChange, shownOf, type Place } from '../../client/edits/yamlobject.js';
import { MAX_DEPTH, tooDeepAt } from '../../client/schema/yamldepth.js';
import { markedBeside, readShown, type ShownObject } from '../../client/edits/yamlread.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { yamlOf } from './yamltext.js';
import { int64 } from '../../../../api/exactjson.js';

/** A change that passed a dry run, and its result. */
interface Tried {
  readonly change: Members;
  readonly after: string;
}

/** The object that somebody else wrote since, and the edits of both sides. */
interface Meanwhile {
  readonly theirs: ShownObject;
  readonly edits: readonly FieldEdit[];
}

/** A text for the editor. A new object replaces the text of the editor. */
export interface Given {
  readonly text: string;
}

export interface YamlEdit {
  /** The text as it was typed. */
  readonly text: string;
  readonly given: Given;
  /** The text as it was read. */
  readonly before: string;
  readonly write: (text: string) => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly tried: Tried | undefined;
  readonly meanwhile: Meanwhile | undefined;
  readonly attempt: () => void;
  readonly apply: () => void;
  /** `stays`: which side is kept for a field that both changed. */
  readonly resolve: (stays: (edit: FieldEdit) => Side) => void;
}

/**
 * The state of the editor: the text of an object, the result of a dry run, and the change on the version that was read.
 * If somebody else changed the object first, their version is read and both are compared; only fields that both changed
 * need a decision.
 */
export function useYamlEdit(place: Place, first: ShownObject, onApplied: () => Promise<unknown>): YamlEdit {
  const { yaml: texts } = useTexts();
  const [base, setBase] = useState(first);
  const before = yamlOf(base.shown);
  const [text, setText] = useState(before);
  const [given, setGiven] = useState<Given>({ text });
  const [tried, setTried] = useState<Tried>();
  const [meanwhile, setMeanwhile] = useState<Meanwhile>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const write = (next: string): void => {
    setText(next);
    setTried(undefined);
  };
  const goOn = (theirs: ShownObject, merged: object): void => {
    setBase(theirs);
    setMeanwhile(undefined);
    write(yamlOf(merged));
    setGiven({ text: yamlOf(merged) });
  };
  const attemptOn = async (on: ShownObject, next: unknown): Promise<void> => {
    setTried(undefined);
    setTried(await tryChange(place, on, next, texts));
  };
  const compare = async (): Promise<void> => {
    const theirs = await readShown(place);
    const edits = fieldEdits(base.shown, readYaml(text, texts), markedBeside(base, theirs));
    setTried(undefined);
    if (edits.some(({ by }) => by !== 'mine')) return setMeanwhile({ theirs, edits });
    const merged = mergedEdits(theirs.shown, edits, () => 'mine');
    goOn(theirs, merged);
    await attemptOn(theirs, merged);
  };
  const run = (step: () => Promise<unknown>): void => {
    setBusy(true);
    setError(undefined);
    step()
      .catch((failure: unknown) => {
        if (failure instanceof ApiError && failure.reason === 'Conflict') return compare();
        throw failure;
      })
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return {
    text,
    given,
    before,
    write,
    busy,
    error,
    tried,
    meanwhile,
    attempt: () => run(async () => attemptOn(base, readYaml(text, texts))),
    apply: () =>
      run(async () => {
        if (tried === undefined) return;
        await sendChange(place, base.shown.metadata.resourceVersion, tried.change, false);
        await onApplied();
      }),
    resolve: (stays) => {
      if (meanwhile !== undefined)
        goOn(meanwhile.theirs, mergedEdits(meanwhile.theirs.shown, meanwhile.edits, stays));
    },
  };
}

/** Returns the result of a dry run. Throws Error if nothing would change, and ApiError. */
async function tryChange(
  place: Place,
  on: ShownObject,
  next: unknown,
  { unchanged }: Texts['yaml'],
): Promise<Tried> {
  // A text that is no mapping is sent as it is, and the server refuses it.
  const change = mergePatch(on.shown, next) as Members | undefined;
  if (change === undefined) throw new Error(unchanged);
  const after = await sendChange(place, on.shown.metadata.resourceVersion, change, true);
  // A dry run does not change the version.
  return { change, after: yamlOf(shownOf(after)) };
}

/** Throws Error with the position of a syntax error, or if the text nests too deeply. */
function readYaml(text: string, { problem }: Texts['yaml']): unknown {
  if (tooDeepAt(text) !== undefined) throw new Error(problem({ is: 'tooDeep', most: MAX_DEPTH }));
  const document = parseDocument(text, { prettyErrors: true, intAsBigInt: true });
  const [fault] = document.errors;
  if (fault !== undefined) throw new Error(fault.message);
  return document.toJS({
    reviver: (_key, value) => (typeof value === 'bigint' ? (int64(value) ?? Number(value)) : value),
  });
}
