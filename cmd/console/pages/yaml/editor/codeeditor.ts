/**
 * CodeMirror in a shadow root. There it takes its styles by adoptedStyleSheets, which the policy of the pages allows;
 * in the page itself it would add style elements. Tab leaves the editor.
 */
import {
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { indentUnit } from '@codemirror/language';
import { nextDiagnostic, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import type { Offers } from '../../../client/schema/offers.js';
import { look } from './look.js';
import { yamlLanguage } from '@codemirror/lang-yaml';
import { tooDeepAt } from '../../../client/schema/yamldepth.js';

/** Highlighting and indentation of YAML, unless the text nests too deeply: the highlighter recurses. */
function yaml(text: string): Extension {
  const language = new Compartment();
  const none: Extension = [];
  const wanted = (of: Text | string): Extension =>
    tooDeepAt(of.toString()) === undefined ? yamlLanguage : none;
  return [
    language.of(wanted(text)),
    EditorState.transactionExtender.of(({ docChanged, newDoc, startState }) => {
      if (!docChanged) return null;
      const next = wanted(newDoc);
      return next === language.get(startState) ? null : { effects: language.reconfigure(next) };
    }),
  ];
}

export interface EditorOptions {
  readonly label: string;
  readonly description: string;
  /** Texts for screen readers, by the texts of CodeMirror. */
  readonly phrases: Readonly<Record<string, string>>;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly offersAt: (text: string, at: number) => Offers | undefined;
}

/** An underlined range, in characters from the beginning. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const TYPED = /^[\w.$/-]*$/;
const TYPING = /^[\w.$/-]$/;

export class CodeEditor {
  private readonly view: EditorView;
  private readonly readOnly = new Compartment();

  constructor(host: HTMLElement, options: EditorOptions) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const extensions = [this.readOnly.of([]), ...extensionsOf(options)];
    const state = EditorState.create({ doc: options.text, extensions });
    this.view = new EditorView({ state, root, parent: root });
  }

  /** Does nothing if the text is equal. */
  setText(text: string): void {
    const { doc } = this.view.state;
    if (doc.toString() !== text) this.view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  setReadOnly(readOnly: boolean): void {
    this.view.dispatch({ effects: this.readOnly.reconfigure(EditorState.readOnly.of(readOnly)) });
  }

  underline(marks: readonly Mark[]): void {
    const { length } = this.view.state.doc;
    const diagnostics = marks
      .filter(({ to }) => to <= length)
      .map((mark) => ({ ...mark, severity: 'error' as const }));
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  goTo(at: number): void {
    const anchor = Math.min(at, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor }, scrollIntoView: true });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }
}

function extensionsOf({ label, description, phrases, text, onText, offersAt }: EditorOptions): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    history(),
    EditorView.lineWrapping,
    yaml(text),
    indentUnit.of('  '),
    EditorState.phrases.of(phrases),
    look,
    autocompletion({ override: [completions(offersAt)], icons: false, defaultKeymap: false }),
    keymap.of([...completionKeymap, { key: 'F8', run: nextDiagnostic }, ...defaultKeymap, ...historyKeymap]),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-description': description,
      role: 'textbox',
    }),
    // The accessibility rules of axe require that a scrollable region contains an element with a tabindex.
    EditorView.contentAttributes.of({ tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onText(state.doc.toString());
    }),
  ];
}

/** Completes while the user types, and on Ctrl Space. */
const completions =
  (offersAt: EditorOptions['offersAt']) =>
  ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    if (!explicit && !TYPING.test(state.sliceDoc(Math.max(0, pos - 1), pos))) return null;
    const found = offersAt(state.doc.toString(), pos);
    if (found === undefined || found.offers.length === 0) return null;
    const options = found.offers.map(({ label, detail, info, insert }) => ({
      label,
      detail,
      apply: insert,
      ...(info !== '' && { info }),
    }));
    return { from: found.from, to: found.to, options, validFor: TYPED };
  };
