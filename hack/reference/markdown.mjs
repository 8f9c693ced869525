// Texts of the program as Markdown.

/** Text that is to be shown as it is: no emphasis, no HTML. */
export const plain = (text) =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\*_`|[\]]/g, '\\$&')
    .replace(/</g, '&lt;')
    .replace(/\{\{/g, '&#123;{');

/** Inline code; empty where there is nothing. Cells cannot have a bare `|`, in code either. */
export const code = (text) => (text === undefined || text === '' ? '' : `\`${text.replace(/\|/g, '\\|')}\``);

export function table(columns, rows) {
  if (rows.length === 0) throw new Error(`no rows for the columns ${columns.join(', ')}`);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** A page, with the note that it is generated. */
export const page = (title, ...parts) =>
  [`# ${title}`, '<!-- Written by hack/update-reference.sh from the code. -->', ...parts].join('\n\n') + '\n';
