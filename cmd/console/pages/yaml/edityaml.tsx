import { useState } from 'react';
import { parseDocument } from 'yaml';
import type { KubeObject } from '../../../../api/resource.js';
import { lineDiff } from '../../client/linediff.js';
import { ApiError } from '../../client/status.js';
import type { Place } from '../../client/yamlobject.js';
import { mergePatch, sendChange, shownOf } from '../../client/yamlobject.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/fault.js';
import { TextField } from '../../ui/textfield.js';
import { Diff } from './diff.js';
import { yamlOf } from './yamltext.js';

export interface Props {
  readonly place: Place;
  /** As it was read, with its version. */
  readonly shown: KubeObject;
  readonly mayChange: boolean;
  readonly onApplied: () => Promise<unknown>;
  readonly onReload: () => void;
}

/** A change that the server has tried, and what would be of it. */
interface Tried {
  readonly change: object;
  readonly after: string;
}

/** The text, what it would change as the server says, and then the change. */
export function EditYaml({ place, shown, mayChange, onApplied, onReload }: Props) {
  const { yaml: texts } = useTexts();
  const before = yamlOf(shown);
  const [text, setText] = useState(before);
  const [tried, setTried] = useState<Tried>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const { resourceVersion } = shown.metadata;
  const run = (step: () => Promise<unknown>): void => {
    setBusy(true);
    setError(undefined);
    step()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  const attempt = async (): Promise<void> => {
    setTried(undefined);
    const change = mergePatch(shown, readYaml(text)) as object | undefined;
    if (change === undefined) throw new Error(texts.unchanged);
    const after = await sendChange(place, resourceVersion, change, true);
    // The version is that of the server, which a try does not move.
    setTried({ change, after: yamlOf(shownOf(after)) });
  };
  const apply = async ({ change }: Tried): Promise<void> => {
    await sendChange(place, resourceVersion, change, false);
    await onApplied();
  };
  const write = (next: string): void => {
    setText(next);
    setTried(undefined);
  };
  return (
    <>
      <TextField
        {...{ label: texts.link, hint: mayChange ? texts.hint : texts.readOnly, value: text }}
        {...{ onChange: write, lines: 26, mono: true, readOnly: !mayChange }}
      />
      <Fault error={error} />
      {error instanceof ApiError && error.code === 409 && <Button onPress={onReload}>{texts.reload}</Button>}
      {mayChange && (
        <div className="buttons start">
          <Button isDisabled={busy || text === before} onPress={() => run(attempt)}>
            {texts.attempt}
          </Button>
          {tried !== undefined && (
            <Button look="main" isDisabled={busy} onPress={() => run(() => apply(tried))}>
              {texts.apply}
            </Button>
          )}
        </div>
      )}
      {tried !== undefined && <Diff lines={lineDiff(before, tried.after)} />}
    </>
  );
}

/** Throws Error that says where it is no YAML. */
function readYaml(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [fault] = document.errors;
  if (fault !== undefined) throw new Error(fault.message);
  return document.toJS() as unknown;
}
