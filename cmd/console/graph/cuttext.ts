const marks = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Shortens a text to at most `most` characters (grapheme clusters). The middle is removed, as both ends distinguish
 * names.
 */
export function cutText(text: string, most: number): string {
  // A text with more code units is shortened in any case, so it need not be segmented as a whole.
  const near = text.length > 40 * most ? text.slice(0, 20 * most) + text.slice(-20 * most) : text;
  const parts = Array.from(marks.segment(near), ({ segment }) => segment);
  if (parts.length <= most && near === text) return text;
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return `${parts.slice(0, head).join('')}…${parts.slice(parts.length - tail).join('')}`;
}
