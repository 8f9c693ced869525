/** The maximum edit distance of a suggested name. */
const MAX_EDITS = 3;

/** `; did you mean x?`, or nothing if no name is similar. */
export function suggestion(wrong: string, names: readonly string[]): string {
  const best = similar(wrong, names);
  return best === undefined ? '' : `; did you mean ${best}?`;
}

/** The name that was probably meant; undefined if none is similar. */
export function similar(wrong: string, names: readonly string[]): string | undefined {
  const spelled = wrong.toLowerCase().replaceAll('_', '-').replace(/^-+/, '');
  const ranked = names
    .map((name) => ({ name, edits: distance(spelled, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.min(MAX_EDITS, name.length / 2))
    .sort((one, other) => one.edits - other.edits);
  const partOf = (name: string): boolean =>
    name.toLowerCase().startsWith(spelled) || name.split('-').includes(spelled);
  return ranked[0]?.name ?? (spelled.length > 2 ? names.find(partOf) : undefined);
}

/** The number of insertions, deletions, substitutions and transpositions (optimal string alignment); Infinity for many. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MAX_EDITS) return Infinity;
  const rows = [[...Array(other.length + 1).keys()]];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row += 1) {
    const edits = [row];
    rows.push(edits);
    for (let column = 1; column <= other.length; column += 1) {
      const changed = at(row - 1, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const swapped =
        one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
          ? at(row - 2, column - 2) + 1
          : Infinity;
      edits[column] = Math.min(changed, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1);
    }
  }
  return at(one.length, other.length);
}
