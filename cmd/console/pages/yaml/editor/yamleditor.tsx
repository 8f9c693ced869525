import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import { offersAt } from '../../../client/schema/offers.js';
import type { KindSchema } from '../../../client/schema/schema.js';
import { useTexts } from '../../../texts/texts.js';
import type { Given } from '../useyamledit.js';
import { CodeEditor, type Mark } from './codeeditor.js';

export interface EditorHandle {
  /** Moves the cursor to this offset, in characters. */
  goTo(at: number): void;
}

export interface Props {
  /**
   * The text to show. Only a new object replaces the text of the editor: the typed text arrives here with a delay, and
   * must not replace what is typed meanwhile.
   */
  readonly given: Given;
  readonly onChange: (value: string) => void;
  readonly readOnly: boolean;
  /** The schema for completions; undefined: no completions. */
  readonly schema: KindSchema | undefined;
  readonly marks: readonly Mark[];
  readonly ref: Ref<EditorHandle>;
}

/** An editor for the text of an object, with completions and errors. */
export function YamlEditor({ given, onChange, readOnly, schema, marks, ref }: Props) {
  const { yaml: texts } = useTexts();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor>(null);
  const latest = useRef({ onChange, schema, given, texts });
  latest.current = { onChange, schema, given, texts };
  useEffect(() => {
    if (host.current === null) return;
    const { current } = latest;
    const made = new CodeEditor(host.current, {
      label: current.texts.link,
      description: current.texts.keys,
      phrases: current.texts.editor,
      text: current.given.text,
      onText: (text) => latest.current.onChange(text),
      offersAt: (text, at) => latest.current.schema && offersAt(text, at, latest.current.schema),
    });
    editor.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => editor.current?.setText(given.text), [given]);
  useEffect(() => editor.current?.setReadOnly(readOnly), [readOnly]);
  useEffect(() => editor.current?.underline(marks), [marks]);
  useImperativeHandle(ref, () => ({ goTo: (at) => editor.current?.goTo(at) }), []);
  return <div className="yaml-editor" ref={host} />;
}
