const marks = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text of at most `most` characters as people count them, without its middle where it is longer: both ends tell apart. */
export function cutText(text: string, most: number): string {
  // More code units than that are cut in any case, and need not be taken apart.
  const near = text.length > 40 * most ? text.slice(0, 20 * most) + text.slice(-20 * most) : text;
  const parts = Array.from(marks.segment(near), ({ segment }) => segment);
  if (parts.length <= most && near === text) return text;
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return `${parts.slice(0, head).join('')}…${parts.slice(parts.length - tail).join('')}`;
}
