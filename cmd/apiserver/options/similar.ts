/** The maximum edit distance of a suggested name. */
const MAX_EDITS = 3;

/** `; did you mean x?`, or nothing if no name is similar. */
export function suggestion(wrong: string, names: readonly string[]): string {
  const spelled = wrong.toLowerCase().replaceAll('_', '-').replace(/^-+/, '');
  const ranked = names
    .map((name) => ({ name, edits: distance(spelled, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.min(MAX_EDITS, name.length / 2))
    .sort((one, other) => one.edits - other.edits);
  const best =
    ranked[0]?.name ?? names.find((name) => spelled.length > 2 && name.split('-').includes(spelled));
  return best === undefined ? '' : `; did you mean ${best}?`;
}

/** The number of insertions, deletions, substitutions and transpositions (optimal string alignment). */
function distance(one: string, other: string): number {
  const rows = [...Array(one.length + 1).keys()].map((row) => [row]);
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let column = 0; column <= other.length; column += 1) rows[0]![column] = column;
  for (let row = 1; row <= one.length; row += 1)
    for (let column = 1; column <= other.length; column += 1) {
      const changed = at(row - 1, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const swapped =
        one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
          ? at(row - 2, column - 2) + 1
          : Infinity;
      rows[row]![column] = Math.min(changed, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1);
    }
  return at(one.length, other.length);
}
