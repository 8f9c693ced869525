import type { MergeSchemas } from '../mergekinds.js';
import type { PatchMeta } from './strategicmerge.js';

/** A line of a vector file, as parsed. */
export interface Line {
  readonly id?: string;
  /** What stands for the id in files of this project. */
  readonly name?: string;
}

export const idOf = ({ id, name }: Line): string => id ?? name ?? '';

/** What schemas.json holds, as far as judges read it. */
export interface Schemas extends MergeSchemas {
  readonly patchMeta: PatchMeta;
}

/** What a line does not say itself. */
export interface Context {
  readonly schemas: Schemas;
  /** All lines of the file. */
  readonly lines: readonly Line[];
}

/** Runs one line through the project's functions; throws where the outcome differs. */
export type Judge = (line: Line) => void;
