import { useDeferredValue, useMemo, useRef } from 'react';
import { lineDiff } from '../../client/edits/linediff.js';
import type { Place } from '../../client/edits/yamlobject.js';
import type { ShownObject } from '../../client/edits/yamlread.js';
import { problemsIn } from '../../client/schema/problems.js';
import { useSchema } from '../../client/schema/useschema.js';
import { ApiError } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/fault.js';
import { Conflict } from './conflict.js';
import { Diff } from './diff.js';
import { YamlEditor, type EditorHandle } from './editor/yamleditor.js';
import { Problems } from './problems.js';
import { useYamlEdit } from './useyamledit.js';

export interface Props {
  readonly place: Place;
  /** The object as it was read, with its version. */
  readonly first: ShownObject;
  readonly mayChange: boolean;
  readonly onApplied: () => Promise<unknown>;
}

/** Edits the text, shows the result of a dry run, and then applies the change. */
export function EditYaml({ place, first, mayChange, onApplied }: Props) {
  const { yaml: texts } = useTexts();
  const edit = useYamlEdit(place, first, onApplied);
  const { text, given, before, busy, tried, meanwhile, error } = edit;
  const schema = useSchema(first.shown.apiVersion, first.shown.kind);
  const editor = useRef<EditorHandle>(null);
  const checked = useDeferredValue(text);
  const problems = useMemo(
    () => problemsIn(checked, schema, error instanceof ApiError ? error.causes : []),
    [checked, schema, error],
  );
  const marks = useMemo(
    () => problems.map(({ from, to, what }) => ({ from, to, message: texts.problem(what) })),
    [problems, texts],
  );
  return (
    <>
      <p className="hint">{mayChange ? texts.hint : texts.readOnly}</p>
      <YamlEditor
        given={given}
        onChange={edit.write}
        schema={schema}
        marks={marks}
        ref={editor}
        readOnly={!mayChange || meanwhile !== undefined}
      />
      <p className="hint">{texts.keys}</p>
      <Problems problems={problems} onGoTo={({ from }) => editor.current?.goTo(from)} />
      <Fault error={error} />
      {meanwhile !== undefined && <Conflict edits={meanwhile.edits} onResolve={edit.resolve} />}
      {mayChange && meanwhile === undefined && (
        <div className="buttons start">
          <Button isDisabled={busy || text === before} onPress={edit.attempt}>
            {texts.attempt}
          </Button>
          {tried !== undefined && (
            <Button look="main" isDisabled={busy} onPress={edit.apply}>
              {texts.apply}
            </Button>
          )}
        </div>
      )}
      {tried !== undefined && <Diff lines={lineDiff(before, tried.after)} />}
    </>
  );
}
