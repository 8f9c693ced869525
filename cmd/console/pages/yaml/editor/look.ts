/** The theme of the editor. The colors are custom properties of styles/base.css, which shadow roots inherit. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const MONO = "ui-monospace, 'SF Mono', 'DejaVu Sans Mono', monospace";

const theme = EditorView.theme({
  '&': {
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    background: 'var(--panel)',
    color: 'var(--text)',
    fontSize: '0.9rem',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: MONO, lineHeight: '1.5', minHeight: '24rem', maxHeight: '70vh' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--dim)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--text)', fontWeight: '600' },
  '.cm-tooltip': { border: '1px solid var(--edge)', background: 'var(--panel)', color: 'var(--text)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: MONO,
    maxHeight: '14rem',
    maxWidth: 'min(36rem, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.2rem 0.5rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-ground)',
    color: 'var(--accent-text)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--dim)' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.4rem 0.6rem', maxWidth: 'min(24rem, 60vw)' },
  '.cm-diagnostic': { padding: '0.3rem 0.5rem' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--dim)' },
]);

export const look = [theme, syntaxHighlighting(colours)];
