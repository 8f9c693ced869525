/** The files of a store are damaged, cut short or missing. */
export class DamagedStore extends Error {
  /** `fault`: the file and what is wrong with it. */
  constructor(
    readonly fault: string,
    readonly directory: string,
  ) {
    super(`${fault}; restore it from a backup, or move ${directory} away to begin with a new, empty store`);
  }
}
