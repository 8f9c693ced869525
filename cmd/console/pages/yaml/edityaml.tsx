import { useDeferredValue, useMemo, useRef } from 'react';
import { lineDiff, type DiffLine } from '../../client/edits/linediff.js';
import type { Place } from '../../client/edits/yamlobject.js';
import type { ShownObject } from '../../client/edits/yamlread.js';
import { problemsIn, type Problem } from '../../client/schema/problems.js';
import { useSchema } from '../../client/schema/useschema.js';
import { ApiError } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/fault.js';
import { Conflict } from './conflict.js';
import { YamlEditor, type EditorHandle } from './editor/yamleditor.js';
import { useYamlEdit } from './useyamledit.js';

const CLASSES = { ' ': 'same', '-': 'gone', '+': 'come' } as const;
/** The number of lines of context around a change. */
const AROUND = 3;

/** The changes of a text. Signs, and not only colors, mark removed and added lines. */
function Diff({ lines }: { readonly lines: readonly DiffLine[] }) {
  const { yaml: texts } = useTexts();
  const near = (at: number): boolean =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== ' ');
  return (
    <>
      <h2 id="diff">{texts.changes}</h2>
      <pre className="diff" tabIndex={0} aria-labelledby="diff" role="region">
        {lines.map(
          ({ sign, text }, at) =>
            near(at) && (
              <span key={at} className={CLASSES[sign]}>
                {`${sign} ${text}\n`}
              </span>
            ),
        )}
      </pre>
    </>
  );
}

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

interface ProblemsProps {
  readonly problems: readonly Problem[];
  readonly onGoTo: (problem: Problem) => void;
}

/** The errors of the text, by line. Screen readers are told the number of errors. */
function Problems({ problems, onGoTo }: ProblemsProps) {
  const { yaml: texts } = useTexts();
  return (
    <>
      <p role="status" className="hint">
        {problems.length > 0 && texts.problems(problems.length)}
      </p>
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map((problem) => (
            <li key={`${problem.from} ${texts.problem(problem.what)}`}>
              <Button look="quiet" onPress={() => onGoTo(problem)}>
                {texts.line(problem.line)}
              </Button>{' '}
              {texts.problem(problem.what)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
