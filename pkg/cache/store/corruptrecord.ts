/** Thrown by the first load: the store holds a record that this release cannot read. */
export class CorruptRecord extends Error {
  override readonly name = 'CorruptRecord';
  constructor(
    readonly key: string,
    options: ErrorOptions,
  ) {
    super(`the record at ${key} cannot be read`, options);
  }
}
