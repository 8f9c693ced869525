import { yamlLanguage } from '@codemirror/lang-yaml';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import { tooDeepAt } from '../../../client/schema/yamldepth.js';

/** Highlighting and indentation of YAML, unless the text nests too deeply: the highlighter recurses. */
export function yaml(text: string): Extension {
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
